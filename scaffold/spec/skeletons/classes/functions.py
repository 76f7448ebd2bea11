"""Translate a function of a skeleton into its table: the signature, with the body or the verbatim source.

A function is understood if the grammar has a type for each argument and the result. Any other function is
emitted verbatim.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scaffold.source.definitions import (
    ABSTRACT_VARIABLES,
    arguments_with_defaults,
    is_generator,
    owner_of,
    returns_value,
    says_nothing,
    without_parameters,
)
from scaffold.source.expressions import Function, first_line, string_lines
from scaffold.source.instance import last_name
from scaffold.source.rewriting import end_of
from scaffold.spec.grammar.kept_annotations import members_of
from scaffold.spec.grammar.named_dims import with_named_dims
from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.types import ArrayType, TupleType, arrays, walk
from scaffold.spec.names import argument_name_faults
from scaffold.spec.skeletons.classes.class_statements import is_of_anything
from scaffold.spec.skeletons.classes.fields import doc_below, keys_of
from scaffold.spec.skeletons.classes.inferred import SIZES, is_any_array
from scaffold.spec.skeletons.classes.optimisers import is_tree_of_optimiser
from scaffold.spec.skeletons.words.annotations import (
    is_of_grammar,
    meant_type,
    results,
    scalar_of_dtype,
    type_of,
)
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes, Path, expression


def blocks(body: Iterable[ast.stmt], names: Names) -> list[list[ast.stmt]]:
    """Group a class body into definitions of one name, single fields, and runs of other statements."""
    grouped: list[list[ast.stmt]] = []
    group: str | None = None
    for statement in body:
        before, group = group, _group(statement, names)
        if group is not None and group == before:
            grouped[-1].append(statement)
        else:
            grouped.append([statement])
    return grouped


def _group(statement: ast.stmt, names: Names) -> str | None:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return f"def {name}"
        case ast.AnnAssign() if not is_carried(statement, names):
            return None
        case _:
            return None if says_nothing(statement) else "statements"


def is_carried(statement: ast.AnnAssign, names: Names) -> bool:
    """Whether an annotation makes no field: `ClassVar`, `KW_ONLY`, or `AbstractVar` for subclasses."""
    annotation = statement.annotation
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.lstrip().startswith("ClassVar")
    head = without_parameters(annotation)
    return names.of(head).rpartition(".")[2] in ("ClassVar", "KW_ONLY", *ABSTRACT_VARIABLES)


def source_of(nodes: Iterable[ast.stmt], notes: Notes, leaving: Iterable[ast.expr] = ()) -> str:
    """Return the source of adjacent statements, outdented, without the lines of decorators in `leaving`."""
    listed = list(nodes)
    first, last = first_line(listed[0]), end_of(listed[-1])[0]
    left = {line for part in leaving for line in range(part.lineno, end_of(part)[0] + 1)}
    lines = outdented(notes, first, last, listed[0].col_offset)
    return "\n".join(line for number, line in lines if number not in left).strip("\n").rstrip()


def outdented(notes: Notes, first: int, last: int, column: int) -> Iterator[tuple[int, str]]:
    """Yield the lines `first` to `last` with numbers, moved left by `column` except within strings."""
    inside = string_lines(notes.text)
    for number, line in enumerate(notes.lines[first - 1 : last], first):
        is_moved = number not in inside and not line[:column].strip()
        yield number, line[column:] if is_moved else line


_KEYS = ("key", "rng", "rng_key", "prng_key")
"""Names of arguments that are random keys, unless other arguments make them keys of attention."""
_OF_ENTRIES = ("__getitem__", "__setitem__", "__delitem__", "__contains__")
"""Methods whose `key` is an index, or the name of an entry."""
_ATTENTION = ("query", "value", "queries", "values")
ANY_TREE = ("optax.Params", "optax.Updates", "chex.ArrayTree")
"""Annotations of a tree of arrays, beside `PyTree`."""


def read_function(
    node: Function, path: Path, names: Names, notes: Notes, block: list[ast.stmt], inferred: Mapping[str, str]
) -> dict[str, Any]:
    """Read the table of a call, a method or a constructor.

    `block` is emitted verbatim together with the function. `inferred` types arguments without an annotation.
    """
    decorators, keys = _decorated(node, path, names, notes)
    notes.locations[path] = notes.position(node)
    table = {**_signature(node, (*path, "args"), names, notes, inferred), **keys}
    is_whole = notes.has_comment_in_header(node) or (decorators and path == ("call",))
    if block or is_whole or not is_understood(node, names, notes):
        words = [decorator for decorator in node.decorator_list if _is_word(decorator, names)]
        for part in (*node.body, *node.decorator_list, node):
            notes.note((*path, "body"), part)
        return {**table, "source": source_of(block or [node], notes, leaving=words)}
    if node.returns is not None:
        notes.keep((*path, "returns"), node.returns)
    doc = doc_below(node.body[0])
    notes.keep_doc((*path, "doc"), node.body[0])
    statements = node.body[doc is not None :]
    for statement in statements:
        notes.note((*path, "body"), statement)
    body = body_of(node, statements, notes) or "..." * is_left_open(node, names)
    doc = table.get("doc") if doc is None else doc  # `@call(doc=...)` says what no docstring can
    table = {"decorator": "\n".join(decorators), **table, "doc": doc, "body": body}
    return {key: part for key, part in table.items() if part or key == "body"}


def _decorated(node: Function, path: Path, names: Names, notes: Notes) -> tuple[list[str], dict[str, Any]]:
    """Return the decorators as source, and the keys that `@call(...)` gives."""
    keys: dict[str, Any] = {}
    decorators: list[str] = []
    for decorator in node.decorator_list:
        if _is_word(decorator, names) and isinstance(decorator, ast.Call):
            keys |= keys_of(decorator, path, notes, {})
        elif names.of(decorator) != "abc.abstractmethod":
            notes.note((*path, "decorator"), decorator)
            decorators.append(" ".join(notes.segment(decorator).split()))
    return decorators, keys


def _is_word(decorator: ast.expr, names: Names) -> bool:
    """Whether a decorator is `@call(...)`, which is for the tool and not for the class."""
    return isinstance(decorator, ast.Call) and names.word(decorator.func) == "call"


def is_understood(node: Function, names: Names, notes: Notes) -> bool:
    """Whether the grammar types the signature and the result, and the body returns a value."""
    arguments, owner = node.args, owner_of(node)
    rest = [*arguments.args[bool(owner) :], *arguments.kwonlyargs]
    is_odd = arguments.vararg or arguments.kwarg or arguments.posonlyargs or is_generator(node)
    is_overload = any(last_name(decorator) == "overload" for decorator in node.decorator_list)
    annotations = results(node.returns)
    return (
        isinstance(node, ast.FunctionDef)
        and (not owner or [argument.arg for argument in arguments.args[:1]] == [owner])
        and (returns_value(node.body) or is_left_open(node, names))
        and not (is_odd or is_overload)
        and (node.returns is None or bool(annotations))
        and all(_type(annotation, names, notes) for annotation in annotations)
        and all(argument_type(argument, names, notes) for argument in rest)
    )


def is_left_open(node: Function, names: Names) -> bool:
    """Whether subclasses define a method: an abstract method, or the body `...` in an abstract class."""
    body = node.body[ast.get_docstring(node) is not None :]
    gives = node.returns is not None and ast.unparse(node.returns) != "None"
    is_empty = [ast.unparse(statement) for statement in body] == ["..."] or (gives and not body)
    is_marked = any(names.of(decorator) == "abc.abstractmethod" for decorator in node.decorator_list)
    return is_marked or (names.is_abstract and is_empty)


# -- the signature -----------------------------------------------------------------------------------------------------


def _signature(
    node: Function, path: Path, names: Names, notes: Notes, inferred: Mapping[str, str]
) -> dict[str, Any]:
    """Return `args` and `returns`, as far as the tests can know them."""
    pairs = arguments_with_defaults(node)
    needed = {argument.arg for argument, default in pairs if default is None}
    needed |= {argument.arg for argument, _ in pairs if names.has_value(node.name, argument.arg)}
    taken = read_arguments(node, path, names, notes, needed, inferred)
    gives = returns_value(node.body) or is_left_open(node, names)
    said = {"args": ", ".join(taken), "returns": _result(node, names, notes) if gives else ""}
    return {key: text for key, text in said.items() if text}


def read_arguments(
    node: Function, path: Path, names: Names, notes: Notes, needed: set[str], inferred: Mapping[str, str]
) -> list[str]:
    """List the arguments as a spec writes them. Without a type, only arguments in `needed` are listed."""
    texts: list[str] = []
    pairs = arguments_with_defaults(node)
    notes.locations[path] = notes.position(pairs[0][0] if pairs else node)
    for argument, default in pairs:
        notes.note((*path, argument.arg), argument)
        notes.keep((*path, argument.arg), argument.annotation)
        kind = argument_type(argument, names, notes) or example_type(argument.annotation, names, notes)
        kind = kind or _key_by_name(argument, pairs, names) * (node.name not in _OF_ENTRIES)
        if default is None or _is_of_arrays(inferred.get(argument.arg, "")):
            kind = kind or inferred.get(argument.arg, "")
        if default is None:
            kind = kind or _number(argument.annotation, names)
            kind = kind or _shape_by_name(argument)
        is_left_out = not kind and argument.arg not in needed
        # What follows an argument that is left out is given by name.
        if "*" not in texts and (is_left_out or argument in node.args.kwonlyargs):
            texts.append("*")
        if not is_left_out and not ("*" in texts and argument in node.args.posonlyargs):
            text = f"{argument.arg}: {kind}" if kind else argument.arg
            texts.append(text if default is None else f"{text} = {default_source(default, notes)}")
    return texts[: len(texts) - (texts[-1:] == ["*"])]


def _is_of_arrays(text: str) -> bool:
    """Whether a type consists of an array, or of several, and no key."""
    parts = [*walk(parse_type(text))] if text else []
    kinds = (part for part in parts if not isinstance(part, TupleType))
    return bool(parts) and all(isinstance(part, ArrayType) and part.dtype != "key" for part in kinds)


def argument_type(argument: ast.arg, names: Names, notes: Notes) -> str:
    """Return the type of an argument in the grammar, or `""`."""
    if argument.annotation is None or argument_name_faults(argument.arg, "", reserved=False):
        return ""
    return _type(argument.annotation, names, notes)


def _number(annotation: ast.expr | None, names: Names) -> str:
    """Return the number that a union allows, `int` of `int | str`, or `f[]` of `float | jax.Array`."""
    members = members_of(annotation) if annotation is not None else []
    words = {ast.unparse(member) for member in members} if len(members) > 1 else set[str]()
    if "float" in words and any(is_any_array(member, names) for member in members):
        return "f[]"
    return next((word for word in ("float", "int") if word in words), "")


def given_type(name: str, annotation: ast.expr, owner: ast.ClassDef, names: Names) -> str:
    """Return a type for the tests if an annotation is `Any` or an array without a shape, or else `""`."""
    is_anything = is_of_anything(annotation, owner, names)
    if not (is_anything or is_any_array(annotation, names)):
        return ""
    if is_anything and is_tree_of_optimiser(name, owner):
        return "tree"
    return "key[]" if name in _KEYS else names.shapes_of(owner).of_field(name)


def type_beside(annotation: ast.expr, names: Names, notes: Notes) -> str:
    """Return a type for the tests of a kept annotation: an array with named dims, or a number."""
    text = example_type(annotation, names, notes)
    return text if text and arrays(parse_type(text)) else _number(annotation, names)


def example_type(annotation: ast.expr | None, names: Names, notes: Notes) -> str:
    """Return a type for the tests: an array with one axis for `...` and for `_`, or a tree."""
    if annotation is None or names.of(annotation) in ANY_TREE:
        return "tree" * (annotation is not None)
    text = scalar_of_dtype(annotation, names) or meant_type(annotation, names)
    named = with_named_dims(text or type_of(annotation, names, notes))
    return named if is_of_grammar(named, names) else ""


def _key_by_name(argument: ast.arg, pairs: Sequence[tuple[ast.arg, object]], names: Names) -> str:
    """Return `key[]` if an argument is named as a key and its annotation may be any array."""
    if argument.arg not in _KEYS or any(other.arg in _ATTENTION for other, _ in pairs):
        return ""
    kind = argument.annotation
    is_key = kind is None or is_any_array(kind, names) or names.of(kind) == "jaxtyping.PRNGKeyArray"
    return "key[]" if is_key else ""


def _shape_by_name(argument: ast.arg) -> str:
    """Return the type of a shape if an argument is named as a shape and may be any tuple."""
    is_any_tuple = argument.annotation is None or last_name(argument.annotation) in (
        "tuple",
        "Tuple",
        "Sequence",
    )
    return SIZES * (is_any_tuple and re.search(r"(^|_)shape$", argument.arg) is not None)


def _result(node: Function, names: Names, notes: Notes) -> str:
    """Return the types of the result for the tests, with named dims, or `""` if the grammar lacks a type."""
    kinds = results(node.returns)
    texts = [_type(kind, names, notes) or example_type(kind, names, notes) for kind in kinds]
    return ", ".join(texts) if all(texts) else ""


def _type(annotation: ast.expr, names: Names, notes: Notes) -> str:
    text = "" if names.of(annotation) in ANY_TREE else type_of(annotation, names, notes)
    return text if text and is_of_grammar(text, names) else ""


def default_source(node: ast.expr, notes: Notes) -> str:
    """Return the source of a default, with parentheses around a lambda, whose commas would end it."""
    return f"({notes.segment(node)})" if isinstance(node, ast.Lambda) else expression(node, notes)


# -- the body ----------------------------------------------------------------------------------------------------------


def body_of(node: Function, statements: list[ast.stmt], notes: Notes) -> str:
    """Return the source of statements, outdented, with the comments and blank lines between and around."""
    if not statements:
        return ""
    head = statements[0]
    first = first_line(head)
    last = statements[-1].end_lineno or first
    if notes.lines[first - 1][: head.col_offset].strip():  # behind the colon, on one line with it
        text = notes.lines[first - 1].encode()[head.col_offset :].decode()
        return "\n".join([text, *notes.lines[first:last]]).strip()
    ends = (statement.end_lineno or 0 for statement in node.body if statement.lineno < first)
    above = max(ends, default=node.lineno)
    begin, end = notes.comments_around(first, last, above, head.col_offset)
    kept = (line for _, line in outdented(notes, begin, end, head.col_offset))
    return "\n".join(kept).strip("\n").rstrip()
