"""Examples of an instance as keys of `@test(...)`, and roles of its arrays as words at fields."""

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
    """Keys of `@test(...)`, and the imports that they need."""

    keys: Mapping[str, Any]
    imports: tuple[str, ...] = ()


def examples_of(description: Found, class_name: str) -> Examples:
    """Return the examples of an instance.

    Without an instance, or with helper functions or a state, there are none.
    """
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
    """Drop a name that the spec itself defines from an import. Return an empty text if no name is left."""
    match ast.parse(line).body:
        case [ast.ImportFrom(names=names) as statement] if name in imported(line):
            statement.names = [alias for alias in names if name not in (alias.name, alias.asname)]
            return ast.unparse(statement) if statement.names else ""
        case _:
            return "" if name in imported(line) else line


def _build(description: Found, class_name: str) -> str:
    """Return the expression that builds the class, or an empty text if the inputs by name suffice."""
    arguments = ", ".join(f"{name}={text}" for name, text in description["inputs"])
    text = str(description["build"]) or f"{description['maker']}({arguments})"
    whole = re.compile(rf"(?:\w+\.)*\b{re.escape(class_name)}\b(?=[.(])")
    # Without inputs, only the expression shows that the constructor takes no arguments.
    is_usual = bool(description["inputs"]) and str(description["maker"]).rpartition(".")[2] == class_name
    return "" if is_usual else whole.sub(class_name, text)


def _values_of_methods(description: Found) -> Iterable[tuple[str, str]]:
    """Yield each argument of each method as `method.argument`, with its expression."""
    called = (
        [[description["method"] or "__call__", description["arguments"]]] if description["called"] else []
    )
    for method, arguments in (*called, *description["extra"]):
        yield from ((f"{method}.{name}", text) for name, text, _ in arguments)


_LEAF = r"""Leaf\(["']([^"']+)["'], ["'](\w+)["']"""
_OF_ARRAYS = ("param", "data", "buffer")


def roles_of(description: Mapping[str, Any]) -> dict[str, str]:
    """Map each field that holds arrays to the role of its only array, or to `module` for a subtree."""
    roles: dict[str, str] = {}
    for text in description.get("leaves", ()):
        if match := re.match(_LEAF, str(text)):
            path, role = match.groups()
            is_array = path.isidentifier() and role in _OF_ARRAYS
            roles[re.split(r"[.\[]", path)[0]] = role if is_array else "module"
    return roles


def with_words(text: str, roles: Mapping[str, str], prefix: str) -> str:
    """Add a word such as ` = param()` at each field that holds arrays.

    If such a field is not declared or has a value already, return the text unchanged.
    """
    [node] = (statement for statement in ast.parse(text).body if isinstance(statement, ast.ClassDef))
    fields = dict(annotated_names(node.body))
    if not roles or any(name not in fields or fields[name].value is not None for name in roles):
        return text
    ends = ((end_of(fields[name]), role) for name, role in roles.items())
    return spliced(text, ((end, end, f" = {prefix}{role}()") for end, role in ends))
