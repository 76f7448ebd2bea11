"""Dependencies that `pyproject.toml` declares, in the tables of the usual tools."""

import re
from collections.abc import Iterator, Mapping
from typing import cast

from scaffold.in_project.packages import table

_NAME = r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)"
_GROUPS = (
    ("project", "optional-dependencies"),
    ("dependency-groups",),
    ("tool", "uv", "dev-dependencies"),
    ("tool", "pdm", "dev-dependencies"),
    ("tool", "hatch", "envs"),
)
"""Tables of extras, groups and environments."""


def depends_on(document: Mapping[str, object], name: str) -> bool:
    """Whether the dependencies, extras or groups include the distribution."""
    return normal(name) in map(distribution, (*of_package(document), *of_groups(document)))


def normal(name: str) -> str:
    """Normalise the name of a distribution (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def distribution(requirement: str) -> str:
    """Return the normalised name at the start of a requirement, or an empty text."""
    name_match = re.match(_NAME, requirement)
    return normal(name_match[1]) if name_match else ""


def of_package(document: Mapping[str, object]) -> Iterator[str]:
    """Yield the requirements of the package itself."""
    yield from texts(table(document, "project").get("dependencies"))
    yield from table(document, "tool", "poetry", "dependencies")


def of_groups(document: Mapping[str, object]) -> Iterator[str]:
    """Yield the requirements of every extra, group and environment."""
    for *keys, last in _GROUPS:
        yield from _all_texts(table(document, *keys).get(last))
    poetry = table(document, "tool", "poetry")
    yield from table(poetry, "dev-dependencies")
    for name in table(poetry, "group"):
        yield from table(poetry, "group", name, "dependencies")
        yield from table(poetry, "group", name, "dev-dependencies")


def texts(value: object) -> list[str]:
    """Return the strings of a list, or nothing for any other value."""
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [text for text in listed if isinstance(text, str)]


def _all_texts(value: object) -> Iterator[str]:
    """Yield the strings at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _all_texts(inner)
    elif isinstance(value, dict):
        for inner in cast("dict[str, object]", value).values():
            yield from _all_texts(inner)
