"""The class statement of a skeleton, with what stands above it: kind, bases, type variables, options, `@test`."""

import ast
from collections.abc import Iterator
from typing import Any

from scaffold.kinds import NAMES, kind_of
from scaffold.spec.skeletons.fields import keys_of
from scaffold.spec.skeletons.names import Names
from scaffold.spec.skeletons.notes import Notes
from scaffold.spec.skeletons.type_variables import from_bases, from_syntax, understood
from scaffold.spec.skeletons.values import raw_value, table

AS_WRITTEN = "as-written"
"""The kind that a decorator gives, since such a class has any bases."""
KINDS = {"".join(word.capitalize() for word in name.split("-")): name for name in NAMES if name != AS_WRITTEN}
"""The kind of each base in the vocabulary: `TrainState` is `train-state`."""
KINDS_ELSEWHERE = {"equinox.Module": "module", "flax.nnx.Module": "nnx"}


def read_generics(node: ast.ClassDef, names: Names, notes: Notes) -> dict[str, Any]:
    """The type variables."""
    generic = [*from_bases(node.bases, names, notes), *from_syntax(node, names, notes)]
    return {"generic": generic} if generic else {}


def read_bases(node: ast.ClassDef, names: Names, notes: Notes) -> tuple[dict[str, Any], list[str]]:
    """The kind and the bases, and the names among these that other modules give."""
    raw: dict[str, Any] = {}
    bases: list[ast.expr] = []
    for base in (one for one in node.bases if not understood(one, names)):
        word = names.word(base)
        kind = KINDS.get(word) or KINDS_ELSEWHERE.get(names.of(base))
        if kind is None and word:
            notes.refuse(base, ("kind",), f"`{word}` is no kind", "inherit from a kind", tuple(KINDS))
        elif kind is not None and "kind" not in raw:
            raw["kind"] = kind
            notes.note(("kind",), base)
        elif kind is not None:
            notes.refuse(base, ("kind",), "a class is of one kind", f"remove `{ast.unparse(base)}`")
        else:
            bases.append(base)
    told = [_base(base, names, notes) for base in bases]
    # A base of another module may be a mixin, which is no Module itself: who names both wants both.
    is_mixed = raw.get("kind") in ("module", "abstract")
    if is_mixed and any(":" in one or one[0] == "=" for one in told):
        told.append("equinox:Module")
    raw |= {"bases": told} if told else {}
    return raw, [
        base.id for base, text in zip(bases, told, strict=False) if isinstance(base, ast.Name) and ":" in text
    ]


def _base(base: ast.expr, names: Names, notes: Notes) -> str:
    """A base as a class of another module, or of the package; as its text where it is more than a name."""
    notes.note(("bases",), base)
    module, _, name = names.of(base).rpartition(".")
    if not name or name in names.bound or module.startswith("."):
        return f"={notes.segment(base)}"
    return f"{module}:{name}" if module else name


def read_keywords(node: ast.ClassDef, kind: str, notes: Notes) -> dict[str, Any]:
    """What is said beside the bases, of which the kind takes some as its options."""
    raw: dict[str, Any] = {}
    for keyword in node.keywords:
        name = keyword.arg or "**"
        is_option = name in kind_of(kind).options
        notes.note(("options", name) if is_option else (name,), keyword.value)
        target = raw.setdefault("options", {}) if is_option else raw
        target[name] = raw_value(keyword.value, notes)
    return raw


def read_decorators(node: ast.ClassDef, names: Names, notes: Notes) -> dict[str, Any]:
    """What `@test(...)` and `@groups(...)` say."""
    raw: dict[str, Any] = {}
    for one in node.decorator_list:
        word = names.word(one.func) if isinstance(one, ast.Call) else ""
        if not isinstance(one, ast.Call) or word not in ("test", "groups") or one.args:
            what = f"`@{ast.unparse(one)}` has no place in a spec"
            notes.refuse(one, (), what, "remove it, or write `@test(...)` or `@groups(...)`")
            continue
        notes.note((word,), one)
        pairs = [(keyword.arg or "**", keyword.value) for keyword in one.keywords]
        raw[word] = keys_of(pairs, (word,), notes, lambda _: table)
        for key, value in pairs:
            for name, entry in _entries(value):
                notes.note((word, key, name), entry)
    return raw


def _entries(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, value
