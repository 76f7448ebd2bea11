"""Record of sequences of uses, each of which starts from the result of the use before it."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.extend.core
import numpy as np

from ..declare.methods import SELF
from ..inspect.arrays import is_array, is_inexact, is_key, stack_leaves
from ..inspect.trees import (
    arrays_of,
    combine,
    named_leaves,
    named_numbers,
    new_carry,
    next_of,
    partition,
    remade,
    without_functions,
)
from ..report import result_or_error
from ..trace.dependencies import inputs_computed_with
from ..trace.jaxprs import loops_by_values
from ..trace.programs import jit_all
from ..values.optimisation import weighted_sum
from .format import Entry, finite_entries

OVER_STEPS = "over several steps"
LEAST_STEPS = 3
MOST_STEPS = 16
BEYOND = 2  # steps after which a cache with a place for each step is full


class Repeated(NamedTuple):
    """A use that passes a carry to the next use."""

    name: str
    use: Callable[..., Any]
    arguments: Callable[[int], Sequence[Any]]
    """Function from a seed to the arguments without the carry."""
    place: int | None = None
    """Position of the carry among the arguments, or None if only the instance is carried."""
    begin: Any = ()
    gives_instance: bool = False


class Steps(NamedTuple):
    """A repeated use as a function of flat arrays: the carry, and the arguments of a step."""

    name: str
    jaxpr: Any
    outputs: list[str]
    carried: list[tuple[str, Any]]
    given: list[tuple[str, Any]]
    """Arguments of all steps, stacked."""
    length: int
    learns: bool
    """Whether gradients through the steps are recorded, unless a step is a training step itself."""

    def run(self, carried: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
        """Return the outputs of all steps."""
        step, carries = jax.extend.core.jaxpr_as_fun(self.jaxpr), len(self.carried)

        def advance(carry: Sequence[Any], arrays: Sequence[Any]) -> tuple[list[Any], list[Any]]:
            results = step(*carry, *arrays)
            return results[:carries], results[carries:]

        return jax.lax.scan(advance, list(carried), list(arguments), length=self.length)[1]


def sequences_of(suite: Any) -> Iterator[Steps]:
    """Yield each repeated use that can be traced, and in which a step depends on the step before it."""
    for repeated in _repeated(suite):
        steps = result_or_error(_steps, suite, repeated)
        if isinstance(steps, Steps):  # P11 says why what raises cannot be carried
            yield steps


def _repeated(suite: Any) -> Iterator[Repeated]:
    if suite.called():
        place, begin = suite.carried_argument()
        yield Repeated(
            "call",
            suite.call,
            lambda seed: [v for i, v in enumerate(suite.arguments(seed)) if i != place],
            place,
            begin,
        )
    for method in suite.methods:
        if method.state_at is not None:
            begin = suite.state(0)
            yield Repeated(method.name, method.use, method.arguments, method.state_at, begin)
        elif (method.carry == SELF or suite.is_mutable) and not method.needs_values:
            carries = method.carry == SELF
            yield Repeated(method.name, method.use, method.arguments, gives_instance=carries)


def _steps(suite: Any, repeated: Repeated) -> Steps | None:
    instance = suite.elsewhere(suite.cached_instance())
    value, back = suite.to_arrays(instance)
    carry = value, repeated.begin
    steps = _count(carry)
    static, first, inputs = _given(repeated, steps)

    def advance(carry: Any, arrays: Sequence[Any]) -> Any:
        value, carried = carry
        return _advance(suite, repeated, back(value), carried, combine(static, arrays))

    jaxpr, (_, outputs) = jax.make_jaxpr(advance, return_shape=True)(carry, first)
    count = len(jax.tree.leaves(carry))
    pairs = zip(jaxpr.jaxpr.outvars[:count], jaxpr.jaxpr.invars)
    is_step = any(new is not old for new, old in pairs) and any(inputs_computed_with(jaxpr.jaxpr)[:count])
    if not is_step or loops_by_values(jaxpr.jaxpr):
        return None  # nothing changes on the way, or all begins anew; or by other numbers it might never end
    arguments = [path for path, v in named_leaves(combine(static, inputs)) if is_array(v)]
    learns = suite.is_mutable or repeated.place is not None or repeated.gives_instance
    named = list(zip((f"argument {path}" for path in arguments), inputs))
    return Steps(
        repeated.name, jaxpr, sorted(outputs), _carried(suite, instance, carry), named, steps, learns
    )


def _carried(suite: Any, instance: Any, carry: Any) -> list[tuple[str, Any]]:
    """Name the arrays of the carry: by path in the instance, and by number beside it."""
    names = list(suite.named(instance))
    rest = [f"carry {i}" for i in range(len(jax.tree.leaves(carry)) - len(names))]
    return list(zip([*names, *rest], jax.tree.leaves(carry), strict=True))


def _count(carry: Any) -> int:
    """Return the number of steps that fill every array of the carry, and a few more."""
    sizes = [size for v in arrays_of(carry) for size in v.shape if size + BEYOND <= MOST_STEPS]
    return max([LEAST_STEPS, *(size + BEYOND for size in sizes)])


def _given(repeated: Repeated, count: int) -> tuple[Any, list[Any], list[Any]]:
    """Return the static part of the arguments, the arrays of the first step, and stacked arrays of all."""
    halves = [partition(tuple(repeated.arguments(seed))) for seed in range(count)]
    static, first = halves[0]
    return static, first, [stack_leaves(*arrays) for arrays in zip(*(arrays for _, arrays in halves))]


def _advance(suite: Any, repeated: Repeated, instance: Any, carried: Any, step_arguments: Any) -> Any:
    """Return the carry for the next step, and the results and changes of this step by name."""
    arguments, before = list(step_arguments), dict(suite.changed_in_place(instance))
    if repeated.place is not None:
        arguments.insert(repeated.place, remade(carried))  # a state is used up
    result = without_functions(repeated.use(instance, *arguments))
    after = dict(suite.changed_in_place(instance)).items()
    changed = {f"after {repeated.name} {name}": v for name, v in after if v is not before.get(name)}
    if repeated.place is not None:
        carried = new_carry(result, carried) if is_array(carried) else next_of(carried, result)
    following = new_carry(result, instance) if repeated.gives_instance else next_of(instance, result)
    value = suite.to_arrays(instance if following is None else following)[0]
    return (value, carried), {**named_numbers(repeated.name, result), **changed}


Program = Callable[[Sequence[Any], Sequence[Any]], dict[str, Any]]
"""Function from the initial carry and the arguments of all steps to arrays by name."""


def of_sequences(suite: Any) -> dict[str, Entry]:
    """Return entries of the results and changes of the last step, and of gradients through all steps."""
    with warnings.catch_warnings(action="ignore"):
        sequences = list(sequences_of(suite))
        pairs = [(_at_the_end(steps), steps) for steps in sequences]
        pairs += [(_gradients(steps), steps) for steps in sequences if steps.learns]
        inputs = [([v for _, v in steps.carried], [v for _, v in steps.given]) for _, steps in pairs]
        results = jit_all([run for run, _ in pairs])(inputs)
    named = [pair for result in results if isinstance(result, dict) for pair in result.items()]
    return finite_entries({name: np.asarray(v) for name, v in named if not is_key(v)})


def _at_the_end(steps: Steps) -> Program:
    """Return a program that gives the outputs of the last step."""

    def run(carried: Sequence[Any], arguments: Sequence[Any]) -> dict[str, Any]:
        return {name: v[-1] for name, v in zip(steps.outputs, steps.run(carried, arguments))}

    return run


def _gradients(steps: Steps) -> Program:
    """Return a program that gives gradients through all steps by the initial carry and the arguments."""

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
