"""Suites: the hooks that users write, and the examples that the hooks give."""

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
"""Number of examples that show whether an argument always has one sign."""


class Suite(Subject):
    """The hooks that users write, and the examples that the hooks give."""

    def inputs(self, seed: int) -> dict[str, Any]:
        """Return new keyword arguments of the constructor."""
        if takes_a_seed(type(self).build):
            return {"seed": seed}
        return {"key": jax.random.key(seed)}

    def build(self, **inputs: Any) -> Any:
        raise NotImplementedError(
            "say how the class is built: def build(self, seed), or inputs(self, seed) and build(self, **inputs)"
        )

    def arguments(self, seed: int) -> tuple[Any, ...]:
        """Return new example arguments of the call."""
        return ()

    def call(self, instance: Any, *arguments: Any) -> Any:
        """Call the class, by default the instance itself."""
        need(self.called(), "the class is not called")
        return instance(*arguments)

    def reference(self, instance: Any, *arguments: Any) -> Any:
        """Compute the call in NumPy, for an instance and arguments that hold NumPy arrays."""
        raise NotImplementedError

    def save(self, instance: Any, path: Any) -> None:
        """Save an instance by the class's own `save`."""
        raise NotImplementedError

    def load(self, path: Any, skeleton: Any) -> Any:
        """Load an instance by the class's own `load`."""
        raise NotImplementedError

    def loop(self, instance: Any, *arguments: Any) -> Any:
        """Call with a Python loop over single layers, `unstacked(instance.blocks)`, in place of a scan."""
        raise NotImplementedError

    def close(self, left: Any, right: Any) -> Any:
        """Whether two values are equal up to `tolerance`, also within `jax.jit`."""
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
        """Return an instance as the constructor returns it, for laws about the types of leaves."""
        return self.cached_instance()

    def cached_instance(self, seed: int = 0) -> Any:
        """Return an instance that is built once, for laws that change nothing."""
        return cached_instance(self, seed)

    def spare(self, seed: int = 0) -> Any:
        """Return a copy of the cached instance, which a law may change or lose."""
        return self.copied(self.cached_instance(seed))

    def called(self) -> bool:
        cls: Any = type(self)
        return cls.call is not Suite.call or cls.arguments is not Suite.arguments

    def carried_argument(self) -> tuple[int | None, Any]:
        """Return the position and start of the argument that one call hands to the next, or None and ()."""
        return self.carry, () if self.carry is None else self.arguments(0)[self.carry]

    def need_call(self) -> None:
        """Skip if the class is not called, and stop if the example call fails."""
        need(CALLED.is_met(self), CALLED.reason)

    def can_be_called(self) -> bool:
        """Whether the class is called. Stops if the example call fails."""
        if not self.called():
            return False
        stop_if_broken(self, "P7", "call", first_call(self).error)
        settle(lambda: tolerated(self))
        return True

    def example(self) -> tuple[Any, tuple[Any, ...]]:
        """Return an instance and arguments, or skip if the class is not called."""
        self.need_call()
        return self.make(0), self.arguments(0)

    def cached_example(self) -> tuple[Any, tuple[Any, ...]]:
        """Return `example` with the cached instance, for laws that change nothing."""
        self.need_call()
        return self.cached_instance(), self.arguments(0)

    def call_on_copies(self, instance: Any, *arguments: Any) -> Any:
        """Call with copies of the arguments, since a call may use up a state or update keys."""
        return self.call(instance, *remade(arguments))

    def apply(self, instance: Any, *arguments: Any) -> Any:
        """Call on copies, and return the result without functions."""
        return without_functions(self.call_on_copies(instance, *arguments))

    def run(self, instance: Any, *arguments: Any) -> Any:
        """Call a copy, and return the output, with the next state if the call updates the instance."""
        return self.apply(instance, *arguments)

    def run_in_place(self, instance: Any, *arguments: Any) -> Any:
        """Call the instance itself, and return the same as `run`."""
        return self.apply(instance, *arguments)

    def call_with_state(self, instance: Any, *arguments: Any) -> Any:
        """Call the instance, and return the output with the updated part of its state, if any."""
        return self.apply(instance, *arguments)

    def output_of(self, outcome: Any) -> Any:
        """Return the output in the result of `run`."""
        return outcome

    def effects_of(self, path: str, outcome: Any) -> Any:
        """Return the output, and the arrays that the call writes elsewhere than at `path`.

        For a parameter, only those count that later calls compute with.
        """
        return self.output_of(outcome)

    def pure_call(self, instance: Any) -> tuple[Callable[..., Any], Any]:
        """Return `run` as a function of `to_arrays` and the arguments, and the value of `to_arrays`."""
        value, back = self.to_arrays(instance)
        return lambda value, *arguments: self.run_in_place(back(value), *arguments), value

    @once_per_session
    def traced_call(self) -> Any:
        """Return the jaxpr of the call on the arrays of an instance and the arguments."""
        return trace_of_call(self, *self.example())

    @once_per_session
    def traced_build(self) -> Any:
        """Return the jaxpr of the constructor on the arrays among its inputs."""
        build, inputs = self.traceable_build()
        return jax.make_jaxpr(lambda values: arrays_of(self.to_tree(build(values))[0]))(inputs)

    def traceable_build(
        self, changes: Mapping[str, Any] | None = None
    ) -> tuple[Callable[..., Any], list[Any]]:
        """Return the constructor as a function of the arrays among its inputs, and those arrays."""
        return traceable_build(self, {**self.inputs(0), **(changes or {})})

    def plain_inputs(self, seed: int) -> dict[str, Any]:
        """Return the inputs that belong to the caller, and that no use updates."""
        return {name: v for name, v in self.inputs(seed).items() if not self.is_updated_by_use(v)}

    def is_updated_by_use(self, value: Any) -> bool:
        """Whether a callee may update a value that it is given, as a draw updates a stream of keys."""
        return False

    # What is declared, or else found.

    def statics(self) -> dict[str, Any]:
        """Return the static configuration, as inferred from instances and as declared."""
        declared = {path: value for path, value in self.static.items() if value is not ...}
        return {**inferred_statics(self), **declared}

    def declares_statics(self) -> bool:
        """Whether the suite declares which static values the class holds."""
        return type(self).static is not Suite.static

    def outputs(self) -> Sequence[Output]:
        """Return the outputs as declared, or as inferred from the example call."""
        return self.returns or inferred_outputs(self)

    def is_of(self, dtype: str | None, value: Any) -> bool:
        """Whether a result has a declared dtype. The dtype `float` includes that of `compute`."""
        computed = dtype == "float" and self.compute
        return has_dtype(value, dtype) or bool(computed and has_dtype(value, computed))

    def is_unused(self, path: str) -> bool:
        """Whether no result need depend on an array."""
        declared = self.declared(path)
        may_be_unused = declared is not None and (declared.unused or seems_unused(self, path))
        return may_be_unused or self.is_empty(path) or path in only_of_methods(self)

    def is_empty(self, path: str) -> bool:
        """Whether an array has no elements, so that no edit and no gradient can show."""
        return jnp.size(self.named(self.cached_instance()).get(path, 0)) == 0

    @pytest.fixture(autouse=True)
    def under_the_settings_of_all_laws(self, request: pytest.FixtureRequest) -> Iterator[None]:
        """Refuse a wrong platform before any work, and run the test under the settings of the laws."""
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
    """Freeze the objects that exist, and let the garbage collector run seldom.

    The threshold shows whether another test is under way. Counting frozen objects would be slow, and Python
    3.12 starts with some.
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
    """Return the inputs of the first example."""
    return suite.inputs(0)


def of_one_example(suite: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    """Replace functions among the inputs by those of the first example.

    An example may make a function anew each time, which is no fault of the class.
    """
    first = first_inputs(suite)
    known = {name: with_functions_of(first[name], value) for name, value in inputs.items() if name in first}
    return {**inputs, **{name: value for name, value in known.items() if value is not None}}


def takes_a_seed(build: Any) -> bool:
    """Whether a suite builds its class from a seed alone."""
    return list(inspect.signature(build).parameters)[1:] == ["seed"]


def filled(suite: Any, arguments: Sequence[Any], fill: float) -> list[Any]:
    """Fill the plain arrays among the arguments with one value, except the carry.

    An argument of one sign in all examples is kept for 0, and repeats its first element for 1.
    """
    kept = arguments_of_one_sign(suite) if fill in (0, 1) else frozenset[int]()
    filled = list(arguments)
    for i, (value, is_plain) in enumerate(zip(arguments, fillable(arguments, suite.carry))):
        if is_plain and (fill or i not in kept):
            filled[i] = on_device(np.full_like(value, np.ravel(value)[0] if i in kept else fill))
    return filled


@once_per_session
def arguments_of_one_sign(suite: Any) -> frozenset[int]:
    """Return the positions of float arguments with one sign in each example, such as a temperature.

    Zero may lie outside of their domain.
    """
    columns = enumerate(zip(*(suite.arguments(seed) for seed in range(EXAMPLES))))
    floats = ((i, column) for i, column in columns if all(map(is_floating, column)))
    return frozenset(i for i, column in floats if has_one_sign(np.concatenate([*map(np.ravel, column)])))
