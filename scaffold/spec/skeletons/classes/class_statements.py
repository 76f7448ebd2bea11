"""Class statement of a skeleton, with its decorators: kind, bases, type variables, options, `@test`."""

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from scaffold.kind import AS_WRITTEN, NAMES, kind_of
from scaffold.source.expressions import bound_value, elements_of
from scaffold.source.instance import given_as, is_any
from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.types import ClassType
from scaffold.spec.skeletons.classes.fields import keys_of
from scaffold.spec.skeletons.words.annotations import is_of_grammar, type_of
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes, entries, raw_value, table
from scaffold.spec.tables.keys import SPEC_KEYS

_MAKERS = ("typing.TypeVar", "typing_extensions.TypeVar")
_GENERIC = ("typing.Generic", "typing_extensions.Generic")


def type_variables(body: Iterable[ast.stmt], names: Names) -> Iterator[tuple[str, ast.stmt]]:
    """Yield names bound to a `TypeVar` with at most a class as bound, each with its statement."""
    for name, value, statement in ((*pair, each) for each in body if (pair := bound_value(each)) is not None):
        match value:
            case ast.Call(func=maker, args=[said], keywords=keywords) if names.of(maker) in _MAKERS:
                is_named = ast.unparse(said).strip("'\"")[:1].isupper()
                if is_named and all(word.arg == "bound" and names.of(word.value) for word in keywords):
                    yield name, statement
            case _:
                pass


def listed(base: ast.expr, names: Names) -> list[ast.expr]:
    """Return the parameters of `Generic[T, S]`, or none for another base."""
    if not (isinstance(base, ast.Subscript) and names.of(base.value) in _GENERIC):
        return []
    return elements_of(base.slice)


def is_of_anything(annotation: ast.expr, owner: ast.ClassDef, names: Names) -> bool:
    """Whether an annotation is `Any`, a type variable of the file, or a type parameter of the class."""
    parameters = (ast.unparse(part) for base in owner.bases for part in listed(base, names))
    return is_any(annotation) or ast.unparse(annotation) in (*names.variables, *parameters)


def understood(base: ast.expr, names: Names) -> bool:
    """Whether a base is `Generic[...]` over type variables of the file."""
    parts = listed(base, names)
    return bool(parts) and all(ast.unparse(part) in names.variables for part in parts)


def from_bases(bases: Iterable[ast.expr], names: Names, notes: Notes) -> Iterator[str]:
    """Yield the type parameters in `Generic[...]`, each with its bound: `T: Bound`."""
    for part in _parameters(bases, names):
        notes.note(("generic",), part)
        yield _with_bound(names.variables[ast.unparse(part)], names, notes)


def _parameters(bases: Iterable[ast.expr], names: Names) -> Iterator[ast.expr]:
    return (part for base in bases if understood(base, names) for part in listed(base, names))


def _with_bound(variable: ast.stmt, names: Names, notes: Notes) -> str:
    assert isinstance(variable, ast.Assign) and isinstance(variable.value, ast.Call)
    bounds = (keyword.value for keyword in variable.value.keywords)
    return ": ".join([ast.unparse(variable.targets[0]), *(type_of(bound, names, notes) for bound in bounds)])


def used_variables(
    classes: Iterable[ast.ClassDef], word_for_word: Iterable[ast.ClassDef], names: Names
) -> set[str]:
    """Return the type variables that become type parameters of `classes`.

    Variables stay verbatim if a class in `word_for_word` reads them, or if the kind takes no type parameters.
    """
    generic = (node for node in classes if kind_of(kind_said(node, names) or "module").takes("generic"))
    read = {ast.unparse(part) for node in word_for_word for part in _parameters(node.bases, names)}
    return {ast.unparse(part) for node in generic for part in _parameters(node.bases, names)} - read


def from_syntax(node: ast.ClassDef, names: Names, notes: Notes) -> Iterator[str]:
    """Yield the type parameters of `class Box[T: Bound]`, a syntax of Python 3.12."""
    parameters: list[ast.AST] = getattr(node, "type_params", [])
    for parameter in parameters:
        notes.note(("generic",), parameter)
        name, bound = str(getattr(parameter, "name", "")), getattr(parameter, "bound", None)
        yield ": ".join([name, *([type_of(bound, names, notes)] if isinstance(bound, ast.expr) else [])])


KINDS = {"".join(word.capitalize() for word in name.split("-")): name for name in NAMES if name != AS_WRITTEN}
"""Kind by the name of its base: `TrainState` is `train-state`. Only `@as_written` gives `as-written`."""
_TABLES = {"test": "test", "groups": "groups", "as_written": "options"}
"""Table that the arguments of each decorator fill."""
_OF_PYTHON = ("metaclass", "strict")
"""Keywords that the class statement of any Module takes."""
OF_SUBCLASSES = ("nnx",)
"""Kinds that a class takes over from a base of its file."""
_MODULES = {"module": "equinox:Module", "abstract": "equinox:Module", "nnx": "flax.nnx:Module"}
KINDS_ELSEWHERE = {"equinox.Module": "module", "flax.nnx.Module": "nnx"}


def read_generics(node: ast.ClassDef, names: Names, notes: Notes) -> dict[str, Any]:
    """Read the type parameters into `generic`, from `Generic[...]` or `class Box[T]`."""
    generic = [*from_bases(node.bases, names, notes), *from_syntax(node, names, notes)]
    return {"generic": generic} if generic else {}


def read_bases(node: ast.ClassDef, names: Names, notes: Notes) -> dict[str, Any]:
    """Read the bases into `kind` and `bases`, and refuse an unknown or a second kind."""
    raw: dict[str, Any] = {}
    bases: list[str] = []
    for base in (base for base in node.bases if not understood(base, names)):
        word = names.word(base)
        kind = KINDS.get(word) or KINDS_ELSEWHERE.get(names.of(base))
        if kind is None and word:
            notes.refuse(base, ("kind",), f"`{word}` is no kind", "inherit from a kind", tuple(KINDS))
        elif kind is not None and "kind" not in raw:
            raw["kind"] = kind
            notes.note(("kind",), base)
        elif kind is not None and kind != raw["kind"]:
            notes.refuse(base, ("kind",), "a class is of one kind", f"remove `{ast.unparse(base)}`")
        elif kind is None:
            bases.append(_base(base, names, notes))
    # A base of another module may be a mixin, which is no Module itself: who names both wants both.
    module = _MODULES.get(raw.get("kind", ""))
    if module and any(":" in text or text[0] == "=" for text in bases):
        bases.append(module)
    inherited = kind_said(node, names)
    raw |= {"kind": inherited} if "kind" not in raw and inherited in OF_SUBCLASSES else {}
    return raw | ({"bases": bases} if bases else {})


def kind_said(node: ast.ClassDef, names: Names) -> str:
    """Return the kind that a base names, or a base of an inherited class of the file, or `""`."""
    bases = names.bases_of(node)
    kinds = (KINDS.get(names.word(base)) or KINDS_ELSEWHERE.get(names.of(base)) for base in bases)
    return next(filter(None, kinds), "")


def _base(base: ast.expr, names: Names, notes: Notes) -> str:
    """Return a base as `module:Name` or `Name`. A base that is no plain class gives its source behind `=`."""
    notes.note(("bases",), base)
    module, _, name = names.of(base).rpartition(".")
    text = f"{module}:{name}" if module else name
    is_class = is_of_grammar(text, names) and isinstance(parse_type(text), ClassType)
    return text if is_class and not module.startswith(".") else f"={notes.segment(base)}"


def read_keywords(node: ast.ClassDef, kind: str, bases: Iterable[str], notes: Notes) -> dict[str, Any]:
    """Read the keywords of the class statement: options of the kind, keys of the spec, or Python's."""
    raw: dict[str, Any] = {}
    for keyword in node.keywords:
        name = keyword.arg or "**"
        is_python = name in _OF_PYTHON or (bases and name not in SPEC_KEYS)
        table = "options" if name in kind_of(kind).options else "keywords" if is_python else ""
        notes.note((table, name) if table else (name,), keyword.value)
        target = raw.setdefault(table, {}) if table else raw
        target[name] = f"={notes.segment(keyword.value)}" if is_python else raw_value(keyword.value, notes)
    return raw


def read_decorators(node: ast.ClassDef, names: Names, notes: Notes) -> dict[str, Any]:
    """Read `@test(...)`, `@groups(...)` and `@as_written(...)`, and keep other decorators as source."""
    raw: dict[str, Any] = {}
    for decorator in node.decorator_list:
        word = names.word(decorator.func) if isinstance(decorator, ast.Call) else ""
        if not isinstance(decorator, ast.Call) or word not in _TABLES:
            notes.note(("decorators",), decorator)
            raw.setdefault("decorators", []).append(notes.segment(decorator))
            continue
        key = _TABLES[word]
        notes.note((key,), decorator)
        raw[key] = keys_of(decorator, (key,), notes, {word.arg or "": table for word in decorator.keywords})
        for keyword in decorator.keywords:
            for entry, place in entries(keyword.value):
                notes.note((key, keyword.arg or "**", entry), place)
    return raw


def values_said(node: ast.ClassDef, names: Names) -> frozenset[str]:
    """Return the arguments for which `@test(values={...})` has an example."""
    calls = (part for part in node.decorator_list if isinstance(part, ast.Call))
    said = (value for call in calls if names.word(call) == "test" for value in given_as(call, "values"))
    return frozenset(entry for value in said for entry, _ in entries(value))


def values_below(node: ast.ClassDef, names: Names) -> frozenset[str]:
    """Return the method arguments, as `loss.mask`, for which subclasses in the file have examples."""
    heirs = (other for other in names.classes.values() if other is not node and node in names.lineage(other))
    return frozenset(entry for heir in heirs for entry in values_said(heir, names) if "." in entry)
