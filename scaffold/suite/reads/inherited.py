"""Facts about bases for the tests of a class, and the class that stands for an abstract class."""

import ast
from collections.abc import Mapping
from itertools import chain

from msgspec.structs import replace

from scaffold.kind import kind_of
from scaffold.source.definitions import brings_no_fields, class_statement, statements, without_parameters
from scaffold.source.expressions import free_names, nodes_of
from scaffold.spec.grammar.types import ArrayType, ClassType
from scaffold.spec.model import Call, ModuleSpec
from scaffold.spec.rules.bases import asks_for_call, held_by, lineage, subclasses
from scaffold.spec.states import is_state
from scaffold.spec.unit import siblings

_OF_LIBRARIES = ("Module", "NamedTuple", "Pytree", "PyTreeNode")
"""Bases of libraries that hold nothing, so that the class itself says how to build an instance."""


def concrete(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec | None:
    """Return the class itself, or if it is abstract a subclass that the tests can build, if any.

    The subclass holds no class of its family. If possible, its methods read all their arguments.
    """
    if _is_made(spec, known):
        return spec
    family = subclasses(spec, known.values(), known)
    names = {spec.name, *(member.name for member in family)}
    able = [member for member in family if _is_made(member, known) and member.own_constructor is None]
    plain = [member for member in able if names.isdisjoint(held_by(member))]
    return next(iter((*filter(_reads_all_arguments, plain), *plain)), None)


def _reads_all_arguments(spec: ModuleSpec) -> bool:
    """Whether each method reads all its arguments, so that a caller depends on all that it passes."""
    return all(
        argument.name in free_names(function.call.body, expression=False)
        for _, function in spec.functions
        for argument in function.call.args
    )


def _is_made(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> bool:
    """Whether the tests can build instances of a class."""
    is_carried = kind_of(spec.kind).is_carried and dict(spec.options).get("laws") != "none"
    is_built = is_carried and (bool(spec.test.build) or has_known_constructor(spec, known))
    return (kind_of(spec.kind).has_instances or is_built) and not spec.is_open


def has_known_constructor(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> bool:
    """Whether an `__init__`, or fields of the class and its bases, say how to build an instance."""
    node = class_statement(spec.source, spec.name)
    assert node is not None, "what is carried is the statement of the class"
    return spec.defines("__init__") or _have_known_constructors(node, spec, known)


def _have_known_constructors(node: ast.ClassDef, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> bool:
    """Whether the bases of a class say how to build an instance, or leave that to the class."""
    for name in map(ast.unparse, map(without_parameters, node.bases)):
        last = name.rpartition(".")[2]
        if last in _OF_LIBRARIES or brings_no_fields(last):
            continue
        base = known.get(name)
        if base is None:
            plain = _carried_class(name, spec, known)
            is_known = plain is not None and _have_known_constructors(plain, spec, known)
        else:
            is_known = (
                base is not spec and kind_of(base.kind).is_carried and has_known_constructor(base, known)
            )
        if not is_known:
            return False
    return True


def _carried_class(name: str, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ast.ClassDef | None:
    """Return the statement of a carried class in the file of a spec, if there is one."""
    of_file = [spec, *(known[each] for each in siblings(spec) if each in known)]
    return next(filter(None, (class_statement(each.helpers, name) for each in of_file)), None)


def with_inherited(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    """Return the spec with the call, the fields and the examples that it inherits from bases."""
    every = lineage(spec, known)
    of_mixins = [method.call for method in spec.methods if method.inherited and method.name == "__call__"]
    if not (every or of_mixins):
        return spec
    of_bases = (base.call for base in every if base.call is not None and not asks_for_call(base))
    made = chain(of_mixins, of_bases)
    stored = (field for base in every if kind_of(base.kind).has_instances for field in base.stored)
    fields = {field.name: replace(field, built=True) for field in stored} | {
        field.name: field for field in spec.fields
    }
    values = [pair for base in reversed(every) for pair in base.test.values if "." in pair[0]]
    return replace(
        spec,
        call=spec.call if spec.call is not None else next(made, None),
        methods=tuple(method for method in spec.methods if method.name != "__call__" or not method.inherited),
        fields=tuple(fields.values()),
        test=replace(spec.test, values=tuple(dict([*values, *spec.test.values]).items())),
    )


def with_types_of_bases(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    """Return the spec in which methods without types have the types of the methods they override."""
    asked = {name: call for base in reversed(lineage(spec, known)) for name, call in _calls(base).items()}
    methods = tuple(
        replace(method, call=_typed(method.call, asked.get(method.name))) for method in spec.methods
    )
    call = spec.call if spec.call is None else _typed(spec.call, asked.get("__call__"))
    return replace(spec, call=call, methods=methods) if asked else spec


def _calls(spec: ModuleSpec) -> dict[str, Call]:
    calls = {} if spec.call is None else {"__call__": spec.call}
    return calls | {method.name: method.call for method in spec.methods if method.is_function}


def _typed(call: Call, asked: Call | None) -> Call:
    """Return the call with the types of another call, by the names of arguments."""
    if asked is None or not call.source:
        return call
    called = {
        node.func.id for node in nodes_of(ast.Call, *statements(call.body)) if isinstance(node.func, ast.Name)
    }
    kinds = {
        argument.name: argument.type
        for argument in asked.args
        # What the body calls is no array, whatever stands for it where nothing reads it.
        if not (argument.name in called and isinstance(argument.type, ArrayType))
    }
    args = tuple(replace(argument, type=argument.type or kinds.get(argument.name)) for argument in call.args)
    if call.returns:
        return replace(call, args=args)
    return replace(call, args=args, returns=asked.returns, returns_tuple=asked.returns_tuple)


def bound_of(spec: ModuleSpec, kind: ClassType) -> ClassType:
    """Return the class to which a type variable is bound, and any other class itself."""
    bounds = (parameter.bound for parameter in spec.generic if parameter.name == kind.name)
    return next((bound for bound in bounds if isinstance(bound, ClassType)), kind)


def how_to_build(kind: ClassType, name: str, *, is_abstract: bool) -> str:
    """Return what to write for the tests if nothing can be guessed."""
    made, more = f"{kind.name}(...)", ""
    if is_abstract:
        made, more = "Final(...)", f", with a class that fulfils `{kind.name}`, and import it in `imports`"
    elif is_state(kind):
        made, more = "eqx.nn.make_with_state(Model)(...)[1]", ", and the same with `[0]` for the model"
    return f'write `[test]` and `values = {{ {name} = "={made}" }}`{more}'
