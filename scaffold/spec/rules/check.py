"""The rules that a spec obeys as a whole. Each rule checks one thing and yields its faults."""

import ast
from collections.abc import Callable, Iterable, Iterator

from scaffold.errors import Fault
from scaffold.kind import kind_of
from scaffold.source.definitions import class_of
from scaffold.source.expressions import assigned_names, own_nodes
from scaffold.spec import names
from scaffold.spec.construction.constructor import dims_of, dtype_field, key_consumers, uses_dtype, uses_key
from scaffold.spec.construction.dtypes import dtype_faults
from scaffold.spec.fields.sharding import sharding_faults
from scaffold.spec.fields.shared import shared_faults
from scaffold.spec.fields.training import frozen_faults
from scaffold.spec.helpers import helper_faults
from scaffold.spec.model import ModuleSpec
from scaffold.spec.rules.arguments import argument_faults, call_faults
from scaffold.spec.rules.bases import bases_faults
from scaffold.spec.rules.claims import claim_faults
from scaffold.spec.rules.constructors import constructor_faults
from scaffold.spec.rules.examples import example_faults, example_size_faults
from scaffold.spec.rules.fields import checks_of_values, checks_without_place, field_faults
from scaffold.spec.rules.known_names import assignment_faults, keys_used_once, known_attributes, known_names
from scaffold.spec.rules.members import generic_faults, group_faults, method_faults
from scaffold.spec.rules.optional import optional_faults
from scaffold.spec.tables.keys import CONSTRUCTORS


def spec_faults(spec: ModuleSpec) -> list[Fault]:
    """Return all faults of `spec`, whose places are keys."""
    kind = kind_of(spec.kind)
    if kind.is_carried:
        return [*kind.faults(spec), *known_names(spec)]
    of_kind = [] if spec.source else [*kind.faults(spec)]
    whole = spec if of_kind else kind.complete(spec)
    rules = _RULES if spec.source else (*_OF_BUILT, *_RULES)
    faults = [fault for rule in rules for fault in rule(spec)]
    faults += [*of_kind, *(fault for rule in _OF_WHOLE for fault in rule(whole))]
    # Sizes come last: they rest on dims and arguments that are right.
    return faults or example_size_faults(spec)


def _names(spec: ModuleSpec) -> Iterator[Fault]:
    """Check the names of fields, dims and flags, which the constructor takes."""
    kind = kind_of(spec.kind)
    takes_dtype = uses_dtype(spec) and dtype_field(spec) is None
    free = [*("key",) * (not uses_key(spec)), *("dtype",) * (not takes_dtype)]
    free += names.EMITTED_BUILTINS if spec.own_constructor is not None else ()
    for field in spec.fields:
        place, inner = f"fields.{field.name}", [*free, *("key",) * (not field.given)]
        if field.annotated:  # what the constructor alone makes is no argument of the tool's
            yield from names.argument_name_faults(field.name, place, spec.name, free=inner)
        if field.name in (*kind.members, *kind.reserved):
            message = f"`{field.name}` is a name that the class uses itself"
            yield Fault(place, message, f"rename it, to `my_{field.name}` for example")
        if field.optional is not None and spec.field(field.optional) is None:
            yield from names.argument_name_faults(field.optional, f"{place}.optional", spec.name)
    for name in (name for name in dims_of(spec) if spec.field(name) is None):
        yield from names.argument_name_faults(name, "fields", spec.name)
        if name.startswith("_"):
            message = f"dim `{name}` begins with `_`, which jaxtyping reads as a dim without a name"
            yield Fault("fields", message, f"write `{name.strip('_') or 'size'}`")


def _source(spec: ModuleSpec) -> Iterator[Fault]:
    """Check that source to emit word for word states the class."""
    stated = class_of(spec.source)
    if spec.source and (stated is None or stated.name != spec.name):
        fix = f"write `class {spec.name}(...):` there, or take `source` out"
        yield Fault("source", f"it is not the statement of the class `{spec.name}`", fix)


def _forms(spec: ModuleSpec) -> Iterator[Fault]:
    """Check that the constructor goes with the kind, and with the rebuild form."""
    legal = kind_of(spec.kind).constructors
    if spec.constructor in CONSTRUCTORS and spec.constructor not in legal:
        message = f"a class of kind `{spec.kind}` is not built by `{spec.constructor}`"
        yield Fault("constructor", message, "remove it", legal)
    if not kind_of(spec.kind).takes("rebuild"):
        return
    if spec.constructor == "init" and spec.rebuild in ("factory", "flag", "dataclass"):
        fix = 'remove `constructor`, or write `rebuild = "bypass"`'
        yield Fault("constructor", f"rebuild `{spec.rebuild}` keeps `__init__` for itself", fix)


def _imports(spec: ModuleSpec) -> Iterator[Fault]:
    """Check that no import hides a name that the class reads. The reader splits imports to one name each."""
    bound: dict[str, str] = {}
    place = "imports"
    for line in (line for line in dict.fromkeys(spec.imports) if not line.endswith(" import *")):
        name = assigned_names(line)[0]
        is_free = name in names.OF_TYPES or not names.is_read(name)
        is_free = is_free or names.brings_the_same(line, names.IMPORTS.get(name, line))
        is_base = any(base.name == name and base.module for base in spec.bases)
        if (name == spec.name and not is_base) or not is_free:
            yield Fault(place, f"`{line}` hides `{name}`", f"write `... as {name}_`, for example")
        elif name in bound and not names.brings_the_same(line, bound[name]):
            yield Fault(place, f"`{name}` comes from two places", f"write `... as {name}_` for one of them")
        elif spec.field(name) is not None:
            fix = f"write `... as {name}_`, or rename the field"
            yield Fault(place, f"`{name}` is a field too", fix)
        bound[name] = line


def _setup(spec: ModuleSpec) -> Iterator[Fault]:
    """Check that `setup` does not return from the constructor around it, and does not hide `key`."""
    if not spec.setup:
        return
    tree = ast.parse(spec.setup)
    if any(isinstance(node, ast.Return) for node in own_nodes(tree.body)):
        fix = "bind a name, and read it in an `init`"
        yield Fault("setup", "`return` would end the constructor before its fields are made", fix)
    if "key" in assigned_names(spec.setup) and any(consumer != "setup" for consumer in key_consumers(spec)):
        fix = "give it another name: each random field gets a split of the constructor's key"
        yield Fault("setup", "assigns `key`, which no field would see", fix)


_OF_BUILT: tuple[Callable[[ModuleSpec], Iterable[Fault]], ...] = (
    *(_imports, keys_used_once),
    *(_names, _forms, _setup, field_faults, dtype_faults, optional_faults, shared_faults),
    *(checks_of_values, checks_without_place),
    *(generic_faults, frozen_faults, sharding_faults, group_faults, argument_faults),
    helper_faults,
)
"""Rules for parts that scaffold builds, which a class emitted word for word has from its author."""
_RULES: tuple[Callable[[ModuleSpec], Iterable[Fault]], ...] = (
    *(_source, assignment_faults, bases_faults, method_faults),
    *(known_names, call_faults),
)
_OF_WHOLE = (known_attributes, example_faults, claim_faults, constructor_faults)
"""Rules for a spec with the fields and arguments that its kind adds."""
