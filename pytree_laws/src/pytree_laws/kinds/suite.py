"""Suites: the hooks that people write, and the examples that come of them."""

import contextlib
import gc
import inspect
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ..declare.leaf_spec import Output
from ..discover.inference import inferred_outputs, inferred_statics
from ..discover.invocation import trace_of_call
from ..discover.method_programs import only_of_methods
from ..engine.applicability import CALLED, need
from ..engine.causes import stop_if_broken
from ..engine.collection import session_in
from ..engine.first_use import cached_instance, first_build, first_call
from ..engine.summary import register_summary
from ..engine.timeout import Watch
from ..inspect.arrays import fillable, has_dtype, is_floating, on_device
from ..inspect.static_values import with_functions_of
from ..inspect.trees import arrays_of, remade, without_functions
from ..session import once_per_session
from ..snapshot.numbers_on_record import has_numbers_of, recorded
from ..trace.platforms import refuse_other_platforms
from ..trace.programs import settings
from ..values.closeness import settle
from ..values.comparison import compare
from ..values.dtypes import tolerated
from ..values.randomize import has_one_sign
from . import training
from .programs import traceable_build
from .slopes import seems_unused
from .subject import Subject

EXAMPLES = 6
"""Of so many an argument that has one sign is taken for one that always has it."""


class Suite(Subject):
    """The hooks that people write, and examples that come of them."""

    def inputs(self, seed: int) -> dict[str, Any]:
        """Fresh keyword arguments of the constructor."""
        if takes_a_seed(type(self).build):
            return {"seed": seed}
        return {"key": jax.random.key(seed)}

    def build(self, **inputs: Any) -> Any:
        raise NotImplementedError(
            "say how the class is built: def build(self, seed), or inputs(self, seed) and build(self, **inputs)"
        )

    def arguments(self, seed: int) -> tuple[Any, ...]:
        """Fresh example arguments of the call."""
        return ()

    def call(self, instance: Any, *arguments: Any) -> Any:
        """The call: of the instance itself, where a suite says nothing else."""
        need(self.called(), "the class is not called")
        return instance(*arguments)

    def reference(self, instance: Any, *arguments: Any) -> Any:
        """The call in NumPy, of an instance and arguments that hold NumPy arrays."""
        raise NotImplementedError

    def save(self, instance: Any, path: Any) -> None:
        """By the class's own `save`."""
        raise NotImplementedError

    def load(self, path: Any, skeleton: Any) -> Any:
        """By the class's own `load`."""
        raise NotImplementedError

    def loop(self, instance: Any, *arguments: Any) -> Any:
        """The call with a loop over single layers, `unstacked(instance.blocks)`, for its scan."""
        raise NotImplementedError

    def close(self, left: Any, right: Any) -> Any:
        """Whether two values are equal up to `tolerance`; within `jax.jit`, too."""
        return compare(left, right, self.tolerance)

    recorded = recorded
    has_numbers_of = has_numbers_of
    training_example = training.training_example
    at_point = training.at_point
    counted = training.counted

    # Examples.

    def make(self, seed: int) -> Any:
        first_build(self)  # before any other, so that it sees what the first changes
        return self.build(**of_one_example(self, self.inputs(seed)))

    def as_built(self) -> Any:
        """An instance as the constructor gives it, for laws that ask which types its leaves have."""
        return self.cached_instance()

    def cached_instance(self, seed: int = 0) -> Any:
        """An instance for laws that only look at it, which is built once for all of them."""
        return cached_instance(self, seed)

    def spare(self, seed: int = 0) -> Any:
        """An instance that a law may change or lose: a copy of one that is built once."""
        return self.copied(self.cached_instance(seed))

    def called(self) -> bool:
        cls: Any = type(self)
        return cls.call is not Suite.call or cls.arguments is not Suite.arguments

    def carried_argument(self) -> tuple[int | None, Any]:
        """Which argument of the call is carried from one call to the next, and its start."""
        return self.carry, () if self.carry is None else self.arguments(0)[self.carry]

    def need_call(self) -> None:
        """Skips where the class is not called, and stops where the example call fails."""
        need(CALLED.is_met(self), CALLED.reason)

    def can_be_called(self) -> bool:
        """Whether the class is called; stops where the example call fails."""
        if not self.called():
            return False
        stop_if_broken(self, "P7", "call", first_call(self).error)
        settle(lambda: tolerated(self))
        return True

    def example(self) -> tuple[Any, tuple[Any, ...]]:
        """An instance and arguments; skips where the class is not called."""
        self.need_call()
        return self.make(0), self.arguments(0)

    def cached_example(self) -> tuple[Any, tuple[Any, ...]]:
        """`example`, with the instance that all laws share which change nothing."""
        self.need_call()
        return self.cached_instance(), self.arguments(0)

    def call_on_copies(self, instance: Any, *arguments: Any) -> Any:
        """The call on copies of its arguments, which it may use up (as an eqx.nn.State), or update (as streams of keys)."""
        return self.call(instance, *remade(arguments))

    def apply(self, instance: Any, *arguments: Any) -> Any:
        """What a call on copies gives, without functions."""
        return without_functions(self.call_on_copies(instance, *arguments))

    def run(self, instance: Any, *arguments: Any) -> Any:
        """All that a call on a copy gives: its output, and the state after it where it updates the instance."""
        return self.apply(instance, *arguments)

    def run_in_place(self, instance: Any, *arguments: Any) -> Any:
        """The same of a call on the instance itself."""
        return self.apply(instance, *arguments)

    def call_with_state(self, instance: Any, *arguments: Any) -> Any:
        """What the call gives, and what it leaves in the instance where it changes that."""
        return self.apply(instance, *arguments)

    def output_of(self, outcome: Any) -> Any:
        """The output in what `run` gives."""
        return outcome

    def effects_of(self, path: str, outcome: Any) -> Any:
        """The output, and what the call writes into other arrays than the one at `path`; of a parameter, into those that are handed on."""
        return self.output_of(outcome)

    def pure_call(self, instance: Any) -> tuple[Callable[..., Any], Any]:
        """`run` as a function of what `to_arrays` gives and the arguments, and that."""
        value, back = self.to_arrays(instance)
        return lambda value, *arguments: self.run_in_place(back(value), *arguments), value

    @once_per_session
    def traced_call(self) -> Any:
        """The jaxpr of the call on the arrays of an instance and the arguments."""
        return trace_of_call(self, *self.example())

    @once_per_session
    def traced_build(self) -> Any:
        """The jaxpr of the constructor on the arrays among its inputs."""
        build, inputs = self.traceable_build()
        return jax.make_jaxpr(lambda values: arrays_of(self.to_tree(build(values))[0]))(inputs)

    def traceable_build(
        self, changes: Mapping[str, Any] | None = None
    ) -> tuple[Callable[..., Any], list[Any]]:
        """The constructor as a function of the arrays among its inputs, and those."""
        return traceable_build(self, {**self.inputs(0), **(changes or {})})

    def plain_inputs(self, seed: int) -> dict[str, Any]:
        """The inputs that belong to the caller."""
        return {name: v for name, v in self.inputs(seed).items() if not self.is_updated_by_use(v)}

    def is_updated_by_use(self, value: Any) -> bool:
        """Whether who is given a value may update it, as streams of keys are updated when they are drawn from."""
        return False

    # What is declared, or else found.

    def statics(self) -> dict[str, Any]:
        """The static configuration: as an instance has it, and as it is declared."""
        declared = {path: value for path, value in self.static.items() if value is not ...}
        return {**inferred_statics(self), **declared}

    def declares_statics(self) -> bool:
        """Whether the suite says itself which static values the class holds."""
        return type(self).static is not Suite.static

    def outputs(self) -> Sequence[Output]:
        """The outputs as they are declared, or as the example call has them."""
        return self.returns or inferred_outputs(self)

    def is_of(self, dtype: str | None, value: Any) -> bool:
        """Whether a result has a declared dtype; where the call computes in another, a float may have that."""
        computed = dtype == "float" and self.compute
        return has_dtype(value, dtype) or bool(computed and has_dtype(value, computed))

    def is_unused(self, path: str) -> bool:
        """Whether nothing has to show what an array holds."""
        declared = self.declared(path)
        may_be_unused = declared is not None and (declared.unused or seems_unused(self, path))
        return may_be_unused or self.is_empty(path) or path in only_of_methods(self)

    def is_empty(self, path: str) -> bool:
        """Whether an array has no elements, so that no edit and no gradient can show."""
        return jnp.size(self.named(self.cached_instance()).get(path, 0)) == 0

    @pytest.fixture(autouse=True)
    def under_the_settings_of_all_laws(self, request: pytest.FixtureRequest) -> Iterator[None]:
        """Refuse another platform than was asked for before any work; then run under the settings of laws."""
        self.session = session_in(request.config)
        refuse_other_platforms(self)
        register_summary(request.config)
        capture: Any = request.config.pluginmanager.getplugin("capturemanager")
        release = capture.suspend_global_capture if capture else None
        self.session.of(Watch).release = release
        with settings(), collecting_garbage_seldom():
            yield


SELDOM = 10_000  # new objects between two collections: a trace makes many


@contextlib.contextmanager
def collecting_garbage_seldom() -> Generator[None, None, None]:
    """Has the garbage collector leave alone what is there already, and wait longer.

    To count what is frozen takes as long as there is of it, and Python 3.12 begins with some: the threshold tells whether
    another test is under way.
    """
    before = gc.get_threshold()
    if before[0] == SELDOM:
        yield
        return
    gc.freeze()
    gc.set_threshold(SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@once_per_session
def first_inputs(suite: Any) -> dict[str, Any]:
    """The inputs of the first example."""
    return suite.inputs(0)


def of_one_example(suite: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    """Inputs of a suite with the functions of the first ones: what an example makes anew each time is none of the class that is given it."""
    first = first_inputs(suite)
    known = {name: with_functions_of(first[name], value) for name, value in inputs.items() if name in first}
    return {**inputs, **{name: value for name, value in known.items() if value is not None}}


def takes_a_seed(build: Any) -> bool:
    """Whether a suite builds its class from a seed alone."""
    return list(inspect.signature(build).parameters)[1:] == ["seed"]


def filled(suite: Any, arguments: Sequence[Any], fill: float) -> list[Any]:
    """The arguments with one value in those that are arrays, except for the carry.

    What has one sign in all examples is not 0 but as it is, and not 1 but equal to its own first element.
    """
    kept = arguments_of_one_sign(suite) if fill in (0, 1) else frozenset[int]()
    filled = list(arguments)
    for i, (value, is_plain) in enumerate(zip(arguments, fillable(arguments, suite.carry))):
        if is_plain and (fill or i not in kept):
            filled[i] = on_device(np.full_like(value, np.ravel(value)[0] if i in kept else fill))
    return filled


@once_per_session
def arguments_of_one_sign(suite: Any) -> frozenset[int]:
    """The places of arrays that have one sign in each example, as a temperature has: zero lies outside of what they may be."""
    columns = enumerate(zip(*(suite.arguments(seed) for seed in range(EXAMPLES))))
    floats = ((i, column) for i, column in columns if all(map(is_floating, column)))
    return frozenset(i for i, column in floats if has_one_sign(np.concatenate([*map(np.ravel, column)])))
