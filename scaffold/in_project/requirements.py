"""What a project says it depends on, read off its pyproject.toml, in the tables of the usual tools."""

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
"""Where tools keep what is needed besides: extras, groups, environments."""


def depends_on(document: Mapping[str, object], name: str) -> bool:
    """Whether the distribution is among the dependencies, the extras or the groups."""
    return normal(name) in map(distribution, (*of_package(document), *of_groups(document)))


def normal(name: str) -> str:
    """The name of a distribution as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def distribution(requirement: str) -> str:
    """The distribution that a requirement begins with, as indexes compare it; empty where it begins with none."""
    name_match = re.match(_NAME, requirement)
    return normal(name_match[1]) if name_match else ""


def of_package(document: Mapping[str, object]) -> Iterator[str]:
    """The requirements of the package itself."""
    yield from texts(table(document, "project").get("dependencies"))
    yield from table(document, "tool", "poetry", "dependencies")


def of_groups(document: Mapping[str, object]) -> Iterator[str]:
    """The requirements of every extra, group and environment."""
    for *keys, last in _GROUPS:
        yield from _all_texts(table(document, *keys).get(last))
    poetry = table(document, "tool", "poetry")
    yield from table(poetry, "dev-dependencies")
    for name in table(poetry, "group"):
        yield from table(poetry, "group", name, "dependencies")
        yield from table(poetry, "group", name, "dev-dependencies")


def texts(value: object) -> list[str]:
    """The strings of a list; none of anything else."""
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [text for text in listed if isinstance(text, str)]


def _all_texts(value: object) -> Iterator[str]:
    """The strings at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _all_texts(inner)
    elif isinstance(value, dict):
        for inner in cast("dict[str, object]", value).values():
            yield from _all_texts(inner)
