"""Evaluation of a program equation by equation, to find where a difference is lost, or a value made."""

from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple

from ..report import or_else
from .jaxprs import is_variable, line_of


class Step(NamedTuple):
    """An equation with the values of its inputs and results."""

    equation: Any
    inputs: Sequence[Any]
    results: Sequence[Any]
    outer: Any
    """Equation of the outermost jitted function around the step, or the equation itself."""


Known = dict[tuple[Any, ...], tuple[Sequence[Any], Sequence[Any]]]
"""Results of equations by inputs. The inputs are stored, since an id is valid only while its object lives."""


def steps(
    jaxpr: Any, consts: Sequence[Any], arguments: Sequence[Any], known: Known, outer: Any = None
) -> Generator[Step, None, list[Any]]:
    """Yield the evaluated equations of a jaxpr and its jitted functions, and return its outputs.

    A loop or a branch is a single step.
    """
    values = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *arguments)))

    def read(atom: Any) -> Any:
        return values[atom] if is_variable(atom) else atom.val

    for equation in jaxpr.eqns:
        inputs = [read(atom) for atom in equation.invars]
        if equation.primitive.name in ("jit", "pjit"):
            inner = equation.params["jaxpr"]
            results: Sequence[Any] = yield from steps(
                inner.jaxpr, inner.consts, inputs, known, outer or equation
            )
        else:
            results = _computed_once(equation, inputs, known)
            yield Step(equation, inputs, results, outer or equation)
        values.update(zip(equation.outvars, results))
    return [read(atom) for atom in jaxpr.outvars]


def _computed_once(equation: Any, inputs: Sequence[Any], known: Known) -> Sequence[Any]:
    """Evaluate an equation once for all equal equations.

    XLA would not merge loops, and splitting a key is a loop.
    """
    read = [id(value) if is_variable(atom) else repr(value) for atom, value in zip(equation.invars, inputs)]
    place = equation.primitive.name, str(equation.params), *read
    if place not in known:
        bound = equation.primitive.get_bind_params(equation.params)
        # Before jax 0.8 the functions of an equation come beside its parameters.
        functions, params = bound if isinstance(bound, tuple) else ((), bound)
        results = equation.primitive.bind(*functions, *inputs, **params)
        known[place] = inputs, results if equation.primitive.multiple_results else [results]
    return known[place][1]


def cancels(closed: Any, before: Sequence[Any], after: Sequence[Any], differ: Callable[..., bool]) -> bool:
    """Whether a difference of inputs cancels, such as a common scale in shares of a sum.

    Every equation that loses the difference then takes it twice. A product with zero, or a choice, takes it
    once.
    """
    ways = (steps(closed.jaxpr, closed.consts, inputs, {}) for inputs in (before, after))
    lost: list[int] = []
    for old, new in zip(*ways, strict=True):
        others = sum(differ([left], [right]) for left, right in zip(old.inputs, new.inputs, strict=True))
        if others and not differ(old.results, new.results):
            lost.append(others)
    return bool(lost) and min(lost) > 1


@or_else("")  # an equation cannot be evaluated alone
def line_that_makes(is_wrong: Callable[[Any], bool], closed: Any, arguments: Sequence[Any]) -> str:
    """Return the line of the class that makes the first wrong value behind an output, or an empty text.

    A NaN that `jnp.where` drops is behind no output.
    """
    made: dict[int, Step] = {}
    wrong: list[Any] = []

    def run() -> Generator[Step, None, None]:
        outputs = yield from steps(closed.jaxpr, closed.consts, arguments, {})
        wrong[:] = filter(is_wrong, outputs)

    for step in run():
        made |= {id(result): step for result in step.results}
    line = ""
    while wrong and (step := made.get(id(wrong[0]))) is not None:
        line = line_of(step.equation) or line_of(step.outer) or line
        wrong = [value for value in step.inputs if is_wrong(value)]
    return line
