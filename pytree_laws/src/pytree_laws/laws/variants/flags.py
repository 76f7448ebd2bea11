"""Laws of flags and options: each matters, and leaves out what is declared."""

import contextlib
import warnings
from collections.abc import Mapping
from typing import Any

import jax

from ...discover.configurations import (
    Configuration,
    TracedConfiguration,
    trace_configuration,
    traced_configurations,
)
from ...discover.evaluation import on_purpose
from ...discover.invocation import build_with, example_construction, given_to_constructor, trace_call
from ...discover.likely import SOME, at_likely_values
from ...discover.method_programs import traced_methods
from ...discover.method_uses import computed_text, is_flag, trace_use, uses_by_flag
from ...engine.applicability import ARRAYS_DECLARED, CALLED, METHODS, Condition, declares, need
from ...engine.registry import Checks
from ...inspect.branches import strings_of_attribute
from ...inspect.parameter_values import literal_values
from ...inspect.trees import look_up, structure, under_any
from ...kinds.suite import Suite
from ...report import ADVICE, check
from ...trace.program_texts import live_text

CHECKS = Checks()
STATICS = Condition("no static value is declared", lambda suite: bool(suite.static))
IDLE = "at each of its values the same is computed"


# An option without a use computes nothing that is wrong, and may be that of an interface.
@CHECKS.register(ARRAYS_DECLARED, CALLED, severity=ADVICE)
def test_p08_every_flag_of_the_call_matters(subject: Suite) -> None:
    if traced_configurations(subject)[0].trace is None:
        return  # the call cannot be traced, as P6 says
    traced_by_key = {_key(traced.configuration): traced for traced in traced_configurations(subject)}
    given = [pair for traced in traced_by_key.values() for pair in traced.configuration.given.items()]
    for name in sorted({name for name, value in given if is_flag(value)}):
        with_flag = [value for value in traced_by_key.values() if name in value.configuration.given]
        pairs = ((traced, traced_by_key.get(_key(traced.configuration, name))) for traced in with_flag)
        matters = any(_differ(subject, *pair) for pair in pairs) or _matters_at_rates(subject, name)
        _check(subject, "call", name, matters)


@CHECKS.register(ARRAYS_DECLARED, METHODS, severity=ADVICE)
def test_p08_every_flag_of_a_method_matters(subject: Suite) -> None:
    for method in traced_methods(subject, declared=True):
        likely = uses_by_flag(subject, method, at_likely_values)
        for name, uses in {**likely, **uses_by_flag(subject, method)}.items():
            pairs = [[trace_use(subject, use) for use in each] for each in uses]
            # What raises is another thing, too.
            texts = [
                {trace and f"{computed_text(trace)} {trace.treedef}" for trace in each} for each in pairs
            ]
            _check(subject, method.name, name, any(len(each) > 1 for each in texts))


@CHECKS.register(STATICS)
def test_p08_a_text_is_told_apart_by_what_it_may_be(subject: Suite) -> None:
    cls = type(subject.cached_instance())
    names = [name for name in subject.static if any(type(v) is str for v in literal_values(cls, name))]
    need(names, "no field is one of several texts")
    for name in names:
        values = literal_values(cls, name)
        strange = [text for text in strings_of_attribute(cls, name) if text not in values]
        message = f"the class tells it apart by {', '.join(map(repr, strange))}, which it never is"
        check(not strange, name, message, f"one of {', '.join(map(repr, values))}")


def _check(subject: Suite, where: str, name: str, matters: bool) -> None:
    check(matters or name in subject.ignored, f"{where}({name})", IDLE, on_purpose([name]))


def _matters_at_rates(subject: Suite, name: str) -> bool:
    """Whether a flag matters once rates are not 0, which is the default rate of many dropouts."""
    maker = example_construction(subject)
    numbers = {part: maker.given[part] for part in maker.varied()} if maker else {}
    rates = {part: SOME[float] for part, value in numbers.items() if type(value) is float and value == 0}
    configurations = (Configuration(inputs=rates, given={name: value}) for value in (False, True))
    return bool(rates) and _differ(subject, *(trace_configuration(subject, each) for each in configurations))


def _key(configuration: Configuration, without: str = "") -> str:
    arguments = {name: v for name, v in configuration.given.items() if name != without}
    return Configuration(configuration.inputs, arguments, configuration.leaves).name


def _differ(subject: Suite, traced: TracedConfiguration, other: TracedConfiguration | None) -> bool:
    """Whether the traces of two configurations differ, in their results or updates."""
    if other is None:
        return False
    if traced.trace is None or other.trace is None:
        return (traced.error is None) != (other.error is None)
    if _text(traced.trace) != _text(other.trace):
        return True
    return subject.is_mutable and _changes(subject, traced) != _changes(subject, other)


def _changes(subject: Suite, traced: TracedConfiguration) -> str:
    """Return as text what the call computes, with its updates of a module's state."""
    instance = subject.copied(traced.instance)
    return _text(trace_call(traced.suite, instance, traced.configuration.given, after=True)[0])


def _text(trace: Any) -> str:
    """Return as text what the call computes, and the structure of the result.

    The structure includes the settings of a module that the call makes.
    """
    closed, form = trace
    return f"{live_text(closed)} {structure(form)}"


@CHECKS.register(declares("left_out", "no flag is declared to leave anything out"))
def test_p02_each_flag_leaves_out_what_is_declared(subject: Suite) -> None:
    flags = {path: name for name, paths in subject.left_out.items() for path in paths}
    usual = _paths(subject, subject.cached_instance(), flags)
    for traced in traced_configurations(subject)[1:]:
        inputs = traced.configuration.inputs
        if traced.instance is None or not inputs or not inputs.keys() <= subject.left_out.keys():
            continue
        wanted = {path for path in usual if flags.get(path) not in inputs}
        built = {name for name, value in inputs.items() if value is not None and value is not False}
        wanted |= {path for path, name in flags.items() if name in built}
        for path in sorted(wanted ^ _paths(subject, traced.instance, flags)):
            message = "it is not there" if path in wanted else "it is there"
            flag = f"`{flags[path]}`" if path in flags else "no flag"
            hint = f"`left_out` of the tests says that it depends on {flag}"
            check(False, traced.configuration.place(path), message, hint)


def _paths(subject: Suite, instance: Any, flags: Mapping[str, str]) -> set[str]:
    """Return the paths of the arrays, or the root of those that a flag leaves out."""
    held = subject.named(instance)
    roots = {path for path in flags if any(under_any(name, [path]) for name in held)}
    return roots | {path for path in held if not under_any(path, [*flags])}


@CHECKS.register(declares("layers", "no input is declared to count layers"))
def test_p02_as_many_layers_are_made_as_are_asked_for(subject: Suite) -> None:
    given = given_to_constructor(subject)
    for path, name in subject.layers.items():
        usual = given.get(name)
        for count in (usual + 1, usual - 1) if type(usual) is int else ():
            # It may refuse the number.
            with contextlib.suppress(ValueError, TypeError), warnings.catch_warnings(action="ignore"):
                built = build_with(subject, {name: count})
                made, hint = _count(look_up(built, path)), f"a number in the place of `{name}`"
                check(made == count, f"{path} with {name}={count}", f"{made} layers are made", hint)


def _count(layers: Any) -> int:
    """Return the number of layers: the length of a list, or the first axis of stacked layers."""
    with contextlib.suppress(TypeError):
        return len(layers)
    return int(jax.tree.leaves(layers)[0].shape[0])
