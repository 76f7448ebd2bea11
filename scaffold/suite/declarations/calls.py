"""Arguments of the example call, as source. A method is called in the same way."""

from collections.abc import Iterator

from scaffold.kind import kind_of
from scaffold.source.definitions import arguments_with_defaults, function_of
from scaffold.source.expressions import count_name
from scaffold.spec.construction.sizes import is_int
from scaffold.spec.grammar.types import Type
from scaffold.spec.model import ModuleSpec
from scaffold.suite.declarations.claims import local
from scaffold.suite.examples.examples import Examples
from scaffold.suite.examples.subject import Subject


def call_arguments(subject: Subject) -> Iterator[str]:
    """Yield the arguments of the example call, as source."""
    keyword_only = False
    explicit, passed = dict(subject.spec.test.values), {argument.name for argument in subject.passed}
    for argument in subject.spec.call_arguments:
        if argument.is_marker:
            keyword_only = True
        elif argument.name in passed:
            yield f"{argument.name}={local(argument)}" if keyword_only else local(argument)
        elif argument.name in explicit:
            yield f"{argument.name}={explicit[argument.name]}"
            keyword_only = True
        elif argument.default is None and argument.type is not None:
            value = _example(subject.examples, argument.name, argument.type)
            yield f"{argument.name}={value}" if keyword_only else value
        else:
            keyword_only = True


def _example(examples: Examples, name: str, kind: Type) -> str:
    """Return an example of an argument.

    If the argument is a size, outputs are declared with the same size.
    """
    sized = is_int(kind) and name in examples.sizes
    return str(examples.sizes[name]) if sized else examples.value(kind, name, 0)


def unread_of_interface(spec: ModuleSpec) -> Iterator[str]:
    """Yield arguments of the call without an annotation that its body does not read.

    A caller passes them to each function of the same interface.
    """
    function = function_of(spec.call.source) if spec.call is not None and spec.call.source else None
    for argument, _ in arguments_with_defaults(function) if function is not None else ():
        if argument.annotation is None and never_reads(spec, argument.arg):
            yield argument.arg


def never_reads(spec: ModuleSpec, name: str) -> bool:
    """Whether the call has a body that does not read a name."""
    call = spec.call
    is_asked = not kind_of(spec.kind).has_instances and call is not None and call.body == "..."
    return call is not None and bool(call.body) and not is_asked and not count_name(call.body, name)
