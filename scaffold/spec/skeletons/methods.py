"""Methods of a skeleton: the call and others to their tables, the constructor to `arguments` and `setup`. Bodies are kept word for word."""

import ast
import io
import tokenize
from collections.abc import Iterator
from typing import Any

from scaffold.spec.expressions import first_line
from scaffold.spec.skeletons.annotations import results, type_of
from scaffold.spec.skeletons.fields import doc_below, keys_of
from scaffold.spec.skeletons.names import Names
from scaffold.spec.skeletons.notes import Notes, Path
from scaffold.spec.skeletons.values import expression

Method = ast.FunctionDef | ast.AsyncFunctionDef


def read_call(node: ast.FunctionDef, names: Names, notes: Notes) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The table `[call]`, and the classes of other modules that its types name."""
    table, foreign = _read(node, ("call",), "self", names, notes)
    decorators, keys = _decorated(node, ("call",), names, notes)
    for one in decorators:
        what = f"`@{one}` does not go with `__call__`"
        notes.refuse(node, ("call",), what, 'remove it, or write `@call(carry="hidden")`')
    return {**table, **keys}, foreign


def read_method(
    node: ast.FunctionDef, names: Names, notes: Notes, within: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The table `[methods.NAME]`, or `[constructors.NAME]`, and the classes of other modules that its types name."""
    path = (within, node.name)
    decorators, keys = _decorated(node, path, names, notes)
    owner = "cls" if "classmethod" in decorators else "" if "staticmethod" in decorators else "self"
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
    notes.positions[path] = notes.position(node)
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
    table["body"] = body_of(node, statements, notes) or "..." * is_abstract(node, names)
    for statement in statements:
        notes.note((*path, "body"), statement)
    return table, foreign


def is_abstract(node: Method, names: Names) -> bool:
    """Whether it is left to subclasses."""
    return any(names.of(one) == "abc.abstractmethod" for one in node.decorator_list)


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
    odd = next((one for one in (arguments.vararg, arguments.kwarg) if one is not None), None)
    if odd is not None:
        what = f"`*{odd.arg}` takes any number of arguments, so no example can be made"
        notes.refuse(odd, path, what, f"write `{odd.arg}: list[...]`")
    if arguments.posonlyargs:
        notes.refuse(arguments.posonlyargs[-1], path, "`/` has no place in a spec", "remove it")
    found: list[str] = []
    foreign: tuple[str, ...] = ()
    for one, default in _with_defaults(rest, arguments):
        if one is None:
            found.append("*")
            continue
        notes.note((*path, one.arg), one)
        text, classes = _argument(one, default, names, notes)
        found, foreign = [*found, text], (*foreign, *classes)
    notes.positions[path] = notes.position(rest[0] if rest else node)
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
        source = expression_of_default(default, notes)
        text = f"{text} = {source}"
    return text, foreign


def expression_of_default(node: ast.expr, notes: Notes) -> str:
    """The source of a default; a lambda and a comparison in parentheses, so that no comma and no `=` ends it."""
    if isinstance(node, ast.Lambda):
        return f"({notes.segment(node)})"
    return expression(node, notes)


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
    inside = string_lines(notes.text)
    kept = [
        line if number in inside else line[head.col_offset :] if not line[: head.col_offset].strip() else line
        for number, line in enumerate(notes.lines[begin - 1 : end], begin)
    ]
    return "\n".join(kept).strip("\n").rstrip()


def string_lines(text: str) -> frozenset[int]:
    """The numbers of the lines that begin inside a string."""
    inside: set[int] = set()
    starts: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        if name == "STRING":
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif name in ("FSTRING_START", "TSTRING_START"):
            starts.append(token.start[0])
        elif name in ("FSTRING_END", "TSTRING_END"):
            inside.update(range(starts.pop() + 1, token.end[0] + 1))
    return frozenset(inside)
