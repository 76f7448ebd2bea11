"""Copies of arrays given to a constructor, which keep their dtype unless the caller passes another."""

import ast
from collections.abc import Collection, Iterator

from scaffold.kind import kind_of
from scaffold.source.expressions import dedented, nodes_of
from scaffold.source.instance import kept_arguments
from scaffold.spec.construction.constructor import (
    constructor_names,
    dtype_field,
    fields_as_given,
    followed,
    has_open_dtype,
    is_plain,
    parameters,
    rebuilds_by,
    stores_argument,
    uses_dtype,
)
from scaffold.spec.grammar.dtypes import CHOSEN_DTYPES, DEFAULT_DTYPES
from scaffold.spec.grammar.initialisers import dtype_source
from scaffold.spec.grammar.types import ArrayType, DictType, ListType, Type
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.once import once

_REAL = '''\
def _real(value: ArrayLike) -> Array:
    """A copy that keeps the dtype of floats; other numbers take jax's default one."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if jnp.issubdtype(held, jnp.complexfloating):
        raise TypeError(f"real numbers are declared, got {held}")
    is_float = jnp.issubdtype(held, jnp.floating)
    return jnp.array(value, held if is_float else jnp.result_type(float))
'''
_REAL_IN_DTYPE = '''\
def _real(value: ArrayLike, dtype: DTypeLike | None = None) -> Array:
    """A copy in `dtype`; without it floats keep theirs, and others take jax's default."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if jnp.issubdtype(held, jnp.complexfloating):
        raise TypeError(f"real numbers are declared, got {held}")
    if dtype is None:
        dtype = held if jnp.issubdtype(held, jnp.floating) else jnp.result_type(float)
    return jnp.array(value, dtype)
'''
_INEXACT = '''\
def _inexact(value: ArrayLike) -> Array:
    """A copy that keeps the dtype; integers become jax's default float."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    is_inexact = jnp.issubdtype(held, jnp.inexact)
    return jnp.array(value, held if is_inexact else jnp.result_type(float))
'''
_INEXACT_IN_DTYPE = '''\
def _inexact(value: ArrayLike, dtype: DTypeLike | None = None) -> Array:
    """A copy in `dtype`; without it integers become jax's default float, others stay."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if dtype is None:
        dtype = held if jnp.issubdtype(held, jnp.inexact) else jnp.result_type(float)
    fits = jnp.issubdtype(dtype, jnp.complexfloating)
    if jnp.issubdtype(held, jnp.complexfloating) and not fits:
        raise TypeError(f"complex numbers do not fit {jnp.dtype(dtype)}")
    return jnp.array(value, dtype)
'''
_INTEGER = '''\
def _integer(value: ArrayLike) -> Array:
    """A copy of integers, in their own dtype."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if not jnp.issubdtype(held, jnp.integer):
        raise TypeError(f"integers are declared, got {held}")
    return jnp.array(value)
'''
_INTEGER_IN_DTYPE = '''\
def _integer(value: ArrayLike, dtype: DTypeLike | None = None) -> Array:
    """A copy of integers in `dtype`; without it in their own."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if not jnp.issubdtype(held, jnp.integer):
        raise TypeError(f"integers are declared, got {held}")
    return jnp.array(value, dtype)
'''
_COMPLEX = '''\
def _complex(value: ArrayLike) -> Array:
    """A copy that keeps the dtype of complex numbers; others take jax's default one."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    is_complex = jnp.issubdtype(held, jnp.complexfloating)
    return jnp.array(value, held if is_complex else complex)
'''
COPIERS = {
    "_real": (_REAL, _REAL_IN_DTYPE),
    "_inexact": (_INEXACT, _INEXACT_IN_DTYPE),
    "_integer": (_INTEGER, _INTEGER_IN_DTYPE),
    "_complex": (_COMPLEX, _COMPLEX),
}
"""Copying functions by name, each without and with a parameter `dtype`."""


def copy_of_given(array: ArrayType, source: str, asked: str) -> str:
    """Return source that copies a given array.

    `asked` names the dtype that the caller may pass, or is empty.
    """
    if array.dtype == "key":
        return f"jnp.array({source})"
    copier = _copier(array)
    if not copier:
        return f"jnp.array({source}, {dtype_source(array)})"
    dtype = asked if array.dtype in CHOSEN_DTYPES else _fixed_dtype(array)
    return f"{copier}({source}, {dtype})" if dtype else f"{copier}({source})"


def _copier(array: ArrayType) -> str:
    if array.dtype in ("bool", "key", "c64", "c128"):
        return ""
    if array.dtype in _COPIER_BY_DTYPE:
        return _COPIER_BY_DTYPE[array.dtype]
    return "_integer" if array.dtype[0] in "iu" else "_real"


_COPIER_BY_DTYPE = {"inexact": "_inexact", "c": "_complex"}


def _fixed_dtype(array: ArrayType) -> str:
    """Return source of a dtype that callers cannot choose, or an empty text if the array keeps its own."""
    return "" if array.dtype in DEFAULT_DTYPES else dtype_source(array)


def is_given(spec: ModuleSpec, field: Field) -> bool:
    """Whether the constructor is given the field's value, under any name."""
    return field.given or stores_argument(spec, field)


@once
def asked_dtype(spec: ModuleSpec) -> str:
    """Return the name of the dtype that the caller passes, or an empty text if there is no such argument.

    Computed arrays rebind `dtype` to their dtype, so another name must record whether the caller passed it.
    """
    field = dtype_field(spec)
    if spec.dtype or not uses_dtype(spec) or (field is not None and field.default != "None"):
        return ""
    if field is None and not _is_given_open_dtype(spec):
        return "dtype"
    taken = constructor_names(spec) | {field.name for field in spec.fields}
    names = ("asked", "asked_dtype", "given_dtype", f"dtype_of_{spec.name}")
    return next(name for name in names if name not in taken)


def passed_name(spec: ModuleSpec, field: Field) -> str:
    """Return the argument for a field, whose name differs for a `dtype` field that may be None."""
    return (asked_dtype(spec) if field is dtype_field(spec) else "") or field.name


def takes_dtype(spec: ModuleSpec) -> bool:
    """Whether all arrays of open dtype get the dtype that is passed."""
    names = [parameter.name for parameter in parameters(spec)]
    is_passed = "dtype" in names and not (spec.own_constructor and _computes_in_it(spec, names))
    return is_passed and (
        dtype_field(spec) is None or bool(asked_dtype(spec)) or not _is_given_open_dtype(spec)
    )


def _computes_in_it(spec: ModuleSpec, names: Collection[str]) -> bool:
    """Whether `dtype` is only the compute dtype: Flax has `param_dtype` too, or the instance just stores
    it."""
    constructor = dedented(spec.making)
    kept = [argument for argument, _ in kept_arguments(constructor)].count("dtype")
    reads = (node.id for node in nodes_of(ast.Name, ast.parse(constructor)))
    return "param_dtype" in names or 0 < kept == [*reads].count("dtype")


def _is_given_open_dtype(spec: ModuleSpec) -> bool:
    return any(is_given(spec, field) and has_open_dtype(field) for field in spec.stored)


def dtype_statements(spec: ModuleSpec) -> tuple[str, ...]:
    """Return statements that determine the dtype of computed arrays."""
    if not uses_dtype(spec):
        return ()
    path = followed(spec)
    if path is not None:
        # An array may be given as a number, or as integers.
        return (f"dtype = {path}.dtype" if "." in path else f"dtype = jnp.result_type({path}, float)",)
    if spec.dtype:
        return ("dtype = jnp.result_type(float)",)
    resolved = "dtype = jnp.result_type(float) if dtype is None else dtype"
    if dtype_field(spec) is not None and not asked_dtype(spec):
        return ()
    asked = asked_dtype(spec)
    return (resolved,) if asked == "dtype" else (f"{asked} = dtype", resolved)


def functions_for_given(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the copying functions that the constructor needs in its module."""
    if is_plain(spec) or spec.own_constructor is not None or not kind_of(spec.kind).has_instances:
        return ()
    whole = fields_as_given(spec) if rebuilds_by(spec, "flag") else spec
    takes_dtype = bool(asked_dtype(spec) or asked_dtype(whole))
    copied = [
        array
        for field in whole.stored
        if is_given(whole, field) and field.dynamic
        for array in _copied(field.type)
    ]
    # Several classes of one module share the function that takes a dtype.
    named = dict.fromkeys(map(_copier, copied), spec.unit is not None)
    for array in copied:
        is_chosen = array.dtype in CHOSEN_DTYPES
        named[_copier(array)] |= takes_dtype if is_chosen else bool(_fixed_dtype(array))
    return tuple(COPIERS[name][named[name]] for name in COPIERS if name in named)


def _copied(kind: Type) -> Iterator[ArrayType]:
    """Yield the arrays that a copy of this type copies separately."""
    match kind:
        case ArrayType():
            yield kind
        case ListType(item=item) | DictType(item=item):
            yield from _copied(item)
        case _:
            pass
