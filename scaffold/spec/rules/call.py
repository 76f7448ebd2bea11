"""The rules for `__call__`: its arguments, its result, and what it carries."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from scaffold.errors import Fault, suggestion
from scaffold.kind import kind_of
from scaffold.spec.construction.constructor import Parameter
from scaffold.spec.grammar.types import ClassType
from scaffold.spec.model import Argument, Call, ModuleSpec
from scaffold.spec.names import argument_name_fault
from scaffold.spec.rules.fields import value_faults
from scaffold.spec.source.expressions import own_nodes
from scaffold.spec.tables.keys import SELF


def call_faults(spec: ModuleSpec, unread: frozenset[str]) -> Iterator[Fault]:
    """What is wrong with the call and the methods; the names in their bodies are looked up elsewhere."""
    for key, function in (pair for pair in spec.functions if not pair[1].call.source):
        yield from _faults(spec, function.call, f"{spec.where}: {key}", unread)
        if key == "call":
            yield from _carry(function.call, f"{spec.where}: call.carry", unread)
        elif function.call.carry == SELF:
            yield from _carried_self(spec, function.call, f"{spec.where}: {key}.carry")


def _faults(spec: ModuleSpec, call: Call, place: str, unread: frozenset[str]) -> Iterator[Fault]:
    names = [argument.name for argument in call.args]
    for argument in call.args:
        yield from _argument(argument, f"{place}.args", spec.name)
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Fault(
            f"{place}.args", f"`{name}` is there twice", "rename one" if name != "*" else "remove one"
        )
    positional = list[Argument](takewhile(lambda one: not one.is_marker, call.args))
    yield from order_faults(positional, f"{place}.args")
    yield from marker_faults(call.args, f"{place}.args")
    yield from _result(spec, call, place)


def _argument(argument: Argument, place: str, class_name: str) -> Iterator[Fault]:
    if argument.is_marker:
        return
    if argument.name.startswith("*"):
        fix = f"write `{argument.name.lstrip('*') or 'xs'}: list[f[size]]`"
        yield Fault(place, f"`{argument.name}` takes any number of arguments, so no example can be made", fix)
        return
    fault = argument_name_fault(argument.name, place, class_name, reserved=False)
    if fault is not None:
        yield fault
    elif argument.type is None:
        yield Fault(place, f"`{argument.name}` has no type", f"write `{argument.name}: f[size]`")
    elif argument.default is not None:
        yield from value_faults(argument.type, argument.default, place)


def order_faults(arguments: Iterable[Argument | Parameter], place: str) -> Iterator[Fault]:
    """Arguments by position without a default, below such as have one."""
    defaulted = ""
    for argument in arguments:
        if argument.default is not None:
            defaulted = argument.name
        elif defaulted:
            fix = f"put it before `{defaulted}`, give it a default, or put `*` before it"
            yield Fault(
                place, f"`{argument.name}` has no default and follows `{defaulted}`, which has one", fix
            )


def marker_faults(arguments: Sequence[Argument], place: str) -> Iterator[Fault]:
    """A `*` with nothing behind it."""
    if arguments and arguments[-1].is_marker:
        yield Fault(place, "nothing follows `*`", "remove it, or put an argument behind it")


def _carry(call: Call, place: str, unread: frozenset[str]) -> Iterator[Fault]:
    names = [argument.name for argument in call.args]
    if call.carry is None or call.carry in unread:
        return
    carried = next((one for one in call.args if one.name == call.carry), None)
    if carried is None:
        fix = suggestion(call.carry, names, "write the name of an argument")
        yield Fault(place, f"`{call.carry}` is no argument", fix, tuple(names))
    elif not call.returns:
        fix = "write `returns`, with the next value first"
        yield Fault(place, f"the next `{call.carry}` is returned first, and `returns` does not say so", fix)
    elif carried.type is not None and carried.type != call.returns[0]:
        fix = "give the argument and the first result one type: a scan carries it from step to step"
        yield Fault(place, f"`{call.carry}` and the first result differ in type", fix)


def _carried_self(spec: ModuleSpec, call: Call, place: str) -> Iterator[Fault]:
    """A method that carries the instance gives the next one first; one of NNX may change its own in place."""
    first = call.returns[0] if call.returns else None
    if first != ClassType(spec.name) and not kind_of(spec.kind).variables:
        what = "the next instance is returned first, and `returns` does not say so"
        yield Fault(place, what, f'write `returns = "{spec.name}"`, or with more behind it')


def _result(spec: ModuleSpec, call: Call, place: str) -> Iterator[Fault]:
    is_asked = not kind_of(spec.kind).has_instances and call.body == "..."
    if call.body and not is_asked and not _returns_value(call.body):
        yield Fault(f"{place}.body", "returns nothing", "end it with `return ...`")


def _returns_value(body: str) -> bool:
    ends = (node for node in own_nodes(ast.parse(body).body) if isinstance(node, ast.Return | ast.Yield))
    return any(node.value is not None for node in ends)
