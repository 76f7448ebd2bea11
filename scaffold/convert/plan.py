"""Plan that converts TOML to a skeleton or a skeleton to TOML, without a change of meaning."""

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec.structs import replace

from scaffold.comments import as_comment, comments, comments_left_out
from scaffold.convert.shortened import shortened
from scaffold.errors import Fault, ScaffoldError
from scaffold.files.fileset import File, Plan, make_plan
from scaffold.files.places import read_regular
from scaffold.history.copies import with_copies
from scaffold.in_project.layout import Layout
from scaffold.spec import ModuleSpec
from scaffold.spec.construction.constructor import Parameter, parameters
from scaffold.spec.cycles import cycle_faults
from scaffold.spec.files import raw_specs, read_spec_files
from scaffold.spec.helpers import helper_names
from scaffold.spec.names import IMPORTS, SUFFIXES, stem
from scaffold.spec.raw import as_table, as_text
from scaffold.spec.reading.read import read_spec
from scaffold.spec.rules.known_names import names_read
from scaffold.spec.tables.toml import write_toml
from scaffold.spec.unit import Unit

SCHEMA_NAME = "scaffold.schema.json"
_STRINGS = re.compile(
    r'"""(?:\\.|(?!""").)*"""|\'\'\'(?:(?!\'\'\').)*\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'', re.DOTALL
)


def plan_conversion(source: Path, target: Path, layout: Layout, *, force: bool = False) -> Plan:
    """Plan the specs of `source` in the other form. In a folder, each class gets a file.

    Raises `ScaffoldError` if the spec has faults, or the target cannot hold it.
    """
    suffix = _other_form(source) if target.is_dir() else target.suffix
    _check_forms(source, target, suffix)
    specs = read_spec_files([source])
    raws = [raw.tables for raw in raw_specs(source, source.as_posix())]
    if len(specs) > 1 and not target.is_dir():
        message = f"describes {len(specs)} classes, and a TOML file holds one"
        raise ScaffoldError(
            message, where=source.as_posix(), fix="name a folder: each class gets a file there"
        )
    named = [target / f"{stem(spec.name)}{suffix}" if target.is_dir() else target for spec in specs]
    _check_apart(specs)
    root = Path(os.path.abspath(layout.root if _is_below(target, layout.root) else named[0].parent))
    texts = [_written(raw, spec, suffix) for raw, spec in zip(raws, specs, strict=True)]
    for text, spec in zip(texts, specs, strict=True):
        _check_meaning(text, suffix, spec, source)
    places = [PurePosixPath(Path(os.path.relpath(place, root)).as_posix()) for place in named]
    files = [File(place, text) for place, text in zip(places, texts, strict=True)]
    plan = with_copies(make_plan(root, [*files, *_schema(files, suffix)], force=force))
    return replace(plan, notes=(*_notes(source, raws), *_unit_notes(specs), *plan.notes))


def _other_form(source: Path) -> str:
    return SUFFIXES[1] if source.suffix == SUFFIXES[0] else SUFFIXES[0]


def _check_forms(source: Path, target: Path, suffix: str) -> None:
    if source.suffix not in SUFFIXES:
        raise ScaffoldError(
            "is no spec", where=source.as_posix(), fix="name a TOML file or a skeleton", legal=SUFFIXES
        )
    if suffix not in SUFFIXES or suffix == source.suffix:
        other = _other_form(source)
        message = f"a {source.suffix} file is converted to a {other} file"
        fix = f"write `{source.with_suffix(other).as_posix()}`, for example, or a folder that is there"
        raise ScaffoldError(message, where=target.as_posix(), fix=fix)


def _check_apart(specs: Sequence[ModuleSpec]) -> None:
    """Raise `ScaffoldError` if classes of a file cannot stand in files of their own."""
    faults = [fault for spec in specs if spec.unit is not None for fault in _apart_faults(spec, spec.unit)]
    alone = {spec.name: replace(spec, unit=None) for spec in specs}
    faults += cycle_faults(alone) if len(specs) > 1 else ()
    if faults:
        raise ScaffoldError.of(faults)


def _apart_faults(spec: ModuleSpec, unit: Unit) -> Iterator[Fault]:
    elsewhere = {*unit.bound} - {*helper_names(spec)}
    for name in sorted(elsewhere & names_read(spec)):
        message = f"reads `{name}`, which stands beside another class, and a TOML file holds one class with its own helpers"
        fix = f"keep the skeleton, or move `{name}` to a module of yours, and import it"
        yield Fault(spec.where, message, fix)


def _is_below(path: Path, root: Path) -> bool:
    return Path(os.path.abspath(path)).is_relative_to(os.path.abspath(root))


def _written(raw: Mapping[str, Any], spec: ModuleSpec, suffix: str) -> str:
    if suffix == ".toml":
        return write_toml(shortened(raw), f"./{SCHEMA_NAME}")
    from scaffold.convert.write_skeleton import write_skeleton

    return write_skeleton([(raw, spec)])


def _schema(files: Iterable[File], suffix: str) -> list[File]:
    """Return the schema for each folder with TOML files, which refer to it."""
    from scaffold.generate import schema_text

    folders = dict.fromkeys(file.path.parent for file in files if suffix == ".toml")
    return [File(folder / SCHEMA_NAME, schema_text(), keep=True) for folder in folders]


# -- what must stay ----------------------------------------------------------------------------------------------------


def meaning(spec: ModuleSpec) -> tuple[ModuleSpec, tuple[Parameter, ...]]:
    """Return a normal form of the spec, with its constructor's parameters, to compare both forms."""
    needed = tuple(sorted(set(spec.imports) - set(IMPORTS.values())))
    call = None if spec.call is None else replace(spec.call, doc=spec.call.doc.strip())
    methods = tuple(
        replace(method, call=replace(method.call, doc=method.call.doc.strip()), table="")
        for method in spec.methods
    )
    plain = replace(spec, arguments=(), imports=needed, doc=spec.doc.strip(), where="", written=(), unit=None)
    test = replace(spec.test, ties=())  # in Python those that the code says stand beside the author's
    plain = replace(plain, call=call, methods=methods, test=test)
    return plain, parameters(spec)


def _check_meaning(text: str, suffix: str, spec: ModuleSpec, source: Path) -> None:
    """Raise `ScaffoldError` if the written text gives a spec with another meaning."""
    from scaffold.spec.skeletons.read import skeletons_of

    where = source.as_posix()
    raw = tomllib.loads(text) if suffix == ".toml" else skeletons_of(text, where)[0].tables
    if meaning(read_spec(raw, where, is_class=spec.uses.__contains__)) != meaning(spec):
        message = f"`{spec.name}` holds something that a {suffix} file would not say in the same way"
        raise ScaffoldError(message, where=where, fix="keep the file as it is, and report it")


def _notes(source: Path, raws: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a note for each comment that the other form loses."""
    text = read_regular(source).decode("utf-8-sig")
    listed = comments(text) if source.suffix == ".py" else _toml_comments(text)
    kept = [comment for raw in raws for part in _with_comments(raw) for _, comment in comments(part)]
    for line, comment in comments_left_out(listed, kept):
        yield f"the comment in line {line} has no place there: {comment}"
    yield f"{source.name} stays as it is: remove it, since both describe the same class"


def _unit_notes(specs: Sequence[ModuleSpec]) -> Iterator[str]:
    """Yield notes on a file with several classes, which cease to share a module."""
    for unit in dict.fromkeys(spec.unit for spec in specs if spec.unit is not None):
        yield f"`{unit.stem}.py` was one module: of TOML, each class becomes a module of its own"
        if unit.doc:
            yield f"the docstring of {unit.path} has no place there"


def _with_comments(raw: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parts of a spec that may contain comments."""
    functions = (*as_table(raw.get("constructors")).values(), *as_table(raw.get("methods")).values())
    for table in (raw.get("call"), *functions):
        yield as_text(as_table(table).get("body"))
        yield as_comment(as_text(as_table(table).get("comment")))
    for table in as_table(raw.get("fields")).values():
        yield as_comment(as_text(as_table(table).get("comment")))
    yield as_comment(as_text(raw.get("comment")))
    yield as_text(raw.get("helpers"))
    yield as_text(raw.get("below"))
    yield as_text(raw.get("setup"))


def _toml_comments(text: str) -> list[tuple[int, str]]:
    plain = _STRINGS.sub(lambda match: re.sub(r"[^\n]", "_", match[0]), text)
    lines = [(number, line.find("#"), line) for number, line in enumerate(plain.split("\n"), 1)]
    return [(number, line[at:].rstrip()) for number, at, line in lines if at >= 0 and "#:schema" not in line]
