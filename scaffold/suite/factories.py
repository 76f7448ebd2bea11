"""Class methods that build an instance from sizes, such as `Net.empty(3)`, or from fewer arrays.

They replace a constructor whose arguments are guesses, or have no example.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from scaffold.errors import ScaffoldError
from scaffold.source.definitions import arguments_with_defaults, function_of, gives_instance
from scaffold.source.expressions import parsed
from scaffold.spec.construction.arithmetic import primes
from scaffold.spec.construction.constructor import Parameter, parameters
from scaffold.spec.construction.guards import refused_conditions
from scaffold.spec.grammar.types import ArrayType, ScalarType, TreeType
from scaffold.spec.model import Method, ModuleSpec
from scaffold.suite.declarations.guesses import is_guessed
from scaffold.suite.examples.examples import Examples
from scaffold.suite.examples.subject import Subject

_ALL_ABSENT = r"\w+ is None( and \w+ is None)*"
UNKNOWN = "..."
"""The value of a constructor argument without an example, if a class method builds the instance."""


def without_unknown_arguments(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    """Set arguments without an example to `UNKNOWN`, if a class method builds an instance all the same."""
    examples = Examples.of(spec, known)
    missing = [
        each.name for place, each in enumerate(parameters(spec)) if not _has_example(examples, each, place)
    ]
    if not missing:
        return spec
    values = (*spec.test.values, *((name, UNKNOWN) for name in missing))
    filled = replace(spec, test=replace(spec.test, values=values))
    return filled if factory_of(filled, known) else spec


def _has_example(examples: Examples, parameter: Parameter, place: int) -> bool:
    try:
        examples.parameter(parameter, place)
    except ScaffoldError:
        return False
    return True


def factory_of(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> dict[str, Any]:
    """Return the class method that builds an instance in place of a constructor with guesses, or `{}`."""
    beside = dict.fromkeys(("other", "rejected", "accepted"), ())  # what the constructor takes
    for name, given in factory_calls(factories_of_sizes(spec, known), spec, known):
        return {"construct": name, "inputs": [*map(list, given)], **beside}
    return {}


def factories_of_sizes(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> tuple[Method, ...]:
    """Return the methods that may build an instance, if the constructor would be given a guess."""
    is_needed = is_guessed(spec, known) or any(source == UNKNOWN for _, source in spec.test.values)
    return tuple(filter(_takes_sizes_alone, spec.methods)) if is_needed else ()


def _takes_sizes_alone(method: Method) -> bool:
    """Whether a method has no arguments that default to None, of which it might need one."""
    return "None" not in _defaults(method).values()


def _defaults(method: Method) -> dict[str, str | None]:
    """Return the arguments of a method, each with its default, or None if it is required."""
    function = function_of(method.call.source)
    if function is None:  # it is understood
        return {argument.name: argument.default for argument in method.call.args if not argument.is_marker}
    pairs = arguments_with_defaults(function)
    return {argument.arg: ast.unparse(default) if default else None for argument, default in pairs}


def factory_calls(
    methods: Iterable[Method], spec: ModuleSpec, known: Mapping[str, ModuleSpec]
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the class methods that build an instance from sizes, keys and trees, with these arguments.

    A method may also take arrays if it makes others of them, which then belong together.
    """
    others = [other for method in spec.methods if (other := function_of(method.call.source)) is not None]
    for method in methods:
        function = function_of(method.call.source)
        makes = method.builds(spec.name) if function is None else gives_instance(function, spec.name, others)
        if not makes or method.owner == "self" or method.name.startswith("_") or _needs_one(method):
            continue
        needed = [name for name, default in _defaults(method).items() if default is None]
        values = dict(_values(method, Subject(spec, known).examples, _makes_arrays(method, spec)))
        if values.keys() >= {*needed}:
            yield f"{spec.name}.{method.name}", [(name, values[name]) for name in needed]


def _makes_arrays(method: Method, spec: ModuleSpec) -> bool:
    """Whether a method takes fewer arrays than the constructor."""
    taken = (each.type for each in method.call.args if each.default is None)
    arrays = sum(isinstance(kind, ArrayType) for kind in taken)
    return 0 < arrays < sum(isinstance(each.type, ArrayType) for each in parameters(spec))


def _values(method: Method, examples: Examples, takes_arrays: bool) -> Iterator[tuple[str, str]]:
    """Yield examples of arguments for which any value will do: sizes, random keys, trees, and some arrays."""
    for place, (argument, size) in enumerate(zip(method.call.args, primes(), strict=False)):
        match argument.type:
            case ScalarType(name="int"):  # of which a method may take arrays
                yield argument.name, str(examples.sizes.get(argument.name, size))
            case TreeType() | ArrayType(dtype="key") as kind:
                yield argument.name, examples.value(kind, argument.name, place)
            case ArrayType() as kind if takes_arrays:
                yield argument.name, examples.value(kind, argument.name, place)
            case _:
                pass


def _needs_one(method: Method) -> bool:
    """Whether a function raises without arguments: `if pos is None and rot is None: raise`."""
    conditions = refused_conditions(parsed(method.call.text))
    return any(re.fullmatch(_ALL_ABSENT, ast.unparse(condition)) for condition in conditions)
