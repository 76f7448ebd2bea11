"""Constructors that refuse numbers, of which others are tried, and those that read their configuration off arrays."""

import re
from collections.abc import Set
from dataclasses import replace

import jax

from pytree_laws.inspect.trees import partition

from ...values.domains import DOMAINS, within
from ..built import Built


def with_allowed_values(built: "Built") -> "Built":
    """The same with numbers of another domain, where the constructor refuses some of those that are drawn."""
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
    """Whether nothing is raised for the values of several seeds: a check may be made of them alone."""
    try:
        for seed in range(3):
            jax.block_until_ready(partition(built.source.value(seed))[1])
    except Exception:
        return False
    return True


def of_one_configuration(built: "Built") -> "Built":
    """The same with one array for all seeds where the static values of instances follow it, as they do a mask.

    Who gives the array chooses the configuration; of a random key that chooses it the laws tell.
    """
    if has_one_structure(built):
        return built
    drawn = [name for name, source in built.arguments.items() if DRAWN_ARRAY.search(source.text)]
    chooses = [name for name in drawn if not has_one_structure(with_fixed(built, {*drawn} - {name}))]
    other = with_fixed(built, {*chooses})
    return other if has_one_structure(other) else built


def with_fixed(built: "Built", names: Set[str]) -> "Built":
    """The same with these arguments alike for all seeds."""
    arguments = built.arguments.items()
    fixed = {
        name: source.but(re.sub(r"\bseed\b", "0", source.text)) for name, source in arguments if name in names
    }
    return replace(built, arguments={**built.arguments, **fixed})


DRAWN_ARRAY = re.compile(r"\bsample\(seed\b(?!.*\"key\")")


def has_one_structure(built: "Built") -> bool:
    """Whether instances of several seeds have one treedef; so it is taken to be where one cannot be built, or compared."""
    try:
        first, *others = (jax.tree.structure(built.source.value(seed)) for seed in range(3))
        return all(other == first for other in others)
    except Exception:
        return True
