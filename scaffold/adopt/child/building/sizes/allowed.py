"""Values from a domain that a constructor accepts, and arrays fixed because static values follow them."""

import re
from collections.abc import Set
from dataclasses import replace

import jax

from pytree_laws.inspect.trees import partition

from ...values.domains import DOMAINS, within
from ..built import Built


def with_allowed_values(built: "Built") -> "Built":
    """Return the construction with draws from another domain if the constructor refuses some values."""
    if holds_for_values(built):
        return built
    for domain in DOMAINS:
        others = within(domain, built.arguments)
        changed = [name for name, source in others.items() if source != built.arguments[name]]
        for moved in dict.fromkeys((*((name,) for name in changed), (*changed,)) if changed else ()):
            chosen = {
                name: others[name] if name in moved else source for name, source in built.arguments.items()
            }
            other = replace(built, arguments=chosen)
            if holds_for_values(other):
                return other
    return built


def holds_for_values(built: "Built") -> bool:
    """Whether three seeds build without an error, since some checks run only on concrete values."""
    try:
        for seed in range(3):
            jax.block_until_ready(partition(built.source.value(seed))[1])
    except Exception:
        return False
    return True


def of_one_configuration(built: "Built") -> "Built":
    """Fix the arrays from which static values are computed, such as a mask, for all seeds.

    An array is the caller's choice of configuration. A random key that affects static values is left to the
    laws.
    """
    if has_one_structure(built):
        return built
    drawn = [name for name, source in built.arguments.items() if DRAWN_ARRAY.search(source.text)]
    chooses = [name for name in drawn if not has_one_structure(with_fixed(built, {*drawn} - {name}))]
    other = with_fixed(built, {*chooses})
    return other if has_one_structure(other) else built


def with_fixed(built: "Built", names: Set[str]) -> "Built":
    """Return the construction with these arguments alike for all seeds."""
    arguments = built.arguments.items()
    fixed = {
        name: source.but(re.sub(r"\bseed\b", "0", source.text)) for name, source in arguments if name in names
    }
    return replace(built, arguments={**built.arguments, **fixed})


DRAWN_ARRAY = re.compile(r"\bsample\(seed\b(?!.*\"key\")")


def has_one_structure(built: "Built") -> bool:
    """Whether instances of three seeds have one treedef, or cannot be built or compared."""
    try:
        first, *others = (jax.tree.structure(built.source.value(seed)) for seed in range(3))
        return all(other == first for other in others)
    except Exception:
        return True
