"""What groups of fields must obey, and what their layout does."""

from collections.abc import Iterator

from scaffold.errors import Fault, suggestion
from scaffold.kind import kind_of
from scaffold.spec.model import Group, ModuleSpec
from scaffold.spec.names import argument_name_fault, class_name_fault
from scaffold.spec.rules.pieces import imported_names


def class_of_group(class_name: str, group: str) -> str:
    """The name of the class of a group where none is given: `SplitParams` and `small` give `SplitParamsSmall`."""
    return class_name + "".join(word[:1].upper() + word[1:] for word in group.split("_"))


def group_faults(spec: ModuleSpec, unread: str) -> Iterator[Fault]:
    """Groups whose names or members cannot be; `unread` is the text of fields that could not be read."""
    for group in spec.groups:
        yield from _group_faults(spec, group, unread)
    if spec.nests:
        yield from _nested_faults(spec, unread)
    elif spec.layout == "flat":
        yield from _flat_faults(spec)


def _group_faults(spec: ModuleSpec, group: Group, unread: str) -> Iterator[Fault]:
    where = f"groups.{group.name}"
    fault = argument_name_fault(group.name, where, spec.name)
    if fault is not None:
        yield fault
    for method in _methods(spec, group):
        if spec.field(method) is not None:
            yield Fault(where, f"the field `{method}` has the name of its method", "rename one of them")
    legal = tuple(field.name for field in spec.dynamic if field.role != "state")
    for member in group.fields:
        if member not in legal and member not in unread:
            fix = suggestion(member, legal, "name fields that hold leaves")
            yield Fault(where, f"`{member}` is no field with leaves", fix, legal)
    if len(set(group.fields)) < len(group.fields):
        yield Fault(where, "a field is there twice", "remove one")


def _methods(spec: ModuleSpec, group: Group) -> tuple[str, ...]:
    own = (f"select_{group.name}", f"partition_{group.name}")
    return (*own, "combine") if kind_of(spec.kind).combines else own


def _flat_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What only the classes of groups can have."""
    for group in spec.groups:
        if group.readable or group.class_name != class_of_group(spec.name, group.name):
            fix = 'write `layout = "nested"`, or the names of the fields alone'
            what = "`class` and `readable` are for a group that is a class of its own"
            yield Fault(f"groups.{group.name}", what, fix)


def _nested_faults(spec: ModuleSpec, unread: str) -> Iterator[Fault]:
    place = "layout"
    if not spec.groups and not unread.strip():
        fix = 'write `[groups]` and `small = ["element1", "element2"]`, or remove it'
        yield Fault(place, "`nested` makes a class of each group, and there are none", fix)
    elif spec.rebuilds_by("flag"):
        what = "`flag` rebuilds through an `__init__` that takes the fields one by one, and jax hands it whole groups"
        yield Fault(place, what, 'write `rebuild = "bypass"` or `rebuild = "factory"`')
    elif spec.rebuilds_by("dataclass"):
        what = "`dataclass` is for data that needs no more, and registers one class"
        yield Fault(place, what, 'write `rebuild = "bypass"` or `rebuild = "factory"`')
    yield from _shared_fields(spec)
    for group in spec.groups:
        yield from _class_faults(spec, group, f"groups.{group.name}")


def _shared_fields(spec: ModuleSpec) -> Iterator[Fault]:
    """A field lies in one place."""
    for field in spec.fields:
        holders = [group.name for group in spec.groups if field.name in group.fields]
        if len(holders) > 1:
            what = f"`{field.name}` is in {' and '.join(f'`{name}`' for name in holders)}, and can lie in one class alone"
            fix = 'remove it from all groups but one, or write `layout = "flat"`'
            yield Fault(f"groups.{holders[-1]}", what, fix)


def _class_faults(spec: ModuleSpec, group: Group, place: str) -> Iterator[Fault]:
    """What is wrong with the class of a group, or with what lies in it."""
    if spec.field(group.name) is not None:
        yield Fault(place, f"`{group.name}` is a field too, and the class holds both", "rename one of them")
    if group.name == "combine" and kind_of(spec.kind).combines:
        yield Fault(
            place, "`combine` is a name that the class uses itself", "rename it, to `combined` for example"
        )
    # A fault of the name of the large class is told already.
    if class_name_fault(spec.name, place) is None:
        fault = class_name_fault(group.class_name, place)
        yield from () if fault is None else (fault,)
    taken = [spec.name, *(one.name for one in spec.classes), *imported_names(spec)]
    taken += [one.class_name for one in spec.groups if one is not group]
    if group.class_name in taken:
        fix = f'write `{group.name} = {{ fields = [...], class = "{group.class_name}Group" }}`, for example'
        yield Fault(place, f"the class `{group.class_name}` of the group has the name of another", fix)
    for name in group.fields:
        field = spec.field(name)
        if field is not None and field.preset and spec.rebuilds_by("static"):
            fix = 'take it out of the group, or write `rebuild = "bypass"`'
            yield Fault(place, f"`static` keeps entries of `{name}` in the treedef of the class itself", fix)
