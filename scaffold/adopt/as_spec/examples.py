"""What was found of an instance: how it was built and called, as what `@test(...)` says, and the roles of its arrays, as words at fields."""

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from scaffold.adopt.emit.class_suite import told_of
from scaffold.import_lines import imported
from scaffold.source.definitions import annotated_names
from scaffold.source.expressions import free_names
from scaffold.source.rewriting import end_of, spliced
from scaffold.spec.names import IMPORTS

Found = Mapping[str, Any]


class Examples(Struct, frozen=True):
    """The keys of `@test(...)`, and the imports that they need."""

    keys: Mapping[str, Any]
    imports: tuple[str, ...] = ()


def examples_of(description: Found, class_name: str) -> Examples:
    """What was found; nothing where no instance was built, or where it needs functions beside the class `own`."""
    if not description.get("built") or told_of(description, "helpers") or description.get("has_state"):
        return Examples({})
    build = _build(description, class_name)
    values = [*(() if build else description["inputs"]), *_values_of_methods(description)]
    texts = [build, *(text for _, text in values)]
    sampled = any("sample" in free_names(text, expression=True) for text in texts if text)
    brought = (_without(class_name, line) for _, line in told_of(description, "imports"))
    lines = dict.fromkeys(filter(None, brought))
    keys: dict[str, Any] = {"build": build} if build else {}
    keys |= {"values": dict(values)} if values else {}
    return Examples(keys, (*lines, *([IMPORTS["sample"]] if sampled else [])))


def _without(name: str, line: str) -> str:
    """An import without one of the names that it brings, which the spec itself defines; empty where it brings no other."""
    match ast.parse(line).body:
        case [ast.ImportFrom(names=names) as statement] if name in imported(line):
            statement.names = [alias for alias in names if name not in (alias.name, alias.asname)]
            return ast.unparse(statement) if statement.names else ""
        case _:
            return "" if name in imported(line) else line


def _build(description: Found, class_name: str) -> str:
    """The expression that builds the class, by its own name; empty where its constructor takes the arguments by name."""
    arguments = ", ".join(f"{name}={text}" for name, text in description["inputs"])
    text = str(description["build"]) or f"{description['maker']}({arguments})"
    whole = re.compile(rf"(?:\w+\.)*\b{re.escape(class_name)}\b(?=[.(])")
    # Without an argument to name, nothing but the expression says that the constructor takes none.
    is_usual = bool(description["inputs"]) and str(description["maker"]).rpartition(".")[2] == class_name
    return "" if is_usual else whole.sub(class_name, text)


def _values_of_methods(description: Found) -> Iterable[tuple[str, str]]:
    """The arguments of each method, behind its name."""
    called = (
        [[description["method"] or "__call__", description["arguments"]]] if description["called"] else []
    )
    for method, arguments in (*called, *description["extra"]):
        yield from ((f"{method}.{name}", text) for name, text, _ in arguments)


_LEAF = r"""Leaf\(["']([^"']+)["'], ["'](\w+)["']"""
_OF_ARRAYS = ("param", "data", "buffer")


def roles_of(description: Mapping[str, Any]) -> dict[str, str]:
    """The role of each field that holds arrays: that of its one array, or that of a sub-tree."""
    roles: dict[str, str] = {}
    for text in description.get("leaves", ()):
        if match := re.match(_LEAF, str(text)):
            path, role = match.groups()
            is_array = path.isidentifier() and role in _OF_ARRAYS
            roles[re.split(r"[.\[]", path)[0]] = role if is_array else "module"
    return roles


def with_words(text: str, roles: Mapping[str, str], prefix: str) -> str:
    """The class statement with a word at each field that holds arrays; as it is where one of them has a value already."""
    [node] = (statement for statement in ast.parse(text).body if isinstance(statement, ast.ClassDef))
    fields = dict(annotated_names(node.body))
    if not roles or any(name not in fields or fields[name].value is not None for name in roles):
        return text
    ends = ((end_of(fields[name]), role) for name, role in roles.items())
    return spliced(text, ((end, end, f" = {prefix}{role}()") for end, role in ends))
