"""What a project says it depends on, read off its pyproject.toml."""

import re
from collections.abc import Iterator, Mapping
from typing import cast

_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


def depends_on(document: Mapping[str, object], name: str) -> bool:
    """Whether the distribution is among the dependencies, the extras or the groups, as any of the usual tools has them."""
    return normal(name) in map(normal, _required(document))


def normal(name: str) -> str:
    """The name of a distribution as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def distribution(requirement: str) -> str:
    """The distribution that a requirement begins with, as indexes compare it; empty where it begins with none."""
    found = _NAME.match(requirement)
    return normal(found[1]) if found else ""


def _required(document: Mapping[str, object]) -> Iterator[str]:
    """The name of every distribution that is asked for."""
    project, tool = _at(document, "project"), _at(document, "tool")
    lists = [project.get("dependencies"), *_at(project, "optional-dependencies").values()]
    lists += _at(document, "dependency-groups").values()
    lists += [_at(tool, "uv").get("dev-dependencies"), *_at(tool, "pdm", "dev-dependencies").values()]
    for requirements in lists:
        yield from _names(requirements)
    poetry = _at(tool, "poetry")
    tables = [
        poetry,
        *(_at({"it": one}, "it") for one in _at(poetry, "group").values()),
    ]
    for table in tables:
        yield from (*_at(table, "dependencies"), *_at(table, "dev-dependencies"))


def _names(requirements: object) -> Iterator[str]:
    """The names in a list of requirements; what includes another group is no requirement itself."""
    for one in cast("list[object]", requirements) if isinstance(requirements, list) else []:
        if isinstance(one, str) and (found := _NAME.match(one)):
            yield found[1]


def _at(table: Mapping[str, object], *keys: str) -> Mapping[str, object]:
    """A table inside another; an empty one where it is missing or something else."""
    for key in keys:
        inner = table.get(key)
        table = cast("dict[str, object]", inner) if isinstance(inner, dict) else {}
    return table
