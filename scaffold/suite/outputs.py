"""The outputs that a suite declares of a call: shapes and dtypes, where every dim is known."""

from msgspec.structs import replace

from scaffold.spec.constructor import parameters, variadic_dims
from scaffold.spec.model import Call, ModuleSpec
from scaffold.spec.synonyms import DTYPES
from scaffold.spec.types import ArrayType, Type, arrays, dim_names
from scaffold.suite.examples import Examples
from scaffold.suite.mapped import outputs


def declared_outputs(
    examples: Examples, call: Call, kinds: tuple[Type, ...], states: list[Type] | None
) -> list[str]:
    """How the tests declare the outputs; not at all where one has a dim of nothing that goes in, whose size is not known."""
    found = outputs(kinds, states) or []
    spec = examples.spec
    sizes = {name: size for name, size in examples.sizes.items() if name in _dims_given(spec, call)}
    sized = replace(examples, sizes={**sizes, **_sizes_by_default(call)})
    names = {name for kind in found for dim in kind.dims for name in dim_names(dim)}
    several = {name for name, _ in spec.test.shapes} | variadic_dims(spec)
    return [_output(sized, kind) for kind in found] if names <= {*sized.sizes, *several} else []


def _dims_given(spec: ModuleSpec, call: Call) -> set[str]:
    """The dims of what goes into a call, and the numbers that it or the constructor takes."""
    kinds = [field.type for field in spec.fields]
    kinds += [one.type for one in (*spec.arguments, *call.args) if one.type is not None]
    dims = {dim for kind in kinds for array in arrays(kind) for dim in array.dims}
    numbers = {one.name for one in (*parameters(spec), *call.args)}
    return {name for dim in dims for name in dim_names(dim)} | numbers | {name for name, _ in spec.test.sizes}


def _sizes_by_default(call: Call) -> dict[str, int]:
    """The integers that a call has by default, which its example leaves out."""
    return {one.name: int(one.default) for one in call.args if one.default and one.default.isdecimal()}


def _output(examples: Examples, kind: ArrayType) -> str:
    """How the tests declare an output."""
    dtype = "" if DTYPES[kind.dtype][1] == "float" else f', "{DTYPES[kind.dtype][1]}"'
    return f"Output({examples.shape(kind)!r}{dtype})"
