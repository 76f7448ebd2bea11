"""Methods that a suite declares, each with example arguments, results, and its call."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from scaffold.errors import ScaffoldError
from scaffold.kind import kind_of
from scaffold.passes.reached import may_stop, stops_a_value, stops_field
from scaffold.passes.states import states_set
from scaffold.passes.stopped import ways_of
from scaffold.passes.variables import updated
from scaffold.spec.construction.cases import given_names
from scaffold.spec.grammar.types import ScalarType, walk
from scaffold.spec.model import Call, Method, ModuleSpec
from scaffold.spec.rules.bases import asks_for, lineage
from scaffold.spec.states import is_state, is_stateful
from scaffold.spec.tables.keys import SELF
from scaffold.suite.declarations.calls import call_arguments, never_reads
from scaffold.suite.declarations.claims import local
from scaffold.suite.declarations.outputs import declared_outputs
from scaffold.suite.examples.declared import fields_used_by
from scaffold.suite.examples.given_records import function_called, takes_records
from scaffold.suite.examples.mapped import outputs
from scaffold.suite.examples.subject import Subject
from scaffold.suite.examples.untried import why_untried
from scaffold.suite.reads.compared_values import compared_texts
from scaffold.suite.reads.example_branches import as_in_example
from scaffold.suite.reads.handed_on import handed_on
from scaffold.suite.reads.untraced import is_untraced


def method_rows(subject: Subject) -> list[str]:
    """Return the rows for methods. The tests find methods without arguments and declared results."""
    every = functions(subject.spec, subject.known)
    return [row for method in every if method.name != subject.method for row in _rows(subject, method)]


def with_method_as_call(subject: Subject) -> Subject:
    """Put the first method that maps arrays to arrays in place of the call, if there is no call."""
    has_one = subject.spec.call is not None or kind_of(subject.spec.kind).laws_call
    if has_one or is_stateful(subject.spec):
        return subject
    candidates = (
        function for function in functions(subject.spec, subject.known) if _maps_arrays(subject, function)
    )
    method = next(candidates, None)
    if method is None:
        return subject
    called = subject.of(method)
    return replace(subject, spec=called.spec, sized=called.sized, method=method.name)


def _maps_arrays(subject: Subject, method: Method) -> bool:
    method_subject, rows = subject.of(method), list(_rows(subject, method))
    plain = not (method.decorators or method.call.carry or takes_records(method.name))
    return plain and bool(rows and method_subject.passed and outputs(method.call.returns, None))


_OF_PYTHON = (
    *("__init__", "__new__", "__post_init__", "__check_init__", "__init_subclass__"),
    *("__getattr__", "__getattribute__"),
)
"""Methods that Python and Equinox call by themselves, to make an instance or to look up a name."""


def unread_by_methods(spec: ModuleSpec) -> Iterator[str]:
    """Yield arguments of methods that the spec declares unused, or that bodies do not read: `scaled.by`."""
    for method in spec.methods:
        called = replace(spec, call=method.call)
        for name in given_names(spec, method.call):
            if name in spec.test.unused or never_reads(called, name):
                yield f"{method.name}.{name}"


def functions(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> tuple[Method, ...]:
    """Return all functions to try beside the call: derived fields, methods, and methods of bases."""
    derived = (Method(field.name, Call((), "", (field.type,)), ("property",)) for field in spec.derived)
    inherited = (
        method for base in lineage(spec, known) for method in base.methods if not asks_for(base, method)
    )
    by_name: dict[str, Method] = {}
    for function in (*derived, *spec.methods, *inherited):
        if (
            function.is_function
            and function.name not in _OF_PYTHON
            and not why_untried(spec, function, known)
            and (function.name.startswith("__") or not function.name.startswith("_"))
        ):
            by_name.setdefault(function.name, function)
    return tuple(by_name.values())


def _rows(subject: Subject, method: Method) -> Iterator[str]:
    method_subject = subject.of(method)
    states = [
        argument
        for argument in method_subject.arguments
        if argument.type is not None and any(map(is_state, walk(argument.type)))
    ]
    is_known = subject.spec.call is not None and is_stateful(subject.spec)
    if method.call.axis_name or any(
        not is_known or state not in method_subject.passed or not is_state(state.type) for state in states
    ):
        return
    try:
        parts = [
            *_arguments(method_subject),
            *_state(method_subject),
            *_returns(method_subject),
            *_carry(method_subject, method),
            *_handed_on(method_subject, method),
            *_updates(subject.spec, method),
            *_stopped(method_subject, method),
            *_closed(method_subject, method),
            *_used(method_subject, method),
            *_call(method_subject, method),
            *(["traced=False"] if is_untraced(subject.spec, method) else []),
        ]
    except (ScaffoldError, KeyError):
        return  # no example can be made: of a dim without a size, or of a class that is not at hand
    if parts or method.name in _OPERATORS:
        yield f"Method({', '.join([repr(method.name), *parts])})"


_OPERATORS = frozenset(f"__{name}__" for name in ("len", "neg", "pos", "abs", "invert"))
"""Special methods of the instance alone, which the tests do not find by themselves."""


def _arguments(subject: Subject) -> Iterator[str]:
    arguments = [
        subject.examples_of_calls.argument(argument.name, argument.type, index)
        for index, argument in enumerate(subject.passed)
        if not is_state(argument.type)
    ]
    if arguments:
        yield f"lambda seed: {_tuple(arguments)}"


def _state(subject: Subject) -> Iterator[str]:
    """Yield the position of the state among the arguments."""
    yield from (
        f"state_at={index}" for index, argument in enumerate(subject.passed) if is_state(argument.type)
    )


def _returns(subject: Subject) -> Iterator[str]:
    assert subject.spec.call is not None
    call = subject.spec.call
    rows = declared_outputs(subject, call, call.returns, subject.state_types)
    if rows:
        yield f"returns={_tuple(rows)}"


def _carry(subject: Subject, method: Method) -> Iterator[str]:
    names = [argument.name for argument in subject.passed if not is_state(argument.type)]
    if method.call.carry == SELF:
        yield f'carry="{SELF}"'
    elif method.call.carry in names:
        yield f"carry={names.index(method.call.carry)}"


def _handed_on(subject: Subject, method: Method) -> Iterator[str]:
    """Yield the fields that the next instance has of this one."""
    names = [subject.facts.paths[name] for name in handed_on(subject.of_class, method.call)]
    if names:
        yield f"keeps={tuple(names)!r}"


def _updates(spec: ModuleSpec, method: Method) -> Iterator[str]:
    """Yield the Variables, or the states, that a method updates in the example."""
    call = as_in_example(spec, method.call)
    names = updated(spec, call) if kind_of(spec.kind).variables else states_set(spec, call)
    if names:
        yield f"updates={names!r}"


def _stopped(subject: Subject, method: Method) -> Iterator[str]:
    """Yield the arguments and fields whose gradients may end in a method, since it stops one."""
    spec, body = subject.of_class, method.call.body
    stops = stops_a_value(spec, body)
    ways = ways_of(spec, body) if stops else {}
    arguments = [
        index
        for index, argument in enumerate(subject.passed)
        if stops and "free" not in (way := ways.get(argument.name, set())) and way != {"stopped"}
    ]
    fields = [
        subject.facts.paths[field.name]
        for field in spec.dynamic
        if may_stop(spec, body, field, stops and ways.get(f"self.{field.name}") != {"free"})
    ]
    stopped = (*arguments, *fields)
    if stopped:
        yield f"stopped={stopped!r}"


def _closed(subject: Subject, method: Method) -> Iterator[str]:
    """Yield the arguments and fields that a method reads behind `stop_gradient` alone.

    Buffers are left out, since every method reads them so.
    """
    spec, body = subject.of_class, method.call.body
    ways = ways_of(spec, body) if stops_a_value(spec, body) else {}
    arguments = [i for i, each in enumerate(subject.passed) if ways.get(each.name) == {"stopped"}]
    fields = [field for field in spec.dynamic if field.role in ("param", "data", "state")]
    closed = [subject.facts.paths[field.name] for field in fields if stops_field(spec, body, field.name)]
    if arguments or closed:
        yield f"closed={(*arguments, *closed)!r}"


def _used(subject: Subject, method: Method) -> Iterator[str]:
    """Yield the fields on which the result of a method depends, if the result is arrays."""
    names = fields_used_by(subject.of_class, method.call) if outputs(method.call.returns, None) else []
    # A text that nobody chose need not show a setting, as `lower` of what is small.
    settings = {field.name for field in subject.of_class.static} if _takes_any_text(subject) else set[str]()
    names = [name for name in names if name not in settings]
    if names:
        paths = subject.facts.paths
        yield f"used={_tuple([repr(paths[name]) for name in names])}"


def _takes_any_text(subject: Subject) -> bool:
    """Whether the example of a method has a text that neither the code nor the author restricts."""
    said = dict(subject.spec.test.values)
    texts = [
        each.name for each in subject.arguments if each.type == ScalarType("str") and each.default is None
    ]
    return any(name not in said and not compared_texts(subject.of_class, name) for name in texts)


def _call(subject: Subject, method: Method) -> Iterator[str]:
    """Yield how a method is called, if positional arguments are not enough."""
    names = ", ".join(local(argument) for argument in subject.passed)
    arguments = ", ".join(call_arguments(subject))
    if arguments != names or takes_records(method.name):
        function = function_called(method.name)
        yield f"call=lambda instance, {names}: {function}({arguments})".replace(", :", ":")


def _tuple(parts: list[str]) -> str:
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
