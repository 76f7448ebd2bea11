"""Methods of a skeleton: the call and others to their tables, the constructor to `arguments` and `setup`. Bodies are kept word for word."""

import ast
from collections.abc import Iterator
from typing import Any

from scaffold.spec.skeletons.classes.carried import (
    carried,
    default_source,
    is_left_open,
    is_understood,
    outdented,
)
from scaffold.spec.skeletons.classes.fields import doc_below, keys_of
from scaffold.spec.skeletons.words.annotations import results, type_of
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes, Path
from scaffold.spec.source.expressions import first_line

Method = ast.FunctionDef | ast.AsyncFunctionDef


def read_call(
    node: ast.FunctionDef, names: Names, notes: Notes, *, is_typed_later: bool = False
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The table `[call]`, and the classes of other modules that its types name; some types may come later."""
    decorators, keys = _decorated(node, ("call",), names, notes)
    is_known = is_typed_later or is_understood(node, "self", names, notes)
    if decorators or not is_known:
        return {**carried(node, ("call",), names, notes), **keys}, ()
    table, foreign = _read(node, ("call",), "self", names, notes)
    return {**table, **keys}, foreign


def read_method(
    node: ast.FunctionDef, names: Names, notes: Notes, within: str, *, is_typed_later: bool = False
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The table `[methods.NAME]`, or `[constructors.NAME]`, and the classes of other modules that its types name."""
    path = (within, node.name)
    decorators, keys = _decorated(node, path, names, notes)
    owner = "cls" if "classmethod" in decorators else "" if "staticmethod" in decorators else "self"
    if not (is_typed_later or is_understood(node, owner, names, notes)):
        return {**carried(node, path, names, notes), **keys}, ()
    table, foreign = _read(node, path, owner, names, notes)
    if within == "constructors":  # which says as much
        table.pop("returns", None)
        return {**table, **keys}, foreign
    told = {"decorator": "\n".join(decorators)} if decorators else {}
    return {**told, **table, **keys}, foreign


def _read(
    node: ast.FunctionDef, path: Path, owner: str, names: Names, notes: Notes
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What the signature, the docstring and the body say."""
    notes.locations[path] = notes.position(node)
    arguments, foreign = read_arguments(node, (*path, "args"), names, notes, owner=owner)
    table: dict[str, Any] = {"args": ", ".join(arguments)} if arguments else {}
    if node.returns is not None:
        notes.note((*path, "returns"), node.returns)
        kinds = [type_of(one, names, notes) for one in results(node.returns)]
        table["returns"] = ", ".join(text for text, _ in kinds)
        foreign += tuple(name for _, found in kinds for name in found)
    doc, statements = _doc_and_statements(node)
    if doc:
        table["doc"] = doc
    table["body"] = body_of(node, statements, notes) or "..." * is_left_open(node, names)
    for statement in statements:
        notes.note((*path, "body"), statement)
    return table, foreign


def _decorated(node: Method, path: Path, names: Names, notes: Notes) -> tuple[list[str], dict[str, Any]]:
    """The decorators as source, and the keys that `@call(...)` gives."""
    found: dict[str, Any] = {}
    decorators: list[str] = []
    for one in node.decorator_list:
        if isinstance(one, ast.Call) and names.word(one.func) == "call" and not one.args:
            pairs = [(keyword.arg or "**", keyword.value) for keyword in one.keywords]
            found |= keys_of(pairs, path, notes, lambda _: None)
        elif names.of(one) != "abc.abstractmethod":
            notes.note((*path, "decorator"), one)
            decorators.append(" ".join(notes.segment(one).split()))
    return decorators, found


def _doc_and_statements(node: Method) -> tuple[str, list[ast.stmt]]:
    doc = doc_below(node.body[0])
    return (doc or "", node.body[1:]) if doc is not None else ("", node.body)


# -- arguments ---------------------------------------------------------------------------------------------------------


def read_arguments(
    node: Method, path: Path, names: Names, notes: Notes, *, owner: str
) -> tuple[list[str], tuple[str, ...]]:
    """The arguments as a spec writes them, but for the `owner`, and the classes of other modules that their types name."""
    arguments = node.args
    rest = [*arguments.posonlyargs, *arguments.args]
    first = rest.pop(0) if owner and rest else None
    if owner and (first is None or first.arg != owner):
        notes.refuse(first or node, path, f"the first argument is not `{owner}`", f"write `{owner}` first")
    found: list[str] = []
    foreign: tuple[str, ...] = ()
    for one, default in _with_defaults(rest, arguments):
        if one is None:
            found.append("*")
            continue
        notes.note((*path, one.arg), one)
        text, classes = _argument(one, default, names, notes)
        found, foreign = [*found, text], (*foreign, *classes)
    notes.locations[path] = notes.position(rest[0] if rest else node)
    return found, foreign


def _with_defaults(
    positional: list[ast.arg], arguments: ast.arguments
) -> Iterator[tuple[ast.arg | None, ast.expr | None]]:
    """Each argument with its default; None stands for `*`."""
    defaults = [None] * len(positional) + list[ast.expr | None](arguments.defaults)
    yield from zip(positional, defaults[len(arguments.defaults) :], strict=False)
    if arguments.kwonlyargs:
        yield None, None
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def _argument(
    one: ast.arg, default: ast.expr | None, names: Names, notes: Notes
) -> tuple[str, tuple[str, ...]]:
    text, foreign = one.arg, tuple[str, ...]()
    if one.annotation is not None:
        kind, foreign = type_of(one.annotation, names, notes)
        text = f"{text}: {kind}"
    if default is not None:
        source = default_source(default, notes)
        text = f"{text} = {source}"
    return text, foreign


# -- bodies ------------------------------------------------------------------------------------------------------------


def body_of(node: Method, statements: list[ast.stmt], notes: Notes) -> str:
    """The statements word for word from the first column on, with the comments and empty lines between and around."""
    if not statements:
        return ""
    head = statements[0]
    first = first_line(head)
    last = statements[-1].end_lineno or first
    if notes.lines[first - 1][: head.col_offset].strip():  # behind the colon, on one line with it
        text = notes.lines[first - 1].encode()[head.col_offset :].decode()
        return "\n".join([text, *notes.lines[first:last]]).strip()
    above = max((one.end_lineno or 0 for one in node.body if one.lineno < first), default=node.lineno)
    begin, end = notes.comments_around(first, last, above, head.col_offset)
    kept = (line for _, line in outdented(notes, begin, end, head.col_offset))
    return "\n".join(kept).strip("\n").rstrip()
