"""The rules for methods and for type parameters: their names."""

import re
from collections.abc import Iterator

from scaffold.errors import Fault
from scaffold.kind import kind_of
from scaffold.spec.construction.constructor import has_factory
from scaffold.spec.model import Method, ModuleSpec
from scaffold.spec.names import IMPORTS, argument_name_faults, is_read
from scaffold.spec.rules.groups import members_of

_TYPE_PARAMETER = r"(?a)[A-Z]\w*"


def generic_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What is wrong with the type parameters."""
    names = [parameter.name for parameter in spec.generic]
    for name in dict.fromkeys(names):
        if not re.fullmatch(_TYPE_PARAMETER, name) or name in IMPORTS or name == spec.name:
            yield Fault("generic", f"`{name}` is no name of a type parameter", "write `T`, for example")
        elif names.count(name) > 1:
            yield Fault("generic", f"`{name}` is there twice", "remove one")


def method_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What is wrong with the methods, but for what is told of their arguments, results and bodies as of a call's."""
    seen: set[str] = set()
    for method in spec.methods:
        place, name = f"{method.table}.{method.name}", method.name
        if name in seen:
            yield Fault(place, f"`{name}` is a constructor already", "rename one of them")
        seen.add(name)
        if spec.field(name) is not None:
            yield Fault(place, f"`{name}` is a field too", "rename one of them")
        elif not method.call.source:
            yield from _name_faults(spec, method, place)


def _name_faults(spec: ModuleSpec, method: Method, place: str) -> Iterator[Fault]:
    name, fix = method.name, f"rename it, to `{method.name.strip('_')}_` for example"
    if name in _of_class(spec):
        yield Fault(place, f"`{name}` is a name that the class uses itself", fix)
    elif not re.fullmatch(r"__\w+__", name) and (name not in IMPORTS or is_read(name)):
        yield from argument_name_faults(name, place, spec.name, reserved=False)


def _of_class(spec: ModuleSpec) -> set[str]:
    """The methods that the class has without the author."""
    kind = kind_of(spec.kind)
    names = {"__call__", "__init__", *kind.members}
    names.update(name for group in spec.groups for name in members_of(spec, group))
    names.update(("create",) * has_factory(spec), ("save", "load") * bool(spec.save))
    names.update(("_check", "_rebuild") * kind.takes("rebuild"))
    return names
