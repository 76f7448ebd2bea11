"""Description of a transformation as plain JSON: how to make it, and declarations of its state."""

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from pytree_laws import Output, PytreeLaws
from pytree_laws.declare.render import render
from pytree_laws.discover.inference import inferred_leaves, inferred_statics, name_of
from pytree_laws.errors import raises_deliberately
from pytree_laws.inspect.arrays import is_array
from pytree_laws.inspect.trees import arrays_of, numbers_of, replace_leaves

from ..building.built import Failure, raised_in
from ..calling.dependencies import used_inputs
from ..values.sources import Source, literal
from .find import (
    ARRAYS,
    TREES,
    OfBatchesError,
    Transformation,
    find_transformation,
    once,
    use,
    with_parameters,
)


def describe_transformation(
    function: Any, source: Source | None, said: Mapping[str, Source], failure: Failure
) -> dict[str, Any]:
    """Find an example of a transformation, and describe it as plain JSON for a test file."""
    try:
        transformation = (
            with_parameters(source, said, failure) if source else find_transformation(function, said, failure)
        )
    except OfBatchesError as error:
        return {"built": False, "why": str(error.__doc__), "unknown": []}
    if transformation is None:
        why = failure.why
        return {"built": False, "why": why, "unknown": failure.unknown}
    parts = [transformation.made, transformation.params, *transformation.further.values()]
    value = transformation.made.value(0)
    return {
        "built": True,
        "kind": "transformation",
        "methods": ["update"],
        "called": True,
        "method": "update",
        "build": transformation.made.text,
        "params": transformation.params.text,
        "arguments": [[name, once(each).text, True] for name, each in transformation.further.items()],
        "imports": [list(pair) for each in parts for pair in each.imports],
        "helpers": list(dict.fromkeys(line for each in parts for line in each.helpers)),
        "is_stepped": bool(jax.tree.leaves(value.init(transformation.params.value(0)))),
        **declarations(transformation),
        "cases": [
            {"of": of, **declarations(each), "params": each.params.text}
            for of, each in cases(transformation, function)
        ],
    }


def cases(transformation: Transformation, function: Any) -> Iterator[tuple[str, Transformation]]:
    """Yield the transformation on other parameters: a single array, no arrays, and bfloat16.

    Shapes that the transformation refuses are left out. If code of the package itself fails without arrays,
    the case stays, so that the laws report the error.
    """
    package = function.__module__.partition(".")[0]
    general = [TREES["one array"]] if transformation.params.text == TREES[""] else []
    trees = {"one array": [*general], "no arrays": [*(["{}"] if general else [])]}
    value, works = transformation.made.value(0), True
    for of, texts in trees.items():
        for text in texts:
            other = dataclasses.replace(transformation, params=Source(text))
            error = refusal(value, other)
            fails = error is not None and not (of == "no arrays" and fails_in(package, error, function))
            works = works and not fails
            if works:
                yield of, other
    narrow = ARRAYS.sub(r'\1, "bfloat16")', transformation.params.text)
    if narrow != transformation.params.text:
        yield "bfloat16", dataclasses.replace(transformation, params=transformation.params.but(narrow))


def refusal(value: Any, transformation: Transformation) -> Exception | None:
    """Return the error of an update with these parameters, or None."""
    try:
        use(value, transformation)
    except Exception as error:
        return error
    return None


def fails_in(package: str, error: Exception, function: Any) -> bool:
    """Whether code of a package raised an error that is not a deliberate refusal."""
    return raised_in(error) == package and not raises_deliberately(error, function)


def declarations(transformation: Transformation) -> dict[str, Any]:
    """Declare the leaves of the state, and the outputs of an update.

    Updates are like the parameters, and the new state is like the old state.
    """
    params, state = transformation.params.value(0), ()
    leaves, statics = [], {}
    with contextlib.suppress(Exception):  # the laws report it if `init` fails
        suite: Any = suite_of(transformation)()
        state, statics = suite.make(0), inferred_statics(suite)
        leaves = [
            dataclasses.replace(leaf, unused=leaf.unused or not is_used)
            for leaf, is_used in zip(inferred_leaves(suite), used_leaves(transformation, state), strict=True)
        ]
    updates = [*wider_updates(transformation, params, state), *numbers_of(state)]
    outputs = [Output(tuple(jnp.shape(leaf)), name_of(jnp.result_type(leaf))) for leaf in updates]
    return {
        "leaves": [render(leaf) for leaf in leaves],
        "static": [[path, literal(value)] for path, value in statics.items()],
        "outputs": [render(each) for each in outputs],
    }


def wider_updates(transformation: Transformation, params: Any, state: Any) -> list[Any]:
    """Return arrays like the updates: the parameters, or wider floats that `optax.apply_updates` casts."""
    expected = numbers_of(params)
    try:
        given: Any = jax.eval_shape(lambda: updated(transformation, state)[0])
    except Exception:  # the laws report the error
        return expected
    pairs = zip(expected, jax.tree.leaves(given), strict=False)
    chosen = [
        after if jnp.promote_types(now.dtype, after.dtype) != now.dtype else now for now, after in pairs
    ]
    return [*chosen, *expected[len(chosen) :]]


def used_leaves(transformation: Transformation, state: Any) -> Sequence[bool]:
    """Return for each leaf of the state whether an update depends on the leaf."""
    leaves = jax.tree.leaves(state)
    places = [place for place, leaf in enumerate(leaves) if is_array(leaf)]
    try:
        closed = jax.make_jaxpr(
            lambda arrays: arrays_of(
                updated(transformation, replace_leaves(state, dict(zip(places, arrays, strict=True))))
            )
        )([leaves[place] for place in places])
    except Exception:  # it needs values, or fails, which the laws report
        return [True] * len(leaves)
    marks = dict(zip(places, used_inputs(closed), strict=True))
    return [marks.get(place, True) for place in range(len(leaves))]


def updated(transformation: Transformation, state: Any) -> Any:
    """Return the updates and the new state for a state of the example."""
    return transformation.made.value(0).update(
        transformation.params.value(1),
        state,
        transformation.params.value(0),
        **transformation.given(transformation.params.value(1)),
    )


def suite_of(transformation: Transformation) -> type:
    """Return a suite that builds the state, without declarations."""
    value = transformation.made.value(0)
    body: dict[str, Any] = {"build": lambda self, seed: value.init(transformation.params.value(seed))}
    return type("Adopted", (PytreeLaws,), body)
