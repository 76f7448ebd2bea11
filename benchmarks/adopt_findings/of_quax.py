"""Findings in the examples of quax."""

import copy
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks.adopt_findings.rows import (
    aux_of,
    key,
    raises,
    row,
)


@row(
    "quax.examples: LoraArray, ThreeFry, BCOO, TridiagonalMatrix, Unitful",
    "P7",
    "`materialise` raises something else than what it says itself",
    5,
    "mended",
)
def quax_refuses() -> bool:
    from quax.examples.lora import LoraArray

    try:
        LoraArray(jnp.ones((3, 2)), rank=1, key=key()).materialise()
    except RuntimeError as error:
        return "Refusing" not in str(error)
    return True


@row(
    "quax.examples: LoraArray, NamedArray",
    "P2",
    "an array hides in it; its property `shape` refuses",
    2,
    "mended",
)
def quax_hides() -> bool:
    from quax.examples.named import Axis, NamedArray

    one = NamedArray(jnp.ones(3), (Axis(3),))
    return any(isinstance(value, jax.Array) for name, value in vars(one).items() if name != "array")


@row(
    "quax.examples.named.NamedArray",
    "P5, P6, P10",
    "two of one configuration have other treedefs; each with an axis of its own",
    now="mended",
)
def quax_treedefs() -> bool:
    from quax.examples.named import Axis, NamedArray

    axes = (Axis(3),)
    return jax.tree.structure(NamedArray(jnp.ones(3), axes)) != jax.tree.structure(
        NamedArray(jnp.zeros(3), axes)
    )


@row(
    "quax.examples: NamedArray, Unitful",
    "P14",
    "a copy by `deepcopy` has other axes, and units, than what it is a copy of",
    2,
)
def quax_copied() -> bool:
    from quax.examples.named import Axis, NamedArray

    one = NamedArray(jnp.ones(3), (Axis(3),))
    return jax.tree.structure(copy.deepcopy(one)) != jax.tree.structure(one)


@row("quax.examples.unitful.Unitful", "P5", "its units are a dict among the static values, which has no hash")
def quax_units() -> bool:
    from quax.examples.unitful import Unitful, meters

    return raises(lambda: hash(aux_of(Unitful(jnp.array(1.0), meters))), TypeError)


@row(
    "quax.examples.unitful.Unitful",
    "P1, P6",
    "its representation fails; of a unit whose name is an array",
    now="mended",
)
def quax_written() -> bool:
    from quax.examples.unitful import Unitful, meters

    return raises(lambda: repr(Unitful(jnp.array(1.0), meters)))


@row(
    "quax.examples.prng.ThreeFry",
    "P6, P7, P10, P12, P16",
    "the call cannot be traced; with a tracer for the number of bits",
    now="mended",
)
def quax_bits() -> bool:
    from quax.examples.prng import ThreeFry

    return raises(lambda: jax.eval_shape(lambda: ThreeFry(0).random_bits(8, (3,))))


@row(
    "quax.examples.zero.Zero",
    "P7, P10",
    "in bfloat16 it is float32, and under vmap it raises; there are no arrays in it",
    now="mended",
)
def quax_zero() -> bool:
    from quax.examples.zero import Zero

    one: Any = Zero((3,), jnp.bfloat16)
    return one.materialise().dtype != jnp.bfloat16
