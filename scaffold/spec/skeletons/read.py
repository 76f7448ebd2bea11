"""A Python file to the specs of its classes: parsed, never run."""

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from scaffold.errors import Fault, ScaffoldError
from scaffold.files.places import read_regular
from scaffold.spec.expressions import assigned_names, first_line, parse
from scaffold.spec.helpers import Helper, helpers_in, joined, shared_out, why_not
from scaffold.spec.skeletons.classes import ClassReader
from scaffold.spec.skeletons.names import Import, Names, is_for_types, read_names
from scaffold.spec.skeletons.notes import Notes
from scaffold.spec.skeletons.type_variables import type_variables


@dataclass(frozen=True)
class Skeleton:
    """One class of a file: the tables of its spec, what is wrong with what they could not hold, and where each key stands."""

    where: str
    """What faults call it: the file, and the class where there are several."""
    raw: dict[str, Any]
    faults: tuple[Fault, ...]
    positions: dict[tuple[str, ...], tuple[int, int]]


def read_skeletons(path: Path, where: str) -> list[Skeleton]:
    """The classes of a file. Raises `ScaffoldError` where there is no Python, or no class in it."""
    return skeletons_of(_text(path, where), where)


def skeletons_of(text: str, where: str) -> list[Skeleton]:
    """The classes that the text of a file has."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    tree = _parsed(text, where)
    file = Notes(text, where)
    names = read_names(tree.body, file)
    names.variables.update(type_variables(tree.body, names))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    told = (*classes, *names.variables.values())
    beside = [one for one in tree.body if not (one in told or _is_read(one))]
    for statement in beside:
        told = why_not(statement)
        if told is not None:
            file.refuse(statement, (), *told)
        file.note(("helpers",), statement)
    if not classes:
        fix = "write `class Affine(Module):`, with `from scaffold.skeleton import Module`"
        raise ScaffoldError.of([*file.faults, Fault(where, "there is no class in it", fix, line=1, column=1)])
    kept = list(helpers_in(text, [one for one in beside if why_not(one) is None]))
    shares = shared_out(kept, [_source(node, text) for node in classes])
    several = len(classes) > 1
    found = zip(classes, shares, map(_comments_above(tree.body, file).get, classes), strict=True)
    return [_skeleton(*parts, several, names, file) for parts in found]


def _comments_above(body: list[ast.stmt], file: Notes) -> dict[ast.stmt, str]:
    """What stands above each statement but the first, above which is what is said of the file."""
    pairs = pairwise(body)
    return {one: file.comment_of(one, before.end_lineno or 0) for before, one in pairs}


def _skeleton(
    node: ast.ClassDef,
    helpers: list[Helper],
    comment: str | None,
    is_one_of_several: bool,
    names: Names,
    file: Notes,
) -> Skeleton:
    where = f"{file.where}: {node.name}" if is_one_of_several else file.where
    notes = Notes(file.text, where, dict(file.positions))
    raw = ClassReader(node, names, notes).read()
    raw |= {"comment": comment} if comment else {}
    raw |= {"helpers": joined(helpers)} if helpers else {}
    if is_one_of_several and "imports" in raw:
        raw["imports"] = _imports_for(raw, _source(node, file.text))
        raw = {key: part for key, part in raw.items() if key != "imports" or part}
    return Skeleton(where, raw, (*file.faults, *notes.faults), notes.positions)


def _imports_for(raw: Mapping[str, Any], source: str) -> list[str]:
    """The imports whose names the class or its helpers say; the others are for the classes beside it."""
    words = set(re.findall(r"\w+", f"{source}\n{raw.get('helpers', '')}"))
    return [line for line in raw["imports"] if words & set(assigned_names(line))]


def _source(node: ast.ClassDef, text: str) -> str:
    """The lines of a class, with its decorators."""
    return "\n".join(text.split("\n")[first_line(node) - 1 : node.end_lineno])


def _is_read(statement: ast.stmt) -> bool:
    """Whether it is a docstring, or an import."""
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or isinstance(statement, Import) or is_for_types(statement)


def _text(path: Path, where: str) -> str:
    try:
        return read_regular(path).decode("utf-8-sig")
    except OSError as error:
        what = f"cannot be read ({error.strerror or error})"
        raise ScaffoldError(what, where=where, fix="give the path of a spec") from None
    except UnicodeDecodeError as error:
        raise ScaffoldError(
            f"is not UTF-8 (byte {error.start})", where=where, fix="save it as UTF-8"
        ) from None


def _parsed(text: str, where: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parse(text, expression=False)
    except SyntaxError as error:
        what = f"is not Python: {error.msg}"
        fault = Fault(where, what, "mend the line", line=error.lineno or 1, column=error.offset or 1)
        raise ScaffoldError.of([fault]) from None
    assert isinstance(tree, ast.Module)
    return tree
