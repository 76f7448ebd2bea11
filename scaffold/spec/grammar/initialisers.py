"""The named initialisers, and the source that each becomes.

`uniform(1 / math.sqrt(size))` gives an initialiser its measure: a limit, a deviation, a scale or a value. The
layers of equinox.nn draw uniformly around 0, up to such a limit.
"""

import ast
import math
from functools import cache

from msgspec import Struct

from scaffold.source.expressions import expression_or_none
from scaffold.spec.grammar.dtypes import CHOSEN_DTYPES, DEFAULT_DTYPES, DTYPES
from scaffold.spec.grammar.types import ArrayType


class Initialiser(Struct, frozen=True):
    """A named initialiser.

    `source` has placeholders `{key}`, `{shape}`, `{dtype}` and `{fan}` (the axes of fan-in and fan-out).
    """

    source: str
    measured: str = ""
    """The source with a further placeholder `{measure}`, or empty if there is no measure."""
    measure: str = ""
    """The word for the measure in messages, such as `LIMIT`."""
    dims: int = 0
    """The least number of dims."""
    unit: float = 0.0
    """The standard deviation around 0 of a draw, per unit of the measure.

    It is 0 if sizes decide the deviation, or nothing is drawn.
    """
    holds: str = "inexact"
    """The dtypes to make: `any`, `inexact`, `float`, `wide float` or `key`.

    `float` excludes complex dtypes, and `wide float` also dtypes below 32 bits.
    """

    @property
    def random(self) -> bool:
        return "{key}" in self.source

    def makes(self, array: ArrayType) -> bool:
        if array.dtype == "key" or self.holds == "key":
            return array.dtype == self.holds
        if self.holds == "wide float" and array.dtype in ("f16", "bf16"):
            return False
        return self.holds == "any" or (
            array.inexact and not (self.holds.endswith("float") and array.dtype[0] == "c")
        )


SCALED = [f"{name}_{kind}" for name in ("lecun", "glorot", "he") for kind in ("normal", "uniform")]
"""Initialisers of jax that scale with fan-in and fan-out."""
INITIALISERS = {
    "zeros": Initialiser("jnp.zeros({shape}, {dtype})", holds="any"),
    "ones": Initialiser("jnp.ones({shape}, {dtype})", holds="any"),
    "full": Initialiser("", "jnp.full({shape}, {measure}, {dtype})", "VALUE", holds="any"),
    "normal": Initialiser(
        "jax.random.normal({key}, {shape}, {dtype})",
        "{measure} * jax.random.normal({key}, {shape}, {dtype})",
        "DEVIATION",
        unit=1.0,
    ),
    "uniform": Initialiser(
        "jax.random.uniform({key}, {shape}, {dtype})",
        "{measure} * jax.random.uniform({key}, {shape}, {dtype}, -1.0, 1.0)",
        "LIMIT",
        unit=1 / math.sqrt(3),
    ),
    "truncated_normal": Initialiser(
        "jax.random.truncated_normal({key}, -2.0, 2.0, {shape}, {dtype})",
        "{measure} * jax.random.truncated_normal({key}, -2.0, 2.0, {shape}, {dtype})",
        "SCALE",
        unit=0.87962566,  # of what is cut at -2 and 2
        holds="float",
    ),
    **{
        name: Initialiser(f"jax.nn.initializers.{name}({{fan}})({{key}}, {{shape}}, {{dtype}})", dims=2)
        for name in SCALED
    },
    "orthogonal": Initialiser(
        "jax.nn.initializers.orthogonal()({key}, {shape}, {dtype})",
        "jax.nn.initializers.orthogonal({measure})({key}, {shape}, {dtype})",
        "SCALE",
        dims=2,
        holds="wide float",
    ),
    "split": Initialiser("{key}", holds="key"),
}


@cache
def named(init: str) -> tuple[str, str | None]:
    """Split an initialiser into name and measure.

    `uniform(0.1)` gives (`uniform`, `0.1`), and `zeros` gives (`zeros`, None).
    """
    match expression_or_none(init):
        case ast.Call(func=ast.Name(id=name), args=[measure], keywords=[]) if not isinstance(
            measure, ast.Starred
        ):
            return name, ast.get_source_segment(init, measure)
        case _:
            return init, None


def legal_initialisers(array: ArrayType) -> tuple[str, ...]:
    """Return the initialisers that can make `array`."""
    return tuple(
        name
        for name, initialiser in INITIALISERS.items()
        if initialiser.makes(array) and len(array.dims) >= initialiser.dims
    )


def dtype_source(array: ArrayType) -> str:
    """Return the source of the array's dtype: `dtype` if the constructor chooses, else `int` or
    `jnp.int8`."""
    if array.dtype in CHOSEN_DTYPES:
        return "dtype"
    return DEFAULT_DTYPES.get(array.dtype) or f"jnp.{DTYPES[array.dtype][1].replace('bool', 'bool_')}"
