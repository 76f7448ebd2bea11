"""Mistakes in what the constructor of a table may be given besides: the table itself, two sizes, a complex dtype."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.mutants import rebuild
from harness.pairs import Weighted, further
from right.specimens import Leaf, Output, sample

from mistakes.calls.configurations import wrong
from mistakes.structure.nodes import Held, Plain, registered


class Table(eqx.Module):
    """Draws its rows, where it is not given them."""

    weight: jax.Array
    rows: int = eqx.field(static=True)
    columns: int = eqx.field(static=True)

    def __init__(self, rows: int, columns: int, weight: jax.Array | None = None, dtype=None, *, key=None):
        if weight is None and key is None:
            raise ValueError("give a `key`, or the `weight`")
        self.rows, self.columns = rows, columns
        self.weight = self.drawn(key, (rows, columns), dtype) if weight is None else self.taken(weight, dtype)

    def taken(self, weight, dtype):
        return jnp.array(weight, dtype)

    def drawn(self, key, shape, dtype):
        dtype = jnp.result_type(float) if dtype is None else dtype
        if not jnp.issubdtype(dtype, jnp.complexfloating):
            return jax.random.normal(key, shape, dtype)
        parts = jax.random.normal(key, (2, *shape), jnp.finfo(dtype).dtype)
        return jax.lax.complex(parts[0], parts[1])

    def __call__(self, x):
        return self.weight @ x


class TakesAsItIs(Table):
    def taken(self, weight, dtype):
        return weight


class RepeatsRealPart(Table):
    def drawn(self, key, shape, dtype):
        drawn = super().drawn(key, shape, dtype)
        real = jnp.isrealobj(drawn)
        return drawn if real else jax.lax.complex(jnp.real(drawn), jnp.real(drawn))


class SwapsSizes(Table):
    def __init__(self, rows: int, columns: int, weight: jax.Array | None = None, dtype=None, *, key=None):
        super().__init__(rows, columns, weight, dtype, key=key)
        self.rows, self.columns = columns, rows


class TableLaws(Weighted):
    leaves = (Leaf("weight", "param", (3, 2)),)
    static = {"rows": ..., "columns": ...}
    returns = (Output((3,)),)
    takes_dtype = True

    def inputs(self, seed):
        return {"rows": 3, "columns": 2, "key": jax.random.key(seed)}

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return (sample(seed, (2,)),)


def of_a_table(title, law, cls, *words):
    wrong(title, law, cls, *words, fixed=Table, base=TableLaws)


of_a_table(
    "an optional array that is given, and keeps its dtype", "P2", TakesAsItIs, "`weight with weight=an array`"
)
of_a_table("sizes in each other's place", "P1", SwapsSizes, "given (3, 2), they hold (2, 3)")
of_a_table("a real part twice", "P15", RepeatsRealPart, "the imaginary part of a complex number is its real")


# A state that the call may be given, as the layers of Equinox that have none take it.


class WithSettings(Held):
    """Keeps beside its weight a list, of which only the weight is a child."""

    def __init__(self, weight):
        self.weight, self.settings = weight, [0.5, 2.0]

    def __call__(self, x):
        return self.weight * x * self.settings[1]


class ForgetsASetting(WithSettings):
    pass


def _with_settings(cls, *settings):
    """Registers a class whose settings are these after each unflatten."""
    return registered(
        cls, ("weight",), unflatten=lambda _, children: rebuild(cls, weight=children[0], settings=[*settings])
    )


further("P3", "a list of which one setting comes back as another", _with_settings(ForgetsASetting, 0.5, 1.0),
    _with_settings(WithSettings, 0.5, 2.0), "`settings[1]`", "before a round trip 2.0, after 1.0", base=Plain)  # fmt: skip


class SizeAsLeaf(Held):
    """The size that its call slices by is a leaf."""

    def __init__(self, weight):
        self.weight, self.size = weight, 3

    def __call__(self, x):
        return jnp.sum(self.weight[: self.size]) * x


class SizeInAux(SizeAsLeaf):
    """The size is metadata."""


registered(SizeAsLeaf, ("weight", "size"))
registered(SizeInAux, ("weight",), aux=("size",))
further(
    "P7",
    "a size of Python among the leaves",
    SizeAsLeaf,
    SizeInAux,
    "`size` is the number 3, and a leaf: under `jax.jit` it is traced",
    base=Plain,
    leaves=None,
)


class TextAsLeaf(Held):
    """The name of its unit is a leaf, as in a registered dataclass that does not say otherwise."""

    def __init__(self, weight):
        self.weight, self.unit = weight, "m"

    def __call__(self, x):
        return self.weight * x


class TextInAux(TextAsLeaf):
    """The name is metadata."""


registered(TextAsLeaf, ("weight", "unit"))
registered(TextInAux, ("weight",), aux=("unit",))
further(
    "P7",
    "a text among the leaves",
    TextAsLeaf,
    TextInAux,
    "'m' is a leaf, which no transformation of jax takes",
    base=Plain,
    leaves=None,
)
