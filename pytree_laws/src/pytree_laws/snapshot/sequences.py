"""What a class gives after several steps, each from what the last one left, as a record has it."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from ..discover.sequences import Steps, sequences_of
from ..inspect.arrays import is_inexact, is_key
from ..trace.programs import jit_all
from ..values.optimisation import weighted_sum
from .format import Entry, finite_entries

OVER_STEPS = "over several steps"
Program = Callable[[Sequence[Any], Sequence[Any]], dict[str, Any]]
"""Arrays by name, from what is carried at the start and the arguments of all steps."""


def of_sequences(suite: Any) -> dict[str, Entry]:
    """Entries of what the last step gives and leaves, and of the gradients through all steps."""
    with warnings.catch_warnings(action="ignore"):
        sequences = list(sequences_of(suite))
        pairs = [(_at_the_end(steps), steps) for steps in sequences]
        pairs += [(_gradients(steps), steps) for steps in sequences if steps.learns]
        inputs = [([v for _, v in steps.carried], [v for _, v in steps.given]) for _, steps in pairs]
        results = jit_all([run for run, _ in pairs])(inputs)
    named = [pair for result in results if isinstance(result, dict) for pair in result.items()]
    return finite_entries({name: np.asarray(v) for name, v in named if not is_key(v)})


def _at_the_end(steps: Steps) -> Program:
    """What the last step gives."""

    def run(carried: Sequence[Any], arguments: Sequence[Any]) -> dict[str, Any]:
        return {name: v[-1] for name, v in zip(steps.outputs, steps.run(carried, arguments))}

    return run


def _gradients(steps: Steps) -> Program:
    """The gradients of a loss over what all steps give, by what is carried at the start, and by all arguments."""

    def run(carried: Sequence[Any], arguments: Sequence[Any]) -> dict[str, Any]:
        names = [name for name, _ in (*steps.carried, *steps.given)]
        every, count = [*carried, *arguments], len(carried)
        places = [i for i, v in enumerate(every) if is_inexact(v)]

        def loss(values: Sequence[Any]) -> Any:
            moved = dict(zip(places, values))
            arrays = [moved.get(i, v) for i, v in enumerate(every)]
            return weighted_sum(steps.run(arrays[:count], arrays[count:]))

        slopes = jax.grad(loss)([every[i] for i in places])
        return {f"gradient of {steps.name} by {names[i]}": slope for i, slope in zip(places, slopes)}

    return run
