"""The rules for what `[test]` says besides example values: what is not used."""

from collections.abc import Iterator

from scaffold.errors import Fault, suggestion
from scaffold.kinds import kind_of
from scaffold.spec.expressions import count_name
from scaffold.spec.model import ModuleSpec
from scaffold.spec.signature import key_arguments


def unused_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What `unused` names that cannot be unused, and keys that the body never reads though nothing says so."""
    keys = [one.name for one in key_arguments(spec.call)]
    legal = (*(one.name for one in spec.dynamic if one.array is not None), *keys)
    place = f"{spec.where}: test.unused"
    for name in spec.test.unused:
        if name not in legal:
            what = f"`{name}` is no field that holds an array, and no key that the call takes"
            yield Fault(place, what, suggestion(name, legal, "remove it"), legal)
    for name in keys:
        if name not in spec.test.unused and _never_reads(spec, name):
            listed = ", ".join(f'"{one}"' for one in (*spec.test.unused, name))
            fix = f"draw from it, or write `[test]` and `unused = [{listed}]` where it is there for other classes' sake"
            yield Fault(f"{spec.where}: call.args", f"`{name}` is a key that the body never reads", fix)


def _never_reads(spec: ModuleSpec, name: str) -> bool:
    call = spec.call
    is_asked = not kind_of(spec.kind).has_instances and call is not None and call.body == "..."
    return call is not None and bool(call.body) and not is_asked and not count_name(call.body, name)
