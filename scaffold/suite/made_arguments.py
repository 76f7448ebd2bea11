"""Arguments that another method of the instance makes: `instance.init_cache(3)`, where no other example is known."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from scaffold.errors import ScaffoldError
from scaffold.spec.construction.cases import MADE_BY_INSTANCE
from scaffold.spec.construction.sizes import is_int
from scaffold.spec.grammar.types import ClassType, OpaqueType, Type, is_traced
from scaffold.spec.grammar.values import EXAMPLE_INT
from scaffold.spec.model import Argument, Call, Method, ModuleSpec
from scaffold.suite.examples import Examples


def with_made_arguments(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    """The spec as its tests know it: what has no example, and what a method gives, is made by that method."""
    examples = Examples.of(spec, known)
    called = (*((Method("__call__", spec.call),) if spec.call is not None else ()), *spec.methods)
    made = {
        f"{method.name}.{argument.name}": source
        for method in called
        for argument in method.call.args
        if argument.default is None and not is_said(spec, argument) and not _has_example(argument, examples)
        for source in made_by_method(argument.type, method.call, examples)
    }
    if not made:
        return spec  # with all that is worked out of it
    return replace(spec, test=replace(spec.test, values=(*spec.test.values, *made.items())))


def made_by_method(kind: Type | None, call: Call, examples: Examples) -> Iterator[str]:
    """The call of the first method that gives a type, with sizes and with what the call is given itself."""
    if not isinstance(kind, ClassType | OpaqueType):
        return
    for method in examples.spec.methods:
        makes = method.call is not call and method.call.returns == (kind,) and method.owner == "self"
        if makes and method.decorators in ((), ("property",)) and method.is_function:
            values = [*_values(method.call, _passed(call, kind), examples)]
            if len(values) == len(method.call.args):
                given = "" if method.decorators else f"({', '.join(values)})"
                yield f"{MADE_BY_INSTANCE}{method.name}{given}"
                return


def _passed(call: Call, made: Type) -> dict[str, Type]:
    """What a call is passed in variables, without what is to be made."""
    typed = ((argument.name, argument.type) for argument in call.args)
    return {name: kind for name, kind in typed if kind is not None and is_traced(kind) and kind != made}


def _values(call: Call, passed: Mapping[str, Type], examples: Examples) -> Iterator[str]:
    for argument in call.args:
        if argument.type is not None and passed.get(argument.name) == argument.type:
            yield argument.name
        elif is_int(argument.type):
            yield str(examples.sizes.get(argument.name, EXAMPLE_INT))


def is_said(spec: ModuleSpec, argument: Argument) -> bool:
    """Whether the author gives an example of an argument of this name."""
    return any(key.rpartition(".")[2] == argument.name for key, _ in spec.test.values)


def _has_example(argument: Argument, examples: Examples) -> bool:
    if argument.type is None or argument.is_marker:
        return True
    try:
        examples.value(argument.type, argument.name, 0)
    except ScaffoldError:
        return False
    return True
