"""P15, of the constructor in each configuration: no key serves two draws."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import jax

from ...discover.configuration_names import inputs_as_text
from ...discover.configurations import Configuration, traced_configurations
from ...engine.applicability import not_applicable
from ...engine.registry import Checks
from ...inspect.trees import arrays_of
from ...kinds.pytree import PytreeSuite
from ...report import ADVICE, ANY_ERROR, check
from ...trace.drawn_keys import program_of_keys, repeated_keys
from ...trace.jaxprs import draws_of, equations, repeated_draws
from ...trace.programs import run_batched

CHECKS = Checks()
Inputs = Mapping[str, Any]


@CHECKS.register(severity=ADVICE)
def test_p15_each_draw_has_a_key_of_its_own_in_each_configuration(subject: PytreeSuite) -> None:
    if not subject.takes_keys():
        not_applicable("the constructor takes no key")
    builds = list(_builds(subject))
    if not builds or any(repeated_draws(builds[0][1].jaxpr)):
        not_applicable("the example itself has one key for two draws, or cannot be traced")
    programs = [program_of_keys(closed) for _, closed, _ in builds]
    results = run_batched([(run, inputs) for (run, _), (*_, inputs) in zip(programs, builds)])
    for (where, *_), (_, uses), keys in zip(builds, programs, results):
        repeated = [] if isinstance(keys, Exception) else repeated_keys(uses, keys)
        message = f"one key serves {'; '.join(repeated)}"
        hint = "one key split per consumer, and no key in two slices of them"
        check(not repeated, f"build{where}", message, hint)


def _builds(subject: PytreeSuite) -> Iterator[tuple[str, Any, list[Any]]]:
    """The constructor in each configuration that draws otherwise: its name, its jaxpr, and what goes into that.

    Flags and numbers that change it alone are tried together: a second layer that is scanned over needs both.
    """
    seen: set[str] = set()
    changing: tuple[list[Inputs], list[Inputs]] = [], []
    for place, configurations in enumerate(_alone(subject)):
        for inputs in configurations:
            for build in _new_build(subject, inputs, seen):
                changing[place].append(inputs)
                yield build
    for flag, count in itertools.product(*changing):
        if flag and flag.keys() != count.keys():
            yield from _new_build(subject, {**flag, **count}, seen)


def _new_build(subject: PytreeSuite, inputs: Inputs, seen: set[str]) -> Iterator[tuple[str, Any, list[Any]]]:
    """The constructor with changed inputs, where it does with keys what it did not do before."""
    build, arrays = subject.traceable_build(inputs)
    try:
        closed = jax.make_jaxpr(lambda *values: arrays_of(build(values)))(*arrays)
    except ANY_ERROR:  # it needs values, or P1 tells
        return
    steps = str([_step(equation) for equation in equations(closed.jaxpr)])
    if draws_of(closed.jaxpr) and steps not in seen:
        seen.add(steps)
        yield inputs_as_text(Configuration(inputs=inputs)), closed, arrays


def _step(equation: Any) -> tuple[Any, ...]:
    """What an equation does with keys: other sizes alone make no other use of them."""
    return equation.primitive.name, equation.params.get("start_indices")


def _alone(subject: PytreeSuite) -> tuple[list[Inputs], list[Inputs]]:
    """The example and each value of each flag of the constructor, and one more of each number."""
    flags = [
        trial.configuration.inputs
        for trial in traced_configurations(subject)
        if len(trial.configuration.inputs) == trial.configuration.size == 1 and trial.instance is not None
    ]
    counts: list[Inputs] = [
        {name: v + 1} for name, v in subject.inputs(0).items() if type(v) is int and v > 0
    ]
    return [{}, *flags], counts
