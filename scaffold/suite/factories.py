"""Class methods that build an instance from sizes, such as `Net.empty(3)`, or from fewer arrays.

They replace a constructor whose arguments are guesses, or have no example.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from textwrap import indent
from typing import Any

from msgspec.structs import replace

from scaffold.emit.constructor.given import takes_dtype
from scaffold.errors import ScaffoldError
from scaffold.source.definitions import (
    arguments_with_defaults,
    function_of,
    gives_instance,
    parameters_with_defaults,
    statements,
)
from scaffold.source.expressions import Function, dedented, nodes_of, parsed
from scaffold.spec.construction.arithmetic import primes
from scaffold.spec.construction.constructor import Parameter, parameters
from scaffold.spec.construction.guards import refused_conditions
from scaffold.spec.grammar.types import ArrayType, DictType, ScalarType, TreeType
from scaffold.spec.model import Method, ModuleSpec
from scaffold.spec.unit import siblings
from scaffold.suite.declarations.guesses import is_guessed
from scaffold.suite.examples.examples import Examples
from scaffold.suite.examples.subject import Subject

_ALL_ABSENT = r"\w+ is None( and \w+ is None)*"


def with_factory(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    """Let a class method build the instance, if an argument of the constructor has no example."""
    examples = Examples.of(spec, known)
    if spec.test.build or all(_has_example(examples, *pair) for pair in enumerate(parameters(spec))):
        return spec
    methods = filter(_takes_sizes_alone, spec.methods)
    builds = (*factory_builds(methods, spec, known), *(f"{name}()" for name in _functions(spec, known)))
    return built_by(next(iter(builds), ""), spec)


def _functions(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[str]:
    """Yield the functions of the file that return an instance by annotation and need no argument."""
    classes = [known[name] for name in siblings(spec) if name in known] or [spec]
    texts = (text for each in classes for text in (each.helpers, each.below))
    for function in (node for text in texts for node in statements(text)):
        if isinstance(function, ast.FunctionDef) and function.returns and function.name[0] != "_":
            needed = [name for name, default in parameters_with_defaults(function) if default is None]
            is_plain = not (needed or function.decorator_list)
            yield from [function.name] * (is_plain and gives_instance(function, spec.name))


def built_by(build: str, spec: ModuleSpec) -> ModuleSpec:
    """Let an expression build the instance: a call of a class method, or nothing if it is empty."""
    if not build:
        return spec
    factory = build.partition("(")[0].rpartition(".")[2]
    return replace(spec, test=replace(spec.test, build=build, factory=factory))


def _has_example(examples: Examples, place: int, parameter: Parameter) -> bool:
    """Whether an argument has an example. Nothing says the entries of a dict that `__init__` reads."""
    is_said = parameter.name in dict(examples.spec.test.values)
    if (
        parameter.field is None
        and isinstance(parameter.type, DictType)
        and not (is_said or parameter.default)
    ):
        return False
    try:
        examples.parameter(parameter, place)
    except ScaffoldError:
        return False
    return True


def factory_of(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> dict[str, Any]:
    """Return what builds an instance in place of a constructor with guesses, or `{}`."""
    # What the constructor takes.
    beside: dict[str, Any] = dict.fromkeys(("other", "rejected", "accepted"), ())
    calls = [*factory_calls(factories_of_sizes(spec, known), spec, known)]
    calls += [(name, []) for name in _functions(spec, known) if name == spec.test.factory]
    for name, given in calls:
        taken = {method.name: _defaults(method) for method in spec.methods}
        if takes_dtype(spec) and "dtype" not in taken.get(name.rpartition(".")[2], {}):
            beside |= {"takes_dtype": False, "one_dtype": not (spec.source or spec.test.severity)}
        return {"construct": name, "inputs": [*map(list, given)], **beside}
    return {}


def factories_of_sizes(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> tuple[Method, ...]:
    """Return the methods that may build an instance, if the constructor would be given a guess."""
    is_needed = is_guessed(spec, known) or bool(spec.test.factory)
    return tuple(filter(_takes_sizes_alone, spec.methods)) if is_needed else ()


def _takes_sizes_alone(method: Method) -> bool:
    """Whether a method does without each argument that defaults to None, and so asks for it."""
    asked = {ast.unparse(node.left) for node in nodes_of(ast.Compare, parsed(dedented(method.call.text)))}
    absent = {name for name, default in _defaults(method).items() if default == "None"}
    return absent <= asked and not _needs_one(method)


def _defaults(method: Method) -> dict[str, str | None]:
    """Return the arguments of a method, each with its default, or None if it is required."""
    function = function_of(method.call.source)
    if function is None:  # it is understood
        return {argument.name: argument.default for argument in method.call.args if not argument.is_marker}
    pairs = arguments_with_defaults(function)
    return {argument.arg: ast.unparse(default) if default else None for argument, default in pairs}


def factory_builds(
    methods: Iterable[Method], spec: ModuleSpec, known: Mapping[str, ModuleSpec]
) -> Iterator[str]:
    """Yield expressions that build an instance by class methods."""
    calls = factory_calls(methods, spec, known)
    return (f"{name}({', '.join(map('='.join, given))})" for name, given in calls)


def factory_calls(
    methods: Iterable[Method], spec: ModuleSpec, known: Mapping[str, ModuleSpec]
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the class methods that build an instance from sizes, keys and trees, with these arguments.

    A method may also take arrays if it makes others of them, which then belong together.
    """
    others = [other for method in spec.methods if (other := _definition(method)) is not None]
    for method in sorted(methods, key=lambda method: not _makes_arrays(method, spec)):
        function = _definition(method)
        makes = function is not None and gives_instance(function, spec.name, others)
        makes = makes or method.builds(spec.name)
        if not makes or method.owner == "self" or method.name.startswith("_") or _needs_one(method):
            continue
        needed = [name for name, default in _defaults(method).items() if default is None]
        values = dict(_values(method, Subject(spec, known).examples, _makes_arrays(method, spec)))
        if values.keys() >= {*needed}:
            yield f"{spec.name}.{method.name}", [(name, values[name]) for name in needed]


def _definition(method: Method) -> Function | None:
    """Return the definition of a method, without its arguments if its signature is understood."""
    if method.call.source:
        return function_of(method.call.source)
    lines = [*(f"@{decorator}" for decorator in method.decorators), f"def {method.name}({method.owner}):"]
    return function_of("\n".join([*lines, indent(dedented(method.call.body) or "pass", "    ")]))


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
