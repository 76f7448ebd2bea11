"""Arguments without an example that the instance makes or holds, such as `instance.init_cache(3)`."""

import ast
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from scaffold.errors import ScaffoldError
from scaffold.source.expressions import elements_of, nodes_of, parsed
from scaffold.source.instance import last_name, named_value, self_attributes
from scaffold.spec.construction.cases import MADE_BY_INSTANCE
from scaffold.spec.construction.sizes import is_int
from scaffold.spec.grammar.types import ClassType, OpaqueType, TreeType, Type, is_traced
from scaffold.spec.grammar.values import EXAMPLE_INT
from scaffold.spec.model import Argument, Call, Method, ModuleSpec
from scaffold.spec.once import once
from scaffold.suite.examples.examples import Examples


def with_made_arguments(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    """Add values for arguments without an example, made by a method or held by the instance."""
    needed = [
        (method, argument)
        for _, method in spec.functions
        for argument in method.call.args
        if argument.default is None and not is_said(spec, argument)
        if any(_makes(maker, argument.type) for maker in spec.methods)
        or [*held_in_place_of(spec, method, argument)]
    ]
    examples = Examples.of(spec, known) if needed else None
    made = {
        f"{method.name}.{argument.name}": source
        for method, argument in needed
        if examples is not None
        if isinstance(argument.type, TreeType) or not has_example(argument, examples)
        # What a method makes goes before what is held.
        for source in [
            *held_in_place_of(spec, method, argument),
            *made_by_method(argument.type, method.call, examples),
        ][-1:]
    }
    if not made:
        return spec  # with all that is worked out of it
    return replace(spec, test=replace(spec.test, values=(*spec.test.values, *made.items())))


def made_by_method(kind: Type | None, call: Call, examples: Examples) -> Iterator[str]:
    """Yield the call of the first method that returns a type, of the instance or of a part.

    The call passes sizes, and arguments of `call` itself.
    """
    for holder, spec in (("", examples.spec), *_parts(examples)):
        for method in spec.methods:
            if kind is not None and method.call is not call and _makes(method, kind):
                values = [*_values(method.call, _passed(call, kind), examples)]
                if len(values) == len(method.call.args):
                    given = "" if method.decorators else f"({', '.join(values)})"
                    yield f"{MADE_BY_INSTANCE}{holder}{method.name}{given}"
                    return


def _parts(examples: Examples) -> Iterator[tuple[str, ModuleSpec]]:
    """Yield the fields that hold an instance of a known class, as they are read, each with its spec."""
    for field in examples.spec.stored:
        match field.type:
            case ClassType(name=name, module=None) if name in examples.known and not field.nullable:
                yield f"{field.name}.", examples.known[name]
            case _:
                pass


def held_in_place_of(spec: ModuleSpec, method: Method, argument: Argument) -> Iterator[str]:
    """Yield the attributes that may stand for an argument without a type, or for any tree.

    An attribute has the same name, or is a tree of the same structure. A loss takes the `params` of a state,
    and a sum of gradients a tree like `self.grads`.
    """
    is_untyped = argument.type is None or isinstance(argument.type, OpaqueType | TreeType)
    if method.owner != "cls" and method.is_function and is_untyped:
        names = (argument.name, *_of_one_structure(method.call.body, argument.name))
        held = _attributes(spec)
        yield from (f"{MADE_BY_INSTANCE}{name}" for name in names if name in held)


def takes_attributes(spec: ModuleSpec, name: str, call: Call) -> bool:
    """Whether an example of a method is a guess: an attribute that the instance holds."""
    values = {value for key, value in spec.test.values if key.partition(".")[0] == name}
    method = Method(name, call)
    return any(not values.isdisjoint(held_in_place_of(spec, method, argument)) for argument in call.args)


@once
def _attributes(spec: ModuleSpec) -> frozenset[str]:
    """Return the attributes that methods read and that are no methods, even of a class kept word for word."""
    read = {name for method in spec.methods for name in self_attributes(method.call.body)}
    return frozenset(read - {method.name for method in spec.methods})


def _of_one_structure(body: str, name: str) -> list[str]:
    """Return the attributes of `self` that are trees of the same structure as a variable.

    One call maps, updates or steps them together with the variable.
    """
    groups, alike = [*_groups(parsed(body))], {name}
    for group in groups * len(groups):  # in whatever order the statements stand
        alike |= group if not alike.isdisjoint(group) else set[str]()
    return sorted(each.removeprefix("self.") for each in alike if each.startswith("self."))


def _groups(body: ast.Module) -> Iterator[set[str]]:
    """Yield the variables and attributes that one call takes or returns as trees of one structure."""
    for call in nodes_of(ast.Call, body):
        yield {ast.unparse(each) for each in _trees_of(call) if named_value(each)}
    for statement in nodes_of(ast.Assign, body):
        targets = elements_of(statement.targets[0])[:1]
        trees = _trees_of(statement.value) if isinstance(statement.value, ast.Call) else []
        yield {ast.unparse(each) for each in (*targets, *trees[:1]) if named_value(each)}


def _trees_of(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call that are trees of one structure.

    The calls are `jax.tree.map`, `apply_updates`, and the `update` of an optimiser.
    """
    match last_name(call.func), call.args:
        case "map" | "tree_map", [_, *trees]:
            return trees
        case "update", [gradients, _, parameters]:
            return [gradients, parameters]
        case "apply_updates", trees:
            return trees
        case _:
            return []


def _makes(method: Method, kind: Type | None) -> bool:
    """Whether a plain method or a property returns this class, or this annotation as written."""
    is_plain = method.owner == "self" and method.decorators in ((), ("property",)) and method.is_function
    return is_plain and isinstance(kind, ClassType | OpaqueType) and method.call.returns == (kind,)


def _passed(call: Call, made: Type) -> dict[str, Type]:
    """Return the traced arguments of a call by name, except arguments of the type to be made."""
    typed = ((argument.name, argument.type) for argument in call.args)
    return {name: kind for name, kind in typed if kind is not None and is_traced(kind) and kind != made}


def _values(call: Call, passed: Mapping[str, Type], examples: Examples) -> Iterator[str]:
    for argument in call.args:
        if argument.type is not None and passed.get(argument.name) == argument.type:
            yield argument.name
        elif is_int(argument.type):
            yield str(examples.sizes.get(argument.name, EXAMPLE_INT))


def is_said(spec: ModuleSpec, argument: Argument) -> bool:
    """Whether the author gives an example for an argument of this name."""
    return any(key.rpartition(".")[2] == argument.name for key, _ in spec.test.values)


def has_example(argument: Argument, examples: Examples) -> bool:
    """Whether an example of an argument can be made."""
    if argument.type is None:
        return False
    try:
        examples.value(argument.type, argument.name, 0)
    except ScaffoldError:
        return False
    return True
