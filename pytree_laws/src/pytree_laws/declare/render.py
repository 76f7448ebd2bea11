"""Source of declarations, from the leaves, outputs and static values found in a class."""

import ast
import dataclasses
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ..inspect.arrays import real_dtype
from ..inspect.trees import is_under
from ..report import ANY_ERROR
from .leaf_spec import Leaf

INDENT = "    "


def block(name: str, lines: Sequence[str], brackets: str = "()") -> str:
    """Return the source of a declaration with an entry on each line."""
    if not lines:
        return ""
    body = [f"{INDENT * 2}{line}," for line in lines]
    return "\n".join([f"{INDENT}{name} = {brackets[0]}", *body, INDENT + brackets[1]])


def render_leaves(leaves: Sequence[Leaf], declared: Sequence[Leaf] = ()) -> str:
    """Return the source of the leaves. True declarations stay as they are, including sub-trees."""
    declarations = (_as_declared(leaf, leaves, declared) for leaf in leaves)
    return block("leaves", list(dict.fromkeys(map(render, declarations))))


def _as_declared(leaf: Leaf, leaves: Sequence[Leaf], declared: Sequence[Leaf]) -> Leaf:
    """Return the declaration of a leaf, with the role declared before, which no instance shows."""
    exact = next((spec for spec in declared if spec.path == leaf.path), None)
    tree = next((spec for spec in declared if spec.is_tree and is_under(leaf.path, spec.path)), None)
    if exact is None:
        return tree or leaf
    if is_kept(exact, leaves):
        return exact
    is_array = "python" not in (exact.role, leaf.role)
    return dataclasses.replace(leaf, role=exact.role, unused=exact.unused) if is_array else leaf


def is_kept(declared: Any, leaves: Sequence[Any]) -> bool:
    """Whether a declaration is true of the leaf or Variable found at its path."""
    actual = next((leaf for leaf in leaves if leaf.path == declared.path), None)
    arrays = [leaf is not None and leaf.role != "python" for leaf in (declared, actual)]
    if actual is None or arrays[0] is not arrays[1]:
        return False
    shapes = None in (declared.shape, actual.shape) or declared.shape == actual.shape
    return shapes and (declared.is_tree or _is_one_dtype(declared.dtype, actual.dtype))


def _is_one_dtype(dtype: str | None, other: str | None) -> bool:
    """Whether two names mean the same dtype, as `float` and `float32` may."""
    if dtype == other or None in (dtype, other) or "key" in (dtype, other):
        return dtype == other
    return bool(real_dtype(str(dtype)) == real_dtype(str(other)))


def render(spec: Any, *further: str) -> str:
    """Return the source of a declared leaf, output or Variable, without defaults."""
    parts, fields = list(further), dataclasses.fields(spec)
    for field in fields[len(further) :]:
        value = getattr(spec, field.name)
        if value != field.default or field.default is dataclasses.MISSING:
            first = field.name in ("path", "role", "shape", "dtype")
            by_place = first and len(parts) == fields.index(field)
            text = source_of(value) or repr(value)
            parts.append(text if by_place else f"{field.name}={text}")
    return f"{type(spec).__name__}({', '.join(parts)})"


def render_static(values: Mapping[str, Any]) -> str:
    """Return the source of the static values, with `...` for a value without source."""
    pairs = ((path, source_of(value)) for path, value in values.items())
    return block("static", [f"{source_of(path)}: {source or '...'}" for path, source in pairs], "{}")


def source_of(value: Any) -> str:
    """Return the source of a value, as a literal or as a name in its module, or an empty string."""
    text = repr(value)
    try:
        if ast.literal_eval(text) == value:
            return text if '"' in text else text.replace("'", '"')
    except ANY_ERROR:
        pass
    module, name = (getattr(value, part, "") for part in ("__module__", "__qualname__"))
    if module and getattr(sys.modules.get(module), name, None) is value:
        return f"{_public_module(module, name, value)}.{name}"
    return ""


def _public_module(module: str, name: str, value: Any) -> str:
    """Return the shortest public module of a library that has a function, or else its own module."""
    if "._" not in module:
        return module
    library = module.partition(".")[0]
    public = [
        module_name
        for module_name in list(sys.modules)
        if module_name.partition(".")[0] == library and "._" not in module_name
    ]
    named = [module_name for module_name in public if vars(sys.modules[module_name]).get(name) is value]
    return min(named, key=lambda module_name: (len(module_name), module_name), default=module)
