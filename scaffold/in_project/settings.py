"""Settings in `[tool.scaffold]` of `pyproject.toml`, checked."""

from collections.abc import Iterable, Iterator, Sequence
from keyword import iskeyword
from pathlib import PureWindowsPath
from typing import Any, cast

from msgspec import Struct

from scaffold.choices import BACKENDS, LAWS, NUMBERS, SEVERITIES
from scaffold.errors import Fault, ScaffoldError, suggestion
from scaffold.mesh_axes import read_rules

STYLES = ("kidger", "scientific-python")
_CHOICES = {
    "backend": BACKENDS,
    "style": STYLES,
    "laws": LAWS,
    "numbers": NUMBERS,
    "severity": SEVERITIES,
}
_KINDS: dict[object, str] = {
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    str: "a string",
    list: "a list",
    dict: "a table",
}


class Settings(Struct, frozen=True):
    """Checked settings of `[tool.scaffold]` in `pyproject.toml`, with defaults."""

    package: str | None = None
    tests: str = "tests"
    specs: str = "specs"
    backend: str | None = None
    lower_for: tuple[str, ...] = ()
    style: str = "kidger"
    save: bool = False
    """Whether classes have `save` and `load` if their spec says nothing."""
    sharding: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Mesh axes of each dim, for every class that has the dim."""
    templates: tuple[tuple[str, str], ...] = ()
    """Names and folders of the project's own templates. A template named like a kind replaces it."""
    laws: str = ""
    """Source of the laws, `installed` or a `wheel` beside the tests. If empty, the tool finds out."""

    severity: str = "fault"
    """Least severity that fails a test of an adopted class. Findings below it are warnings."""

    numbers: str = ""
    """Mode for recorded numbers, unless an option or the environment of the run sets it."""

    @classmethod
    def of(cls, table: object) -> "Settings":
        """Return the settings of a `[tool.scaffold]` table. Raises `ScaffoldError` with all its faults."""
        if not isinstance(table, dict):
            raise ScaffoldError.of([_wrong_kind("", table, "a table")])
        entries = cast("dict[str, object]", table)
        faults = [fault for key, value in entries.items() for fault in _entry_faults(key, value)]
        if faults:
            raise ScaffoldError.of(faults)
        lower_for = cast("list[str]", entries.get("lower_for", []))
        templates = cast("dict[str, str]", entries.get("templates", {}))
        texts = {key: cast("str", value) for key, value in entries.items() if key not in _NO_TEXTS}
        return cls(
            **texts,
            save=entries.get("save") is True,
            lower_for=tuple(lower_for),
            sharding=read_rules(cast("dict[str, Any]", entries.get("sharding", {})), _no_fault),
            templates=tuple(sorted(templates.items())),
        )


def _no_fault(name: str, message: str, fix: str) -> None:
    """Ignore a fault of a rule, because `_rule_faults` has reported it."""


def _rule_faults(table: "dict[str, Any]") -> Iterator[Fault]:
    faults: list[Fault] = []
    read_rules(
        table, lambda name, message, fix: faults.append(Fault(where_of(f"sharding.{name}"), message, fix))
    )
    yield from faults


_NO_TEXTS = ("lower_for", "save", "sharding", "templates")


def _entry_faults(key: str, value: object) -> Iterator[Fault]:
    match key, value:
        case ("backend" | "style" | "laws" | "numbers" | "severity", str()):
            yield from _choice_faults(key, [value], _CHOICES[key])
        case ("save", bool()):
            return
        case ("save", _):
            yield _wrong_kind(key, value, "a boolean")
        case ("lower_for", list()):
            yield from _choice_faults(key, cast("list[object]", value), BACKENDS)
        case ("tests" | "specs", str()):
            yield from _folder_faults(key, value)
        case ("package", str()):
            yield from _package_faults(value)
        case ("sharding", dict()):
            yield from _rule_faults(cast("dict[str, Any]", value))
        case ("templates", dict()):
            for name, folder in cast("dict[str, object]", value).items():
                yield from _template_faults(f"{key}.{name}", folder)
        case ("sharding" | "templates", _):
            yield _wrong_kind(key, value, "a table")
        case ("lower_for", _):
            yield _wrong_kind(key, value, "a list of strings", BACKENDS)
        case ("backend" | "style" | "laws" | "numbers" | "severity" | "tests" | "specs" | "package", _):
            legal = _CHOICES.get(key, ())
            yield _wrong_kind(key, value, "a string", legal)
        case _:
            legal = tuple(sorted(Settings.__struct_fields__))
            yield Fault(where_of(key), "is not a setting", suggestion(key, legal, "remove it"), legal)


def _template_faults(key: str, folder: object) -> Iterator[Fault]:
    if isinstance(folder, str):
        yield from _folder_faults(key, folder)
    else:
        yield _wrong_kind(key, folder, "a string")


def where_of(key: str) -> str:
    return f"pyproject.toml: tool.scaffold{'.' if key else ''}{key}"


def _wrong_kind(key: str, value: object, wanted: str, legal: Sequence[str] = ()) -> Fault:
    kind = _KINDS.get(type(value), "a date or a time")
    return Fault(where_of(key), f"is {kind}, and should be {wanted}", f"write {wanted}", tuple(legal))


def _choice_faults(key: str, values: Iterable[object], legal: tuple[str, ...]) -> Iterator[Fault]:
    for value in values:
        if not isinstance(value, str):
            yield _wrong_kind(key, value, "a string", legal)
        elif value not in legal:
            fix = suggestion(value, legal, "write one of the legal values")
            yield Fault(where_of(key), f"`{value}` is not legal", fix, legal)


def _folder_faults(key: str, value: str) -> Iterator[Fault]:
    path = PureWindowsPath(value)  # knows the slashes of both worlds, and drives
    if not value.strip() or path.drive or path.root or ".." in path.parts or "\\" in value:
        fix = 'write a folder inside the project, with forward slashes, such as "tests"'
        yield Fault(where_of(key), f"`{value}` is not a path below the project's root", fix)


def _package_faults(value: str) -> Iterator[Fault]:
    parts = value.removesuffix("/").split("/") if "/" in value else value.split(".")
    bad = [part for part in parts if not part.isidentifier() or iskeyword(part)]
    if bad:
        fix = 'write an import name such as "pkg.sub", or a folder such as "src/pkg"'
        yield Fault(where_of("package"), f"`{value}` is not a package: `{bad[0]}` is not a name", fix)
