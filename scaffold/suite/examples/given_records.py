"""Records that a function may do without. Its own example leaves them out, and a further row passes them."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from scaffold.spec.grammar.types import ClassType, members_of
from scaffold.spec.model import Argument, Method, ModuleSpec
from scaffold.suite.examples.examples import Examples
from scaffold.suite.examples.made_arguments import has_example, is_said, made_by_method

_WITH = " with "


def with_given_records(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    """Add a row to the methods for each function that may do without a record, with the record.

    The example is a guess, since a record may have sizes that no other type names.
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
    """Whether a name belongs to a row that passes records to a function."""
    return _WITH in name


def function_called(name: str) -> str:
    """Return the function that a row calls, as source."""
    function = name.partition(_WITH)[0]
    return "instance" if function == "call" else f"instance.{function}"


def _row(method: Method, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[Method]:
    given = {argument.name: _given(argument, spec, known) for argument in method.call.args}
    names = [argument.name for argument in method.call.args if given[argument.name] is not argument]
    if names and not method.name.startswith("_"):
        call = replace(method.call, args=tuple(given.values()))
        yield replace(method, name=f"{method.name}{_WITH}{' and '.join(names)}", call=call)


def _given(argument: Argument, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Argument:
    """Make an argument required if its default is None and its type is a known class."""
    members = members_of(argument.type) if argument.type is not None and argument.default == "None" else ()
    others = {name for name in known if name != spec.name}
    records = [kind for kind in members if isinstance(kind, ClassType) and kind.name in others]
    if is_said(spec, argument) or len(records) != 1 or len(members) != 1:
        return argument
    given = replace(argument, type=records[0], default=None)
    return given if has_example(given, Examples.of(spec, known)) else argument


def _made(row: Method, examples: Examples) -> Iterator[tuple[str, str]]:
    """Yield the records of a row that a method of the instance makes, each with its source."""
    for name in row.name.partition(_WITH)[2].split(" and "):
        [kind] = (argument.type for argument in row.call.args if argument.name == name)
        for source in made_by_method(kind, row.call, examples):
            yield f"{row.name}.{name}", source
