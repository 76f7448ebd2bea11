"""Sources of a dtype that the spec leaves open: an argument, another array, or jax."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from scaffold.errors import Fault, unknown
from scaffold.spec.construction.constructor import dtype_field, followed, makers_read, uses_dtype
from scaffold.spec.grammar.types import is_mixed
from scaffold.spec.model import Field, ModuleSpec

DEFAULT = "default"
_PATH = r"(?a)[A-Za-z_]\w*(\.[A-Za-z_]\w*|\[\d+\])*"


def with_default_dtype(spec: ModuleSpec) -> ModuleSpec:
    """Set jax's default dtype if the author's Python makes a part, which an argument would not reach."""
    chooses = any(argument.name == "dtype" for argument in spec.arguments) or spec.dtype or dtype_field(spec)
    makes_parts = any(is_part(field) and field.expression for field in spec.stored)
    if chooses or not makes_parts or makers_read(spec, "dtype") or not uses_dtype(spec):
        return spec
    return replace(spec, dtype=DEFAULT)


def is_part(field: Field) -> bool:
    """Whether the field is an instance with arrays of its own, trained or not, as a layer is."""
    return field.role == "module" or (field.dynamic and is_mixed(field.example or field.type))


def dtype_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find what is wrong with the key `dtype`."""
    if not spec.dtype:
        return
    place, path = "dtype", followed(spec)
    if spec.dtype != DEFAULT and (path is None or not re.fullmatch(_PATH, path)):
        fix = "write `like base.weight`, `default`, or remove it for an argument of the constructor"
        yield Fault(place, f"`{spec.dtype}` names no array", fix)
    elif any(argument.name == "dtype" for argument in spec.arguments):
        yield Fault("arguments", "`dtype` is no argument where the key `dtype` says it", "remove one")
    elif dtype_field(spec) is not None:
        yield Fault(place, "the field `dtype` says it", "remove the key, or rename the field")
    elif not uses_dtype(spec):
        yield Fault(place, "no array of open dtype is made", "remove it: what is given keeps its dtype")
    elif path is not None:
        yield from _path_faults(spec, path, place)


def _path_faults(spec: ModuleSpec, path: str, place: str) -> Iterator[Fault]:
    """Check that the path begins at a field that is always given."""
    head = re.split(r"[.\[]", path)[0]
    given = (field for field in spec.dynamic if field.given and not field.python_leaf)
    legal, field = tuple(each.name for each in given), spec.field(head)
    if head not in legal or field is None:
        message = f"`{head}` is no field with arrays that the constructor is given"
        yield unknown(place, head, legal, message, "name a field that is given, or write `default`")
    elif field.nullable or field.optional:
        message = f"`{head}` may be None, and then there is no dtype to follow"
        yield Fault(place, message, "name another field")
    elif path == head and (field.array is None or not field.array.inexact):
        fix = f"write the path of an array in it, such as `like {head}.weight`"
        yield Fault(place, f"`{head}` is no float array", fix)
