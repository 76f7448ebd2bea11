"""Rules for further constructors, and for calls of a class: each call must fit its constructor."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from inspect import Parameter, Signature

from scaffold.errors import Fault, suggestion
from scaffold.kind import kind_of
from scaffold.source.definitions import statements
from scaffold.source.expressions import nodes_of
from scaffold.spec.construction import constructor
from scaffold.spec.construction.class_calls import calls_of_class, kept_defaults
from scaffold.spec.construction.given_shapes import dims_read_off
from scaffold.spec.model import Method, ModuleSpec
from scaffold.spec.rules.pieces import class_names, pieces
from scaffold.spec.unit import siblings

_BESIDE = ("helpers", "below")
"""The pieces of Python that stand beside a class."""


def constructor_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find faults in class methods that return an instance, and in calls of the class in any method."""
    for method in spec.methods:
        place = f"{method.table}.{method.name}"
        if method.builds(spec.name) and not kind_of(spec.kind).has_instances:
            yield Fault(place, "an abstract class is not built", "put it into the subclass")
        elif method.call.body and method.owner == "cls" and not method.call.source:
            yield from _body_faults(spec, method, f"{place}.body")
    for key, call, name in calls_of_class(spec) if kind_of(spec.kind).has_instances else ():
        yield from _call_faults(spec, call, name, f"{key}.body")


def _body_faults(spec: ModuleSpec, method: Method, place: str) -> Iterator[Fault]:
    known = {*class_names(spec), *("create",) * constructor.has_factory(spec)}
    attributes = nodes_of(ast.Attribute, ast.parse(method.call.body))
    read = {node.attr for node in attributes if ast.unparse(node.value) == "cls"}
    for name in sorted(read - known - {"create"}):  # of which it is told where it is called
        if not spec.bases and not name.startswith("__"):
            message = f"`cls.{name}` is no method of the class, nor of its instances"
            fix = suggestion(name, known, "write `[constructors.NAME]` for it")
            yield Fault(place, message, fix, tuple(sorted(known)))


def beside_faults(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[Fault]:
    """Find calls that do not fit the generated classes of a file.

    In the class, only calls of other classes are checked. In the helpers beside it, every call is.
    """
    others = _with_known_constructor(known[name] for name in siblings(spec) if name in known)
    beside = others | _with_known_constructor([spec])
    for piece in pieces(spec) if beside else ():
        called = beside if piece.key in _BESIDE else others
        for call in nodes_of(ast.Call, *statements(piece.text)) if called else ():
            owner, _, name = ast.unparse(call.func).partition(".")
            if owner in called and name in ("", "create"):
                yield from _call_faults(called[owner], call, name or "cls", piece.key)


def _with_known_constructor(specs: Iterable[ModuleSpec]) -> dict[str, ModuleSpec]:
    """Return the classes whose constructor is known, by name.

    A constructor is known if it is emitted, and the class has no bases that add arguments.
    """
    emitted = (spec for spec in specs if not spec.bases and spec.own_constructor is None)
    return {spec.name: spec for spec in emitted if kind_of(spec.kind).stores}


def _call_faults(spec: ModuleSpec, call: ast.Call, name: str, place: str) -> Iterator[Fault]:
    """Check that a call fits the constructor, and report a misfit in the words of Python."""
    signature, written = _signature(spec, name), ast.unparse(call.func)
    if name == "create" and _lacks_create(spec):
        yield Fault(
            place, f"`{spec.name}` has no `create`", f"write `{written.removesuffix('.create')}(...)`"
        )
    if name == "cls" and spec.nests and spec.constructor != "init":
        fix = f"write `{written}.create(...)`, which takes the fields one by one"
        yield Fault(place, f"`{written}(...)` takes groups, as they are stored", fix)
    if signature is None or any(isinstance(argument, ast.Starred) for argument in call.args):
        return
    error = _misfit(signature, call)
    if error:
        taken = tuple(signature.parameters)
        unknown = next((key.arg for key in call.keywords if key.arg and key.arg not in taken), "")
        factory = _signature(spec, "create") if name == "cls" and constructor.has_factory(spec) else None
        if factory is not None and not _misfit(factory, call):
            fix = f"write `{spec.name}.create(...)`, which takes `{_shown(factory)}`: the class itself takes the fields as they are stored"
        elif owner := dims_read_off(spec).get(unknown):
            fix = f"remove `{unknown}`: it is read off `{owner}`"
        else:
            fix = f"it takes `{_shown(signature)}`"
            fix = suggestion(unknown, taken, fix) if unknown else fix
        yield Fault(place, f"`{written}(...)` does not fit the constructor: {error}", fix, taken)


def _lacks_create(spec: ModuleSpec) -> bool:
    """Whether a class and its bases have no `create`, since the class takes only its fields."""
    is_known = not spec.bases and spec.own_constructor is None and kind_of(spec.kind).stores
    return is_known and not (constructor.has_factory(spec) or spec.defines("create"))


def _misfit(signature: Signature, call: ast.Call) -> str:
    """Return the error of Python for a call that does not fit a signature, or an empty text."""
    named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    try:
        # First, since a name that is not taken hides one that is missing.
        signature.bind_partial(*call.args, **named)
        if len(named) == len(call.keywords):
            signature.bind(*call.args, **named)
    except TypeError as error:
        return str(error)
    return ""


def _shown(signature: Signature) -> str:
    return str(signature).replace("Ellipsis", "...")


def _signature(spec: ModuleSpec, name: str) -> Signature | None:
    """Return the signature of the constructor `name`, if it is known."""
    further = next((method for method in spec.methods if method.name == name), None)
    if further is not None:
        return _of_parameters(constructor.parameters_of(further.call.args))
    if spec.own_constructor is not None:
        return None
    if name == "create" or spec.constructor == "init":
        is_there = name == "cls" or constructor.has_factory(spec)
        return _of_parameters(constructor.parameters(spec)) if is_there else None
    return _of_stored_fields(spec)


def _of_stored_fields(spec: ModuleSpec) -> Signature | None:
    """Return the signature of the class itself, which takes the fields as they are stored, if known."""
    is_known = kind_of(spec.kind).stores and not (spec.nests or any(base.module for base in spec.bases))
    is_known = is_known and not (spec.source and spec.bases)  # whose fields are known later
    if not is_known or constructor.rebuilds_by(spec, "static"):
        return None
    if constructor.rebuilds_by(spec, "flag"):
        return _of_parameters(constructor.parameters(constructor.fields_as_given(spec)))
    kept = kept_defaults(spec)
    return _of((field.name, field.name not in kept, False) for field in spec.stored)


def _of_parameters(taken: Iterable[constructor.Parameter]) -> Signature:
    return _of((parameter.name, parameter.default is None, parameter.keyword_only) for parameter in taken)


def _of(arguments: Iterable[tuple[str, bool, bool]]) -> Signature:
    """Build a signature from names, each with whether it is required, and whether it is keyword-only."""
    kinds, defaults = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY), (..., Parameter.empty)
    return Signature(
        [Parameter(name, kinds[by_name], default=defaults[needed]) for name, needed, by_name in arguments]
    )
