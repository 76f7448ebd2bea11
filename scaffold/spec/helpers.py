"""Functions and constants of the module, above the class: what may stand there, and which of them a class reads."""

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scaffold.errors import Fault
from scaffold.kinds import kind_of
from scaffold.spec.expressions import assigned_names, first_line, syntax_fault
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import IMPORTS

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Helper:
    """One statement, with the comments and empty lines above it, and the names that it binds."""

    text: str
    names: tuple[str, ...]


def helpers_in(text: str, statements: Iterable[ast.stmt] | None = None) -> Iterator[Helper]:
    """The functions and constants of a text that parses: of these statements, or of all."""
    lines, tree = text.split("\n"), ast.parse(text).body
    wanted = list(tree if statements is None else statements)
    above = 0
    for statement in tree:
        first = first_line(statement)
        last = statement.end_lineno or first
        while first - 1 > above and lines[first - 2].strip()[:1] in ("", "#"):
            first -= 1
        if first > above and any(one.lineno == statement.lineno for one in wanted):
            yield Helper("\n".join(lines[first - 1 : last]), bound_by(statement))
        above = last


def joined(helpers: Iterable[Helper]) -> str:
    """The helpers as one text, each once."""
    return "\n".join({one.text.strip("\n"): one.text for one in helpers}.values()).strip("\n")


def shared_out(helpers: Sequence[Helper], classes: Sequence[str]) -> list[list[Helper]]:
    """For the source of each class the helpers that it reads, through others too; the first has those that none reads."""
    read = [_needed(helpers, source) for source in classes]
    everyone = set[Helper]().union(*read)
    read[0] |= {one for one in helpers if one not in everyone}
    return [[one for one in helpers if one in found] for found in read]


def _needed(helpers: Sequence[Helper], source: str) -> set[Helper]:
    found: set[Helper] = set()
    ahead = [source]
    while ahead:
        words = set(_WORD.findall(ahead.pop()))
        more = [one for one in helpers if one not in found and words & set(one.names)]
        found |= set(more)
        ahead += [one.text for one in more]
    return found


def bound_by(statement: ast.stmt) -> tuple[str, ...]:
    """The names that a statement of a module binds there."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case _:
            stored = (one for one in ast.walk(statement) if isinstance(one, ast.Name))
            return tuple(one.id for one in stored if isinstance(one.ctx, ast.Store))


def why_not(statement: ast.stmt) -> tuple[str, str] | None:
    """What to say of a statement that cannot stand there, and what to do; None of a function and of a constant."""
    match statement:
        case ast.FunctionDef():
            return None
        case ast.Assign(targets=targets) if all(map(_is_name, targets)):
            return None
        case ast.AnnAssign(target=ast.Name(), value=ast.expr()):
            return None
        case ast.AsyncFunctionDef(name=name):
            return f"`{name}` is a coroutine, which jax cannot trace", "write `def`"
        case ast.ClassDef(name=name):
            return f"`{name}` is a class", "describe it by a spec of its own, or import it"
        case ast.Import() | ast.ImportFrom():
            return f"`{ast.unparse(statement)}` stands among the helpers", "put it into `imports`"
        case ast.If(test=test) if "__name__" in ast.unparse(test):
            return "`if __name__ == ...` is for scripts", "move it into a script of your own"
        case _:
            told = ast.unparse(statement).split("\n")[0]
            fix = "keep functions and constants, and move it into a module of your own"
            return f"`{told}` does something when the module is imported", fix


def _is_name(target: ast.expr) -> bool:
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return all(isinstance(one, ast.Name) for one in parts)


def helper_names(spec: ModuleSpec) -> tuple[str, ...]:
    """The names of the helpers; none where they cannot be read."""
    if not spec.helpers or syntax_fault(spec.helpers, expression=False) is not None:
        return ()
    return tuple(name for statement in ast.parse(spec.helpers).body for name in bound_by(statement))


def helper_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What is wrong with the helpers, but for what is told of any Python."""
    if not spec.helpers or syntax_fault(spec.helpers, expression=False) is not None:
        return
    place = f"{spec.where}: helpers"
    for statement in ast.parse(spec.helpers).body:
        told = why_not(statement)
        if told is not None:
            yield Fault(place, *told)
    imported = (*assigned_names("\n".join(spec.imports)), *(one.name for one in spec.classes))
    taken = {*IMPORTS, *kind_of(spec.kind).imports, *imported, *dir(builtins), spec.name}
    for name in dict.fromkeys(helper_names(spec)):
        if name in taken:
            yield Fault(
                place, f"`{name}` hides what else has that name", f"rename it, to `{name}_` for example"
            )


def emitted_names_faults(spec: ModuleSpec, code: str) -> Iterator[Fault]:
    """Helpers with names that the emitted code of the class binds in its module as well."""
    found = [name for statement in ast.parse(code).body for name in bound_by(statement)]
    own = helper_names(spec)
    for name in dict.fromkeys(own):
        if found.count(name) > own.count(name):
            what = f"`{name}` is a name that the module uses itself"
            yield Fault(f"{spec.where}: helpers", what, f"rename it, to `{name}_` for example")
