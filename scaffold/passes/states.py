"""State of a Module: fields in `equinox.nn.State`, which the call and methods take and return.

The author writes `self.mean` and `self.mean = ...`, and returns the result. The emitted code reads
`state.get(self.mean)`, rebinds `state` at each update, and returns it beside the result. So a later read sees
the assigned value with its gradient, even in branches and loops.

A function that takes `eqx.nn:State` itself, such as to pass it to submodules, returns it itself. Methods
without state stay as they are.
"""

import ast
import re
from collections.abc import Callable, Iterator, Set

from msgspec.structs import replace

from scaffold.errors import Fault
from scaffold.kind import kind_of
from scaffold.source.expressions import (
    Comprehension,
    assigned_names,
    bound_names,
    dedented,
    is_identity_test,
    nodes_of,
    own_nodes,
)
from scaffold.source.instance import attribute_of_self, is_whole, updated_attribute
from scaffold.source.rewriting import in_place_of, rewrite, spliced
from scaffold.spec.grammar.types import ClassType, OpaqueType, TupleType, Type
from scaffold.spec.grammar.values import one_value
from scaffold.spec.model import Argument, Call, Field, Method, ModuleSpec
from scaffold.spec.states import (
    ARGUMENT,
    STATE,
    is_state,
    is_stateful,
    state_argument,
    state_fields,
    state_taken_by,
)

ANY = ClassType("Any", "typing")


def with_state(spec: ModuleSpec) -> ModuleSpec:
    """Add the state to the arguments and results of functions that use it, and rewrite their bodies."""
    call = spec.call if spec.call is None or not is_stateful(spec) else _with_state(spec, spec.call)
    methods = (
        replace(method, call=_with_state(spec, method.call)) if uses_state(spec, method) else method
        for method in spec.methods
    )
    return replace(spec, call=call, methods=tuple(methods))


def uses_state(spec: ModuleSpec, method: Method) -> bool:
    """Whether a method reads or assigns state."""
    body, names = method.call.body, {state_field.name for state_field in state_fields(spec)}
    attributes = map(attribute_of_self, ast.walk(ast.parse(body))) if names and method.owner == "self" else ()
    return not names.isdisjoint(attributes)


def _with_state(spec: ModuleSpec, call: Call) -> Call:
    state = state_taken_by(call)
    name = state.name if state is not None else ARGUMENT.name
    body = _updates(spec, _reads(spec, call.body, name), name)
    if state is not None:
        return replace(call, body=body)
    body = _rewrite_statements(body, lambda node, text: _returned(node, text, name))
    returns = (_result(call), STATE)
    return replace(call, args=_with_argument(call.args), body=body, returns=returns, returns_tuple=True)


def _result(call: Call) -> Type:
    """Return the type of the author's result, as a tuple if there are several."""
    if not call.returns:
        return ANY
    return TupleType(call.returns) if call.returns_tuple else call.returns[0]


def _with_argument(arguments: tuple[Argument, ...]) -> tuple[Argument, ...]:
    """Insert the state after the required positional arguments."""
    required = 0
    while required < len(arguments) and not (
        arguments[required].is_marker or arguments[required].default is not None
    ):
        required += 1
    return (*arguments[:required], ARGUMENT, *arguments[required:])


def read_states(spec: ModuleSpec, source: str) -> str:
    """Rewrite reads of state in `source`, where the call's arguments are bound."""
    state = state_argument(spec)
    return source if state is None else _reads(spec, source, state.name)


def _reads(spec: ModuleSpec, source: str, state: str) -> str:
    """Write `state.get(self.mean)` for `self.mean`."""
    names = {state_field.name for state_field in state_fields(spec)}

    def change(node: ast.AST, ancestors: tuple[ast.AST, ...]) -> str | None:
        inner = node.value if isinstance(node, ast.Subscript) and is_whole(node) else node
        name = attribute_of_self(inner)
        parent = ancestors[-1] if ancestors else node
        if (
            name not in names
            or not isinstance(getattr(node, "ctx", None), ast.Load)
            or _is_index(parent, state)
        ):
            return None
        return _read(name, state)

    return rewrite(source, change)


def _is_index(parent: ast.AST, state: str) -> bool:
    """Whether the attribute means the index and not its value."""
    by_hand = isinstance(parent, ast.Call) and ast.unparse(parent.func) in (f"{state}.get", f"{state}.set")
    return by_hand or is_whole(parent) or is_identity_test(parent)


def _read(name: str | None, state: str) -> str:
    return f"{state}.get(self.{name})"


def _updates(spec: ModuleSpec, source: str, state: str) -> str:
    """Write `state = state.set(self.mean, value)` for `self.mean = value`."""
    fields = {state_field.name: state_field for state_field in state_fields(spec)}

    def change(node: ast.stmt, text: str) -> str | None:
        name = _target(node)
        if name not in fields:
            return None
        head, _, rest = text.partition("=")
        value = one_value(rest.strip())
        if isinstance(node, ast.AugAssign):
            operator = re.split(r"[\w\]]", head.strip())[-1].strip()
            value = f"{_read(name, state)} {operator} {_operand(value)}"
        return f"{state} = {state}.set(self.{name}, {value})"

    return _rewrite_statements(source, change)


def _target(node: ast.AST) -> str | None:
    """Return the attribute of `self` that a plain or augmented assignment updates, or None."""
    match node:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
            return updated_attribute(target)
        case _:
            return None


def _operand(value: str) -> str:
    node = ast.parse(value, mode="eval").body
    is_one = isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.Constant)
    return value if is_one or node.col_offset > 0 else f"({value})"


def _returned(node: ast.stmt, text: str, state: str) -> str | None:
    if not isinstance(node, ast.Return):
        return None
    value = one_value(text.removeprefix("return").strip() or "None")
    tree = ast.parse(value, mode="eval").body
    if isinstance(tree, ast.IfExp | ast.Lambda) and tree.col_offset == 0:
        value = f"({value})"
    return f"return {value}, {state}"


def state_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find state of an impossible type, and places where state cannot be read or updated."""
    for field in state_fields(spec):
        yield from _field_faults(field, f"fields.{field.name}")
    if kind_of(spec.kind).keeps_state:
        yield from _axis_faults(spec)
        yield from _function_faults(spec)
        yield from _reader_faults(spec)


def _field_faults(field: Field, place: str) -> Iterator[Fault]:
    if isinstance(field.type, OpaqueType) and not field.built:
        message = f"state is an array, and nothing is known of `{field.type.text}`"
        yield Fault(f"{place}.type", message, "write its dtype and shape, such as `f[n]`")
    if field.nullable:
        fix = f'write `optional = "use_{field.name}"`, or remove `| None`'
        yield Fault(f"{place}.type", "state is there or is not, whatever it holds", fix)
    if field.check is not None:
        fix = "remove it: the call may check what it reads"
        yield Fault(f"{place}.check", "the constructor holds no state to check", fix)


def _axis_faults(spec: ModuleSpec) -> Iterator[Fault]:
    name = spec.call.axis_name if spec.call is not None else None
    if name is not None and not name:
        yield Fault("call.axis_name", "is empty", 'write `axis_name = "batch"`, or remove it')


def _function_faults(spec: ModuleSpec) -> Iterator[Fault]:
    unseen = {
        method.name
        for method in spec.methods
        if uses_state(spec, method) and state_taken_by(method.call) is None
    }
    for key, function in spec.functions:
        is_user = is_stateful(spec) if key == "call" else uses_state(spec, function)
        if is_user or state_taken_by(function.call) is not None:
            place_text = "the call" if key == "call" else f"`{function.name}`"
            yield from _of_function(spec, function, place_text, f"{key}")
        yield from _handed_faults(unseen, function, f"{key}.body")


def _of_function(spec: ModuleSpec, function: Method, place_text: str, place: str) -> Iterator[Fault]:
    call, state = function.call, state_taken_by(function.call)
    if "property" in function.decorators:
        yield Fault(f"{place}.decorator", "a property is given no state to read", "remove it: write a method")
        return
    if state is not None and call.returns and not is_state(call.returns[-1]):
        fix = 'write `returns = "..., eqx.nn:State"`, and return it last'
        yield Fault(f"{place}.returns", f"{place_text} takes `{state.name}` and returns no state", fix)
    if state is None and any(argument.name == ARGUMENT.name for argument in call.args):
        fix = "rename it, or write `state: eqx.nn:State` and return it yourself"
        yield Fault(f"{place}.args", f"`state` is what {place_text} names the module's state", fix)
    if state is None and call.body and ARGUMENT.name in assigned_names(call.body):
        fix = "rename it, or take `state: eqx.nn:State` as an argument"
        yield Fault(
            f"{place}.body", f"assigns `state`, which is what {place_text} names the module's state", fix
        )
    yield from _update_faults(spec, call.body, place_text, f"{place}.body")
    name = state.name if state is not None else ARGUMENT.name
    yield from _hidden_faults(spec, call.body, name, f"{place}.body")


def _handed_faults(unseen: Set[str], function: Method, place: str) -> Iterator[Fault]:
    """Find calls of methods that use state without declaring it.

    `unseen` names these methods. Both signatures must show the state, because the caller has to pass it.
    """
    called = (node.func for node in ast.walk(ast.parse(function.call.body)) if isinstance(node, ast.Call))
    for name in sorted({attribute_of_self(expression) or "" for expression in called} & unseen):
        fix = f"write `state: eqx.nn:State` as an argument of both, and `result, state = self.{name}(..., state)`"
        yield Fault(place, f"calls `{name}`, which takes the state and returns the next one", fix)


def _update_faults(spec: ModuleSpec, body: str, place_text: str, place: str) -> Iterator[Fault]:
    """Find updates that are no statement of the body itself, or update anything but state."""
    legal = tuple(state_field.name for state_field in state_fields(spec))
    tree = ast.parse(body)
    plain = {_target(node) for node in own_nodes(tree.body)} - {None}
    every = [name for name in map(updated_attribute, ast.walk(tree)) if name is not None]
    if not legal:
        return
    for name in sorted({*every}):
        if name not in legal:
            fix = f'write `role = "state"` for `{name}`, or return the new value'
            yield Fault(
                place, f"{place_text} assigns `self.{name}`, and it may update state alone", fix, legal
            )
        elif name not in plain or every.count(name) > _count(tree, name):
            fix = f"write `self.{name} = ...` alone, as a statement of the body itself"
            yield Fault(place, f"`self.{name}` is updated within another statement or function", fix)


def _hidden_faults(spec: ModuleSpec, body: str, state: str, place: str) -> Iterator[Fault]:
    """Find reads of state inside functions that bind `state` to something else."""
    names = {state_field.name for state_field in state_fields(spec)}
    for node in _inner_scopes(ast.parse(body)):
        if state in bound_names(node):
            for name in sorted({attribute_of_self(node) or "" for node in ast.walk(node)} & names):
                fix = f"give that another name, or read `self.{name}` before it"
                yield Fault(place, f"`self.{name}` is read where `{state}` is bound anew", fix)


def _count(tree: ast.Module, name: str) -> int:
    return sum(_target(node) == name for node in own_nodes(tree.body))


def _reader_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find checks and derived fields that read state, which they cannot get."""
    names = {state_field.name for state_field in state_fields(spec)}
    for field in spec.fields:
        for key, source in (
            ("check", field.check),
            ("init", field.expression if field.role == "derived" else None),
        ):
            for name in sorted(names & _names(source)) if field.role != "state" else ():
                fix = "compute it in the body of the call"
                yield Fault(f"fields.{field.name}.{key}", f"reads the state `{name}`", fix)


def _names(source: str | None) -> set[str]:
    nodes = ast.walk(ast.parse(source.removeprefix("=").strip(), mode="eval")) if source else ()
    return {name for node in nodes for name in (getattr(node, "id", None), attribute_of_self(node)) if name}


def _rewrite_statements(source: str, change: Callable[[ast.stmt, str], str | None]) -> str:
    """Replace each simple statement for which `change` returns a text, given its node and text.

    Statements in functions and classes stay.
    """
    nodes = (node for node in own_nodes(ast.parse(source).body) if isinstance(node, ast.stmt))
    simple = (node for node in nodes if not hasattr(node, "body"))
    texts = (
        (statement, change(statement, ast.get_source_segment(source, statement) or ""))
        for statement in simple
    )
    return spliced(source, (in_place_of(statement, text) for statement, text in texts if text is not None))


def _inner_scopes(tree: ast.AST) -> Iterator[ast.AST]:
    scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, *Comprehension.__args__)
    return (node for node in ast.walk(tree) if isinstance(node, scopes))


def states_set(spec: ModuleSpec, call: Call) -> tuple[str, ...]:
    """Return the states that an emitted call sets by `state.set(self.mean, ...)`."""
    fields = {field.name for field in state_fields(spec)}
    calls = nodes_of(ast.Call, ast.parse(dedented(call.body))) if fields else ()
    set_to = (node.args[0] for node in calls if ast.unparse(node.func).endswith(".set") and node.args)
    names = {attribute_of_self(node) for node in set_to}
    return tuple(sorted(fields.intersection(filter(None, names))))
