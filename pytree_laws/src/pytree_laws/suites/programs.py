"""What one suite of pytrees traces and compiles, once for the laws that need it."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from ..inspect.arrays import is_key, on_device
from ..inspect.trees import arrays_of, combine, flatten, inexact_places, partition, replace_leaves
from ..report import ANY_ERROR
from ..session import once_per_session
from ..trace.programs import Compiled, compiled

DRAWS = 512  # instances, where draws are looked at


@once_per_session
def drawn_instances(suite: Any) -> Any:
    """Instances of `DRAWS` keys, the first of them those of the seeds 0 and 1."""
    keys = suite.keys_of_inputs()
    static: list[Any] = []

    inputs = suite.inputs(0)  # made here, where nothing is traced

    def build(seed: Any) -> Any:
        drawn = {name: jax.random.key(seed) for name in keys}
        kept, arrays = partition(suite.build(**{**inputs, **drawn}))
        static.append(kept)
        return arrays

    seeds = on_device(np.arange(DRAWS, dtype=np.uint32))
    arrays = compiled(jax.vmap(build))(seeds)
    return combine(static[0], arrays)


@once_per_session
def traced_call(suite: Any) -> Any:
    instance, arguments = suite.example()
    value, back = suite.dynamic(instance)
    call = jax.make_jaxpr(lambda v, arguments: suite.apply(back(v), *arguments))
    return call(value, arguments)


@once_per_session
def traced_build(suite: Any) -> Any:
    build, given = suite.traceable_build()
    return jax.make_jaxpr(lambda values: arrays_of(build(values)))(given)


@once_per_session
def compiled_use(suite: Any) -> Compiled:
    """The call of one suite, compiled once for the laws that need it."""
    return Compiled(suite.use, suite.mixed)


@once_per_session
def compiled_grads(suite: Any) -> Compiled:
    """The loss of one suite's example and its gradients, those of the arguments last, compiled once."""

    def loss_and_grads(instance: Any, *arguments: Any) -> list[Any]:
        try:
            grads = suite.grads_of_all(instance, arguments)
        except ANY_ERROR:  # it may have none with respect to its arguments
            grads = suite.grads(instance, inexact_places(instance), [arguments])
        return [suite.summed_loss(instance, [arguments]), *grads]

    return Compiled(loss_and_grads, suite.mixed)


def built_with_zeros(suite: Any, inputs: Mapping[str, Any]) -> Any:
    """An instance of these inputs with zeros in its arrays, made without compiling."""
    kept: list[Any] = []
    leaves, treedef = flatten(inputs)
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

    def build(values: Sequence[Any]) -> Any:
        arguments = replace_leaves(treedef.unflatten(leaves), dict(zip(places, values)))
        static, arrays = partition(suite.build(**arguments))
        kept.append((static, [implementation_of(array) for array in arrays]))
        return [jax.random.key_data(v) if is_key(v) else v for v in arrays]

    try:
        shapes = jax.eval_shape(build, [leaves[i] for i in places])
    except ANY_ERROR:  # it needs values
        return suite.build(**inputs)
    static, implementations = kept[0]
    return combine(static, list(map(zeros_of, shapes, implementations)))


def implementation_of(array: Any) -> Any:
    """That of the keys in an array; None for others."""
    return jax.random.key_impl(array) if is_key(array) else None


def zeros_of(shape: Any, implementation: Any) -> jax.Array:
    """Zeros of a shape and dtype, or keys whose data are zeros."""
    zeros = on_device(np.zeros(shape.shape, shape.dtype))
    if implementation is None:
        return zeros
    return jax.random.wrap_key_data(zeros, impl=implementation)
