"""Casts for classes that compute in a narrower dtype than they store.

Each floating array is cast where it is read. The casts read a class attribute, `compute_dtype`, so that a
subclass or a test can choose another dtype.
"""

import ast
from collections.abc import Iterator

from msgspec.structs import replace

from scaffold.errors import Fault
from scaffold.source.expressions import dedented, is_identity_test
from scaffold.source.instance import attribute_of_self
from scaffold.source.rewriting import rewrite
from scaffold.spec.grammar.types import ArrayType, ClassType, TreeType, Type, arrays, walk
from scaffold.spec.model import Argument, Call, Field, Method, ModuleSpec

ATTRIBUTE, CAST = "compute_dtype", "_cast"
STORED = "false"
"""Value of `compute` for a field that is read without a cast."""
_OF_SHAPE = ("shape", "ndim", "size")
_FLOATING = ("f", "f16", "bf16", "f32", "f64", "inexact")
_CASTS = f"""\
def {CAST}(self, tree: Any) -> Any:
    \"\"\"A pytree with its floating arrays in `{ATTRIBUTE}`.\"\"\"

    def cast(leaf: Any) -> Any:
        is_floating = isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jnp.floating)
        return leaf.astype(self.{ATTRIBUTE}) if is_floating else leaf

    # A part with a dtype of its own casts itself.
    return jax.tree.map(cast, tree, is_leaf=lambda part: hasattr(part, "{ATTRIBUTE}"))
"""


def computes_in(spec: ModuleSpec) -> str:
    """Return the dtype in which the class computes, or an empty text if it is the stored dtype."""
    said = (field.compute for field in spec.fields if field.compute not in ("", STORED))
    return spec.compute or next(said, "")


def with_compute(spec: ModuleSpec) -> ModuleSpec:
    """Cast floating arrays to the compute dtype where methods read them."""
    dtype = computes_in(spec)
    if not dtype:
        return spec
    casts = {field.name: _cast(field) for field in spec.fields if _is_cast(spec, field)}
    call = spec.call if spec.call is None else _computed(spec, Method("__call__", spec.call), casts)
    methods = [replace(method, call=_computed(spec, method, casts)) for method in spec.methods]
    first = spec.stored[0].name if spec.stored else "..."
    source = f"{ATTRIBUTE}: ClassVar[DTypeLike] = jnp.{dtype}"
    methods.append(Method(ATTRIBUTE, Call((), "", source=source, above=first)))
    if any(
        f"self.{CAST}(" in text
        for function in (call, *(method.call for method in methods))
        for text in _texts(function)
    ):
        methods.append(Method(CAST, Call((), "", source=_CASTS)))
    fields = tuple(_computed_field(field, casts) for field in spec.fields)
    return replace(spec, call=call, methods=tuple(methods), fields=fields)


def _computed_field(field: Field, casts: dict[str, str]) -> Field:
    """Cast what a derived field reads."""
    source = field.expression if field.role == "derived" else None
    return replace(field, init=f"={_read(source, casts)}") if source else field


def _texts(call: Call | None) -> tuple[str, ...]:
    return () if call is None else (call.body, call.source)


def uncast(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the fields with floating arrays that methods read without a cast, beside others that they
    cast."""
    floats = (field for field in spec.dynamic if _is_floating(field)) if computes_in(spec) else ()
    return tuple(floating.name for floating in floats if not _is_cast(spec, floating))


def _is_cast(spec: ModuleSpec, field: Field) -> bool:
    if field.compute == STORED or not (spec.compute or field.compute):
        return False
    return _is_floating(field)


def _is_floating(field: Field) -> bool:
    """Whether a field holds floating arrays, or a submodule that may."""
    if field.role in ("static", "callable", "state"):
        return False
    return field.role == "module" or _has_floats(field.type)


def _is_real(array: ArrayType) -> bool:
    return array.dtype in _FLOATING


def _cast(field: Field) -> str:
    is_plain = field.array is not None and not field.optional
    return f"self.{field.name}.astype(self.{ATTRIBUTE})" if is_plain else f"self.{CAST}(self.{field.name})"


def _computed(spec: ModuleSpec, method: Method, casts: dict[str, str]) -> Call:
    """Cast the reads in a method, and its arguments if the whole class has a compute dtype.

    A method that returns another instance of the class reads the stored arrays.
    """
    call = method.call
    if method.owner != "self" or not method.is_function or _makes_another(spec, call):
        return call
    heads = _heads(call.args) if spec.compute and not call.source else []
    texts = {name: _read(getattr(call, name), casts) for name in ("body", "looped", "source")}
    texts |= {
        name: "\n".join([*heads, dedented(texts[name])]) for name in ("body", "looped") if texts[name].strip()
    }
    return replace(call, **texts)


def _makes_another(spec: ModuleSpec, call: Call) -> bool:
    own_type: Type = ClassType(spec.name)
    said = any(part == own_type for kind in call.returns for part in walk(kind))
    return said or any(f"-> {text}" in call.source for text in (spec.name, f'"{spec.name}"', "Self"))


def _heads(args: tuple[Argument, ...]) -> list[str]:
    """Return the statements that cast floating arguments."""
    floats = (argument for argument in args if argument.type is not None and _has_floats(argument.type))
    return [f"{floating.name} = {_cast_of_argument(floating)}" for floating in floats]


def _cast_of_argument(argument: Argument) -> str:
    is_plain = isinstance(argument.type, ArrayType) and argument.default is None
    return f"{argument.name}.astype(self.{ATTRIBUTE})" if is_plain else f"self.{CAST}({argument.name})"


def _has_floats(kind: Type) -> bool:
    return any(map(_is_real, arrays(kind))) or any(isinstance(part, TreeType) for part in walk(kind))


def _is_dtype_of(node: ast.AST, casts: dict[str, str]) -> bool:
    """Whether a node is `self.weight.dtype` of an array that is cast."""
    if not (isinstance(node, ast.Attribute) and node.attr == "dtype"):
        return False
    return casts.get(attribute_of_self(node.value) or "", "").endswith(f".astype(self.{ATTRIBUTE})")


def _read(source: str, casts: dict[str, str]) -> str:
    def change(node: ast.AST, ancestors: tuple[ast.AST, ...]) -> str | None:
        if _is_dtype_of(node, casts):
            return f"self.{ATTRIBUTE}"
        parent = ancestors[-1] if ancestors else node
        is_shape = isinstance(parent, ast.Attribute) and parent.attr in _OF_SHAPE
        is_read = isinstance(getattr(node, "ctx", None), ast.Load)
        return (
            None
            if is_shape or not is_read or is_identity_test(parent)
            else casts.get(attribute_of_self(node) or "")
        )

    return rewrite(dedented(source), change) if casts and source.strip() else source


# -- faults ------------------------------------------------------------------------------------------------------------


def compute_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find `compute` keys that have no effect or contradict each other, and names that the casts need."""
    said = [field for field in spec.fields if field.compute]
    if not (spec.compute or said):
        return
    place = "compute" if spec.compute else f"fields.{said[0].name}.compute"
    if spec.compute and spec.call is not None and spec.call.carry is not None:
        fix = "say `compute` of the fields, and cast in the body: the carry keeps its dtype"
        yield Fault(place, f"`{spec.call.carry}` would be carried on in {spec.compute}", fix)
    taken = [name for name in (ATTRIBUTE, CAST) if spec.defines(name) or spec.field(name)]
    yield from (Fault(place, f"`{name}` is what the casts read", "rename yours") for name in taken)
    yield from (fault for field in said for fault in _of_field(spec, field))


def _of_field(spec: ModuleSpec, field: Field) -> Iterator[Fault]:
    place, dtype = f"fields.{field.name}.compute", computes_in(spec)
    if not _is_floating(field):
        yield Fault(place, "the field holds no floating array", "remove it")
    elif field.compute == STORED and not spec.compute:
        yield Fault(
            place, "the class computes in what it stores", "remove it, or write `compute` for the class"
        )
    elif field.compute not in (STORED, dtype):
        fix = f'write `compute = "{dtype}"`, or `false` for what is stored'
        yield Fault(place, f"the class computes in {dtype}: it has one `{ATTRIBUTE}`", fix)
