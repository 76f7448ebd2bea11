"""Source of arrays that named initialisers compute, and of their shapes."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from scaffold.emit.constructor.products import summed_axes
from scaffold.emit.constructor.source import operand
from scaffold.source.expressions import assigned_names
from scaffold.spec.construction.constructor import parameters
from scaffold.spec.grammar.dtypes import CHOSEN_DTYPES
from scaffold.spec.grammar.initialisers import INITIALISERS, SCALED, dtype_source
from scaffold.spec.grammar.types import ArrayType
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.model import Field, ModuleSpec


def initialised(spec: ModuleSpec, field: Field, array: ArrayType, key: str) -> str:
    """Return the value of an array with a named initialiser, drawn from `key`."""
    initialiser = INITIALISERS[field.initialiser or ""]
    if field.initialiser == "split" and array.dims:
        return f"jax.random.split({key}, {shape_source(array)})"
    if _may_draw_both_parts(field):
        return _drawn_parts(spec, array, key, field.measure or "")
    dtype, narrowed = dtype_source(array), ""
    if initialiser.holds == "wide float" and array.dtype in CHOSEN_DTYPES:
        # The constructor may be given a narrower dtype than what makes it can do. NumPy's rule, since jax's can be made strict.
        dtype, narrowed = f"np.promote_types({dtype}, np.float32)", f".astype({dtype})"
    source, measure = (
        (initialiser.source, "")
        if field.measure is None
        else (initialiser.measured, _operand_in(initialiser.measured, field.measure))
    )
    if literal_or_none(measure) == 1:
        source = source.removeprefix("{measure} * ")
    if "{fan}" in source and array.dtype == "c":
        # jax takes `complex` for 128 bits where it splits it into its parts.
        dtype = "jnp.result_type(complex)"
    fan = fan_axes(spec, array, field.name)
    made = source.format(key=key, shape=shape_source(array), dtype=dtype, fan=fan, measure=measure) + narrowed
    return _unless_empty(array, made) if "{fan}" in source else made


def _unless_empty(array: ArrayType, made: str) -> str:
    """Guard against dims such as `size - 1` that may be 0, because scaling by the fan divides by it."""
    may_vanish = [dim for dim in dict.fromkeys(array.dims) if "-" in dim or "/" in dim]
    if not may_vanish:
        return made
    empty = f"jnp.zeros({shape_source(array)}, {dtype_source(array)})"
    return f"{made} if {' and '.join(map(operand, may_vanish))} else {empty}"


def _operand_in(source: str, measure: str) -> str:
    """Return the measure for its place, without parentheses if it is an argument by itself."""
    is_argument = "({measure})" in source or ", {measure}," in source
    return measure if is_argument else operand(measure)


def _may_draw_both_parts(field: Field) -> bool:
    """Whether the array may be complex, since jax draws no complex numbers between limits."""
    dtype = field.array.dtype if field.array is not None else ""
    return field.initialiser == "uniform" and field.measure is not None and dtype in (*_PARTS, "inexact")


_PARTS = {"c": "float", "c64": "jnp.float32", "c128": "jnp.float64"}


def _drawn_parts(spec: ModuleSpec, array: ArrayType, key: str, limit: str) -> str:
    """Return source of draws in (-limit, limit), for each part if the array is complex."""
    if array.dtype == "inexact":
        return f"{_name_of_draw(spec)}({key}, {shape_source(array)}, {limit})"
    shape = shape_source(replace(array, dims=("2", *array.dims)))
    drawn = f"jax.random.uniform({key}, {shape}, {_PARTS[array.dtype]}, -1.0, 1.0)"
    return f"{operand(limit)} * jax.lax.complex(*{drawn})"


def draw_of_either(spec: ModuleSpec) -> tuple[str, ...]:
    """Return a function that draws for a dtype that may turn out to be complex, if needed."""
    drawn = [
        field.array.dtype for field in spec.stored if field.array is not None and _may_draw_both_parts(field)
    ]
    return (_DRAW_OF_EITHER.format(name=_name_of_draw(spec)),) if "inexact" in drawn else ()


_DRAW_OF_EITHER = """\
def {name}(key: PRNGKeyArray, shape: tuple[int, ...], limit: float) -> Array:
    \"\"\"Uniform in (-limit, limit), as is each part of a complex number.\"\"\"
    if not jnp.issubdtype(dtype, jnp.complexfloating):
        return jax.random.uniform(key, shape, dtype, -limit, limit)
    parts = jax.random.uniform(
        key, (2, *shape), jnp.finfo(dtype).dtype, -limit, limit
    )
    return jax.lax.complex(parts[0], parts[1])
"""


def _name_of_draw(spec: ModuleSpec) -> str:
    taken = {*(parameter.name for parameter in parameters(spec)), *assigned_names(spec.setup)}
    name = "uniform"
    while name in taken:
        name += "_"
    return name


def shape_source(array: ArrayType) -> str:
    """Return the shape as a tuple: `(out_size, in_size)`, `(size,)`, or `shape` for `*shape` alone."""
    if len(array.dims) == 1:
        return array.dims[0][1:] if array.dims[0].startswith("*") else f"({array.dims[0]},)"
    return f"({', '.join(array.dims)})"


def fan_axes(spec: ModuleSpec, array: ArrayType, name: str = "") -> str:
    """Return the axes of fan-in and fan-out as arguments.

    jax's initialisers expect `(in, out)`, whereas `self.weight @ x` wants `(out, in)`. The axis that a
    product in the class sums over is the input. Without a product it is the last, as in `equinox.nn`. If the
    call's inputs have only the dim before the last, that is the input.
    """
    if len(array.dims) < 2:
        return ""
    summed = summed_axes(spec, name) or {-2 if _is_fed_from_the_left(spec, array) else -1}
    return "in_axis=-2, out_axis=-1" if summed == {-2} else "in_axis=-1, out_axis=-2"


def fan_notes(specs: Iterable[ModuleSpec]) -> Iterator[str]:
    """Yield notes on arrays of more than two axes, since jax counts their other axes in the fan."""
    for spec in specs:
        for field in () if spec.own_constructor else spec.dynamic:
            array = field.array
            if field.initialiser not in SCALED or array is None or len(array.dims) < 3:
                continue
            of_output = -1 if "out_axis=-1" in fan_axes(spec, array, field.name) else -2
            inputs = [dim for axis, dim in enumerate(array.dims, -len(array.dims)) if axis != of_output]
            yield (
                f"{spec.name}: `{field.initialiser}` of `{field.name}` counts {' * '.join(inputs)} as its fan-in, "
                f"all axes but `{array.dims[of_output]}`, as jax does of a convolution "
                f'(`param("normal(1 / math.sqrt({inputs[-1]}))")` counts `{inputs[-1]}` alone)'
            )


def _is_fed_from_the_left(spec: ModuleSpec, array: ArrayType) -> bool:
    inputs = {dim for argument in spec.call_arguments for dim in getattr(argument.type, "dims", ())}
    return array.dims[-2] in inputs and array.dims[-1] not in inputs
