"""The rules that a spec obeys as a whole. Each rule looks at one thing and yields its faults."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

from msgspec.structs import replace

from scaffold.errors import Fault, suggestion
from scaffold.kind import kind_of
from scaffold.spec.construction.constructor import (
    KEY,
    Parameter,
    dims_of,
    key_consumers,
    parameters,
    uses_dtype,
    uses_key,
    variadic_dims,
)
from scaffold.spec.construction.dtypes import dtype_faults
from scaffold.spec.construction.sizes import size_faults
from scaffold.spec.fields.decay import decay_faults
from scaffold.spec.fields.frozen import frozen_faults
from scaffold.spec.fields.sharding import sharding_faults
from scaffold.spec.fields.shared import shared_faults
from scaffold.spec.grammar.types import ArrayType, Type, UnionType
from scaffold.spec.helpers import helper_faults
from scaffold.spec.model import Argument, ModuleSpec
from scaffold.spec.names import (
    EMITTED_BUILTINS,
    IMPORTS,
    OF_TYPES,
    argument_name_fault,
    brings_the_same,
    is_read,
)
from scaffold.spec.rules.array_checks import checks_of_values
from scaffold.spec.rules.bases import bases_faults
from scaffold.spec.rules.call import call_faults, marker_faults, order_faults
from scaffold.spec.rules.constructors import constructor_faults
from scaffold.spec.rules.fields import field_faults, value_faults
from scaffold.spec.rules.generics import generic_faults
from scaffold.spec.rules.groups import group_faults
from scaffold.spec.rules.known_names import assignment_faults, keys_used_once, known_attributes, known_names
from scaffold.spec.rules.methods import method_faults
from scaffold.spec.rules.optional import optional_faults
from scaffold.spec.rules.tests import case_faults, case_size_faults, claim_faults
from scaffold.spec.source.expressions import assigned_names, own_nodes
from scaffold.spec.tables.keys import CONSTRUCTORS


def spec_faults(spec: ModuleSpec, *, unread: str) -> list[Fault]:
    """All that is wrong with `spec`.

    `unread` is the text of what could not be read, whose names must not be reported as unknown.
    """
    names, kind = frozenset(re.findall(r"[A-Za-z_]\w*", unread)), kind_of(spec.kind)
    if kind.is_carried:
        return [*kind.faults(spec), *known_names(spec, names)]
    faults = [fault for rule in _RULES for fault in rule(spec)]
    faults += [*_arguments(spec, names), *known_names(spec, names), *call_faults(spec, names)]
    of_kind = tuple(kind.faults(spec))
    whole = spec if of_kind else kind.complete(spec)
    faults += [*known_attributes(whole, names), *_tests(whole, names), *constructor_faults(whole), *of_kind]
    faults += [*group_faults(spec, unread)]
    # Sizes come last: they rest on dims and arguments that are right.
    place = f"{spec.where}: test.sizes"
    return faults or [*size_faults(spec, place)] or [*case_size_faults(spec)]


def _place(spec: ModuleSpec, *parts: str) -> str:
    return f"{spec.where}: {'.'.join(parts)}"


def _names(spec: ModuleSpec) -> Iterator[Fault]:
    free = [*(() if uses_key(spec) else ("key",)), *(() if uses_dtype(spec) else ("dtype",))]
    free += EMITTED_BUILTINS if spec.own_constructor is not None else ()
    candidates: list[Fault | None] = []
    inner = [*free, "key"]  # of a field that is no argument
    candidates += [
        argument_name_fault(
            one.name, _place(spec, "fields", one.name), spec.name, free=free if one.given else inner
        )
        for one in spec.fields
    ]
    taken = (*kind_of(spec.kind).members, *kind_of(spec.kind).reserved)
    for name in (one.name for one in spec.fields if one.name in taken):
        what = f"`{name}` is a name that the class uses itself"
        candidates.append(Fault(_place(spec, "fields", name), what, f"rename it, to `my_{name}` for example"))
    dims = [name for name in dims_of(spec) if spec.field(name) is None]
    hidden = [name for name in dims if name.startswith("_")]
    for name in hidden:
        what = f"dim `{name}` begins with `_`, which jaxtyping reads as a dim without a name"
        candidates.append(Fault(_place(spec, "fields"), what, f"write `{name.strip('_') or 'size'}`"))
    candidates += [argument_name_fault(name, _place(spec, "fields"), spec.name) for name in dims]
    for one in spec.fields:
        if one.optional is not None and spec.field(one.optional) is None:
            place = _place(spec, "fields", one.name, "optional")
            candidates.append(argument_name_fault(one.optional, place, spec.name))
    yield from (fault for fault in candidates if fault is not None)


def _forms(spec: ModuleSpec) -> Iterator[Fault]:
    """Which constructor and rebuild form go together."""
    legal = kind_of(spec.kind).constructors
    if spec.constructor in CONSTRUCTORS and spec.constructor not in legal:
        what = f"a class of kind `{spec.kind}` is not built by `{spec.constructor}`"
        yield Fault(_place(spec, "constructor"), what, "remove it", legal)
    if not kind_of(spec.kind).takes("rebuild"):
        return
    if spec.constructor == "init" and spec.rebuild in ("factory", "flag", "dataclass"):
        fix = 'remove `constructor`, or write `rebuild = "bypass"`'
        yield Fault(_place(spec, "constructor"), f"rebuild `{spec.rebuild}` keeps `__init__` for itself", fix)
    if spec.rebuild == "static" and not any(field.preset for field in spec.fields):
        fix = "give a dict field `preset = { name = 1.0 }`, or choose another `rebuild`"
        yield Fault(
            _place(spec, "rebuild"), "`static` keeps preset entries in the treedef, and there are none", fix
        )


def _imports(spec: ModuleSpec) -> Iterator[Fault]:
    """The lines parse, and bind one name each: the reader sees to that."""
    bound: dict[str, str] = {}
    place = _place(spec, "imports")
    for line in (one for one in dict.fromkeys(spec.imports) if not one.endswith(" import *")):
        name = assigned_names(line)[0]
        is_free = name in OF_TYPES or not is_read(name) or brings_the_same(line, IMPORTS.get(name, line))
        is_base = any(base.name == name and base.module for base in spec.bases)
        if (name == spec.name and not is_base) or not is_free:
            yield Fault(place, f"`{line}` hides `{name}`", f"write `... as {name}_`, for example")
        elif name in bound and not brings_the_same(line, bound[name]):
            yield Fault(place, f"`{name}` comes from two places", f"write `... as {name}_` for one of them")
        elif spec.field(name) is not None:
            fix = f"write `... as {name}_`, or rename the field"
            yield Fault(place, f"`{name}` is a field too", fix)
        bound[name] = line


def _setup(spec: ModuleSpec) -> Iterator[Fault]:
    """`setup` runs inside the constructor, and goes on to the end."""
    if not spec.setup:
        return
    tree = ast.parse(spec.setup)
    if any(isinstance(node, ast.Return) for node in own_nodes(tree.body)):
        fix = "bind a name, and read it in an `init`"
        yield Fault(
            _place(spec, "setup"), "`return` would end the constructor before its fields are made", fix
        )
    assigned = assigned_names(spec.setup)
    if "cls" in assigned:
        yield Fault(_place(spec, "setup"), "assigns `cls`", "choose another name")
    if "key" in assigned and any(consumer != "setup" for consumer in key_consumers(spec)):
        fix = "give it another name: each random field gets a split of the constructor's key"
        yield Fault(_place(spec, "setup"), "assigns `key`, which no field would see", fix)


def _arguments(spec: ModuleSpec, unread: frozenset[str]) -> Iterator[Fault]:
    place = _place(spec, "arguments")
    known = {one.name for one in parameters(replace(spec, arguments=()))} | set(dims_of(spec))
    names = [argument.name for argument in spec.arguments]
    for argument in spec.arguments:
        yield from _one_argument(spec, argument, known | unread, place)
    yield from repeated(names, place)
    yield from marker_faults(spec.arguments, place)
    listed = parameters(spec) if spec.arguments else ()
    positional = list[Parameter](takewhile(lambda one: not one.keyword_only, listed))
    yield from order_faults(positional, place)


def repeated(names: Iterable[str], place: str) -> Iterator[Fault]:
    """Names that are there more than once."""
    listed = list(names)
    for name in sorted({name for name in listed if listed.count(name) > 1}):
        yield Fault(place, f"`{name}` is there twice", "remove one")


def _one_argument(spec: ModuleSpec, argument: Argument, known: set[str], place: str) -> Iterator[Fault]:
    if argument.is_marker:
        return
    if argument.name in ("key", "dtype"):
        yield from _key_or_dtype(spec, argument, place)
        return
    fault = argument_name_fault(argument.name, place, spec.name)
    field = spec.field(argument.name)
    if fault is not None:
        yield fault
    elif argument.type is None and field is not None and not field.given:
        what = "computed at each use" if not field.stored else "made by its `init`"
        yield Fault(place, f"`{argument.name}` is {what}, so it is not given", "remove it, or its `init`")
    elif argument.type is None and argument.name not in known:
        fix = suggestion(argument.name, known, f"write `{argument.name}: TYPE` to declare it")
        yield Fault(place, f"`{argument.name}` is no argument of the constructor", fix, tuple(sorted(known)))
    if argument.type is not None:
        yield from _declared_type(spec, argument, argument.type, place)


def _declared_type(spec: ModuleSpec, argument: Argument, kind: Type, place: str) -> Iterator[Fault]:
    """An argument is of the type of its field, unless something turns the one into the other."""
    field = spec.field(argument.name)
    turned = field is None or field.converter or field.preprocess or field.init or field.nullable
    turned = turned or argument.name in assigned_names(spec.setup)
    taken = (kind, *(kind.members if isinstance(kind, UnionType) else ()))
    if field is not None and not turned and field.type not in taken:
        fix = f"write `{argument.name}` alone, or a `converter` for the field"
        yield Fault(place, f"`{argument.name}` has another type in `fields`", fix)
    if argument.default is not None:
        yield from value_faults(kind, argument.default, place)


def _key_or_dtype(spec: ModuleSpec, argument: Argument, place: str) -> Iterator[Fault]:
    kind = argument.type
    if argument.name == "dtype" and kind is not None:
        yield Fault(place, "`dtype` has its type already", "write `dtype` alone")
    elif argument.name == "dtype" and not (spec.dtype or uses_dtype(spec)):
        yield Fault(
            place,
            "`dtype` applies to what is made, and here every array is given",
            "remove it: each keeps its own",
        )
    if argument.name == "key" and kind not in (None, KEY, UnionType((KEY,), True)):
        yield Fault(place, "`key` is a PRNG key", "write `key`, or `key: key[] | None = None`")


def _tests(spec: ModuleSpec, unread: frozenset[str]) -> Iterator[Fault]:
    yield from _example(spec, unread)
    yield from case_faults(spec, lambda one: _example(one, unread))
    yield from claim_faults(spec)


def _example(spec: ModuleSpec, unread: frozenset[str]) -> Iterator[Fault]:
    known = arguments_known(spec)
    # What bases have is known where the specs are beside each other.
    unread = unread if not spec.bases else _EVERY
    yield from _sizes(spec, known, unread)
    changes = {"values": spec.test.values, "other": spec.test.other}
    for key, pairs in changes.items():
        for name, source in pairs:
            place = _place(spec, "test", key, name)
            yield from _known_argument(name, known, place, unread)
            kind = next((one.type for one in _given(spec) if one.name == name), None)
            if kind is not None and source != "None":
                yield from value_faults(kind, source, place)
    for row in spec.test.rejected:
        if not row:
            yield Fault(_place(spec, "test", "rejected"), "a row changes nothing", "write `{ depth = 0 }`")
        for name, _ in row:
            yield from _known_argument(name, known, _place(spec, "test", "rejected", name), unread)


class _Every(frozenset[str]):
    """Any name."""

    def __contains__(self, name: object) -> bool:
        return True


_EVERY = _Every()


def arguments_known(spec: ModuleSpec) -> set[str]:
    """The arguments for which `[test]` may have examples."""
    return {parameter.name for parameter in parameters(spec)} | set(_arguments_of_methods(spec))


def inherited_faults(spec: ModuleSpec, every: Sequence[ModuleSpec]) -> Iterator[Fault]:
    """Sizes and values of `[test]` for what neither the class has nor one of its bases; `every` are the specs of these."""
    whole = (spec, *every)
    if not every or any(base.module for one in whole for base in one.bases):
        return
    known = {name for one in whole for name in arguments_known(one)}
    dims = known | {name for one in whole for name in dims_of(one)}
    given = {"sizes": (dims, [*spec.test.sizes, *spec.test.shapes]), "values": (known, spec.test.values)}
    for key, (legal, pairs) in given.items():
        for name, _ in pairs:
            yield from _known_argument(name, legal, _place(spec, "test", key, name), frozenset())


def _arguments_of_methods(spec: ModuleSpec) -> Iterator[str]:
    """The arguments of the call and of every method: by name, and with the method before it."""
    for _, function in spec.functions:
        for one in (one.name for one in function.call.args if not one.is_marker):
            yield from (one, f"{function.name}.{one}")


def _given(spec: ModuleSpec) -> tuple[Parameter | Argument, ...]:
    """The arguments of the constructor and, where it takes none of that name, of the call."""
    return (*parameters(spec), *(spec.call.args if spec.call else ()))


def _known_argument(name: str, known: set[str], place: str, unread: frozenset[str]) -> Iterator[Fault]:
    if name not in known and name not in unread:
        fix = suggestion(name, known, "remove it")
        yield Fault(place, f"`{name}` is no argument", fix, tuple(sorted(known)))


def _sizes(spec: ModuleSpec, known: set[str], unread: frozenset[str]) -> Iterator[Fault]:
    place = _place(spec, "test", "sizes")
    several = variadic_dims(spec)
    dims = set(dims_of(spec)) | known
    for name in dict([*spec.test.sizes, *spec.test.shapes]):
        if name not in dims and name not in unread:
            legal = sorted(set(dims_of(spec)) or dims)
            yield Fault(place, f"`{name}` is no dim", suggestion(name, legal, "remove it"), tuple(legal))
    for name, size in spec.test.sizes:
        if name in several:
            yield Fault(place, f"`*{name}` stands for several dims", f"write `{name} = [{size}]`")
    for name, shape in spec.test.shapes:
        if name in dims - several:
            fix = f"write `{name} = {shape[0] if shape else 3}`"
            yield Fault(place, f"`{name}` is one dim", fix)
    shown = {dim for one in parameters(spec) if isinstance(one.type, ArrayType) for dim in one.type.dims}
    bound = set(assigned_names(spec.setup)) & set(dims_of(spec)) - several - known - shown
    for name in sorted(bound - {name for name, _ in spec.test.sizes}):
        fix = f"write `[test]` and `sizes = {{ {name} = 3 }}`"
        yield Fault(place, f"`{name}` is computed in setup, so its size is not known", fix)


_RULES: tuple[Callable[[ModuleSpec], Iterable[Fault]], ...] = (
    *(_names, _forms, _imports, _setup, assignment_faults, field_faults, dtype_faults, checks_of_values),
    *(keys_used_once, optional_faults, shared_faults, bases_faults, generic_faults),
    *(frozen_faults, decay_faults, method_faults, helper_faults),
    sharding_faults,
)
"""The rules that ask for nothing but the spec."""
