"""P15, of the constructor in each configuration: no key serves two draws."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ...discover.configurations import Configuration, traced_configurations
from ...engine.applicability import TAKES_KEYS, not_applicable
from ...engine.registry import Checks
from ...inspect.arrays import is_key
from ...inspect.trees import named_arrays
from ...kinds.pytree import PytreeSuite
from ...report import ADVICE, ANY_ERROR, check, result_or_error
from ...trace.drawn_keys import drawn_in_part, drawn_names, keys_used, repeated_keys, text_of, trace_named
from ...trace.jaxprs import draws_of, equations, live_part, repeated_draws
from ...values.randomize import check_rows_differ, perturb_leaf

CHECKS = Checks()
Inputs = Mapping[str, Any]


@CHECKS.register(TAKES_KEYS, severity=ADVICE)
def test_p15_each_draw_has_a_key_of_its_own_in_each_configuration(subject: PytreeSuite) -> None:
    builds = list(_builds(subject))
    if not builds or any(repeated_draws(builds[0].closed.jaxpr)):
        not_applicable("the example itself has one key for two draws, or cannot be traced")
    for build, uses in zip(builds, keys_used([(build.closed, build.inputs) for build in builds])):
        if isinstance(uses, Exception):
            continue
        repeated = repeated_keys(uses)
        names = drawn_names(build.closed.jaxpr, {*itertools.chain(*repeated)}, build.names)
        hint = "one key split per consumer, and no key in two slices of them"
        check(not repeated, f"build{build.where}", f"one key serves {text_of(uses, repeated)}{names}", hint)
        # The rows of the example have a check of their own.
        if build.where and any(drawn_in_part(build.closed, uses)):
            _check_rows(build)


class Build(NamedTuple):
    """The constructor in one configuration."""

    where: str
    run: Callable[..., Any]
    closed: Any
    inputs: list[Any]
    names: list[str]
    """Paths of the arrays that the constructor makes."""


def _check_rows(build: Build) -> None:
    """Check that no array of a configuration repeats one row."""
    other = [perturb_leaf(v) if is_key(v) else v for v in build.inputs]
    built = [result_or_error(build.run, inputs) for inputs in (build.inputs, other)]
    if not any(isinstance(instance, Exception) for instance in built):
        first, second = (dict(named_arrays(instance)) for instance in built)
        check_rows_differ(first, second, build.where)


def _builds(subject: PytreeSuite) -> Iterator[Build]:
    """Yield the constructor in each configuration that draws differently.

    Flags and numbers that change the draws alone are then combined: a second layer in a scan needs both.
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


def _new_build(subject: PytreeSuite, inputs: Inputs, seen: set[str]) -> Iterator[Build]:
    """Yield the constructor with changed inputs, if its use of keys is new."""
    build, arrays = subject.traceable_build(inputs)
    try:
        closed, names = trace_named(lambda *values: build(values), *arrays)
    except ANY_ERROR:  # it needs values, or P1 tells
        return
    closed = live_part(closed)
    # A second row is drawn otherwise than the first; more rows are drawn as two are.
    ranks = [[min(size, 2) for size in output.shape] for output in closed.out_avals]
    # Other sizes alone make no other use of keys.
    uses = [(each.primitive.name, each.params.get("start_indices")) for each in equations(closed.jaxpr)]
    steps = str([ranks, *uses])
    if draws_of(closed.jaxpr) and steps not in seen:
        seen.add(steps)
        yield Build(Configuration(inputs=inputs).built_with, build, closed, arrays, names)


def _alone(subject: PytreeSuite) -> tuple[list[Inputs], list[Inputs]]:
    """Return the example and inputs with one changed flag, and inputs with one number increased."""
    flags = [
        trial.configuration.inputs
        for trial in traced_configurations(subject)
        if len(trial.configuration.inputs) == trial.configuration.size == 1 and trial.instance is not None
    ]
    counts: list[Inputs] = [
        {name: v + 1} for name, v in subject.inputs(0).items() if type(v) is int and v > 0
    ]
    return [{}, *flags], counts
