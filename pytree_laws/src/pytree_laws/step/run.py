"""Steps that run once for all laws: states, compilations and losses."""

import contextlib
import dataclasses
import functools
import warnings
from collections.abc import Generator
from typing import Any

import jax
import jax.monitoring
import numpy as np

from ..inspect.arrays import is_array, raw
from ..report import result_or_error
from ..snapshot.numbers import PATTERNS
from ..values.edge_values import rounded
from .states import Opened, opened, signature, values
from .suite import StepSuite

_COMPILED = "/jax/core/compile/backend_compile_duration"


@dataclasses.dataclass(frozen=True)
class Taken:
    """State after a step, the functions that jax compiled for it, and its loss."""

    signature: dict[str, str]
    values: dict[str, np.ndarray]
    compiled: list[str]
    loss: float | None


class StepRun:
    """Steps of a suite. Each starts from copies, so that donation deletes no array in use elsewhere."""

    def __init__(self, suite: StepSuite) -> None:
        self.suite = suite

    @functools.cached_property
    def start(self) -> Opened:
        """Initial state."""
        return opened(self.suite.state(0))

    @functools.cached_property
    def batches(self) -> tuple[Any, Any]:
        """Two batches."""
        return self.suite.batch(0), self.suite.batch(1)

    def once(self, state: Any, batch: Any) -> tuple[Any, Any]:
        """Take a step, and return the next state and the loss."""
        result = self.suite.step(state, batch)
        return self.suite.next_state(state, result), self.suite.loss(state, result)

    @functools.cached_property
    def builds(self) -> bool:
        """Whether the suite can build a state and a batch."""
        return not isinstance(result_or_error(lambda: (self.start, self.batches)), Exception)

    @functools.cached_property
    def error(self) -> Exception | None:
        """Error of the first step, or None."""
        result = result_or_error(lambda: self.once(self.start.copied(), self.batches[0]))
        return result if isinstance(result, Exception) else None

    @functools.cached_property
    def before(self) -> Taken:
        """State before all steps."""
        state = self.start.copied()
        return Taken(signature(state), values(state), [], None)

    @functools.cached_property
    def taken(self) -> list[Taken]:
        """Steps on both batches in turn."""
        state, steps = self.start.copied(), []
        for number in range(self.suite.steps):
            state, step = self._take(state, self.batches[number % 2])
            steps.append(step)
        self.last = state
        return steps

    def _take(self, state: Any, batch: Any) -> tuple[Any, Taken]:
        # Donation, of which the warnings are, has its own law.
        with compilations() as compiled, warnings.catch_warnings(action="ignore"):
            after, loss = jax.block_until_ready(self.once(state, batch))
        lost = None if loss is None else float(raw(loss))
        return after, Taken(signature(after), values(after), list(compiled), lost)

    def after_loading(self) -> Taken:
        """Take another step, from a new state filled with the last values."""
        self.taken  # noqa: B018
        built, last = opened(self.suite.state(0)), opened(self.last).leaves
        filled = {n: last.get(n, leaf) if is_array(leaf) else leaf for n, leaf in built.leaves.items()}
        return self._take(Opened(filled, built.rebuild).copied(), self.batches[0])[1]

    def step_from_start(self, batch: int = 0, pattern: int | None = None) -> dict[str, np.ndarray]:
        """Return the arrays after one step from the initial state.

        A `pattern` changes the last bits of the batch.
        """
        given = self.batches[batch]
        after, _ = self.once(self.start.copied(), given if pattern is None else rounded(given, pattern, by=2))
        return values(after)

    @functools.cached_property
    def rounded_from_start(self) -> list[dict[str, np.ndarray]]:
        """Arrays after one step from the initial state, for batches with changed last bits."""
        return [self.step_from_start(pattern=pattern) for pattern in PATTERNS]

    def losses(self) -> list[float]:
        """Return the losses of many steps on the first batch."""
        state, losses = self.start.copied(), []
        for _ in range(self.suite.loss_steps):
            state, taken = self._take(state, self.batches[0])
            losses += [] if taken.loss is None else [taken.loss]
        return losses

    @functools.cached_property
    def second(self) -> Opened:
        """State after one step, in which `jax.jit` has turned Python numbers into arrays."""
        after, _ = self.once(self.start.copied(), self.batches[0])
        return opened(after)

    @functools.cached_property
    def arrays(self) -> dict[str, Any]:
        """Arrays of the second state and of the batch, which a traced step takes."""
        return self.second.arrays() | {f"batch.{n}": v for n, v in opened(self.batches[0]).arrays().items()}

    def pure(self, arrays: dict[str, Any]) -> dict[str, Any]:
        """Take a step as a function of arrays by path, and return the next arrays and the loss."""
        batch = opened(self.batches[0])
        state = [arrays.get(n, v) for n, v in self.second.leaves.items()]
        batch_leaves = [arrays.get(f"batch.{n}", v) for n, v in batch.leaves.items()]
        after, loss = self.once(self.second.rebuild(state), batch.rebuild(batch_leaves))
        return opened(after).arrays() | ({} if loss is None else {"the loss": loss})

    @functools.cached_property
    def jaxpr(self) -> Any:
        """Jaxpr of one step on arrays in the order of their paths, or the error of tracing it."""
        return result_or_error(lambda: jax.make_jaxpr(self.pure)(self.arrays))


@contextlib.contextmanager
def compilations() -> Generator[list[str]]:
    """Collect the name of each function that jax compiles within the block."""
    names: list[str] = []
    unregister = getattr(jax.monitoring, "unregister_event_duration_listener", None)
    is_within = True

    def listen(event: str, duration_secs: float, **facts: Any) -> None:
        if event == _COMPILED and is_within:
            name = str(facts.get("fun_name", "a function"))
            names.append(name.removeprefix("jit(").removesuffix(")"))

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield names
    finally:
        is_within = False  # before jax 0.8 a listener stays
        if unregister is not None:
            unregister(listen)
