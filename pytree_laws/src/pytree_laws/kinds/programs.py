"""Programs that a suite of pytrees traces and compiles once for all laws."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from ..declare.leaf_spec import TRAINED
from ..inspect.arrays import is_key, on_device
from ..inspect.trees import avals, combine, flatten, named_leaves, next_of, partition, replace_leaves
from ..report import ANY_ERROR
from ..session import once_per_session
from ..trace.programs import compiled, shapes_of

DRAWS = 512  # instances, where draws are looked at: the first of them those of the seeds 0 and 1


@once_per_session
def drawn_instances(suite: Any) -> Any:
    """Build instances of `DRAWS` keys, with those of the seeds 0 and 1 first."""
    keys = suite.keys_of_inputs()
    static: list[Any] = []

    inputs = suite.inputs(0)  # made here, where nothing is traced

    def build(seed: Any) -> Any:
        drawn = {name: jax.random.key(seed) for name in keys}
        kept, arrays = partition(suite.build(**{**inputs, **drawn}))
        static.append(kept)
        return arrays

    arrays = compiled(jax.vmap(build))(on_device(np.arange(DRAWS, dtype=np.uint32)))
    return combine(static[0], arrays)


def traceable_build(suite: Any, inputs: Mapping[str, Any]) -> tuple[Callable[..., Any], list[Any]]:
    """Return the constructor as a function of the arrays among its inputs, and those arrays."""
    leaves, treedef = flatten(inputs)
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

    def build(values: Sequence[Any]) -> Any:
        return suite.build(**replace_leaves(treedef.unflatten(leaves), dict(zip(places, values))))

    return build, [leaves[i] for i in places]


def built_with_zeros(suite: Any, inputs: Mapping[str, Any]) -> Any:
    """Build an instance of these inputs with zeros in its arrays, without compiling.

    A constructor that needs values gets a regular build.
    """
    kept: list[Any] = []
    build, given = traceable_build(suite, inputs)

    def taken_apart(values: Sequence[Any]) -> Any:
        static, arrays = partition(build(values))
        kept.append((static, [jax.random.key_impl(v) if is_key(v) else None for v in arrays]))
        return [jax.random.key_data(v) if is_key(v) else v for v in arrays]

    try:
        shapes = jax.eval_shape(taken_apart, given)
    except ANY_ERROR:  # it needs values
        return suite.build(**inputs)
    static, implementations = kept[0]
    return combine(static, list(map(zeros_of, shapes, implementations)))


def zeros_of(shape: Any, implementation: Any) -> jax.Array:
    """Return zeros of a shape and dtype, or keys whose data are zeros."""
    zeros = on_device(np.zeros(shape.shape, shape.dtype))
    if implementation is None:
        return zeros
    return jax.random.wrap_key_data(zeros, impl=implementation)


def names_of(instance: Any, arguments: Sequence[Any]) -> list[str]:
    """Return the names of the leaves of an instance, and then of the arguments."""
    names = [name for name, _ in named_leaves(instance)]
    call_arguments = (f"argument {path}" for path, _ in named_leaves(tuple(arguments)))
    return [*names, *call_arguments]


def weak_fixed_points(suite: Any) -> set[str]:
    """Return the untrained leaves that the call returns with their weak type unchanged."""
    instance = suite.cached_instance()
    before = avals(instance)
    weak = {n for n, leaf in named_leaves(instance) if getattr(leaf, "weak_type", 0)}
    weak -= {name for name in weak if suite.role(name) in TRAINED}
    if not weak or not suite.called():
        return set()
    call, value = suite.pure_call(instance)
    kept = next_of(instance, shapes_of(call, suite.arguments(0), value))
    return weak if kept is not None and avals(kept) == before else set()
