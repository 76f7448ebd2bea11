"""Tests of `Coupling`."""

from collections.abc import Sequence
from typing import Any, ClassVar

import jax
import numpy as np
from pytree_laws import Leaf, Output, PytreeLaws, case, holds, sample

from coupling import Coupling


class TestCoupling(PytreeLaws):
    """The pytree laws on `Coupling`."""

    leaves: ClassVar[Sequence[Leaf] | None] = (
        Leaf("scale", "param", (2, 2), std=0.1),
        Leaf("shift", "param", (2, 2), std=0.7071),
        Leaf("offset", "param", (2,), value=0.0),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "use_offset": False,
    }
    drawn = ("scale", "shift")
    defaults: ClassVar = {"__call__.inverse": False}
    left_out: ClassVar = {"use_offset": ("offset",)}
    absent = ({"use_offset": False},)
    returns = (Output((4,)),)
    takes_dtype = True
    dtypes = ("bfloat16", "float64")
    tolerance: ClassVar = {"bfloat16": 0.05}

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "half": 2,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> Coupling:
        return Coupling.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (4,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)

    @holds
    def test_the_inverse_undoes_the_call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return self.close(instance(instance(x), inverse=True), x)

    @holds
    def test_the_first_half_is_kept(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return self.close(instance(x)[: len(x) // 2], x[: len(x) // 2])

    def reference(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        half = len(x) // 2
        kept, changed = x[:half], x[half:]
        changed = (
            changed * np.exp(np.tanh(instance.scale @ kept)) + instance.shift @ kept
        )
        if instance.offset is not None:
            changed = changed + instance.offset
        return np.concatenate([kept, changed])


@case
class TestCouplingWithoutAnOffset(TestCoupling):
    """`Coupling`: without an offset."""

    leaves = (
        Leaf("scale", "param", (2, 2), std=0.1),
        Leaf("shift", "param", (2, 2), std=0.7071),
    )

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            **super().inputs(seed),
            "use_offset": False,
        }


@case
class TestCouplingOfScalars(TestCoupling):
    """`Coupling`: of scalars."""

    leaves = (
        Leaf("scale", "param", (1, 1), std=0.1),
        Leaf("shift", "param", (1, 1), std=1.0),
        Leaf("offset", "param", (1,), value=0.0),
    )
    returns = (Output((2,)),)

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            **super().inputs(seed),
            "half": 1,
        }

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (2,)),)
