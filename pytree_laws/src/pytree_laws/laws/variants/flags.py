"""What the laws say of the flags and options that the call and the methods take."""

from typing import Any

from ...discover.configurations import Configuration, TracedConfiguration, traced_configurations
from ...discover.evaluation import on_purpose
from ...discover.invocation import trace_call
from ...discover.likely import at_likely_values
from ...discover.method_programs import traced_methods
from ...discover.method_uses import computed_text, is_flag, trace_use, uses_by_flag
from ...engine.applicability import ARRAYS_DECLARED, METHODS, Condition, not_applicable
from ...engine.registry import Checks
from ...inspect.branches import strings_of_attribute
from ...inspect.parameter_values import literal_values
from ...inspect.trees import structure
from ...kinds.suite import Suite
from ...report import ADVICE, check
from ...trace.jaxprs import without_dead

CHECKS = Checks()


STATICS = Condition("no static value is declared", lambda suite: bool(suite.static))


IDLE = "at each of its values the same is computed"


# An option without a use computes nothing that is wrong, and may be that of an interface.
@CHECKS.register(ARRAYS_DECLARED, severity=ADVICE)
def test_p08_every_flag_of_the_call_matters(subject: Suite) -> None:
    subject.need_call()
    if traced_configurations(subject)[0].trace is None:
        return  # the call cannot be traced, as P6 says
    traced_by_key = {_key(traced.configuration): traced for traced in traced_configurations(subject)}
    given = [pair for traced in traced_by_key.values() for pair in traced.configuration.given.items()]
    for name in sorted({name for name, value in given if is_flag(value)}):
        with_flag = [value for value in traced_by_key.values() if name in value.configuration.given]
        pairs = ((traced, traced_by_key.get(_key(traced.configuration, name))) for traced in with_flag)
        _check(subject, "call", name, any(_differ(subject, *pair) for pair in pairs))


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
    if not names:
        not_applicable("no field is one of several texts")
    for name in names:
        values = literal_values(cls, name)
        strange = [text for text in strings_of_attribute(cls, name) if text not in values]
        message = f"the class tells it apart by {', '.join(map(repr, strange))}, which it never is"
        check(not strange, name, message, f"one of {', '.join(map(repr, values))}")


def _check(subject: Suite, where: str, name: str, matters: bool) -> None:
    check(matters or name in subject.ignored, f"{where}({name})", IDLE, on_purpose([name]))


def _key(configuration: Configuration, without: str = "") -> str:
    arguments = {name: v for name, v in configuration.given.items() if name != without}
    return Configuration(configuration.inputs, arguments, configuration.leaves).name


def _differ(subject: Suite, traced: TracedConfiguration, other: TracedConfiguration | None) -> bool:
    """Whether two configurations do not do the same, as far as their traces tell: in what they give, and what they change."""
    if other is None:
        return False
    if traced.trace is None or other.trace is None:
        return (traced.error is None) != (other.error is None)
    if _text(traced.trace) != _text(other.trace):
        return True
    return subject.is_mutable and _changes(subject, traced) != _changes(subject, other)


def _changes(subject: Suite, traced: TracedConfiguration) -> str:
    """What the call computes of the state of a module, which it does not give."""
    instance = subject.copied(traced.instance)
    return _text(trace_call(traced.suite, instance, traced.configuration.given, after=True)[0])


def _text(trace: Any) -> str:
    """What the call computes, and in which structure: the settings of a module that it makes are part of that."""
    closed, form = trace
    return f"{without_dead(closed.jaxpr)} {structure(form)}"
