"""The class statement of a skeleton, with what stands above it: kind, bases, type variables, options, `@test`."""

import ast
from collections.abc import Iterable
from typing import Any

from scaffold.kind import NAMES, kind_of
from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.types import ClassType
from scaffold.spec.skeletons.classes.fields import keys_of
from scaffold.spec.skeletons.classes.type_variables import from_bases, from_syntax, understood
from scaffold.spec.skeletons.words.annotations import is_of_grammar
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes
from scaffold.spec.skeletons.words.values import entries, raw_value, table
from scaffold.spec.tables.keys import SPEC_KEYS

AS_WRITTEN = "as-written"
"""The kind that a decorator gives, since such a class has any bases."""
KINDS = {"".join(word.capitalize() for word in name.split("-")): name for name in NAMES if name != AS_WRITTEN}
"""The kind of each base in the vocabulary: `TrainState` is `train-state`."""
_TABLES = {"test": "test", "groups": "groups", "as_written": "options"}
"""The table that the arguments of a decorator are."""
_OF_PYTHON = ("metaclass", "strict")
"""What the class statement of any Module takes."""
OF_SUBCLASSES = ("nnx",)
"""The kinds that a class has because a base of its file has them."""
KINDS_ELSEWHERE = {"equinox.Module": "module", "flax.nnx.Module": "nnx"}


def read_generics(node: ast.ClassDef, names: Names, notes: Notes) -> dict[str, Any]:
    """The type variables."""
    generic = [*from_bases(node.bases, names, notes), *from_syntax(node, names, notes)]
    return {"generic": generic} if generic else {}


def read_bases(node: ast.ClassDef, names: Names, notes: Notes) -> dict[str, Any]:
    """The kind and the bases."""
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
    module = {"module": "equinox:Module", "abstract": "equinox:Module", "nnx": "flax.nnx:Module"}.get(
        raw.get("kind", "")
    )
    if module and any(":" in text or text[0] == "=" for text in bases):
        bases.append(module)
    inherited = kind_said(node, names)
    raw |= {"kind": inherited} if "kind" not in raw and inherited in OF_SUBCLASSES else {}
    return raw | ({"bases": bases} if bases else {})


def kind_said(node: ast.ClassDef, names: Names) -> str:
    """The kind that a base says, or a class of the file from which a class inherits; nothing where none does."""
    kinds = (KINDS.get(names.word(base)) or KINDS_ELSEWHERE.get(names.of(base)) for base in node.bases)
    owners = (names.classes.get(ast.unparse(base)) for base in node.bases)
    inherited = (kind_said(owner, names) for owner in owners if owner is not None)
    return next(filter(None, kinds), None) or next(filter(None, inherited), "")


def _base(base: ast.expr, names: Names, notes: Notes) -> str:
    """A base as a class of another module, or of the package; as its text where it is more than a name."""
    notes.note(("bases",), base)
    module, _, name = names.of(base).rpartition(".")
    text = f"{module}:{name}" if module else name
    is_class = is_of_grammar(text, names) and isinstance(parse_type(text), ClassType)
    return text if is_class and not module.startswith(".") else f"={notes.segment(base)}"


def read_keywords(node: ast.ClassDef, kind: str, bases: Iterable[str], notes: Notes) -> dict[str, Any]:
    """What is said beside the bases, of which the kind takes some as its options, and Python or a base others."""
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
    """What `@test(...)`, `@groups(...)` and `@as_written(...)` say."""
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
    """The arguments for which `@test(values={...})` has an example."""
    calls = (
        part for part in node.decorator_list if isinstance(part, ast.Call) and names.word(part) == "test"
    )
    keywords = (keyword for call in calls for keyword in call.keywords if keyword.arg == "values")
    return frozenset(entry for keyword in keywords for entry, _ in entries(keyword.value))


def values_below(node: ast.ClassDef, names: Names) -> frozenset[str]:
    """The arguments of single methods, as `loss.mask`, for which the classes of the file that inherit them have examples."""
    family, entries_of_methods = {node.name}, set[str]()
    for other in names.classes.values():  # in order: a base stands above those that inherit from it
        bases = (base.value if isinstance(base, ast.Subscript) else base for base in other.bases)
        if not family.isdisjoint(map(ast.unparse, bases)):
            family.add(other.name)
            entries_of_methods |= {entry for entry in values_said(other, names) if "." in entry}
    return frozenset(entries_of_methods)
