"""Methods whose example is a guess: the code suggests a shape that no author declared, and it may not fit."""

import ast
from collections.abc import Mapping, Sequence

from scaffold.source.definitions import (
    annotated_names,
    arguments_with_defaults,
    class_statement,
    function_of,
)
from scaffold.source.expressions import dedented, nodes_of, parsed
from scaffold.source.instance import is_any, last_name, names_array, self_attributes
from scaffold.spec.construction.constructor import is_array_left_out, parameters, sources_of
from scaffold.spec.construction.guards import conditions_of_constructor, refused_conditions
from scaffold.spec.construction.local_sizes import is_share, split_by
from scaffold.spec.construction.sizes import sizes
from scaffold.spec.grammar.kept_annotations import members_of
from scaffold.spec.grammar.types import (
    CallableType,
    ClassType,
    ScalarType,
    TreeType,
    TupleType,
    Type,
    arrays,
)
from scaffold.spec.model import Argument, Call, ModuleSpec
from scaffold.spec.rules.bases import lineage
from scaffold.spec.unit import siblings
from scaffold.suite.examples.given_records import takes_records
from scaffold.suite.examples.made_arguments import takes_attributes
from scaffold.suite.examples.trees import holds_tree
from scaffold.suite.sizes.unknown_dims import (
    dims_in,
    dims_of_records,
    records_in,
    sizes_of_build,
    unknown_dims,
)


def guessed_methods(spec: ModuleSpec, known: Mapping[str, ModuleSpec], maker: str = "") -> tuple[str, ...]:
    """Return the names of methods whose example is a guess, with the call as `__call__`.

    `__init__` precedes them if the instance itself is a guess, also of the method `maker` that makes it.
    `known` has the other classes, of which arguments may be instances.
    """
    own = [] if spec.call is None else [("__call__", spec.call)]
    # Where something else builds the instance, nothing is given to its constructor.
    functions = [
        each
        for each in spec.methods
        if each.is_function and not (spec.test.build and each.name == "__init__")
    ]
    called = [*own, *((method.name, method.call) for method in functions)]
    guesses = [
        name
        for name, call in called
        if takes_records(name)
        or _is_guess(spec, name, call, known)
        or takes_attributes(spec, name, call)
        or any(_holds_guess(part.type, known) for part in call.args)
    ]
    guesses += _of_unknown_length(spec, called, known)
    # What is refused in a method is refused in those that call it.
    guesses += [
        name
        for name, call in called
        if name not in guesses and not {*self_attributes(call.text)}.isdisjoint(guesses)
    ]
    if is_guessed(spec, known) or not {"__init__", maker}.isdisjoint(
        guesses
    ):  # also by a record that it takes
        return tuple(dict.fromkeys(("__init__", *(name for name, _ in called))))
    is_guess = _may_be_refused(spec, known) or _takes_bare_number(spec)
    return tuple(dict.fromkeys((*["__init__"] * is_guess, *guesses)))


def _of_unknown_length(
    spec: ModuleSpec, called: Sequence[tuple[str, Call]], known: Mapping[str, ModuleSpec]
) -> list[str]:
    """Return the methods, inherited ones too, that take a dim whose size only the instance knows.

    An example is `m`, which `mv(x: n) -> m` returns.
    """
    of_bases = (method for base in lineage(spec, known) for method in base.methods if method.is_function)
    every = {**{method.name: method.call for method in of_bases}, **dict(called)}
    held = dims_in(each.type for each in (*spec.stored, *parameters(spec)))
    held |= {name for name, _ in (*spec.test.sizes, *spec.test.ties)}
    taken = {name: dims_in(part.type for part in call.args) for name, call in every.items()}
    free = set[str]().union(*(dims_in(call.returns) - taken[name] for name, call in every.items())) - held
    return [name for name, dims in taken.items() if not dims.isdisjoint(free)]


def _may_be_refused(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> bool:
    """Whether the constructor refuses some values, and is given a value that the tests choose.

    Constructors of parts that the class makes count as well.
    """
    said = dict(spec.test.values)
    is_chosen = any(
        each.default is None and each.source != "key" and each.name not in said for each in parameters(spec)
    )
    return is_chosen and any(conditions_of_constructor(each) for each in (spec, *_made_by(spec, known)))


def _takes_bare_number(spec: ModuleSpec) -> bool:
    """Whether a constructor gets a number for an argument without annotation, which may be anything."""
    makers = [] if spec.test.build else [each for each in spec.methods if each.name == "__init__"]
    functions = [function for each in makers if (function := function_of(each.call.source)) is not None]
    pairs = (pair for function in functions for pair in arguments_with_defaults(function))
    bare = {each.arg for each, default in pairs if each.annotation is None and default is None}
    bare -= {name for name, _ in spec.test.values}
    given = (each for maker in makers for each in maker.call.args)
    return any(each.type == ScalarType("float") and each.name in bare for each in given)


def _made_by(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> list[ModuleSpec]:
    """Return the classes of the file whose constructors run inside the constructor of a class, at any
    depth."""
    made: dict[str, ModuleSpec] = {}
    waiting = [spec]
    while waiting:
        each = waiting.pop()
        sources = (each.making, *(source for field in each.fields for source in sources_of(field)))
        calls = (call for source in sources for call in nodes_of(ast.Call, parsed(dedented(source))))
        names = {*siblings(spec)}.intersection(last_name(call) for call in calls) - made.keys()
        waiting += [known[name] for name in sorted(names) if name in known]
        made |= {name: known[name] for name in names if name in known}
    return [*made.values()]


def is_guessed(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> bool:
    """Whether the tests give an instance arrays of undeclared shape, unless the author builds the
    instance."""
    others = {name: other for name, other in known.items() if name != spec.name}
    said = dict(spec.test.values)
    given = [field for field in spec.fields if field.given and field.name not in said]
    arguments = [argument for argument in spec.arguments if argument.name not in said]
    return not spec.test.build and (
        any(_has_shape(field.example) or _holds_guess(field.type, others) for field in given)
        or any(_holds_guess(each.type, others) or _is_any_module(each.type) for each in arguments)
        or any(_is_any_module(field.type) for field in given)
        or _is_guessed(spec)
        or any(
            each.name == "__init__" and _is_guess(spec, each.name, each.call, others) for each in spec.methods
        )
    )


def _is_any_module(kind: Type | None) -> bool:
    """Whether a type is any Module, of which the example is one layer."""
    return isinstance(kind, ClassType) and kind.name == "Module"


def _holds_guess(kind: Type | None, known: Mapping[str, ModuleSpec]) -> bool:
    """Whether an example of a type holds an instance that is a guess."""
    return any(is_guessed(record, known) for record in records_in(kind, known))


def _is_guessed(spec: ModuleSpec) -> bool:
    """Whether a carried class takes an array without a stated shape, or a tree whose entries it names."""
    node = class_statement(spec.source, spec.name)
    fields = {} if node is None else {name: part.annotation for name, part in annotated_names(node.body)}
    said = dict(spec.test.values)
    given = {part.name: part.type for part in spec.arguments if part.name not in said}
    names_entries = node is not None and _names_entries(node)
    return any(
        (names_entries and isinstance(kind, TreeType))
        or (name in fields and _says_no_shape(fields[name]) and _has_shape(kind))
        for name, kind in given.items()
    )


def _names_entries(node: ast.AST) -> bool:
    """Whether code reads entries by name, such as `params["w"]`, which a tree need not have."""
    bodies = (
        part for function in nodes_of(ast.FunctionDef, node) for part in function.body
    )  # without annotations
    keys = (part.slice for part in nodes_of(ast.Subscript, *bodies) if isinstance(part.ctx, ast.Load))
    return any(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in keys)


def _is_guess(spec: ModuleSpec, name: str, call: Call, known: Mapping[str, ModuleSpec]) -> bool:
    said = {key.rpartition(".")[2] for key, _ in spec.test.values if key.partition(".")[0] in (name, key)}
    needed = [each for each in call.args if each.type and each.name not in said and _is_chosen(each)]
    unknown = unknown_dims(spec) - sizes_of_build(spec).keys()
    made = unknown & dims_in(field.type for field in spec.stored)
    if any(
        argument.type in (ScalarType("str"), CallableType())
        or holds_tree(argument.type)
        or dims_in([argument.type]) & unknown
        or dims_of_records(argument.type, known) & made
        for argument in needed
    ):
        return True  # no type says which texts there are: names, and files
    if not all(is_share(*pair, sizes(spec)) for pair in split_by(call)):
        return True
    function = function_of(call.source)
    numbers = [each.name for each in needed if each.type in (ScalarType("int"), ScalarType("float"))]
    held = dims_in(each.type for each in (*spec.stored, *parameters(spec)))
    free = [each.name for each in needed if dims_in([each.type]) - held]
    for names in _names_refused(call):
        if not names.isdisjoint(numbers) or ("self" in names and not names.isdisjoint(free)):
            return True
    pairs = arguments_with_defaults(function) if function is not None else ()
    bare = {argument.arg for argument, _ in pairs if _says_no_shape(argument.annotation)}
    of_sizes = (ScalarType("int"), TupleType((ScalarType("int"),), variadic=True))
    return any(
        each.name in bare
        and (
            _has_shape(each.type)
            or (name == "__init__" and each.type in of_sizes)
            or isinstance(each.type, ClassType)
        )
        for each in needed
    )


def _is_chosen(argument: Argument) -> bool:
    """Whether the tests choose an argument, also an array that is None by default."""
    return argument.default is None or is_array_left_out(argument)


def _names_refused(call: Call) -> list[set[str]]:
    """Return the names in each condition under which a function raises."""
    conditions = refused_conditions(parsed(call.text))
    return [{name.id for name in nodes_of(ast.Name, condition)} for condition in conditions]


def _says_no_shape(annotation: ast.expr | None) -> bool:
    return annotation is None or is_any(annotation) or any(map(names_array, members_of(annotation)))


def _has_shape(kind: Type | None) -> bool:
    """Whether a type contains an array that is no random key."""
    return any(array.dtype != "key" for array in arrays(kind)) if kind is not None else False
