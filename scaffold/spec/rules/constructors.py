"""The rules for further constructors: each builds an instance, and gives what that takes."""

import ast
from collections.abc import Iterator

from msgspec import Struct

from scaffold.errors import Fault, suggestion
from scaffold.kind import kind_of
from scaffold.spec.construction.constructor import has_factory, parameters
from scaffold.spec.construction.given_shapes import dims_read_off
from scaffold.spec.model import Argument, Method, ModuleSpec
from scaffold.spec.rules.pieces import class_names


class Taken(Struct, frozen=True):
    """What a constructor takes: names by position, in order, names by keyword alone, and which of all are needed."""

    positional: tuple[str, ...]
    keyword_only: tuple[str, ...]
    needed: frozenset[str]

    @property
    def every(self) -> tuple[str, ...]:
        return (*self.positional, *self.keyword_only)


def constructor_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What is wrong with the class methods that return an instance, and with the calls of the class in any method."""
    for method in spec.methods:
        place = f"{method.table}.{method.name}"
        if method.builds(spec.name) and not kind_of(spec.kind).has_instances:
            yield Fault(place, "an abstract class is not built", "put it into the subclass")
        elif method.call.body and method.owner == "cls" and not method.call.source:
            yield from _body_faults(spec, method, f"{place}.body")
    for key, function in spec.functions if kind_of(spec.kind).has_instances else ():
        for call in _calls_of_class(spec, function.call.body):
            yield from _call_faults(spec, call, f"{key}.body")


def _calls_of_class(spec: ModuleSpec, body: str) -> list[ast.Call]:
    calls = (node for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Call))
    return [node for node in calls if _built_by(spec, node.func)]


def _body_faults(spec: ModuleSpec, method: Method, place: str) -> Iterator[Fault]:
    tree = ast.parse(method.call.body)
    known = _class_members(spec)
    for name in sorted(set(_read_from_class(tree)) - known):
        if name == "create":
            yield Fault(place, f"`{spec.name}` has no `create`", "write `cls(...)`")
        elif not spec.bases and not name.startswith("__"):
            what = f"`cls.{name}` is no method of the class, nor of its instances"
            yield Fault(
                place,
                what,
                suggestion(name, known, "write `[constructors.NAME]` for it"),
                tuple(sorted(known)),
            )


def _class_members(spec: ModuleSpec) -> set[str]:
    """What may be read from the class."""
    own = {"create"} if has_factory(spec) else set[str]()
    return own | class_names(spec)


def _read_from_class(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="cls"), attr=name):
                yield name
            case _:
                pass


def _built_by(spec: ModuleSpec, function: ast.expr) -> str | None:
    """The constructor that is called: `cls`, `create`, or the name of a further one; None of another function."""
    if ast.unparse(function) in _names_of_class(spec):
        return "cls"
    if isinstance(function, ast.Attribute) and ast.unparse(function.value) in _names_of_class(spec):
        names = {one.name for one in spec.methods if one.builds(spec.name)}
        return function.attr if function.attr in {"create", *names} else None
    return None


def _names_of_class(spec: ModuleSpec) -> tuple[str, ...]:
    """What stands for the class in the body of a method; a subclass may take other arguments than a class that has one."""
    own = ("type(self)", "self.__class__") if not spec.bases else ()
    return ("cls", spec.name, *own)


def _call_faults(spec: ModuleSpec, call: ast.Call, place: str) -> Iterator[Fault]:
    """What is given and not taken, or needed and not given."""
    name, written = _built_by(spec, call.func) or "", ast.unparse(call.func)
    taken = _taken(spec, name)
    if name == "cls" and spec.nests and spec.constructor != "init":
        fix = f"write `{written}.create(...)`, which takes the fields one by one"
        yield Fault(place, f"`{written}(...)` takes groups, as they are stored", fix)
    if taken is None or any(isinstance(one, ast.Starred) for one in call.args):
        return
    shown = f"{written}(...)"
    if len(call.args) > len(taken.positional):
        what = f"`{shown}` takes {len(taken.positional)} arguments by position, and is given {len(call.args)}"
        yield Fault(place, what, "name them: `NAME=VALUE`", taken.every)
    named = [keyword.arg for keyword in call.keywords]
    for one in sorted({one for one in named if one is not None} - {*taken.every}):
        owner = dims_read_off(spec).get(one)
        fix = f"remove it: it is read off `{owner}`" if owner else suggestion(one, taken.every, "remove it")
        yield Fault(place, f"`{shown}` takes no `{one}`", fix, taken.every)
    given = {*taken.positional[: len(call.args)], *named}
    missing = [one for one in taken.every if one in taken.needed and one not in given]
    if missing and None not in named:
        listed = ", ".join(f"{one}=..." for one in missing)
        yield Fault(place, f"`{shown}` is not given `{missing[0]}`", f"write `{listed}` in it", taken.every)


def _taken(spec: ModuleSpec, name: str) -> Taken | None:
    """What the constructor `name` takes, where that is known."""
    further = next((one for one in spec.methods if one.name == name), None)
    if further is not None:
        return _of_arguments(further.call.args)
    if spec.own_constructor is not None:
        return None
    if name == "create" or spec.constructor == "init":
        found = parameters(spec) if name == "cls" or has_factory(spec) else ()
        return (
            Taken(
                tuple(one.name for one in found if not one.keyword_only),
                tuple(one.name for one in found if one.keyword_only),
                frozenset(one.name for one in found if one.default is None),
            )
            if found
            else None
        )
    return _stored(spec)


def _stored(spec: ModuleSpec) -> Taken | None:
    """What the class itself takes: the fields, as they are stored."""
    is_known = kind_of(spec.kind).stores and not (spec.nests or any(base.module for base in spec.bases))
    if not is_known or spec.rebuilds_by("flag") or spec.rebuilds_by("static"):
        return None
    names = tuple(one.name for one in spec.stored)
    return Taken(names, (), frozenset(names))


def _of_arguments(arguments: tuple[Argument, ...]) -> Taken:
    marker = next((index for index, one in enumerate(arguments) if one.is_marker), len(arguments))
    return Taken(
        tuple(one.name for one in arguments[:marker]),
        tuple(one.name for one in arguments[marker + 1 :]),
        frozenset(one.name for one in arguments if one.default is None and not one.is_marker),
    )
