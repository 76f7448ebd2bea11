"""Transformations of optax: how each is made and used, on which parameters."""

import contextlib
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from pytree_laws import Output, PytreeLaws
from pytree_laws.declare.render import render
from pytree_laws.discover.inference import inferred_leaves, inferred_statics, name_of
from pytree_laws.inspect.arrays import is_array
from pytree_laws.inspect.trees import arrays_of, numbers_of, replace_leaves
from pytree_laws.trace.jaxprs import NEEDS_VALUES

from .annotations import VARIABLE, parameters_of, required, signature_of
from .build import instances
from .built import Failure
from .depends import used_inputs
from .functions import transformation_type
from .plain import Context
from .search import Budget, combinations
from .sources import SEED, Source, called, literal, refer
from .values import values_for

TREES = {
    "": '{"weight": sample(seed, (2, 3)), "bias": sample(seed + 1, (2,))}',
    "one array": "sample(seed, (3,))",
    "a matrix": "sample(seed, (2, 3))",
}
"""Parameters, in the order in which they are tried."""
LOSS = (
    "def loss(params: Any) -> jax.Array:\n"
    "    return sum((jnp.sum(leaf * leaf) for leaf in jax.tree.leaves(params)), jnp.zeros(()))"
)
ARRAYS = re.compile(r"(sample\(seed[^()\"]*, \([^()]*\))\)")
"""An array of floats as it is written."""
UPDATES = "updates"
FURTHER = {
    "value": Source("jnp.abs(sample(seed))"),
    "grad": Source(UPDATES),
    "value_fn": Source("loss", helpers=(LOSS,)),
    "obj_fn": Source("loss", helpers=(LOSS,)),
    "key": Source("jax.random.key(0)"),
}
"""What `update` is given besides, where it asks for it, by the names that optax has for it."""
FIRST = ("updates", "state", "params")
WAYS = 60


class OfBatchesError(Exception):
    """It takes the gradients of a batch, one for each example, and not their mean."""


@dataclasses.dataclass(frozen=True)
class Transformation:
    """How one is made, and an example of its use."""

    made: Source
    params: Source
    further: Mapping[str, Source]
    """What `update` is given by name, besides updates, state and parameters."""

    def given(self, updates: Any) -> dict[str, Any]:
        """The values of these."""
        texts = {name: one for name, one in self.further.items() if one.text != UPDATES}
        return {**dict.fromkeys(self.further, updates), **{name: one.value(0) for name, one in texts.items()}}


def find_transformation(function: Any, said: Mapping[str, Source], failure: Failure) -> Transformation | None:
    """The first arguments with which a function makes one that can be used."""
    every = parameters_of(function)
    parameters = [one for one in every if one.kind not in VARIABLE]
    needed = required(parameters)
    wanted = [one for one in parameters if one in needed or one.name in said]
    budget, context = Budget(WAYS), Context(said=said, instances=instances, of_optimiser=True)
    for _ in range(3):
        for made in ways_to_make(refer(function), wanted, context, budget, failure):
            found = with_parameters(made, said, failure)
            if found is not None:
                return found
        told = {word for text in failure.messages for word in re.findall(r"\w{2,}", text)}
        further = [one for one in parameters if one.name in told and one not in wanted]
        if not further:
            break
        wanted = [*wanted, *further[:4]]
    if len(parameters) < len(every):  # what it is made of is not known, so that it is no matter of parameters
        failure.unknown = []
    return None


def ways_to_make(
    maker: Source, wanted: Sequence[inspect.Parameter], context: Context, budget: Budget, failure: Failure
) -> Iterator[Source]:
    """The calls of a function with values for its arguments, in the order in which they are tried."""
    lists = [values_for(one.name, one.annotation, context) for one in wanted]
    failure.unknown = [one.name for one, found in zip(wanted, lists, strict=True) if not found]
    positional = sum(one.kind is inspect.Parameter.POSITIONAL_ONLY for one in wanted)
    for places in combinations(lists, WAYS):
        if not budget.take():
            return
        chosen = {one.name: each[place] for one, each, place in zip(wanted, lists, places, strict=True)}
        yield called(maker, chosen, positional)


def with_parameters(source: Source, said: Mapping[str, Source], failure: Failure) -> Transformation | None:
    """The transformation that an expression gives, with the first parameters that it takes."""
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
        if (found := with_further(value, made, params, said, failure)) is not None:
            return found
    failure.unknown = failure.unknown or ["params"]
    return None


def with_further(
    value: Any, made: Source, params: Source, said: Mapping[str, Source], failure: Failure
) -> Transformation | None:
    """The same with what `update` asks for besides: by its signature, or by the error that it raises."""
    further = asked_for(value, said, failure)
    for _ in range(2):
        one = Transformation(made, params, further)
        try:
            use(value, one)
            return one
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
    """The same for one seed: a transformation is made once, and draws nothing anew."""
    return source.but(SEED.sub(lambda found: found[1] or "0", source.text))


def asked_for(value: Any, said: Mapping[str, Source], failure: Failure) -> dict[str, Source]:
    """What the signature of `update` asks for besides; what nobody knows is noted."""
    needed = [one.name for one in required(signature_of(value.update))[len(FIRST) :]]
    known = {**FURTHER, **said}
    failure.unknown = [name for name in needed if name not in known] or failure.unknown
    return {name: known[name] for name in needed if name in known}


def named_in(text: str, given: Mapping[str, Source], said: Mapping[str, Source]) -> dict[str, Source]:
    """What an error asks for by name."""
    known = {**FURTHER, **said}
    return {name: known[name] for name in re.findall(r"\w+", text) if name in known and name not in given}


def use(value: Any, one: Transformation) -> None:
    """One update, traced where it can be. Raises what it raises."""

    def run(updates: Any, params: Any) -> Any:
        changes, after = value.update(updates, value.init(params), params, **one.given(updates))
        return changes, after

    updates, params = one.params.value(1), one.params.value(0)
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
    """Whether updates fit the parameters where there is one more axis in what is given."""
    batch = jax.tree.map(lambda leaf: jnp.stack([leaf] * 5), updates)
    try:
        changes, _ = jax.eval_shape(run, batch, params)
    except Exception:
        return False
    return shapes_in(changes) == shapes_in(params)


# -- as plain JSON -----------------------------------------------------------------------------------------------------


def written_transformation(
    function: Any, own: Source | None, said: Mapping[str, Source], failure: Failure
) -> dict[str, Any]:
    """What is found of a transformation: of these the tool makes a test file."""
    try:
        one = with_parameters(own, said, failure) if own else find_transformation(function, said, failure)
    except OfBatchesError as error:
        return {"built": False, "why": str(error.__doc__), "unknown": []}
    if one is None:
        why = failure.first or "nothing is known of its arguments"
        return {"built": False, "why": why, "unknown": failure.unknown}
    parts = [one.made, one.params, *one.further.values()]
    value = one.made.value(0)
    return {
        "built": True,
        "kind": "transformation",
        "methods": ["update"],
        "called": True,
        "method": "update",
        "build": one.made.text,
        "params": one.params.text,
        "arguments": [[name, once(each).text, True] for name, each in one.further.items()],
        "imports": [list(pair) for each in parts for pair in each.imports],
        "helpers": list(dict.fromkeys(line for each in parts for line in each.helpers)),
        "is_stepped": bool(jax.tree.leaves(value.init(one.params.value(0)))),
        **declared(one),
        "cases": [{"of": of, **declared(each), "params": each.params.text} for of, each in cases(one)],
    }


def cases(one: Transformation) -> Iterator[tuple[str, Transformation]]:
    """The same on other parameters, as far as it takes them: on one array, on none, and in bfloat16."""
    general = [TREES["one array"]] if one.params.text == TREES[""] else []
    trees = {"one array": [*general], "no arrays": [*(["{}"] if general else [])]}
    value, works = one.made.value(0), True
    for of, texts in trees.items():
        for text in texts:
            other = dataclasses.replace(one, params=Source(text))
            works = works and (of == "no arrays" or can_be_used(value, other))
            if works:
                yield of, other
    narrow = ARRAYS.sub(r'\1, "bfloat16")', one.params.text)
    if narrow != one.params.text:
        yield "bfloat16", dataclasses.replace(one, params=one.params.but(narrow))


def can_be_used(value: Any, one: Transformation) -> bool:
    try:
        use(value, one)
    except Exception:
        return False
    return True


def declared(one: Transformation) -> dict[str, Any]:
    """The leaves of the state, and what an update gives: the updates are as the parameters, and the state is as it was."""
    params, state = one.params.value(0), ()
    leaves, statics = [], {}
    with contextlib.suppress(Exception):  # of what has no state on these, the laws tell
        suite: Any = suite_of(one)()
        state, statics = suite.make(0), inferred_statics(suite)
        leaves = [
            dataclasses.replace(leaf, unused=leaf.unused or not is_used)
            for leaf, is_used in zip(inferred_leaves(suite), used_leaves(one, state), strict=True)
        ]
    outputs = [
        Output(tuple(jnp.shape(leaf)), name_of(jnp.result_type(leaf))) for leaf in numbers_of((params, state))
    ]
    return {
        "leaves": [render(leaf) for leaf in leaves],
        "static": [[path, literal(value)] for path, value in statics.items()],
        "outputs": [render(each) for each in outputs],
    }


def used_leaves(one: Transformation, state: Any) -> Sequence[bool]:
    """For each leaf of the state whether an update depends on it: some are there for their place alone."""
    leaves = jax.tree.leaves(state)
    places = [place for place, leaf in enumerate(leaves) if is_array(leaf)]
    try:
        closed = jax.make_jaxpr(
            lambda held: arrays_of(updated(one, replace_leaves(state, dict(zip(places, held, strict=True)))))
        )([leaves[place] for place in places])
    except Exception:  # it needs values, or fails, which the laws tell
        return [True] * len(leaves)
    marks = dict(zip(places, used_inputs(closed), strict=True))
    return [marks.get(place, True) for place in range(len(leaves))]


def updated(one: Transformation, state: Any) -> Any:
    """What an update of the example gives for a state."""
    return one.made.value(0).update(
        one.params.value(1), state, one.params.value(0), **one.given(one.params.value(1))
    )


def suite_of(one: Transformation) -> type:
    """The suite without its declarations."""
    value = one.made.value(0)
    body: dict[str, Any] = {"build": lambda self, seed: value.init(one.params.value(seed))}
    return type("Adopted", (PytreeLaws,), body)
