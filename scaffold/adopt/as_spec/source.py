"""A class as its author wrote it: its statement in the file, and what the names there stand for."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scaffold.adopt.as_spec.unwritten import without_given
from scaffold.errors import ScaffoldError
from scaffold.files.places import read_regular
from scaffold.spec.expressions import assigned_names, first_line
from scaffold.spec.helpers import bound_by, helpers_in, joined
from scaffold.spec.skeletons.names import Names, is_for_types, read_names
from scaffold.spec.skeletons.notes import Notes
from scaffold.spec.skeletons.type_variables import type_variables


class NotSaidError(Exception):
    """What stands in the way of saying a class as a spec, in one line."""


class ClassSource(Struct, frozen=True, dict=True):
    """The statement of a class, in the text of its module."""

    module: str
    node: ast.ClassDef
    body: tuple[ast.stmt, ...]
    """The statements of the module, whose imports name whole modules."""
    notes: Notes
    names: Names
    kind: str
    """As the interpreter found it: `module`, `nnx`, `registered`, `namedtuple`, `abstract module`."""
    inherited: Mapping[str, str]
    """The fields that a base declares, each with that base."""
    children: tuple[str, ...] = ()
    """The attributes that a `tree_flatten` gives as children."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    """The type of the Variable of NNX that holds each array, by path."""

    @cached_property
    def text(self) -> str:
        """The lines of the class, with its decorators."""
        return "\n".join(self.notes.lines[first_line(self.node) - 1 : self.node.end_lineno])

    @property
    def functions(self) -> dict[str, ast.FunctionDef]:
        """The methods, by name; of one that is there several times, as overloads are, the last."""
        return {one.name: one for one in self.node.body if isinstance(one, ast.FunctionDef)}

    @cached_property
    def helpers(self) -> str:
        """The functions and constants of the module that the class reads, word for word."""
        wanted = [one for one in self.body if _is_helper(one)]
        every = list(helpers_in(self.notes.text, wanted))
        ahead, needed = [_reads(self.node)], set[str]()
        while ahead:
            found = [one for one in every if ahead[-1] & {*one.names} and not needed & {*one.names}]
            ahead = [*ahead[:-1], *(_reads(ast.parse(one.text)) for one in found)]
            needed |= {name for one in found for name in one.names}
        return joined(one for one in every if needed & {*one.names})

    def imports(self, text: str) -> list[str]:
        """The imports whose names a text or the helpers say, and those of the classes beside it."""
        words = _words(f"{text}\n{self.helpers}")
        lines = [line for _, line in self.names.lines]
        lines += [
            f"from {self.module} import {name}" for name in _others(self.body) if name != self.node.name
        ]
        return [line for line in dict.fromkeys(lines) if words & set(assigned_names(line))]


def class_source(placed: Mapping[str, Any]) -> ClassSource:
    """The class at the place that the interpreter told. Raises `NotSaidError` where there is no source of it."""
    if placed["metaclass"]:
        raise NotSaidError(f"its metaclass `{placed['metaclass']}` may do anything to it")
    try:
        text = read_regular(Path(placed["file"])).decode("utf-8-sig").replace("\r\n", "\n")
        return source_in(text, placed)
    except (OSError, ValueError, SyntaxError, ScaffoldError):
        raise NotSaidError("its source is not found") from None


def source_in(text: str, placed: Mapping[str, Any]) -> ClassSource:
    """The class in the text of its module. Raises `NotSaidError` where there is none."""
    text = without_given(text)
    body = tuple(_absolute(ast.parse(text).body, placed["module"], placed["file"]))
    if "." in placed["name"]:
        raise NotSaidError(
            f"it lies within `{placed['name'].rpartition('.')[0]}`, and a spec is of a class of a module"
        )
    found = [one for one in body if isinstance(one, ast.ClassDef) and one.name == placed["name"]]
    if not found:
        raise NotSaidError(f"`{placed['file']}` has no statement `class {placed['name']}` of its own")
    notes = Notes(text, placed["name"])
    names = read_names(body)
    names.variables.update(type_variables(body, names))
    names = _shown(names, placed["public"])
    own = {name: f"{placed['module']}.{name}" for name in _others(body) if name != placed["name"]}
    names = replace(names, whole={**own, **names.whole}).within(placed["name"])
    notes.faults.clear()
    inherited = {name: base for name, base in placed["inherited"]}
    return ClassSource(
        placed["module"], found[-1], body, notes, names, placed["kind"], inherited, tuple(placed["children"])
    )


def _shown(names: Names, public: Mapping[str, str]) -> Names:
    """The names, those of private modules by the public ones that show them."""
    whole = {name: f"{public[name]}.{name}" if name in public else one for name, one in names.whole.items()}
    lines = [
        (name, f"from {public[name]} import {name}" if name in public else line) for name, line in names.lines
    ]
    return replace(names, whole=whole, lines=lines)


def _absolute(body: Iterable[ast.stmt], module: str, file: str) -> Iterator[ast.stmt]:
    """The statements, in which relative imports name the whole module; those below `TYPE_CHECKING` too."""
    package = module.split(".") if Path(file).name == "__init__.py" else module.split(".")[:-1]
    for one in body:
        if is_for_types(one):
            one.body = [*_absolute(one.body, module, file)]
        if isinstance(one, ast.ImportFrom) and one.level:
            above = package[: len(package) - one.level + 1]
            one.module, one.level = ".".join([*above, *([one.module] if one.module else [])]), 0
        yield one


def _others(body: Iterable[ast.stmt]) -> list[str]:
    """What the module binds that is no import and no helper, such as its other classes."""
    return [
        name
        for one in body
        if not isinstance(one, ast.Import | ast.ImportFrom) and not _is_helper(one) and not is_for_types(one)
        for name in bound_by(one)
    ]


def _is_helper(statement: ast.stmt) -> bool:
    """Whether it is a function or a constant, which goes along with the class."""
    return isinstance(statement, ast.FunctionDef | ast.Assign | ast.AnnAssign)


def _reads(tree: ast.AST) -> set[str]:
    """The names that Python reads; those of fields and in prose are none."""
    return {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))
