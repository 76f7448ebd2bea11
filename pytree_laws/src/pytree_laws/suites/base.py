"""What suites of all kinds declare and share: examples, configurations, the call."""

import contextlib
import gc
import inspect
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import pytest

from ..declare.leaf_spec import Output
from ..declare.methods import Method
from ..declare.unread import refuse_unread
from ..discover.inference import inferred_outputs, inferred_statics
from ..engine.applicability import not_applicable
from ..engine.collection import session_in
from ..engine.law_sets import refuse_unknown_set
from ..engine.runner import cached_instance, first_build, first_call, stop_if_broken
from ..engine.summary import Collected, register_summary
from ..engine.timeout import Watch
from ..inspect.arrays import has_dtype
from ..inspect.references import snapshot
from ..inspect.trees import flatten, without_functions
from ..report import ADVICE, Law
from ..trace.programs import settings
from ..values.closeness import Tolerance, settle
from ..values.comparison import compare
from ..values.precision import tolerated


class Suite(Collected):
    """What suites of all kinds declare and share."""

    laws_by_number: ClassVar[Mapping[str, Law]] = {}
    laws: ClassVar[str] = ""  # the set that it was written for, as "0.2"; all without
    must_run: ClassVar[int] = 0  # how many of its tests a run must not leave out
    static: ClassVar[Mapping[str, Any]] = {}  # all, by path; `...` is any value
    other: ClassVar[Mapping[str, Any] | None] = None  # inputs of another configuration
    absent: ClassVar[Sequence[Mapping[str, Any]]] = ()  # inputs without optional parts
    rejected: ClassVar[Sequence[tuple[Mapping[str, Any], type[BaseException]]]] = ()
    accepted: ClassVar[Sequence[Mapping[str, Any]]] = ()  # changes that must be taken
    returns: ClassVar[Sequence[Output]] = ()  # (): those of the example call
    carry: ClassVar[int | None] = None  # which argument is carried by lax.scan
    methods: ClassVar[Sequence[Method]] = ()  # beside the call; others are found
    takes_dtype: ClassVar[bool] = False  # True: `dtype` is an input of the constructor
    drawn: ClassVar[Sequence[str]] = ()  # paths of what is drawn from the key
    kept: ClassVar[Sequence[str]] = ()  # inputs that are held as they are given
    used: ClassVar[Sequence[str]] = ()  # static values and buffers that the call needs
    copies_arrays: ClassVar[bool | None] = None  # False: it keeps what it is given
    ignores_key: ClassVar[bool] = False  # True: the example call draws nothing
    ignored: ClassVar[Sequence[str]] = ()  # arguments that the call may leave unused
    reuses_key: ClassVar[bool] = False  # True: a call makes one draw again
    shares_noise: ClassVar[bool] = False  # True: the rows of a batch have one noise
    strict: ClassVar[bool] = True  # False: the call may change precision on the way
    narrowest: ClassVar[str | None] = None  # the dtype that a call may narrow to
    compute: ClassVar[str | None] = None  # the dtype that it casts to what it reads
    uncast: ClassVar[Sequence[str]] = ()  # paths of what it reads as it is stored
    truncated: ClassVar[bool] = False  # True: gradients end at the carry
    broadcasts: ClassVar[bool] = True  # False: the call may not broadcast ranks
    dtypes: ClassVar[Sequence[str]] = ()  # those that it is used in besides the default
    tolerance: ClassVar[Tolerance] = None  # of numbers: one, or by dtype
    tries_configurations: ClassVar[bool] = True  # False: another suite does
    severity: ClassVar[str] = ADVICE  # the least that fails a test; below it warns
    time_limit: ClassVar[float] = 300.0  # seconds for each test
    skips: ClassVar[Sequence[str] | Mapping[str, str]] = ()
    """Parts of the names of tests that do not hold here, with reasons: `p17_: a twin is meant`."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        refuse_unread(cls)
        refuse_unknown_set(cls)
        if cls.narrowest is None and cls.compute is not None:
            cls.narrowest = cls.compute

    to_tree: ClassVar[Callable[..., Any]]  # a tree of its arrays, and the way back
    with_static: ClassVar[Callable[..., Any]]  # a copy with another static value

    def inputs(self, seed: int) -> dict[str, Any]:
        """Fresh keyword arguments of the constructor."""
        if takes_a_seed(type(self).build):
            return {"seed": seed}
        return {"key": jax.random.key(seed)}

    def build(self, **inputs: Any) -> Any:
        raise NotImplementedError(
            "say how the class is built: def build(self, seed), or inputs(self, seed) "
            "and build(self, **inputs)"
        )

    def arguments(self, seed: int) -> tuple[Any, ...]:
        """Fresh example arguments of the call."""
        return ()

    def call(self, instance: Any, *arguments: Any) -> Any:
        """The call: of the instance itself, where a suite says nothing else."""
        if not self.called():
            not_applicable("the class is not called")
        return instance(*arguments)

    def reference(self, instance: Any, *arguments: Any) -> Any:
        """The call in NumPy, of an instance and arguments that hold NumPy arrays."""
        raise NotImplementedError

    def loop(self, instance: Any, *arguments: Any) -> Any:
        """The call with a loop over single layers, `unstacked(instance.blocks)`, for its scan."""
        raise NotImplementedError

    def in_numpy(self, instance: Any) -> Any:
        """The instance with NumPy arrays, its floats in 64 bits."""
        raise NotImplementedError

    def built_abstractly(self, inputs: Mapping[str, Any]) -> Any:
        """An instance of these inputs whose values do not matter."""
        return self.build(**inputs)

    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`jax.jit` of a function of an instance and arguments."""
        raise NotImplementedError

    def close(self, left: Any, right: Any) -> Any:
        """Whether two values are equal up to `tolerance`; within `jax.jit`, too."""
        return compare(left, right, self.tolerance)

    def make(self, seed: int) -> Any:
        first_build(self)  # before any other, so that it sees what the first changes
        return self.build(**self.inputs(seed))

    def cached_instance(self, seed: int = 0) -> Any:
        """An instance for laws that only look at it, which is built once for all of them."""
        return cached_instance(self, seed)

    def make_other(self) -> Any:
        if self.other is None:
            not_applicable("no other configuration is declared")
        return self.build(**{**self.inputs(0), **self.other})

    def called(self) -> bool:
        own: Any = type(self)
        return own.call is not Suite.call or own.arguments is not Suite.arguments

    def need_call(self) -> None:
        """Skips where the class is not called, and stops where the example call fails."""
        if not self.called():
            not_applicable("the class is not called")
        stop_if_broken(self, "P7", "call", first_call(self).error)
        settle(lambda: tolerated(self))

    def example(self) -> tuple[Any, tuple[Any, ...]]:
        """An instance and arguments; skips where the class is not called."""
        self.need_call()
        return self.make(0), self.arguments(0)

    def cached_example(self) -> tuple[Any, tuple[Any, ...]]:
        """`example`, with the instance that all laws share which change nothing."""
        self.need_call()
        return self.cached_instance(), self.arguments(0)

    def is_empty(self, path: str) -> bool:
        """Whether an array has no elements, so that no edit and no gradient can show."""
        return jnp.size(self.named(self.cached_instance()).get(path, 0)) == 0

    def statics(self) -> dict[str, Any]:
        """The static configuration: as an instance has it, and as it is declared."""
        told = {path: value for path, value in self.static.items() if value is not ...}
        return {**inferred_statics(self), **told}

    def declares_statics(self) -> bool:
        """Whether the suite says itself which static values the class holds."""
        return type(self).static is not Suite.static

    def statics_of(self, instance: Any) -> Iterator[tuple[str, Any]]:
        """The static values that an instance holds, by path."""
        raise NotImplementedError

    def outputs(self) -> Sequence[Output]:
        """The outputs as they are declared, or as the example call has them."""
        return self.returns or inferred_outputs(self)

    def is_of(self, dtype: str | None, value: Any) -> bool:
        """Whether a result has a declared dtype; where the call computes in another, a float may have that."""
        computed = dtype == "float" and self.compute
        return has_dtype(value, dtype) or bool(computed and has_dtype(value, computed))

    def traced_outputs(self) -> Sequence[Any]:
        """The outputs of the example call, in shapes and dtypes."""
        return self.traced_call().out_avals

    def written_manifest(self) -> str:
        """The arrays of an instance, as a suite declares them."""
        raise NotImplementedError

    def declares_arrays(self) -> bool:
        """Whether the suite says itself which arrays the class holds."""
        raise NotImplementedError

    def declared(self, path: str) -> Any:
        """What is declared of a path; None where nothing is."""
        return None

    def fixed_values(self) -> dict[str, Any]:
        """What is declared to hold the same value in every instance, by path."""
        return {}

    def plain_inputs(self, seed: int) -> dict[str, Any]:
        """The inputs that belong to the caller."""
        return self.inputs(seed)

    def apply(self, instance: Any, *arguments: Any) -> Any:
        """A call on a copy of its arguments, which it may use up (as an eqx.nn.State)."""
        leaves, treedef = flatten(arguments)
        return without_functions(self.call(instance, *treedef.unflatten(leaves)))

    def traced_call(self) -> Any:
        """The jaxpr of the call on the arrays of an instance and the arguments."""
        raise NotImplementedError

    def named(self, instance: Any) -> dict[str, Any]:
        """The arrays that an instance holds, by path."""
        raise NotImplementedError

    def snapshot_of(self, instance: Any) -> Any:
        """All that an instance holds, to compare with ==."""
        return snapshot(instance)

    def call_cases(self) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
        """Fresh instances of one configuration, each with other arguments."""
        for seed in range(3):
            yield f"call {seed + 1}", self.make(seed), self.arguments(seed)

    # What P18 lowers for other platforms.

    def call_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The call as a function of pytrees of arrays, and what to give it."""
        raise NotImplementedError

    def gradient_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The gradient of a loss over the call, and what to give it."""
        raise NotImplementedError

    @pytest.fixture(autouse=True)
    def under_the_settings_of_all_laws(self, request: pytest.FixtureRequest) -> Iterator[None]:
        register_summary(request.config)
        self.session = session_in(request.config)
        capture: Any = request.config.pluginmanager.getplugin("capturemanager")
        release = capture.suspend_global_capture if capture else None
        self.session.of(Watch).release = release
        with settings(), collecting_garbage_seldom():
            yield


@contextlib.contextmanager
def collecting_garbage_seldom() -> Generator[None, None, None]:
    """Has the garbage collector leave alone what is there already, and wait longer: a trace makes many objects."""
    before, is_frozen = gc.get_threshold(), gc.get_freeze_count() > 0
    gc.freeze()
    gc.set_threshold(10_000)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not is_frozen:
            gc.unfreeze()


def takes_a_seed(build: Any) -> bool:
    """Whether a suite builds its class from a seed alone."""
    return list(inspect.signature(build).parameters)[1:] == ["seed"]
