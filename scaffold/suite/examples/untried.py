"""Methods that a suite cannot try, and the reasons."""

import ast
import re
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

from msgspec.structs import replace

from scaffold.errors import ScaffoldError, nearest
from scaffold.kind import kind_of
from scaffold.passes.variables import updated
from scaffold.source.definitions import (
    arguments_with_defaults,
    function_of,
    is_generator,
    returns_value,
    statements,
)
from scaffold.source.expressions import Function, dedented, is_none, nodes_of, parsed
from scaffold.source.instance import made_attributes, names_array
from scaffold.spec.construction.constructor import parameters
from scaffold.spec.construction.guards import refused_conditions
from scaffold.spec.grammar.kept_annotations import members_of
from scaffold.spec.grammar.types import ClassType, OpaqueType, walk
from scaffold.spec.model import Argument, Method, ModuleSpec
from scaffold.spec.reading.roles import is_trained
from scaffold.spec.states import is_state
from scaffold.suite.examples.examples import Examples
from scaffold.suite.examples.given_records import with_given_records
from scaffold.suite.examples.made_arguments import with_made_arguments
from scaffold.suite.examples.mapped_methods import as_called
from scaffold.suite.reads.inherited import with_types_of_bases
from scaffold.suite.reads.waiting import asks_for

Known = Mapping[str, ModuleSpec]
_NO_EXAMPLE = "no example for "
_SOME_ABSENT = r"self\.\w+ is None( or self\.\w+ is None)*"
_BY_HAND = (
    *("__getattr__", "__matmul__", "__rmatmul__", "__imatmul__", "__await__", "__post_init__"),
    *("__check_init__", "__jax_array__", "__array__", "__index__", "__copy__", "__deepcopy__"),
)
SPECIAL = frozenset(_BY_HAND).union(
    *map(dir, (bool, dict, float, list, set, str, type, type(dir), AbstractContextManager, AsyncIterator))
)
"""Names of special methods, from the classes of Python and from a list of others."""
_BINARY = (
    "add",
    "sub",
    "mul",
    "matmul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
)
_OPERATORS = frozenset(
    (
        "__call__",
        "__getitem__",
        "__contains__",
        *(f"__{side}{name}__" for side in ("", "r", "i") for name in _BINARY),
    )
)
"""Special methods that an expression calls with a value, and that no law tries by itself."""
_OF_JAX = ("tree_flatten", "tree_flatten_with_keys", "tree_flatten_with_path", "tree_unflatten")
"""Methods by which jax flattens instances, which the laws of round trips cover."""


def as_tried(spec: ModuleSpec, known: Known) -> ModuleSpec:
    """Return the spec as its tests know it.

    Functions are as callers see them, methods make examples, and further rows pass records.
    """
    made = with_made_arguments(as_called(spec), known)
    return without_untried(with_given_records(made, known), known)


def without_untried(spec: ModuleSpec, known: Known) -> ModuleSpec:
    """Return the spec without a call that the tests cannot try."""
    is_untried = spec.call is not None and why_untried(spec, Method("__call__", spec.call), known)
    return replace(spec, call=None) if is_untried else spec


def untried(spec: ModuleSpec, known: Known) -> dict[str, str]:
    """Return the public methods, and the call, that are not tried, each with the reason."""
    public = (
        function
        for _, function in spec.functions
        if function.name in _OPERATORS or not function.name.startswith("_")
        if function.name not in _OF_JAX
    )
    reasons = {method.name: why_untried(spec, method, known) for method in public}
    reasons |= {
        name: f"Python calls no such method: did you mean `{meant}`?" for name, meant in _misspelt(spec)
    }
    return {name: reason for name, reason in reasons.items() if reason}


def _misspelt(spec: ModuleSpec) -> Iterator[tuple[str, str]]:
    """Yield the methods named like special methods that Python lacks, each with the nearest name."""
    for _, function in spec.functions:
        name = function.name
        if name.startswith("__") and name.endswith("__") and name not in SPECIAL:
            meant = nearest(name, SPECIAL, 0.8)
            yield from () if meant is None else ((name, meant),)


def _untried_options(spec: ModuleSpec, left: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the methods that are tried without an option, whose type nothing says, each with the option.

    `left` are the methods that are not tried at all.
    """
    for _, method in spec.functions:
        function = function_of(method.call.source)
        is_public = method.name == "__call__" or not method.name.startswith("_")
        if function is not None and is_public and method.owner == "self" and method.name not in left:
            given = {argument.name for argument in method.call.args if argument.type is not None}
            given |= {key.rpartition(".")[2] for key, _ in spec.test.values}
            for argument, default in arguments_with_defaults(function):
                is_bare = argument.annotation is None or any(
                    map(names_array, members_of(argument.annotation))
                )
                if is_none(default) and is_bare and argument.arg not in given:
                    yield method.name, argument.arg


def why_untried(spec: ModuleSpec, method: Method, known: Known) -> str:
    """Return why the tests cannot call a method, or an empty text."""
    tried = with_values_of(spec, method)
    values, beside = dict(tried.test.values), {**known, spec.name: spec}
    arguments = (
        argument for argument in method.call.args if not argument.is_marker and argument.default is None
    )
    missing = [
        argument
        for argument in arguments
        if argument.name not in values and not _has_example(argument, tried, beside)
    ]
    if missing:
        return f"{_NO_EXAMPLE}{', '.join(argument.name for argument in missing)}"
    if spec.call is not None and spec.call.axis_name and _hands_state_on(method):
        return f"may average over the axis `{spec.call.axis_name}`"
    if first := asks_for(spec, method, known):
        return f"asks for `{first}` first"
    if absent := _absent_of(spec, method, known):
        return f"raises where `{absent}` is None, as it is in the tests"
    function = function_of(method.call.source)
    if function is None:
        return ""
    if needed := _needed_of_keywords(spec, function) or _needed_of_stars(method, function):
        return f"{_NO_EXAMPLE}{needed}"
    if _is_called_to_build(spec, function):
        return "`__init__` calls it to fill the instance"
    if isinstance(function, ast.AsyncFunctionDef) or is_generator(function):
        return "a coroutine" if isinstance(function, ast.AsyncFunctionDef) else "a generator"
    acts = kind_of(spec.kind).variables and updated(spec, method.call)
    return "" if acts or returns_value(function.body) else "returns nothing"


def _absent_of(spec: ModuleSpec, method: Method, known: Known) -> str:
    """Return a field without which a method raises, and which is None in the tests.

    `if self.d is None: raise` gives `d`.
    """
    function = function_of(method.call.source)
    body = parsed(method.call.text).body if function is None else function.body
    tests = [statement.test for statement in body if isinstance(statement, ast.If)]
    texts = (ast.unparse(test) for test in refused_conditions(ast.Module(body, [])) if test in tests)
    absent = (text for text in texts if re.fullmatch(_SOME_ABSENT, text))
    needed = {name for text in absent for name in re.findall(r"self\.(\w+)", text)}
    maker = function_of(spec.own_constructor.call.source) if needed and spec.own_constructor else None
    pairs = arguments_with_defaults(maker) if maker is not None else ()
    left = [
        argument.arg for argument, default in pairs if default is not None and ast.unparse(default) == "None"
    ]
    taken = [each for each in parameters(spec) if each.name in needed]
    given = [each.name for each in taken if Examples.of(spec, known).parameter(each, 0) is not None]
    return next((name for name in left if name in needed and name not in given), "")


def _is_called_to_build(spec: ModuleSpec, function: Function) -> bool:
    """Whether a method stores attributes for the constructor that calls it."""
    makers = [node for node in nodes_of(ast.FunctionDef, *statements(spec.source)) if node.name == "__init__"]
    calls = {ast.unparse(call.func) for call in nodes_of(ast.Call, *makers)}
    stores = any(made_attributes(ast.unparse(function)))
    return f"self.{function.name}" in calls and stores


def _hands_state_on(method: Method) -> bool:
    """Whether a method beside the call passes its state to layers, which may average as the call does."""
    states = {
        argument.name
        for argument in method.call.args
        if argument.name == "state" or (argument.type is not None and any(map(is_state, walk(argument.type))))
    }
    layers = [
        call
        for call in nodes_of(ast.Call, ast.parse(dedented(method.call.body)))
        if isinstance(call.func, ast.Name) or ast.unparse(call.func).startswith("self.")
    ]
    given = {
        value.id
        for call in layers
        for value in (*call.args, *(keyword.value for keyword in call.keywords))
        if isinstance(value, ast.Name)
    }
    return method.name != "__call__" and not states.isdisjoint(given)


def _needed_of_keywords(spec: ModuleSpec, function: Function) -> str:
    """Return the arguments that a class method must pass to the constructor in `**kwargs`, if any.

    `cls(volume, **kwargs)` gives `key in **kwargs`.
    """
    if function.args.kwarg is None:
        return ""
    handed_on = function.args.kwarg.arg
    for call in nodes_of(ast.Call, function):
        named = {part.arg or f"**{ast.unparse(part.value)}" for part in call.keywords}
        if ast.unparse(call.func) in ("cls", spec.name) and f"**{handed_on}" in named:
            taken = [part for part in parameters(spec)[len(call.args) :] if part.name not in named]
            needed = [part.name for part in taken if part.default is None]
            return f"{', '.join(needed)} in **{handed_on}" if needed else ""
    return ""


def _needed_of_stars(method: Method, function: Function) -> str:
    """Return the `*dims` of a method that takes nothing else, since no test calls it without."""
    takes_more = any(not argument.is_marker for argument in method.call.args)
    return "" if takes_more or function.args.vararg is None else f"*{function.args.vararg.arg}"


def _has_example(argument: Argument, spec: ModuleSpec, known: Known) -> bool:
    """Whether the type of an argument determines an example."""
    if argument.type is None or not any(
        isinstance(part, ClassType | OpaqueType) for part in walk(argument.type)
    ):
        return argument.type is not None
    try:
        Examples.of(spec, known).value(argument.type, argument.name, 0)
    except ScaffoldError:
        return False
    return True


def with_values_of(spec: ModuleSpec, method: Method) -> ModuleSpec:
    """Return the spec with the example values of one method, in which `norm.x` precedes `x`."""
    prefix = f"{method.name}."
    own_values = {
        name.removeprefix(prefix): value for name, value in spec.test.values if name.startswith(prefix)
    }
    if not own_values:
        return spec  # with all that is worked out of it
    values = {**dict(spec.test.values), **own_values}
    return replace(spec, test=replace(spec.test, values=tuple(values.items())))


def assumed_notes(specs: Iterable[ModuleSpec]) -> Iterator[str]:
    """Yield notes for the user about Modules whose arrays are assumed to be data, or to be trained."""
    for spec in specs:
        if spec.source:  # stays as it is written
            continue
        names = [field.name for field in spec.dynamic if field.is_assumed]
        is_python = ".py" in spec.where  # where a table says `f[n]` and no `init`, the form says it
        if names and is_python and spec.kind == "module" and not any(map(is_trained, spec.dynamic)):
            yield f"{spec.name}: taken for data, which is not trained: {', '.join(names)} (`param()` says otherwise)"
        trained = [field.name for field in spec.dynamic if field.is_assumed and field.role == "param"]
        if trained:
            yield f"{spec.name}: taken for trained, as Equinox does: {', '.join(trained)} (`data()` says otherwise)"


def untried_calls(specs: Iterable[ModuleSpec], known: Known) -> tuple[str, ...]:
    """Return the names of classes whose call no test tries."""
    called = (spec for spec in specs if spec.call is not None and not spec.is_open)
    return tuple(
        spec.name for spec in called if as_tried(with_types_of_bases(spec, known), known).call is None
    )


def untried_notes(specs: Iterable[ModuleSpec], known: Known) -> tuple[str, ...]:
    """Return notes for the user about the methods that no test tries, one line a class."""
    return tuple(note for spec in specs if (note := _note(spec, known)))


def _note(spec: ModuleSpec, known: Known) -> str:
    if spec.is_open:  # its subclasses are tried
        return ""
    names: dict[str, list[str]] = {}
    called = as_called(with_types_of_bases(spec, known))
    tried = with_made_arguments(called, known)
    left = untried(tried, known)
    for name, reason in left.items():
        names.setdefault(reason, []).append(name)
    for name, option in _untried_options(tried, left):
        names.setdefault(f"{_NO_EXAMPLE}{option}", []).append(f"{name} with {option}")
    reasons = "; ".join(f"{', '.join(listed)} ({reason})" for reason, listed in names.items())
    return f"{spec.name}: not tried: {reasons}{_way_out(spec, names)}" if reasons else ""


def _way_out(spec: ModuleSpec, names: Mapping[str, Sequence[str]]) -> str:
    """Return how to give an example to the first argument that lacks one, or an empty text."""
    for reason, (method, *_) in names.items():
        argument = reason.removeprefix(_NO_EXAMPLE).partition(",")[0]
        if reason.startswith(_NO_EXAMPLE) and argument.isidentifier():
            name, _, _ = method.partition(" ")
            key = argument if name == "__call__" else f"{name}.{argument}"
            if ".py" in spec.where:
                return f': write `@test(values={{"{key}": lambda: ...}})`'
            return f': write `[test]` and `values = {{ "{key}" = "=..." }}`'
    return ""
