"""The calls lower for every platform, on machines that have none of them."""

from typing import Any

import equinox as eqx
import jax
import pytest
import test_affine
import test_calibration
import test_centre
import test_residual_above
from flax import nnx
from pytree_laws import PytreeLaws

PLATFORMS = ("cpu", "cuda", "rocm", "tpu")
SUITES = [
    test_affine.TestAffine,
    test_calibration.TestCalibration,
    test_residual_above.TestResidualAbove,
]


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("suite", SUITES)
def test_the_call_lowers(suite: type[PytreeLaws], platform: str) -> None:
    laws = suite()
    arrays, static = eqx.partition((laws.make(0), laws.arguments(0)), eqx.is_array)

    def call(arrays: Any) -> Any:
        instance, arguments = eqx.combine(arrays, static)
        return laws.call(instance, *arguments)

    jax.jit(call).trace(arrays).lower(lowering_platforms=(platform,))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_call_of_the_nnx_module_lowers(platform: str) -> None:
    laws = test_centre.TestCentre()
    graph, state = nnx.split(laws.make(0))

    def call(state: nnx.State, arguments: tuple[Any, ...]) -> Any:
        return laws.call(nnx.merge(graph, state), *arguments)

    traced = jax.jit(call).trace(state, laws.arguments(0))
    traced.lower(lowering_platforms=(platform,))
