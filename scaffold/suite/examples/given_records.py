"""Records that a function may be left without: a row of its own calls it with them, since its own example leaves them out."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from scaffold.spec.grammar.types import ClassType, members_of
from scaffold.spec.model import Argument, Method, ModuleSpec
from scaffold.suite.examples.examples import Examples
from scaffold.suite.examples.made_arguments import has_example, is_said, made_by_method

_WITH = " with "


def with_given_records(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    """The spec as its tests know it: beside each function that may be left without a record, one that is given it.

    Nobody said that the example fits, since a record may have sizes that no other type names.
    """
    called = (*((Method("call", spec.call),) if spec.call is not None else ()), *spec.methods)
    rows = [row for method in called for row in _row(method, spec, known)]
    if not rows:
        return spec  # with all that is worked out of it
    examples = Examples.of(spec, known)
    values = [value for row in rows for value in _made(row, examples)]
    test = replace(spec.test, values=(*spec.test.values, *values))
    return replace(spec, methods=(*spec.methods, *rows), test=test)


def takes_records(name: str) -> bool:
    """Whether a name is that of a row which gives a function what it may be left without."""
    return _WITH in name


def function_called(name: str) -> str:
    """What a row calls, as source."""
    function = name.partition(_WITH)[0]
    return "instance" if function == "call" else f"instance.{function}"


def _row(method: Method, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[Method]:
    given = {argument.name: _given(argument, spec, known) for argument in method.call.args}
    names = [argument.name for argument in method.call.args if given[argument.name] is not argument]
    if names and not method.name.startswith("_"):
        call = replace(method.call, args=tuple(given.values()))
        yield replace(method, name=f"{method.name}{_WITH}{' and '.join(names)}", call=call)


def _given(argument: Argument, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Argument:
    """An argument that is None by default and may be an instance of a known class, as one that has to be given."""
    members = members_of(argument.type) if argument.type is not None and argument.default == "None" else ()
    others = {name for name in known if name != spec.name}
    records = [kind for kind in members if isinstance(kind, ClassType) and kind.name in others]
    if is_said(spec, argument) or len(records) != 1 or len(members) != 1:
        return argument
    given = replace(argument, type=records[0], default=None)
    return given if has_example(given, Examples.of(spec, known)) else argument


def _made(row: Method, examples: Examples) -> Iterator[tuple[str, str]]:
    """What a method of the instance makes of what a row gives."""
    for name in row.name.partition(_WITH)[2].split(" and "):
        [kind] = (argument.type for argument in row.call.args if argument.name == name)
        for source in made_by_method(kind, row.call, examples):
            yield f"{row.name}.{name}", source
