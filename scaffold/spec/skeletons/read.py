"""A Python file to the specs of its classes: parsed, never run."""

import ast
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scaffold.errors import Fault, ScaffoldError
from scaffold.places import read_regular
from scaffold.spec.expressions import parse
from scaffold.spec.skeletons.classes import ClassReader
from scaffold.spec.skeletons.names import Import, Names, is_for_types, read_names
from scaffold.spec.skeletons.notes import Notes


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
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for statement in tree.body:
        if not isinstance(statement, ast.ClassDef):
            _check_beside(statement, file)
    if not classes:
        fix = "write `class Affine(Module):`, with `from scaffold.skeleton import Module`"
        raise ScaffoldError.of([*file.faults, Fault(where, "there is no class in it", fix, line=1, column=1)])
    return [_skeleton(node, text, where, len(classes), names, file.faults) for node in classes]


def _skeleton(
    node: ast.ClassDef, text: str, where: str, count: int, names: Names, faults: list[Fault]
) -> Skeleton:
    notes = Notes(text, f"{where}: {node.name}" if count > 1 else where)
    raw = ClassReader(node, names, notes).read()
    return Skeleton(notes.where, raw, (*faults, *notes.faults), notes.positions)


def _check_beside(statement: ast.stmt, notes: Notes) -> None:
    """What stands beside classes is a docstring, or an import."""
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    if not (is_text or isinstance(statement, Import) or is_for_types(statement)):
        what = "a skeleton has imports and classes alone"
        notes.refuse(statement, (), what, "move it into a module of your own, and import it from there")


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
