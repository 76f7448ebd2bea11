"""The rules that a spec obeys as a whole. Each rule looks at one thing and yields its faults."""

import builtins
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace

from scaffold.errors import Fault, nearest, suggestion
from scaffold.spec.constructor import (
    constructor_names,
    converter_expression,
    dims_of,
    parameters,
    variadic_dims,
)
from scaffold.spec.expressions import assigned_names, count_name, free_names, self_attributes, syntax_fault
from scaffold.spec.initialisers import INITIALISERS, legal_initialisers
from scaffold.spec.model import Argument, Field, ModuleSpec
from scaffold.spec.names import IMPORTS, argument_name_fault, class_name_fault, field_name_fault
from scaffold.spec.types import ClassType, DictType, ScalarType, walk

_BUILTINS = frozenset(dir(builtins))


def spec_faults(spec: ModuleSpec, *, declared: frozenset[str], unread: str) -> list[Fault]:
    """All that is wrong with `spec`.

    `declared` holds the top-level keys that the author wrote; `unread` is the text of fields that could not be read,
    whose names must not be reported as unknown.
    """
    syntax = list(_syntax(spec))
    faults = [*_names(spec), *_forms(spec, declared), *syntax, *_imports(spec)]
    if not syntax:
        faults += [
            *_fields(spec),
            *_arguments(spec),
            *_known_names(spec, unread),
            *_call(spec),
            *_tests(spec, unread),
        ]
    return faults


def _place(spec: ModuleSpec, *parts: str) -> str:
    return f"{spec.where}: {'.'.join(parts)}"


def _names(spec: ModuleSpec) -> Iterator[Fault]:
    candidates = [class_name_fault(spec.name, _place(spec, "name"))] if spec.name else []
    candidates += [
        field_name_fault(one.name, _place(spec, "fields", one.name), spec.name) for one in spec.fields
    ]
    dims = [name for name in dims_of(spec) if spec.field(name) is None]
    candidates += [argument_name_fault(name, _place(spec, "fields"), spec.name) for name in dims]
    flags = [(one.name, one.optional) for one in spec.fields if one.optional]
    candidates += [
        argument_name_fault(flag, _place(spec, "fields", name, "optional")) for name, flag in flags
    ]
    yield from (fault for fault in candidates if fault is not None)


def _forms(spec: ModuleSpec, declared: frozenset[str]) -> Iterator[Fault]:
    """Which constructor and rebuild form go together."""
    if spec.kind != "pytree":
        if "rebuild" in declared:
            fix = 'remove it, or write `kind = "pytree"`'
            yield Fault(_place(spec, "rebuild"), "an Equinox Module rebuilds itself", fix)
        return
    if spec.constructor == "init" and spec.rebuild in ("factory", "flag"):
        fix = 'remove `constructor`, or write `rebuild = "bypass"`'
        yield Fault(_place(spec, "constructor"), f"rebuild `{spec.rebuild}` keeps `__init__` for itself", fix)
    if spec.rebuild == "static" and not any(field.preset for field in spec.fields):
        fix = "give a dict field `preset = { name = 1.0 }`, or choose another `rebuild`"
        yield Fault(
            _place(spec, "rebuild"), "`static` keeps preset entries in the treedef, and there are none", fix
        )


def _syntax(spec: ModuleSpec) -> Iterator[Fault]:
    for place, source, expression in _sources(spec):
        what = syntax_fault(source, expression=expression)
        if what is not None:
            yield Fault(
                place, f"not Python: {what}", "write an expression" if expression else "mend the statement"
            )


def _sources(spec: ModuleSpec) -> Iterator[tuple[str, str, bool]]:
    """Every piece of Python in the spec: its place, its text, whether it is an expression."""
    for field in spec.fields:
        named = {"init": field.expression, "preprocess": field.preprocess, "check": field.check}
        named["converter"] = converter_expression(field)
        named["default"] = field.default
        yield from (
            (_place(spec, "fields", field.name, key), text, True)
            for key, text in named.items()
            if text is not None
        )
    if spec.setup.strip():
        yield _place(spec, "setup"), spec.setup, False
    if spec.call is not None:
        yield _place(spec, "call", "body"), spec.call.body, False
    for name, text in (
        *spec.test.values,
        *spec.test.other,
        *(pair for row in spec.test.rejected for pair in row),
    ):
        yield _place(spec, "test", name), text, True


def _imports(spec: ModuleSpec) -> Iterator[Fault]:
    for line in spec.imports:
        if not line.startswith(("import ", "from ")) or syntax_fault(line, expression=False):
            yield Fault(
                _place(spec, "imports"),
                f"`{line}` is not an import",
                "write `from package.module import name`",
            )


def _fields(spec: ModuleSpec) -> Iterator[Fault]:
    for field in spec.fields:
        place = _place(spec, "fields", field.name)
        yield from _initialiser(field, place)
        yield from _options(spec, field, place)


def _initialiser(field: Field, place: str) -> Iterator[Fault]:
    if field.role == "derived":
        if field.expression is None:
            yield Fault(
                f"{place}.init", "a derived field is an expression", 'write `init = "=self.a + self.b"`'
            )
        return
    name = field.initialiser
    if name is None:
        return
    if field.array is None:
        fix = f'write `init = "={name}"` for an expression, or `default`'
        yield Fault(f"{place}.init", f"`{name}` makes one array, and the field is none", fix)
    elif name not in legal_initialisers(field.array):
        legal = legal_initialisers(field.array)
        yield Fault(f"{place}.init", _why_not(name, field), suggestion(name, legal, _init_fix(name)), legal)


def _why_not(name: str, field: Field) -> str:
    if name not in INITIALISERS:
        return f"there is no initialiser `{name}`"
    if field.array is not None and len(field.array.dims) < INITIALISERS[name].dims:
        return f"`{name}` needs an array of at least {INITIALISERS[name].dims} dims"
    return f"`{name}` does not make this dtype"


def _init_fix(name: str) -> str:
    return f"write one of the legal names, or `={name}...` for an expression"


def _options(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    if field.preset and not isinstance(field.type, DictType):
        yield Fault(
            f"{place}.preset", "only a dict has entries to preset", "write `preprocess` for another field"
        )
    if field.optional and field.role in ("static", "derived"):
        yield Fault(f"{place}.optional", f"a {field.role} field is never left out", "remove it")
    if field.default is not None and field.default != "None" and (field.init or field.array is not None):
        fix = "write `init` for an array, and `default` for an argument"
        yield Fault(f"{place}.default", "an array has no default: all instances would share it", fix)
    for key, value in (("preprocess", field.preprocess), ("converter", field.converter)):
        if value and field.role == "derived":
            yield Fault(f"{place}.{key}", "a derived field is computed at each use", "put it into `init`")
    flag = spec.field(field.optional) if field.optional else None
    if flag is not None and flag.type != ScalarType("bool"):
        yield Fault(
            f"{place}.optional",
            f"`{field.optional}` is no bool",
            f'write `{field.optional} = {{ type = "bool" }}`',
        )
    own = [part for part in walk(field.type) if isinstance(part, ClassType) and part.name == spec.name]
    if own:
        yield Fault(f"{place}.type", f"`{spec.name}` cannot hold itself", "name another class")


def _arguments(spec: ModuleSpec) -> Iterator[Fault]:
    place = _place(spec, "arguments")
    known = {one.name for one in parameters(_without_arguments(spec))} | set(dims_of(spec))
    names = [argument.name for argument in spec.arguments]
    for argument in spec.arguments:
        yield from _one_argument(argument, known, place, spec.name)
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Fault(place, f"`{name}` is there twice", "remove one")
    yield from _argument_order(spec, place)


def _one_argument(argument: Argument, known: set[str], place: str, class_name: str) -> Iterator[Fault]:
    if argument.is_marker:
        return
    reserved = argument.name not in ("key", "dtype")
    fault = argument_name_fault(argument.name, place, class_name, reserved=reserved)
    if fault is not None:
        yield fault
    elif argument.type is None and argument.name not in known | {"key", "dtype"}:
        fix = suggestion(argument.name, known, f"write `{argument.name}: TYPE` to declare it")
        yield Fault(place, f"`{argument.name}` is no argument of the constructor", fix, tuple(sorted(known)))


def _argument_order(spec: ModuleSpec, place: str) -> Iterator[Fault]:
    defaulted = ""
    for parameter in parameters(spec):
        if parameter.keyword_only:
            return
        if parameter.default is not None:
            defaulted = parameter.name
        elif defaulted:
            fix = f"put it before `{defaulted}`, give it a default, or put `*` before it"
            yield Fault(
                place, f"`{parameter.name}` has no default and follows `{defaulted}`, which has one", fix
            )


def _without_arguments(spec: ModuleSpec) -> ModuleSpec:
    return replace(spec, arguments=())


def imported_names(spec: ModuleSpec) -> frozenset[str]:
    """The names that the spec's imports and the classes of its fields bring in."""
    lines = [line for line in spec.imports if not syntax_fault(line, expression=False)]
    return frozenset(assigned_names("\n".join(lines))) | {one.name for one in spec.classes}


def _known_names(spec: ModuleSpec, unread: str) -> Iterator[Fault]:
    shared = {*IMPORTS, *_BUILTINS, *imported_names(spec), spec.name}
    in_constructor = shared | constructor_names(spec)
    in_methods = shared | {field.name for field in spec.fields} | {"self"}
    for field in spec.fields:
        place = _place(spec, "fields", field.name)
        scope = in_constructor if field.stored else in_methods
        yield from _unknown(field.expression, scope, f"{place}.init", unread)
        yield from _unknown(field.preprocess, in_constructor | {field.name}, f"{place}.preprocess", unread)
        yield from _unknown(converter_expression(field), in_constructor, f"{place}.converter", unread)
        yield from _unknown(field.check, in_methods, f"{place}.check", unread)
        yield from _unknown(field.default, shared, f"{place}.default", unread)
        yield from _key_once(field, place)
    yield from _unknown(spec.setup, in_constructor, _place(spec, "setup"), unread, expression=False)
    if spec.call is not None:
        scope = shared | {"self"} | {argument.name for argument in spec.call.args}
        yield from _unknown(spec.call.body, scope, _place(spec, "call", "body"), unread, expression=False)


def _unknown(
    source: str | None, scope: Iterable[str], place: str, unread: str, *, expression: bool = True
) -> Iterator[Fault]:
    known = frozenset(scope)
    if not source or not source.strip():
        return
    for name in free_names(source, known & {"self"}, expression=expression):
        if name not in known and name not in unread:
            near = nearest(name, known - _BUILTINS)
            fix = (
                f"did you mean `{near}`?"
                if near
                else f'declare it, or write `imports = ["from ... import {name}"]`'
            )
            legal = tuple(sorted(known - _BUILTINS - {*IMPORTS}))
            yield Fault(place, f"the name `{name}` is not known here", fix, legal)


def _key_once(field: Field, place: str) -> Iterator[Fault]:
    if field.expression and field.stored and count_name(field.expression, "key") > 1:
        fix = "split it: `jax.random.split(key, 2)` gives a key to each consumer"
        yield Fault(f"{place}.init", "`key` is used more than once", fix)


def _call(spec: ModuleSpec) -> Iterator[Fault]:
    if spec.call is None:
        return
    names = [argument.name for argument in spec.call.args]
    for argument in spec.call.args:
        place = _place(spec, "call", "args")
        fault = (
            None
            if argument.is_marker
            else argument_name_fault(argument.name, place, spec.name, reserved=False)
        )
        if fault is not None:
            yield fault
        elif not argument.is_marker and argument.type is None:
            yield Fault(place, f"`{argument.name}` has no type", f"write `{argument.name}: f[size]`")
        if names.count(argument.name) > 1:
            yield Fault(place, f"`{argument.name}` is there twice", "rename one")
    if spec.call.carry is not None and spec.call.carry not in names:
        fix = suggestion(spec.call.carry, names, "write the name of an argument")
        yield Fault(_place(spec, "call", "carry"), f"`{spec.call.carry}` is no argument", fix, tuple(names))
    yield from _attributes(spec, textwrap.dedent(spec.call.body), _place(spec, "call", "body"))


def _attributes(spec: ModuleSpec, source: str, place: str) -> Iterator[Fault]:
    known = {field.name for field in spec.fields} | {"create", "trainable"}
    for name in self_attributes(source):
        if name not in known and not name.startswith("__"):
            legal = tuple(sorted(known - {"create", "trainable"}))
            yield Fault(
                place, f"`self.{name}` is no field", suggestion(name, legal, "declare it as a field"), legal
            )


def _tests(spec: ModuleSpec, unread: str) -> Iterator[Fault]:
    called = {name for argument in (spec.call.args if spec.call else ()) for name in (argument.name,)}
    known = {parameter.name for parameter in parameters(spec)} | called
    dims = set(dims_of(spec)) | known
    for name in dict([*spec.test.sizes, *spec.test.shapes]):
        if name not in dims and name not in unread:
            fix = suggestion(name, dims, "remove it")
            yield Fault(_place(spec, "test", "sizes"), f"`{name}` is no dim", fix, tuple(sorted(dims)))
    changes = (*spec.test.values, *spec.test.other, *(pair for row in spec.test.rejected for pair in row))
    for name, _ in changes:
        if name not in known and name not in unread:
            fix = suggestion(name, known, "remove it")
            yield Fault(_place(spec, "test"), f"`{name}` is no argument", fix, tuple(sorted(known)))
    bound = set(assigned_names(spec.setup)) & set(dims_of(spec)) - variadic_dims(spec) - known
    for name in sorted(bound - {name for name, _ in spec.test.sizes}):
        fix = f"write `[test]` and `sizes = {{ {name} = 3 }}`"
        yield Fault(
            _place(spec, "test", "sizes"), f"`{name}` is computed in setup, so its size is not known", fix
        )
