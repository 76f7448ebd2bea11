"""P15, of the constructor in each configuration: no key serves two draws."""

from collections.abc import Iterator
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
    """The constructor in each configuration that draws otherwise: its name, its jaxpr, and what goes into that."""
    seen: set[str] = set()
    for configuration in _configurations(subject):
        build, inputs = subject.traceable_build(configuration.inputs)
        try:
            closed = jax.make_jaxpr(lambda *values, build=build: arrays_of(build(values)))(*inputs)
        except ANY_ERROR:  # it needs values, or P1 tells
            continue
        steps = [_step(equation) for equation in equations(closed.jaxpr)]
        if draws_of(closed.jaxpr) and str(steps) not in seen:
            seen.add(str(steps))
            yield inputs_as_text(configuration), closed, inputs


def _step(equation: Any) -> tuple[Any, ...]:
    """What an equation does with keys: other sizes alone make no other use of them."""
    return equation.primitive.name, equation.params.get("start_indices")


def _configurations(subject: PytreeSuite) -> Iterator[Configuration]:
    """The example, each value of each flag of the constructor alone, and one more of each number."""
    counts = {name: v + 1 for name, v in subject.inputs(0).items() if type(v) is int and v > 0}
    trials = traced_configurations(subject)
    yield Configuration()
    for trial in trials:
        if len(trial.configuration.inputs) == trial.configuration.size == 1 and trial.instance is not None:
            yield trial.configuration
    yield from (Configuration(inputs={name: count}) for name, count in counts.items())
