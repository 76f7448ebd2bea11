"""What groups of fields must obey."""

from collections.abc import Iterator

from scaffold.errors import Fault, suggestion
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import argument_name_fault


def group_faults(spec: ModuleSpec, unread: str) -> Iterator[Fault]:
    """Groups whose names or members cannot be; `unread` is the text of fields that could not be read."""
    legal = tuple(field.name for field in spec.dynamic if field.role != "state")
    for name, members in spec.groups:
        where = f"{spec.where}: groups.{name}"
        fault = argument_name_fault(name, where, spec.name)
        if fault is not None:
            yield fault
        for method in (f"select_{name}", f"partition_{name}"):
            if spec.field(method) is not None:
                yield Fault(where, f"the field `{method}` has the name of its method", "rename one of them")
        for member in members:
            if member not in legal and member not in unread:
                fix = suggestion(member, legal, "name fields that hold leaves")
                yield Fault(where, f"`{member}` is no field with leaves", fix, legal)
        if len(set(members)) < len(members):
            yield Fault(where, "a field is there twice", "remove one")
