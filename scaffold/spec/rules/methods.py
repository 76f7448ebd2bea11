"""The rules for methods: their names and their decorators."""

import re
from collections.abc import Iterator

from scaffold.errors import Fault
from scaffold.kind import kind_of
from scaffold.spec.construction.constructor import has_factory
from scaffold.spec.model import Method, ModuleSpec
from scaffold.spec.names import IMPORTS, argument_name_fault

_BINARY = ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
OPERATORS = tuple(
    f"__{name}__"
    for name in (
        *("len", "getitem", "contains", "iter", "neg", "pos", "abs", "invert", "lt", "le", "gt", "ge"),
        *_BINARY,
        *(f"r{name}" for name in _BINARY),
        *("str", "repr", "format", "int", "float", "complex", "index"),
    )
)
"""The special methods that change neither what an instance is, nor how it is compared, hashed, stored or made."""


def method_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What is wrong with the methods, but for what is told of their arguments, results and bodies as of a call's."""
    seen: set[str] = set()
    for method in spec.methods:
        place = f"{method.table}.{method.name}"
        if method.name in seen:
            yield Fault(place, f"`{method.name}` is a constructor already", "rename one of them")
        seen.add(method.name)
        if not method.call.source:
            yield from _name_faults(spec, method, place)
        elif spec.field(method.name) is not None:
            yield Fault(place, f"`{method.name}` is a field too", "rename one of them")


def _name_faults(spec: ModuleSpec, method: Method, place: str) -> Iterator[Fault]:
    name = method.name
    if re.fullmatch(r"__\w+__", name):
        if name == "__call__":
            yield Fault(place, "there are two calls", "remove `[call]`, or this one")
        elif name not in OPERATORS:
            what = f"`{name}` is what jax, Python or the class decides by"
            yield Fault(place, what, "choose another name", OPERATORS)
        return
    own = {f"{verb}_{group.name}" for group in spec.groups for verb in ("select", "partition")}
    kind = kind_of(spec.kind)
    own.update((*kind.members, *(["create"] if has_factory(spec) else [])))
    own.update((*("save", "load") * bool(spec.save), *("combine",) * bool(spec.groups and kind.combines)))
    own.update(("_check", "_rebuild") * kind.takes("rebuild"))
    if spec.field(name) is not None:
        yield Fault(place, f"`{name}` is a field too", "rename one of them")
    elif name in own:
        yield Fault(
            place, f"`{name}` is a name that the class uses itself", f"rename it, to `{name}_` for example"
        )
    elif not IMPORTS.get(name, "").startswith(
        "from pytree_laws"
    ):  # which the tests import, and not the class
        fault = argument_name_fault(name, place, spec.name, reserved=False)
        yield from () if fault is None else (fault,)
