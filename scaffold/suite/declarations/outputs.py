"""Outputs that a suite declares: dtypes, and shapes in which `None` stands for an unknown dim."""

import ast
from collections.abc import Collection, Iterable, Iterator

from msgspec.structs import replace

from scaffold.source.expressions import dedented, nodes_of
from scaffold.spec.construction.constructor import parameters
from scaffold.spec.construction.guards import shown_by_values
from scaffold.spec.construction.sizes import is_int
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.named_dims import ROWS
from scaffold.spec.grammar.types import ArrayType, ClassType, TupleType, Type, arrays, dim_names
from scaffold.spec.model import Call, ModuleSpec
from scaffold.spec.once import once
from scaffold.suite.examples.examples import Examples
from scaffold.suite.examples.mapped import outputs
from scaffold.suite.examples.subject import Subject
from scaffold.suite.sizes.unknown_dims import unknown_dims

_STACKING = frozenset(("scan", "associative_scan", "vmap", "filter_vmap", "stack"))
"""Functions of jax and Equinox that return arrays with one more axis."""


def declared_outputs(
    subject: Subject, call: Call, kinds: tuple[Type, ...], states: list[Type] | None
) -> list[str]:
    """Return the rows for the outputs of a call. A dim that no input has may have any size."""
    spec = subject.of_class
    if not may_stack(call.body):
        kinds = tuple(unpacked(subject, kind) for kind in kinds)
    returned = outputs(kinds, states) or []
    said = {name for name, _ in subject.spec.test.values}
    names = {
        *_names_given(subject.of_class),
        *_names(argument.type for argument in call.args if argument.name not in said),
        *(name for name, _ in shown_by_values(subject.spec)),
        *(argument.name for argument in call.args),
    }
    sizes = {name: size for name, size in subject.examples.sizes.items() if name in names}
    sized = replace(subject.examples, sizes={**sizes, **_sizes_by_default(call)})
    several = {name for name, _ in spec.test.shapes} | _given_variadic(spec, call)
    return [_output(sized, kind, {*sized.sizes, *several}) for kind in returned]


def may_stack(body: str) -> bool:
    """Whether a body runs steps or rows, so that it may return stacked records, unlike their annotation."""
    functions = (ast.unparse(call.func) for call in nodes_of(ast.Call, ast.parse(dedented(body))))
    return any(name.rpartition(".")[2] in _STACKING or name.endswith("lax.map") for name in functions)


def unpacked(subject: Subject, kind: Type) -> Type:
    """Return a NamedTuple of the file as a tuple of its types, and any other type unchanged."""
    match kind:
        case TupleType(items=items, variadic=variadic):
            return TupleType(tuple(unpacked(subject, item) for item in items), variadic)
        case ClassType(name=name, module=None) if (spec := subject.known.get(name)) is not None:
            parts = tuple(field.type for field in spec.stored)
            is_plain = spec.kind == "namedtuple" and all(isinstance(part, ArrayType) for part in parts)
            return TupleType(parts) if is_plain else kind
        case _:
            return kind


@once
def _names_given(spec: ModuleSpec) -> frozenset[str]:
    """Return the dims of what the constructor takes, and the numbers that it takes."""
    numbers = {*_sizes_given(spec), *(name for name, _ in spec.test.sizes)}
    held = _names(member.type for member in (*spec.fields, *spec.arguments))
    return (held - unknown_dims(spec)) | numbers


def _names(kinds: Iterable[Type | None]) -> frozenset[str]:
    return frozenset(name for dim in _dims(kinds) for name in dim_names(dim))


def _dims(kinds: Iterable[Type | None]) -> set[str]:
    return {dim for kind in kinds if kind is not None for array in arrays(kind) for dim in array.dims}


def _given_variadic(spec: ModuleSpec, call: Call) -> set[str]:
    """Return the names such as `batch` of `*batch` that an input has."""
    dims = _dims(member.type for member in (*call.args, *spec.fields, *spec.arguments))
    return {dim[1:] for dim in dims if dim[0] == "*"} | {*_sizes_given(spec)}


def _sizes_given(spec: ModuleSpec) -> Iterator[str]:
    """Yield the constructor's arguments that may be one size or several.

    An argument of another type may share the name of a dim.
    """
    for parameter in parameters(spec):
        kinds = parameter.type.items if isinstance(parameter.type, TupleType) else (parameter.type,)
        yield from [parameter.name] if all(kind is None or is_int(kind) for kind in kinds) else []


def _sizes_by_default(call: Call) -> dict[str, int]:
    """Return the integer defaults of a call, which its example leaves out."""
    return {
        argument.name: int(argument.default)
        for argument in call.args
        if argument.default and argument.default.isdecimal()
    }


def _output(examples: Examples, kind: ArrayType, known: Collection[str]) -> str:
    """Return the row for an output, with `None` for an unknown dim and `...` for several."""
    dtype = "" if DTYPES[kind.dtype][1] == "float" else f', "{DTYPES[kind.dtype][1]}"'
    texts = [text for dim in kind.dims for text in _texts(examples, dim, known)]
    shape = f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
    return f"Output({shape}{dtype})"


def _texts(examples: Examples, dim: str, known: Collection[str]) -> list[str]:
    if not {*dim_names(dim)} <= {*known}:
        return ["..." if dim.startswith("*") or dim == ROWS else "None"]
    return [str(size) for size in examples.dim(dim)]
