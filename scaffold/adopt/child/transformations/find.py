"""Search for how an optax transformation is made and used, and on which parameters."""

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from pytree_laws.trace.jaxprs import NEEDS_VALUES

from ..building.budget import Budget, combinations
from ..building.build import instances
from ..building.built import Failure
from ..classes.factories import transformation_type
from ..values.annotations import VARIABLE, parameters_of, required, signature_of
from ..values.candidates import values_for
from ..values.context import Context
from ..values.sources import SEED, Source, called, refer

TREES = {
    "": '{"weight": sample(seed, (2, 3)), "bias": sample(seed + 1, (2,))}',
    "one array": "sample(seed, (3,))",
    "a matrix": "sample(seed, (2, 3))",
}
"""Parameters to try, in this order."""
LOSS = (
    "def loss(params: Any) -> jax.Array:\n"
    "    return sum((jnp.sum(leaf * leaf) for leaf in jax.tree.leaves(params)), jnp.zeros(()))"
)
ARRAYS = re.compile(r"(sample\(seed[^()\"]*, \([^()]*\))\)")
"""Matches the expression of a sampled float array."""
UPDATES = "updates"
FURTHER = {
    "value": Source("jnp.abs(sample(seed))"),
    "grad": Source(UPDATES),
    "value_fn": Source("loss", helpers=(LOSS,)),
    "obj_fn": Source("loss", helpers=(LOSS,)),
    "key": Source("jax.random.key(0)"),
}
"""Further arguments of `update` by the names that optax gives them."""
FIRST = ("updates", "state", "params")
WAYS = 60


class OfBatchesError(Exception):
    """It takes the gradients of a batch, one for each example, and not their mean."""


@dataclasses.dataclass(frozen=True)
class Transformation:
    """Expression of a transformation, and an example of its use."""

    made: Source
    params: Source
    further: Mapping[str, Source]
    """Arguments of `update` by name, besides updates, state and parameters."""

    def given(self, updates: Any) -> dict[str, Any]:
        """Return the values of the further arguments."""
        texts = {name: source for name, source in self.further.items() if source.text != UPDATES}
        return {
            **dict.fromkeys(self.further, updates),
            **{name: source.value(0) for name, source in texts.items()},
        }


def find_transformation(function: Any, said: Mapping[str, Source], failure: Failure) -> Transformation | None:
    """Find the first arguments with which a function makes a usable transformation."""
    every = parameters_of(function)
    parameters = [parameter for parameter in every if parameter.kind not in VARIABLE]
    needed = required(parameters)
    wanted = [parameter for parameter in parameters if parameter in needed or parameter.name in said]
    budget, context = Budget(WAYS), Context(said=said, instances=instances, of_optimiser=True)
    for _ in range(3):
        for made in ways_to_make(refer(function), wanted, context, budget, failure):
            transformation = with_parameters(made, said, failure)
            if transformation is not None:
                return transformation
        words = {word for text in failure.messages for word in re.findall(r"\w{2,}", text)}
        further = [
            parameter for parameter in parameters if parameter.name in words and parameter not in wanted
        ]
        if not further:
            break
        wanted = [*wanted, *further[:4]]
    if len(parameters) < len(every):  # unknown `*args`, and no named argument, are to blame
        failure.unknown = []
    return None


def ways_to_make(
    maker: Source, wanted: Sequence[inspect.Parameter], context: Context, budget: Budget, failure: Failure
) -> Iterator[Source]:
    """Yield calls of a function with values for its arguments."""
    lists = [values_for(parameter.name, parameter.annotation, context) for parameter in wanted]
    failure.unknown = [
        parameter.name for parameter, sources in zip(wanted, lists, strict=True) if not sources
    ]
    positional = sum(parameter.kind is inspect.Parameter.POSITIONAL_ONLY for parameter in wanted)
    for places in combinations(lists, WAYS):
        if not budget.take():
            return
        chosen = {
            parameter.name: each[place] for parameter, each, place in zip(wanted, lists, places, strict=True)
        }
        yield called(maker, chosen, positional)


def with_parameters(source: Source, said: Mapping[str, Source], failure: Failure) -> Transformation | None:
    """Evaluate the expression of a transformation, and find the first parameters that it takes."""
    made = once(source)
    try:
        value = made.value(0)
    except Exception as error:
        failure.note(error)
        return None
    if not isinstance(value, transformation_type()):
        failure.note(TypeError(f"it gives {type(value).__name__}, and no optax.GradientTransformation"))
        return None
    trees = [said["params"]] if "params" in said else [Source(text) for text in TREES.values()]
    for params in trees:
        if (transformation := with_further(value, made, params, said, failure)) is not None:
            return transformation
    failure.unknown = failure.unknown or ["params"]
    return None


def with_further(
    value: Any, made: Source, params: Source, said: Mapping[str, Source], failure: Failure
) -> Transformation | None:
    """Find the further arguments of `update`, by its signature or by the error that it raises."""
    further = asked_for(value, said, failure)
    for _ in range(2):
        transformation = Transformation(made, params, further)
        try:
            use(value, transformation)
            return transformation
        except OfBatchesError:
            raise
        except Exception as error:
            failure.note(error)
            more = named_in(str(error), further, said)
        if not more:
            break
        further = {**further, **more}
    return None


def once(source: Source) -> Source:
    """Replace seeds by numbers, since a transformation is made once and draws nothing anew."""
    return source.but(SEED.sub(lambda match: match[1] or "0", source.text))


def asked_for(value: Any, said: Mapping[str, Source], failure: Failure) -> dict[str, Source]:
    """Return the further arguments that `update` requires, and note unknown names in `failure`."""
    needed = [parameter.name for parameter in required(signature_of(value.update))[len(FIRST) :]]
    known = {**FURTHER, **said}
    failure.unknown = [name for name in needed if name not in known] or failure.unknown
    return {name: known[name] for name in needed if name in known}


def named_in(text: str, arguments: Mapping[str, Source], said: Mapping[str, Source]) -> dict[str, Source]:
    """Return the further arguments that an error names."""
    known = {**FURTHER, **said}
    return {name: known[name] for name in re.findall(r"\w+", text) if name in known and name not in arguments}


def use(value: Any, transformation: Transformation) -> None:
    """Run an update, traced if possible. Raises `OfBatchesError` if it takes gradients of a batch."""

    def run(updates: Any, params: Any) -> Any:
        changes, after = value.update(updates, value.init(params), params, **transformation.given(updates))
        return changes, after

    updates, params = transformation.params.value(1), transformation.params.value(0)
    try:
        changes, _ = jax.eval_shape(run, updates, params)
    except NEEDS_VALUES:
        run(updates, params)
        return
    if shapes_in(changes) != shapes_in(params) and takes_a_batch(run, updates, params):
        raise OfBatchesError


def shapes_in(tree: Any) -> list[tuple[int, ...]]:
    return [jnp.shape(leaf) for leaf in jax.tree.leaves(tree)]


def takes_a_batch(run: Callable[[Any, Any], Any], updates: Any, params: Any) -> bool:
    """Whether the updates have the shapes of the parameters if the gradients have a batch axis."""
    batch = jax.tree.map(lambda leaf: jnp.stack([leaf] * 5), updates)
    try:
        changes, _ = jax.eval_shape(run, batch, params)
    except Exception:
        return False
    return shapes_in(changes) == shapes_in(params)
