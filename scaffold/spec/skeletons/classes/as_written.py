"""A class with `@as_written`: it is carried whole, and read for what its tests can know."""

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from scaffold.spec.skeletons.classes.carried import is_carried, source_of
from scaffold.spec.skeletons.classes.class_statements import (
    AS_WRITTEN,
    KINDS_ELSEWHERE,
    kind_said,
    read_decorators,
    values_said,
)
from scaffold.spec.skeletons.classes.fields import UNDERSTOOD
from scaffold.spec.skeletons.classes.functions import argument_type, given_type, read_function, types_by_use
from scaffold.spec.skeletons.classes.registered import is_dataclass, is_node, is_object, is_plain_dataclass
from scaffold.spec.skeletons.words.names import VOCABULARY, Names
from scaffold.spec.skeletons.words.notes import Notes
from scaffold.spec.source.definitions import annotated_names
from scaffold.spec.source.expressions import Function, nodes_of
from scaffold.spec.source.rewriting import end_of, spliced

_WORD = AS_WRITTEN.replace("-", "_")


def is_as_written(node: ast.ClassDef, names: Names) -> bool:
    """Whether a class is emitted word for word: its author asks for it, or it is no `Module` and something else makes it a pytree.

    It registers itself with jax, a decorator makes it a dataclass, it is a tuple of Python, or a field of it is said in other words.
    """
    if any(names.word(decorator) == _WORD for decorator in node.decorator_list):
        return True
    is_pytree = is_node(node, names) or is_dataclass(node, names)
    return (is_pytree and not kind_said(node, names)) or _has_own_fields(node, names)


EXAMPLE = "example"
"""The keyword of a word that is for the tests alone."""


def _has_own_fields(node: ast.ClassDef, names: Names) -> bool:
    """Whether a class of Equinox says more of a field than the tool reads: `eqx.field(repr=False)`."""
    calls = (field.value for _, field in annotated_names(node.body) if isinstance(field.value, ast.Call))
    keywords = (
        part.arg for call in calls if names.of(call.func) == "equinox.field" for part in call.keywords
    )
    is_of_equinox = any(names.of(base) == "equinox.Module" for base in node.bases)
    return is_of_equinox and any(keyword not in UNDERSTOOD for keyword in keywords)


def read_as_written(node: ast.ClassDef, names: Names, notes: Notes) -> dict[str, Any]:
    """The tables of its spec."""
    names = replace(names, stands_alone=True, valued=values_said(node, names))
    notes.note(("source",), node)
    ours = [decorator for decorator in node.decorator_list if names.word(decorator)]
    raw: dict[str, Any] = {"name": node.name, "kind": AS_WRITTEN}
    raw["source"] = _without_words(source_of([node], notes, leaving=ours), names)
    fields = dict(_roles(node, names, notes))
    raw |= {"fields": fields} if fields else {}
    raw |= {"options": {"laws": laws}} if (laws := _laws_of(node, names)) else {}
    said = read_decorators(node, names, notes)
    raw |= {word: said[word] for word in ("test", "groups", "options") if said.get(word)}
    bases = [*_bases(node, names)]
    raw |= _methods(node, bases, names, notes)
    if any(isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in node.body):
        _refuse_unused_examples(node, names, notes)
    arguments = [] if "__init__" in raw.get("methods", {}) else _fields(node, bases, names, notes)
    imports = list(dict.fromkeys(line for _, line in names.lines))
    return raw | {key: texts for key, texts in (("arguments", arguments), ("imports", imports)) if texts}


def _bases(node: ast.ClassDef, names: Names) -> Iterator[ast.ClassDef]:
    """The classes of the file that a class inherits from and that are emitted word for word as well, farthest first."""
    for base in node.bases:
        found = names.classes.get(ast.unparse(base))
        if found is not None and found is not node and is_as_written(found, names):
            yield from _bases(found, names)
            yield found


def _laws_of(node: ast.ClassDef, names: Names) -> str:
    """Which laws hold for a class, where they are not those of pytrees: jax knows no leaves of a plain dataclass."""
    is_module = any(KINDS_ELSEWHERE.get(names.of(base)) == "nnx" for base in node.bases)
    if is_module or is_object(node, names):
        return "nnx"
    return "none" if is_plain_dataclass(node, names) else ""


def _roles(node: ast.ClassDef, names: Names, notes: Notes) -> Iterator[tuple[str, dict[str, Any]]]:
    """The fields whose role a word says, for the tests."""
    for name, field in annotated_names(node.body):
        if word := _word_of(field, names):
            notes.note(("fields", name), field)
            yield name, {"type": f"={notes.segment(field.annotation)}", "role": word}


def _word_of(field: ast.AnnAssign, names: Names) -> str:
    """The word of the vocabulary that a field is given."""
    return names.word(field.value) if field.value is not None else ""


def _without_words(source: str, names: Names) -> str:
    """The class statement, in which each word for a role is what stands in its place in the class."""
    fields = nodes_of(ast.AnnAssign, ast.parse(source))
    worded = ((field, field.value) for field in fields if field.value is not None and _word_of(field, names))
    return spliced(
        source,
        ((end_of(field.annotation), end_of(value), _in_place_of(value, names)) for field, value in worded),
    )


def _in_place_of(value: ast.expr, names: Names) -> str:
    """What a class has where a skeleton has `param(...)`: `eqx.field(...)` where there is something to say."""
    assert isinstance(value, ast.Call)
    word = names.word(value.func)
    keywords = [ast.keyword("default", default) for default in value.args[:1]]
    keywords += [keyword for keyword in value.keywords if keyword.arg != EXAMPLE]
    said = [ast.keyword("static", ast.Constant(True))] * (word == "static") + keywords
    if [keyword.arg for keyword in said] == ["default"]:
        return f" = {ast.unparse(said[0].value)}"
    return f" = eqx.field({', '.join(map(ast.unparse, said))})" if said else ""


def _methods(node: ast.ClassDef, bases: Sequence[ast.ClassDef], names: Names, notes: Notes) -> dict[str, Any]:
    """The methods, of which the tests call those that they have examples for, with those of the bases."""
    tables: dict[str, Any] = {}
    for owner in (*bases, node):
        own_notes = notes if owner is node else Notes(notes.text, notes.where)  # a base tells its own faults
        tables |= {
            part.name: read_function(
                part, ("methods", part.name), names, own_notes, [part], types_by_use(part, owner, names)
            )
            for part in owner.body
            if isinstance(part, Function)
        }
    return {"methods": tables} if tables else {}


def _fields(node: ast.ClassDef, bases: Sequence[ast.ClassDef], names: Names, notes: Notes) -> list[str]:
    """What a class without an `__init__` is built with: its annotated names as arguments, those that may be left out last."""
    needed, optional = dict[str, str](), dict[str, str]()
    for owner in (*bases, node):
        for name, field in annotated_names(owner.body):
            needed.pop(name, None)
            optional.pop(name, None)
            if is_carried(field, names) or _is_made(field.value, names):
                continue
            if _has_default(field.value, names):
                optional[name] = f"{name}=..."
                continue
            text = _example_of(field, names) or argument_type(ast.arg(name, field.annotation), names, notes)
            shapes = (given_type(name, field.annotation, each, names) for each in (node, owner))
            text = text or next(filter(None, shapes), "")
            needed[name] = f"{name}: {text}" if text else name
    return [*needed.values(), *optional.values()]


def _example_of(field: ast.AnnAssign, names: Names) -> str:
    """The type that a word says for the tests: `f[4]` of `param(example="f[4]")`."""
    keywords = field.value.keywords if isinstance(field.value, ast.Call) and _word_of(field, names) else ()
    values = (keyword.value for keyword in keywords if keyword.arg == EXAMPLE)
    return next((str(value.value) for value in values if isinstance(value, ast.Constant)), "")


def _refuse_unused_examples(node: ast.ClassDef, names: Names, notes: Notes) -> None:
    """An example is for what a class is given, which an `__init__` of its own says otherwise."""
    for name, field in annotated_names(node.body):
        if _example_of(field, names):
            fix = f'write `@test(values={{"{name}": lambda: ...}})`, with the arguments of `__init__`'
            message = "`example` says nothing here: `__init__` takes what the class is built with"
            notes.refuse(field, ("fields", name), message, fix)


def _has_default(value: ast.expr | None, names: Names) -> bool:
    """Whether a field may be left out: what `field(...)` says, or a plain value."""
    said = _said_of_field(value, names)
    if said is None:
        return value is not None
    is_first = isinstance(value, ast.Call) and bool(names.word(value.func) and value.args)
    return is_first or not {"default", "default_factory", "factory"}.isdisjoint(said)


def _is_made(value: ast.expr | None, names: Names) -> bool:
    """Whether a field is no argument: `field(init=False)`."""
    made = (_said_of_field(value, names) or {}).get("init")
    return isinstance(made, ast.Constant) and made.value is False


def _said_of_field(value: ast.expr | None, names: Names) -> dict[str | None, ast.expr] | None:
    """What `field(...)` says by keyword; None of another value."""
    if not (isinstance(value, ast.Call) and _makes_field(names.of(value.func))):
        return None
    return {keyword.arg: keyword.value for keyword in value.keywords}


def _makes_field(whole: str) -> bool:
    """Whether a function makes a field: `eqx.field`, `attr.ib`, and the words of the vocabulary."""
    module, _, name = whole.rpartition(".")
    return module == VOCABULARY or name in ("ib", "attrib") or name.endswith("field")
