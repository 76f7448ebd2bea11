"""Classes that are emitted verbatim, and read only for what their tests can know."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from scaffold.kind import AS_WRITTEN
from scaffold.source.definitions import (
    annotated_names,
    arguments_of,
    brings_no_fields,
    method_of,
    without_parameters,
)
from scaffold.source.expressions import Function, nodes_of
from scaffold.source.flattened import numbers_beside_leaves
from scaffold.source.instance import kept_arguments, last_name, made_attributes
from scaffold.source.rewriting import end_of, spliced
from scaffold.spec.skeletons.classes import class_statements, functions, inferred
from scaffold.spec.skeletons.classes.fields import UNDERSTOOD
from scaffold.spec.skeletons.words.names import VOCABULARY, Names
from scaffold.spec.skeletons.words.notes import Notes

_REGISTERS = ("jax.tree_util.register", "jax.tree.register")
_OF_PYTHON = ("dataclasses.dataclass", "attr.", "attrs.")
"""Prefixes of decorators that write a constructor, but do not register the class with jax."""
_NODES = ("flax.struct.PyTreeNode", "typing.NamedTuple")
"""Bases whose subclasses are pytrees. Jax flattens a NamedTuple without registration."""
_OBJECTS = tuple(
    f"flax.nnx.{name}"
    for name in ("Pytree", "Optimizer", "Metric", "Average", "Accuracy", "Welford", "MultiMetric")
)
"""Classes of NNX that hold Variables and change in place, but are no `nnx.Module`."""


def is_node(node: ast.ClassDef, names: Names) -> bool:
    """Whether a class is a pytree by one of its bases, a registering decorator or a registering call."""
    return _inherits(node, names, (*_NODES, *_OBJECTS)) or is_registered(node, names)


def is_registered(node: ast.ClassDef, names: Names) -> bool:
    """Whether the file registers a class with jax, by a decorator or by a call below the class."""
    decorators = (name.startswith(_REGISTERS) for name in _decorators(node, names))
    return node.name in names.registered or any(decorators)


def is_object(node: ast.ClassDef, names: Names) -> bool:
    """Whether a class is an NNX object that changes in place, such as a metric, but no module."""
    return _inherits(node, names, _OBJECTS)


def _inherits(node: ast.ClassDef, names: Names, bases: tuple[str, ...]) -> bool:
    """Whether a class has one of `bases`, directly or through described classes of the file."""
    wholes = (names.of(base).replace("flax.nnx.metrics.", "flax.nnx.") for base in names.bases_of(node))
    return any(name in bases for name in wholes)


def is_dataclass(node: ast.ClassDef, names: Names) -> bool:
    """Whether a decorator writes the constructor, such as `flax.struct.dataclass` or `attrs.define`."""
    return any(name.endswith("dataclass") or name.startswith(_OF_PYTHON) for name in _decorators(node, names))


def is_plain_dataclass(node: ast.ClassDef, names: Names) -> bool:
    """Whether a class is a dataclass of Python or attrs without a base, and no pytree."""
    makers = [*_decorators(node, names)]
    are_plain = all(name.startswith(_OF_PYTHON) or names.is_word(name) for name in makers)
    return bool(makers) and are_plain and not node.bases and not is_node(node, names)


def makes_pytree(node: ast.ClassDef, names: Names) -> bool:
    """Whether a class is a pytree without a kind: registered, a NamedTuple, or a library's dataclass."""
    is_made = is_dataclass(node, names) and not is_plain_dataclass(node, names)
    bases = map(without_parameters, node.bases)
    return is_node(node, names) or (is_made and all(brings_no_fields(last_name(base)) for base in bases))


def registered_below(body: Iterable[ast.stmt], names: Names) -> Iterator[str]:
    """Yield the classes that calls register, as `jax.tree_util.register_dataclass(State, ...)` does."""
    calls = (statement.value for statement in body if isinstance(statement, ast.Expr))
    for call in (call for call in calls if isinstance(call, ast.Call)):
        if names.of(call.func).startswith(_REGISTERS) and call.args and isinstance(call.args[0], ast.Name):
            yield call.args[0].id


def _decorators(node: ast.ClassDef, names: Names) -> Iterator[str]:
    """Yield the full names of the decorators. `partial(register, ...)` gives the name of `register`."""
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(func=partial, args=[function, *_]) if names.of(partial) == "functools.partial":
                yield names.of(function)
            case ast.Call(func=function):
                yield names.of(function)
            case _:
                yield names.of(decorator)


_WORD = AS_WRITTEN.replace("-", "_")


def is_as_written(node: ast.ClassDef, names: Names) -> bool:
    """Whether a class is emitted verbatim, by `@as_written` or because no kind describes the class.

    No kind describes a registered class, a dataclass, a NamedTuple or a class of Python alone. The same holds
    for an `eqx.Module` whose `eqx.field` has keywords that the tool does not read.
    """
    if any(names.word(decorator) == _WORD for decorator in node.decorator_list):
        return True
    if is_of_python(node, names):
        return True
    is_pytree = is_node(node, names) or is_dataclass(node, names)
    return (is_pytree and not class_statements.kind_said(node, names)) or _has_own_fields(node, names)


def says_no_word(node: ast.ClassDef, names: Names) -> bool:
    """Whether a Module uses no word of `scaffold.skeleton` but `@test`, and so stays as written."""
    kind = class_statements.kind_said(node, names)
    has_fields = any(field for each in names.lineage(node) for field in annotated_names(each.body))
    if kind == "nnx" and has_fields and not any(method_of(each, "__init__") for each in names.lineage(node)):
        return False  # Flax gives it no constructor
    statements = (part for statement in node.body for part in ast.walk(statement))
    parts = (*names.bases_of(node), *(part for part in statements if isinstance(part, ast.expr)))
    ours = {names.word(decorator) for decorator in node.decorator_list} - {"", "test"}
    is_of_library = any(is_of_equinox(each, names) for each in names.lineage(node))
    is_module = kind in ("module", "nnx") or is_of_library
    return is_module and not ours and not any(map(names.word, parts))


def is_of_equinox(node: ast.ClassDef, names: Names) -> bool:
    """Whether a class inherits from `eqx.Module` directly, or from a single class of another library."""
    bases = map(without_parameters, node.bases)
    wholes = [names.of(base) for base in bases if not brings_no_fields(last_name(base))]
    is_alone = len(wholes) == 1 and "." in wholes[0] and not names.is_word(wholes[0])
    is_of_library = is_alone and not (class_statements.kind_said(node, names) or is_of_python(node, names))
    return "equinox.Module" in wholes or is_of_library


def is_of_python(node: ast.ClassDef, names: Names) -> bool:
    """Whether a class stores attributes, annotates none and is no pytree, as an environment does."""
    stores = any(made_attributes(node)) and not any(annotated_names(node.body))
    is_pytree = is_node(node, names) or is_dataclass(node, names)
    return stores and not is_pytree and not class_statements.kind_said(node, names)


EXAMPLE = "example"
"""Keyword of a field's word that only the tests read."""


def _has_own_fields(node: ast.ClassDef, names: Names) -> bool:
    """Whether an `eqx.Module` uses keywords of `eqx.field` that the tool does not read: `repr=False`."""
    calls = (field.value for _, field in annotated_names(node.body) if isinstance(field.value, ast.Call))
    said = (call.keywords for call in calls if names.of(call.func) == "equinox.field")
    keywords = (part.arg for listed in said for part in listed)
    is_of_equinox = any(names.of(base) == "equinox.Module" for base in node.bases)
    return is_of_equinox and any(keyword not in UNDERSTOOD for keyword in keywords)


def read_as_written(node: ast.ClassDef, names: Names, notes: Notes) -> dict[str, Any]:
    """Read the spec tables of a class that is emitted verbatim."""
    names = replace(names, stands_alone=True, valued=class_statements.values_said(node, names))
    notes.note(("source",), node)
    ours = [decorator for decorator in node.decorator_list if names.word(decorator)]
    raw: dict[str, Any] = {"name": node.name, "kind": AS_WRITTEN}
    raw["source"] = _without_words(functions.source_of([node], notes, leaving=ours), names)
    fields = dict(_roles(node, names, notes))
    raw |= {"fields": fields} if fields else {}
    raw |= {"options": {"laws": laws}} if (laws := _laws_of(node, names)) else {}
    said = class_statements.read_decorators(node, names, notes)
    raw |= {word: said[word] for word in ("test", "groups", "options") if said.get(word)}
    # Bases in the file that are emitted verbatim too, farthest first.
    as_written = [each for each in [*names.lineage(node)][1:] if is_as_written(each, names)]
    bases = [*reversed([*as_written, *names.plain_bases(node)])]
    raw |= _methods(node, bases, names, notes)
    if any(isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in node.body):
        _refuse_unused_examples(node, names, notes)
    of_fields = [each for each in bases if each.name in names.classes or is_dataclass(each, names)]
    arguments = [] if "__init__" in raw.get("methods", {}) else _fields(node, of_fields, names, notes)
    imports = list(dict.fromkeys(line for _, line in names.lines))
    return raw | {key: texts for key, texts in (("arguments", arguments), ("imports", imports)) if texts}


def _laws_of(node: ast.ClassDef, names: Names) -> str:
    """Return the laws of a class: `nnx`, `none` without leaves that jax knows, or `""` for a pytree."""
    is_module = any(class_statements.KINDS_ELSEWHERE.get(names.of(base)) == "nnx" for base in node.bases)
    if is_module or is_object(node, names):
        return "nnx"
    return "none" if is_plain_dataclass(node, names) or is_of_python(node, names) else ""


def _roles(node: ast.ClassDef, names: Names, notes: Notes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the fields with a word such as `param(...)`, each with its role for the tests."""
    for name, field in annotated_names(node.body):
        if word := _word_of(field, names):
            notes.note(("fields", name), field)
            yield name, {"type": f"={notes.segment(field.annotation)}", "role": word}


def _word_of(field: ast.AnnAssign, names: Names) -> str:
    return names.word(field.value) if field.value is not None else ""


def _without_words(source: str, names: Names) -> str:
    """Replace each word in the source of a class, such as `static(3)`, by what the class has instead."""
    fields = nodes_of(ast.AnnAssign, ast.parse(source))
    worded = ((field, field.value) for field in fields if field.value is not None and _word_of(field, names))
    ends = ((end_of(field.annotation), value) for field, value in worded)
    return spliced(source, ((begin, end_of(value), _in_place_of(value, names)) for begin, value in ends))


def _in_place_of(value: ast.expr, names: Names) -> str:
    """Return the assignment that replaces `param(...)`: a default, an `eqx.field(...)` or nothing."""
    static = {"static": ast.Constant(True)} if names.word(value) == "static" else {}
    said = {**static, **(_said_of_field(value, names) or {})}
    said.pop(EXAMPLE, None)
    if [*said] == ["default"]:
        return f" = {ast.unparse(said['default'])}"
    texts = [f"{key}={ast.unparse(part)}" for key, part in said.items()]
    return f" = eqx.field({', '.join(texts)})" if texts else ""


def _methods(node: ast.ClassDef, bases: Sequence[ast.ClassDef], names: Names, notes: Notes) -> dict[str, Any]:
    """Read the methods of a class and its bases, with types for the tests from annotations and code."""
    tables: dict[str, Any] = {}
    for owner in (*bases, node):
        own_notes = notes if owner is node else Notes(notes.text, notes.where)  # a base tells its own faults
        for part in (part for part in owner.body if isinstance(part, Function)):
            # A base that is carried has the fields of its subclass.
            reader = owner if owner.name in names.classes else node
            path, kinds = ("methods", part.name), inferred.types_by_use(part, reader, names)
            if part.name == "__init__":
                kinds |= _numbers_taken(part, owner)
            tables[part.name] = functions.read_function(part, path, names, own_notes, [part], kinds)
    return {"methods": tables} if tables else {}


def _numbers_taken(constructor: Function, owner: ast.ClassDef) -> dict[str, str]:
    """Return the types of unannotated arguments that an instance keeps as numbers beside its leaves."""
    numbers = numbers_beside_leaves(owner)
    bare = {argument.arg for argument in arguments_of(constructor) if argument.annotation is None}
    pairs = kept_arguments(constructor)
    return {argument: numbers[name] for argument, name in pairs if argument in bare and name in numbers}


def _fields(node: ast.ClassDef, bases: Sequence[ast.ClassDef], names: Names, notes: Notes) -> list[str]:
    """List the arguments of a class without `__init__`: its annotated fields, with optional fields last."""
    needed, optional = dict[str, str](), dict[str, str]()
    for owner in (*bases, node):
        for name, field in annotated_names(owner.body):
            needed.pop(name, None)
            optional.pop(name, None)
            if functions.is_carried(field, names) or _is_made(field.value, names):
                continue
            if has_default(field.value, names):
                optional[name] = f"{name}=..."
                continue
            argument = ast.arg(name, field.annotation)
            shapes = (functions.given_type(name, field.annotation, each, names) for each in (node, owner))
            text = _example_of(field, names) or functions.argument_type(argument, names, notes)
            text = text or next(filter(None, shapes), "")
            text = text or functions.type_beside(field.annotation, names, notes)
            needed[name] = f"{name}: {text}" if text else name
    return [*needed.values(), *optional.values()]


def _example_of(field: ast.AnnAssign, names: Names) -> str:
    """Return the type that a word gives the tests: `f[4]` of `param(example="f[4]")`."""
    said = _said_of_field(field.value, names) if _word_of(field, names) else None
    example = (said or {}).get(EXAMPLE)
    return str(example.value) if isinstance(example, ast.Constant) else ""


def _refuse_unused_examples(node: ast.ClassDef, names: Names, notes: Notes) -> None:
    """Refuse `example` in a class with an `__init__`, whose arguments need examples instead."""
    for name, field in annotated_names(node.body):
        if _example_of(field, names):
            fix = f'write `@test(values={{"{name}": lambda: ...}})`, with the arguments of `__init__`'
            message = "`example` says nothing here: `__init__` takes what the class is built with"
            notes.refuse(field, ("fields", name), message, fix)


def has_default(value: ast.expr | None, names: Names) -> bool:
    """Whether a field may be omitted: it has a plain value, or `field(...)` has a default or a factory."""
    said = _said_of_field(value, names)
    return value is not None if said is None else bool({"default", "default_factory", "factory"} & {*said})


def _is_made(value: ast.expr | None, names: Names) -> bool:
    """Whether a field is no argument of the constructor: `field(init=False)`."""
    made = (_said_of_field(value, names) or {}).get("init")
    return isinstance(made, ast.Constant) and made.value is False


def _said_of_field(value: ast.expr | None, names: Names) -> dict[str, ast.expr] | None:
    """Return the keywords of `field(...)`, with a word's first argument as `default`, or None."""
    if not (isinstance(value, ast.Call) and _makes_field(names.of(value.func))):
        return None
    first = [("default", part) for part in value.args[:1] if names.word(value)]
    return dict([*first, *((keyword.arg or "**", keyword.value) for keyword in value.keywords)])


def _makes_field(whole: str) -> bool:
    """Whether a function makes a field: `eqx.field`, `attr.ib` or a word of `scaffold.skeleton`."""
    module, _, name = whole.rpartition(".")
    return module == VOCABULARY or name in ("ib", "attrib") or name.endswith("field")
