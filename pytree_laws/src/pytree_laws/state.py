"""The laws of state: what a Module that uses `equinox.nn.State` must hold besides the pytree laws.

Subclass `StateLaws` as one subclasses `PytreeLaws`: `build` gives the model without its
initial state, `state` gives that state, and the example arguments of the call hold it:

    class TestCounter(StateLaws):
        states = (Leaf("count", "state", (), "int32"),)

        def build(self, **inputs):
            return eqx.nn.make_with_state(Counter.create)(**inputs)[0]

        def state(self, seed):
            return eqx.nn.make_with_state(Counter.create)(**self.inputs(seed))[1]

        def arguments(self, seed):
            return sample(seed, (3,)), self.state(seed)

        def call(self, instance, *arguments):
            x, state = arguments
            return instance(x, state)
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import equinox as eqx
import jax

from .declare.leaf_spec import Leaf
from .discover.invocation import trace_call
from .engine.applicability import applies_where, declares, not_applicable
from .engine.runner import guard
from .inspect.arrays import has_dtype, is_floating, same_bits
from .inspect.trees import avals, flatten, keys_as_data, named_leaves, replace_leaves, stack, structure
from .laws import PytreeLaws
from .report import check, doing
from .trace.dependencies import handed_to_stop
from .values.closeness import check_flow, close

RETURN = "end the call with `return result, state`, on every path"
BATCHED = (
    "an update from one example of a batch: average it first, with `jax.lax.pmean` over "
    "the axis, and map with in_axes and out_axes None for the state"
)


def is_state(value: Any) -> bool:
    return isinstance(value, eqx.nn.State)


def copied(tree: Any) -> Any:
    """The tree with states of its own: to set a value uses a state up."""
    return jax.tree.map(lambda leaf: leaf, tree)


@guard
class StateLaws(PytreeLaws):
    """Subclass it with a name that starts with `Test`; see the head of this file."""

    states: ClassVar[Sequence[Leaf]] = ()  # the declared states, in order

    def state(self, seed: int) -> Any:
        """The initial state of the instance that `make` gives."""
        raise NotImplementedError("say how the state is made: def state(self, seed)")

    def place(self, arguments: Sequence[Any]) -> int:
        """Which argument of the call is the state."""
        places = [i for i, argument in enumerate(arguments) if is_state(argument)]
        message = f"{len(places)} of the example arguments are an eqx.nn.State"
        check(len(places) == 1, "arguments", message, "declare one in `arguments`")
        return places[0]

    def advance(self, instance: Any, arguments: Sequence[Any]) -> tuple[Any, Any]:
        """What a call returns beside the next state, and that state."""
        result = self.apply(instance, *arguments)
        parts = result if isinstance(result, tuple) else (result,)
        last = is_state(parts[-1]) if parts else False
        message = f"it returns {type(result).__name__}, and no state as its last part"
        check(last, "call", message, RETURN)
        return parts[:-1], parts[-1]

    def after(self, seed: int, steps: int = 1) -> Any:
        """The state after some calls."""
        instance, arguments = self.make(seed), list(self.arguments(seed))
        place = self.place(arguments)
        for _ in range(steps):
            _, arguments[place] = self.advance(instance, arguments)
        return arguments[place]

    # P2 manifest

    @applies_where(declares("states", "no states are declared"))
    def test_p02_states_are_as_declared(self) -> None:
        found = jax.tree.leaves(self.state(0))
        message = f"{len(found)} states, declared are {[leaf.path for leaf in self.states]}"
        check(len(found) == len(self.states), "state", message)
        for leaf, value in zip(self.states, found):
            message = f"the shape is {value.shape}, declared is {leaf.shape}"
            check(value.shape == leaf.shape, leaf.path, message)
            message = f"the dtype is {value.dtype}, declared is {leaf.dtype}"
            check(has_dtype(value, leaf.dtype), leaf.path, message)
            begins = leaf.value is None or bool((value == leaf.value).all())
            message = f"it begins as {value}, declared is {leaf.value}"
            check(begins, leaf.path, message, "another initial value")

    # P5 static

    def test_p05_states_of_one_configuration_have_one_structure(self) -> None:
        first, second = self.state(0), self.state(1)
        message = f"two instances have the states {avals(first)} and {avals(second)}"
        same = structure(first) == structure(second) and avals(first) == avals(second)
        check(same, "state", message, "make the state with `eqx.nn.make_with_state`")
        for i, value in enumerate(jax.tree.leaves(first)):
            message = "it is weakly typed: its dtype changes on the first update"
            check(not getattr(value, "weak_type", False), f"state {i}", message)

    # P9 gradient and step

    def test_p09_gradients_flow_through_the_state(self) -> None:
        instance, arguments = self.make(0), list(self.arguments(0))
        arguments[self.place(arguments)] = self.after(0)
        leaves, treedef = flatten((instance, arguments))
        flows = self.flowing(instance) - self.handed_to_stop(instance)
        fixed = [name not in flows for name, _ in named_leaves(instance)]
        fixed += [False] * (len(leaves) - len(fixed))
        places = [i for i, v in enumerate(leaves) if is_floating(v) and not fixed[i]]
        if not places:
            not_applicable("nothing has a gradient")

        def run(values: Sequence[Any]) -> Any:
            arguments = treedef.unflatten(replace_leaves(leaves, dict(zip(places, values))))
            return jax.tree.leaves(self.advance(*arguments))

        hint = "`jax.lax.stop_gradient` on what a state was assigned, or on what it is read"
        check_flow("state", run, [leaves[i] for i in places], hint)

    def handed_to_stop(self, instance: Any) -> set[str]:
        """The leaves that the call itself cuts off where it reads them, which says nothing of the state."""
        (closed, _), inputs = trace_call(self, instance, {})
        pairs = zip(inputs, handed_to_stop(closed.jaxpr))
        return {name[2:] for (name, _), mark in pairs if mark and name[:2] == "0."}

    # P11 carry

    def test_p11_the_state_is_a_fixed_point(self) -> None:
        instance, arguments = self.make(0), list(self.arguments(0))
        place = self.place(arguments)

        def advance(state: Any) -> Any:
            given = [*arguments[:place], state, *arguments[place + 1 :]]
            return self.advance(instance, given)[1]

        first = self.state(0)
        with doing("call", "the call for its next state", BATCHED):
            after = jax.eval_shape(advance, first)
        message = f"the next state is {avals(after)}, it was {avals(first)}"
        same = structure(after) == structure(first) and avals(after) == avals(first)
        check(same, f"argument {place}", message, BATCHED)
        got, _ = jax.lax.scan(lambda s, _: (advance(s), None), copied(first), length=2)
        loop = self.after(0, steps=2)
        message = f"scan gives {got}, a loop {loop}"
        check(close(got, loop, 16), f"argument {place}", message)

    # P10 vmap equals loop

    def test_p10_an_ensemble_has_a_state_for_each(self) -> None:
        _, back = self.dynamic(self.make(0))
        values = [self.dynamic(self.make(seed))[0] for seed in range(2)]
        arguments = [self.arguments(seed) for seed in range(2)]
        mapped = jax.vmap(lambda value, given: self.advance(back(value), given)[1])
        got = mapped(stack(values), stack(arguments))
        loop = stack([self.after(seed) for seed in range(2)])
        check(close(got, loop, 16), "state", f"vmap gives {got}, a loop {loop}")

    # P12 purity

    def test_p12_the_next_state_depends_on_the_arguments_alone(self) -> None:
        first = self.after(0)
        self.after(1)
        again = self.after(0)
        message = f"the same call gave the state {first}, and later {again}"
        check(close(first, again), "state", message, "a value that is kept elsewhere")

    # P14 save and load

    def test_p14_the_state_is_saved_with_the_instance(self, tmp_path: Any) -> None:
        saved = keys_as_data((self.make(0), self.after(0)))
        eqx.tree_serialise_leaves(tmp_path / "saved.eqx", saved)
        like = keys_as_data((self.make(1), self.state(1)))
        loaded = eqx.tree_deserialise_leaves(tmp_path / "saved.eqx", like)
        message = f"the structure became {structure(loaded)}, it was {structure(saved)}"
        check(structure(loaded) == structure(saved), "save and load", message)
        pairs = zip(jax.tree.leaves(saved), jax.tree.leaves(loaded))
        for i, (before, after) in enumerate(pairs):
            message = f"it was {before!r:.200}, and is {after!r:.200}"
            check(same_bits(before, after), f"leaf {i}", message)
