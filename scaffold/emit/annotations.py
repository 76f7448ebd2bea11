"""Annotations from types: jaxtyping shapes for arrays, and plain Python for other types."""

import ast
import re
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from scaffold.emit.as_spelled import Path, annotations_written, says_the_same
from scaffold.source.expressions import syntax_fault
from scaffold.spec.construction.divisions import class_sources
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.types import (
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    ListType,
    LiteralType,
    OpaqueType,
    ScalarType,
    SetType,
    TreeType,
    TupleType,
    Type,
    UnionType,
    dim_names,
    walk,
)
from scaffold.spec.model import Argument, Field, ModuleSpec
from scaffold.spec.names import LIBRARIES
from scaffold.spec.once import once
from scaffold.spec.unit import siblings


class Scope(Struct):
    """Annotations that jaxtyping checks together: a signature, or the fields of a class.

    jaxtyping evaluates `4*hidden` only after a plain `hidden`, so `bound` collects the plain dims so far. If
    `hidden` is missing, the dim is left free, with its text as documentation (`4*hidden=_`).
    """

    bound: set[str] = field(default_factory=set[str])
    own: str = ""
    """Name of the class itself, which is quoted because it is unbound when its annotations are evaluated."""
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    """Full name of each name that the module imports or knows: `equinox` for `eqx`."""
    name: str = ""
    """Name of the enclosing class."""
    written: Mapping[Path, str] = field(default_factory=dict[Path, str])
    """The author's own annotations, by their paths."""

    @classmethod
    def of(cls, spec: ModuleSpec, own: str = "") -> "Scope":
        """Return the scope of a class or of one of its methods, with the author's names for other classes."""
        return cls(own=own, aliases=_aliases(spec), name=spec.name, written=annotations_written(spec))

    def spelled(self, path: Path, annotation: str) -> str:
        """Return the author's spelling of an annotation if it means the same."""
        text = self.written.get(path)
        return text if text and says_the_same(text, annotation, self.name) else annotation

    def argument(self, path: Path, annotation: str, default: str | None) -> str:
        """Return an argument in the author's spelling, possibly without an annotation."""
        is_bare = self.written.get(path) == ""
        declared = path[-1] if is_bare else f"{path[-1]}: {self.spelled(path, annotation)}"
        return declared if default is None else f"{declared} = {default}"

    def held(self, stored_field: Field) -> str:
        """Return the annotation of a field as instances hold it, with None if it may be None."""
        # The author's own constructor stores what the author says.
        annotation = (
            self.plain(stored_field.type)
            if stored_field.built
            else self.stored(stored_field.type, static=not stored_field.dynamic)
        )
        if stored_field.role == "state":
            annotation = f"eqx.nn.StateIndex[{annotation}]"
        is_optional = stored_field.optional or stored_field.nullable
        return self.spelled(
            ("fields", stored_field.name, "type"), f"{annotation} | None" if is_optional else annotation
        )

    def stored(self, kind: Type, *, static: bool = False) -> str:
        """Return the annotation of a stored value."""
        match kind:
            case ArrayType():
                return self.array(kind, "Array")
            case ListType(item=item):
                return f"tuple[{self.stored(item, static=static)}, ...]"
            case DictType(item=item) if static:
                return f"tuple[tuple[str, {self.stored(item, static=True)}], ...]"
            case DictType(item=item):
                return f"dict[str, {self.stored(item)}]"
            case ScalarType(name="slice"):
                return "tuple[int | None, int | None, int | None]"
            case TupleType(items=items, variadic=variadic) if _holds_slice(kind):
                return _tuple(map(self.stored, items), variadic)
            case UnionType(members=members, optional=optional) if static or _holds_slice(kind):
                return _union([self.stored(member, static=static) for member in members], optional)
            case _:
                return self.plain(kind)

    def given(self, kind: Type) -> str:
        """Return the annotation of a constructor's argument, which is converted and copied."""
        match kind:
            case ArrayType():
                return self.array(kind, "ArrayLike")
            case ListType(item=item):
                return f"Sequence[{self.given(item)}]"
            case DictType(item=item):
                return f"Mapping[str, {self.given(item)}]"
            case SetType(item=item):
                return f"Iterable[{self.given(item)}]"
            case TupleType(items=items, variadic=variadic):
                return _tuple(map(self.given, items), variadic)
            case _:
                return self.declared(kind)

    def declared(self, kind: Type) -> str:
        """Return the annotation of an argument whose type the author wrote."""
        match kind:
            case ListType(item=item):
                return f"Sequence[{self.declared(item)}]"
            case DictType(item=item):
                return f"Mapping[str, {self.declared(item)}]"
            case UnionType(members=members, optional=optional):
                return _union(map(self.declared, members), optional)
            case _:
                return self.taken(kind)

    def taken(self, kind: Type) -> str:
        """Return the annotation of a method's argument, where a dtype may have any form that jax accepts."""
        match kind:
            case ScalarType(name="dtype"):
                return "DTypeLike"
            case UnionType(members=members, optional=optional):
                return _union(map(self.taken, members), optional)
            case _:
                return self.plain(kind)

    def plain(self, kind: Type) -> str:
        match kind:
            case ArrayType():
                return self.array(kind, "Array")
            case ClassType(name=name, module=None) if name == self.own:
                return f'"{name}"'
            case ScalarType(name="dtype"):
                return "np.dtype[Any]"
            case ClassType(name=name, module=str(module)) if "." not in name and name not in self.aliases:
                return f"{_prefix(module, self.aliases)}{name}"
            case ScalarType(name=name) | ClassType(name=name):
                return name
            case TupleType(items=items, variadic=variadic):
                return _tuple(map(self.plain, items), variadic)
            case SetType(item=item):
                return f"frozenset[{self.plain(item)}]"
            case OpaqueType(text=text) | CallableType(text=text) | TreeType(text=text):
                return text
            case LiteralType(values=values):
                return f"Literal[{', '.join(map(repr, values))}]"
            case UnionType(members=members, optional=optional):
                return _union(map(self.plain, members), optional)
            case ListType(item=item):
                return f"list[{self.plain(item)}]"
            case DictType(item=item):
                return f"dict[str, {self.plain(item)}]"

    def array(self, kind: ArrayType, holder: str) -> str:
        if kind.dtype == "key" and not kind.dims:
            return "PRNGKeyArray"
        shape = " ".join(map(self.dim, kind.dims))
        # Ruff takes `size` and `3 *shape` for forward references, and unquotes them; a leading space prevents that.
        spaced = f" {shape}" if len(kind.dims) == 1 or _is_expression(shape) else shape
        holder = "Array" if kind.dtype == "key" else holder
        return f'{DTYPES[kind.dtype][0]}[{holder}, "{spaced}"]'

    def dim(self, dim: str) -> str:
        names = dim_names(dim)
        if dim.startswith("*") or names == (dim,):
            self.bound.update(names)
            return dim
        if not set(names) <= self.bound:
            return f"{dim}=_"
        # `n (n+1)//2` would read as a call to type checkers; the name is documentation to jaxtyping.
        return f"size={dim}" if dim.startswith("(") else dim


def call_signature(arguments: tuple[Argument, ...], scope: Scope, path: Path) -> str:
    """Return the parameters of a method without `self`. `path` leads to its table."""
    return ", ".join(
        argument.name
        if argument.type is None
        else scope.argument((*path, "args", argument.name), scope.taken(argument.type), argument.default)
        for argument in arguments
    )


def _holds_slice(kind: Type) -> bool:
    return ScalarType("slice") in walk(kind)


def _tuple(items: Iterable[str], variadic: bool) -> str:
    return f"tuple[{', '.join([*items, *(['...'] if variadic else [])])}]"


def _union(members: Iterable[str], optional: bool) -> str:
    """Join the members. `int` is dropped beside `float`, which includes it for type checkers."""
    parts = list(dict.fromkeys(members))
    kept = [part for part in parts if not (part == "int" and "float" in parts)]
    union = " | ".join([part.strip('"') for part in kept] + (["None"] if optional else []))
    return f'"{union}"' if any(part.startswith('"') for part in kept) else union


def _is_expression(text: str) -> bool:
    return syntax_fault(text, expression=True) is None


@once
def _aliases(spec: ModuleSpec) -> dict[str, str]:
    """Map names to full names, from imports, standard names, and classes that the code names alone."""
    aliases = dict(LIBRARIES)
    classes = [kind for kind in spec.classes if kind.module is not None]
    code = "\n".join((spec.helpers, *class_sources(spec))) if classes else ""
    own = (spec.name, *siblings(spec))
    named = (
        kind
        for kind in classes
        if kind.name not in own and re.search(rf"(?<![.\w]){re.escape(kind.name)}\b", code)
    )
    aliases |= {kind.name: f"{kind.module}.{kind.name}" for kind in named}
    for line in spec.imports:
        for statement in ast.parse(line).body:
            match statement:
                case ast.Import(names=names):
                    aliases |= {name.asname or name.name: name.name for name in names}
                case ast.ImportFrom(module=module, names=names):
                    aliases |= {name.asname or name.name: f"{module}.{name.name}" for name in names}
                case _:
                    pass
    return aliases


def _prefix(module: str, aliases: Mapping[str, str]) -> str:
    """Return the prefix by which a module's classes are named, such as `eqx.nn.` for `equinox.nn`."""
    above = [pair for pair in aliases.items() if f"{module}.".startswith(f"{pair[1]}.")]
    alias, whole = max(above, key=lambda pair: len(pair[1]), default=("", ""))
    return f"{alias}{module.removeprefix(whole)}." if alias else ""
