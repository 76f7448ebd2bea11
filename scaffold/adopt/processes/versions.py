"""The oldest versions of jax, Equinox and Flax with which the laws say anything true."""

import re
from collections.abc import Iterable, Mapping

from scaffold.errors import Fault, ScaffoldError
from scaffold.in_project.dependencies import FLOORS

LIBRARIES = {"module": "equinox", "nnx": "flax"}
"""The library that classes of a kind are made of; every class is one of jax."""


def refuse_old(versions: Mapping[str, str], libraries: Iterable[str], where: str) -> None:
    """Refuse an interpreter that has an older version of a library. Raises `ScaffoldError`."""
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
    """The numbers of a release, without what marks it as a candidate or a build; none where it has none."""
    numbers = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, numbers[0].split("."))) if numbers else ()
