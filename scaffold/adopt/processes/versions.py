"""Oldest versions of jax, Equinox and Flax for which the laws are right."""

import re
from collections.abc import Iterable, Mapping

from scaffold.errors import Fault, ScaffoldError
from scaffold.in_project.dependencies import FLOORS

LIBRARIES = {"module": "equinox", "nnx": "flax"}
"""Library of each kind of class. A kind that is not listed needs jax alone."""


def refuse_old(versions: Mapping[str, str], libraries: Iterable[str], where: str) -> None:
    """Raise `ScaffoldError` if the interpreter has an older version of a library than the laws need."""
    faults = [
        Fault(where, f"it has {name} {versions[name]}, and the laws need {FLOORS[name]} or newer", _fix(name))
        for name in sorted(set(libraries))
        if () < release_of(versions.get(name, "")) < release_of(FLOORS[name])
    ]
    if faults:
        raise ScaffoldError.of(faults)


def _fix(name: str) -> str:
    return f"install `{name}>={FLOORS[name]}` there, or name another interpreter with `--python`"


def release_of(version: str) -> tuple[int, ...]:
    """Return the numbers of a release, such as (0, 6, 1) for `0.6.1rc2`, or () if there are none."""
    numbers = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, numbers[0].split("."))) if numbers else ()
