"""Rules for members beside fields: groups and their layout, methods, and type parameters."""

import re
from collections.abc import Iterator

from scaffold.errors import Fault, unknown
from scaffold.kind import kind_of
from scaffold.spec.construction.constructor import has_factory, rebuilds_by
from scaffold.spec.fields.training import ALWAYS
from scaffold.spec.model import Field, Group, Method, ModuleSpec
from scaffold.spec.names import IMPORTS, argument_name_faults, class_name_faults, is_read
from scaffold.spec.rules.pieces import imported_names


def class_of_group(class_name: str, group: str) -> str:
    """Return the default class name of a group: `SplitParamsSmall` for `small` of `SplitParams`."""
    return class_name + "".join(word[:1].upper() + word[1:] for word in group.split("_"))


def group_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find groups with wrong names or fields, and what their layout rules out."""
    for group in spec.groups:
        yield from _group_faults(spec, group, f"groups.{group.name}")
    if spec.nests:
        yield from _nested_faults(spec)


def _group_faults(spec: ModuleSpec, group: Group, place: str) -> Iterator[Fault]:
    yield from argument_name_faults(group.name, place, spec.name)
    for name in (name for name in members_of(spec, group) if spec.field(name) is not None):
        message = f"`{name}` is a field, and what the class makes of the group"
        yield Fault(place, message, "rename one of them")
    legal = tuple(field.name for field in spec.dynamic if field.role != "state")
    for member in group.fields:
        if member not in legal and member not in spec.unread:
            fix = "name fields that hold leaves"
            yield unknown(place, member, legal, f"`{member}` is no field with leaves", fix)
        elif group.fields.count(member) > 1:
            yield Fault(place, f"`{member}` is there twice", "remove one")
    is_plain = not group.readable and group.class_name == class_of_group(spec.name, group.name)
    if spec.layout == "flat" and not is_plain:
        message = "`class` and `readable` are for a group that is a class of its own"
        yield Fault(place, message, 'write `layout = "nested"`, or the names of the fields alone')


def members_of(spec: ModuleSpec, group: Group) -> Iterator[str]:
    """Yield the names of the members that the class has for a group."""
    yield from (f"select_{group.name}", f"partition_{group.name}")
    yield from ("combine",) * kind_of(spec.kind).combines
    yield from (group.name,) * spec.nests


def _nested_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find what rules out groups that are classes."""
    if not spec.groups and not spec.unread:
        fix = 'write `[groups]` and `small = ["element1", "element2"]`, or remove it'
        yield Fault("layout", "`nested` makes a class of each group, and there are none", fix)
    for form, why in _TAKES_FIELDS.items():
        if rebuilds_by(spec, form):
            yield Fault("layout", f"`{form}` {why}", 'write `rebuild = "bypass"` or `rebuild = "factory"`')
    for group in spec.groups:
        yield from _class_faults(spec, group, f"groups.{group.name}")
    for field in spec.fields:
        yield from _nested_field_faults(spec, field)


_TAKES_FIELDS = {
    "flag": "rebuilds through an `__init__` that takes the fields one by one, and jax hands it whole groups",
    "dataclass": "is for data that needs no more, and registers one class",
}


def _class_faults(spec: ModuleSpec, group: Group, place: str) -> Iterator[Fault]:
    """Find faults in the class name of a group."""
    if group.name == "combine" and kind_of(spec.kind).combines:
        fix = "rename it, to `combined` for example"
        yield Fault(place, "`combine` is a name that the class uses itself", fix)
    # A fault of the name of the large class is told already.
    yield from () if class_name_faults(spec.name, place) else class_name_faults(group.class_name, place)
    taken = [spec.name, *(class_type.name for class_type in spec.classes), *imported_names(spec)]
    taken += [other_group.class_name for other_group in spec.groups if other_group is not group]
    if group.class_name in taken:
        fix = f'write `{group.name} = {{ fields = [...], class = "{group.class_name}Group" }}`, for example'
        yield Fault(place, f"the class `{group.class_name}` of the group has the name of another", fix)


def _nested_field_faults(spec: ModuleSpec, field: Field) -> Iterator[Fault]:
    """Check that a field lies in one group at most, and says nothing that only the whole class can do.

    The class of a group has no call, and none of the other fields.
    """
    holders = [group.name for group in spec.groups if field.name in group.fields]
    if len(holders) > 1:
        message = f"`{field.name}` is in {' and '.join(f'`{name}`' for name in holders)}, and can lie in one class alone"
        fix = 'remove it from all groups but one, or write `layout = "flat"`'
        yield Fault(f"groups.{holders[-1]}", message, fix)
    asks_the_class = {
        "decay": not field.decays,
        "frozen": field.frozen not in ("", ALWAYS),
        "compute": bool(field.compute),
        "stacked": field.stacked,
        "preset": bool(field.preset) and rebuilds_by(spec, "static"),
    }
    for key in (key for key, is_said in asks_the_class.items() if is_said and holders):
        message = f"`{key}` is for fields of the class itself, and this one lies in that of `{holders[0]}`"
        fix = 'take it out of the group, or write `layout = "flat"`'
        yield Fault(f"fields.{field.name}.{key}", message, fix)


_TYPE_PARAMETER = r"(?a)[A-Z]\w*"


def generic_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find faults in the type parameters."""
    names = [parameter.name for parameter in spec.generic]
    for name in dict.fromkeys(names):
        if not re.fullmatch(_TYPE_PARAMETER, name) or name in IMPORTS or name == spec.name:
            yield Fault("generic", f"`{name}` is no name of a type parameter", "write `T`, for example")
        elif names.count(name) > 1:
            yield Fault("generic", f"`{name}` is there twice", "remove one")


def method_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find faults in the names of methods. `call_faults` checks their arguments, results and bodies."""
    seen: set[str] = set()
    for method in spec.methods:
        place, name = f"{method.table}.{method.name}", method.name
        if name in seen:
            yield Fault(place, f"`{name}` is a constructor already", "rename one of them")
        seen.add(name)
        field = spec.field(name)
        if field is not None and (field.annotated or not spec.source):
            yield Fault(place, f"`{name}` is a field too", "rename one of them")
        elif not (spec.source or method.call.source):  # whose author knows what it overrides
            yield from _name_faults(spec, method, place)


def _name_faults(spec: ModuleSpec, method: Method, place: str) -> Iterator[Fault]:
    name, fix = method.name, f"rename it, to `{method.name.strip('_')}_` for example"
    if name in _of_class(spec):
        yield Fault(place, f"`{name}` is a name that the class uses itself", fix)
    elif not re.fullmatch(r"__\w+__", name) and (name not in IMPORTS or is_read(name)):
        yield from argument_name_faults(name, place, spec.name, reserved=False)


def _of_class(spec: ModuleSpec) -> set[str]:
    """Return the names of the methods that the class has without the author."""
    kind = kind_of(spec.kind)
    names = {"__call__", "__init__", *kind.members}
    names.update(name for group in spec.groups for name in members_of(spec, group))
    names.update(("create",) * has_factory(spec), ("save", "load") * bool(spec.save))
    names.update(("_check", "_rebuild") * kind.takes("rebuild"))
    return names
