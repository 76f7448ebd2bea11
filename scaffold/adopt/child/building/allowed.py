"""Constructors that refuse numbers: those of another domain are tried."""

from dataclasses import replace

import jax

from pytree_laws.inspect.trees import partition

from ..values.domains import DOMAINS, within
from .built import Built


def with_allowed_values(built: "Built") -> "Built":
    """The same with positive numbers, or with some between 0 and 1, where the constructor refuses others."""
    if holds_for_values(built):
        return built
    for domain in DOMAINS:
        others = within(domain, built.arguments)
        changed = [name for name, source in others.items() if source != built.arguments[name]]
        for moved in [*([name] for name in changed), changed]:
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
