"""Statements of a constructor that read sizes off given arrays, and check other arrays against them."""

from collections.abc import Iterator

from msgspec import Struct

from scaffold.emit.constructor.initialised import shape_source
from scaffold.source.expressions import assigned_names
from scaffold.spec.construction.constructor import dims_used, parameters
from scaffold.spec.construction.given_shapes import dims_read_off, dims_solved, given_arrays
from scaffold.spec.grammar.types import ArrayType, ScalarType, dim_names
from scaffold.spec.model import ModuleSpec

Owners = tuple[tuple[str, str], ...]
"""Arguments that determine the dims of a shape, each with the source of its size or shape."""


class _HeldShape(Struct, frozen=True):
    """Field whose shape is determined by the dims of its owners."""

    name: str
    array: ArrayType
    owners: Owners


def shape_statements(spec: ModuleSpec, *, checked: bool = True) -> tuple[str, ...]:
    """Return statements that bind the needed sizes, and raise if two arrays disagree."""
    shapes = tuple(_held_shapes(spec)) if checked else ()
    needed = {*dims_used(spec), *(name for shape in shapes for name in _names_in(shape.array))}
    is_free = {"name", "value"}.isdisjoint(parameter.name for parameter in parameters(spec))
    return (*_bindings(spec, needed), *_checks(shapes, loops=is_free))


def shapes_held(spec: ModuleSpec) -> Iterator[tuple[str, ArrayType]]:
    """Yield the arrays whose first dim is checked against another array."""
    for shape in _held_shapes(spec):
        if shape.owners and set(dim_names(shape.array.dims[0])) - set(_own_dims(spec, shape.name)):
            yield shape.name, shape.array


def _own_dims(spec: ModuleSpec, name: str) -> Iterator[str]:
    yield from (dim for dim, owner in dims_read_off(spec).items() if owner == name)


def _bindings(spec: ModuleSpec, needed: set[str]) -> Iterator[str]:
    owners = dims_read_off(spec)
    for name, array in given_arrays(spec).items():
        bound = set[str]()
        targets: list[str] = []
        for dim in array.dims:
            is_new = owners.get(dim) == name and dim in needed and dim not in bound
            targets.append(dim if is_new else "_")
            bound.update({dim} if is_new else ())
        if bound:
            yield f"{', '.join(targets)}{',' if len(targets) == 1 else ''} = np.shape({name})"
        yield from (f"{dim} = {size}" for dim, size in dims_solved(spec, name).items() if dim in needed)


def _held_shapes(spec: ModuleSpec) -> Iterator[_HeldShape]:
    """Yield fields to check: all dims are known, and a dim recurs, comes from elsewhere, or is divided."""
    owners, arrays = {**_dims_said(spec), **dims_read_off(spec)}, given_arrays(spec)
    for name, array in arrays.items():
        dims = _names_in(array)
        others = tuple(dict.fromkeys(owners[dim] for dim in dims if owners.get(dim, name) != name))
        has_rest = any("//" in size for size in dims_solved(spec, name).values())
        if all(dim in owners for dim in dims) and (others or has_rest or len(set(dims)) < len(dims)):
            sources = (f"np.shape({other})" if other in arrays else other for other in others)
            yield _HeldShape(name, array, tuple(zip(others, sources, strict=True)))


def _dims_said(spec: ModuleSpec) -> dict[str, str]:
    """Return dims that the caller passes as integers. Stored integers are checked elsewhere."""
    whole = (each.name for each in parameters(spec) if each.type == ScalarType("int") and not each.field)
    return {name: name for name in whole if name not in assigned_names(spec.setup)}


def _names_in(array: ArrayType) -> list[str]:
    """Return the names in the dims of an array, with repetitions."""
    return [name for dim in array.dims for name in dim_names(dim)]


def _checks(shapes: tuple[_HeldShape, ...], *, loops: bool) -> Iterator[str]:
    """Yield a check for each shape, with a loop over its fields if the loop's names are free."""
    by_shape: dict[tuple[tuple[str, ...], Owners], list[str]] = {}
    for held_shape in shapes:
        by_shape.setdefault((held_shape.array.dims, held_shape.owners), []).append(held_shape.name)
    for (dims, owners), names in by_shape.items():
        shape = shape_source(ArrayType("f", dims))
        if len(names) == 1 or not loops:
            yield from (_check(f"`{name}`", f"np.shape({name})", shape, owners) for name in names)
        else:
            pairs = ", ".join(f'("{name}", {name})' for name in names)
            check = _check("`{name}`", "np.shape(value)", shape, owners).replace("\n", "\n    ")
            yield f"for name, value in ({pairs}):\n    {check}"


def _check(shown: str, actual: str, shape: str, owners: Owners) -> str:
    message = f'f"{shown} has shape {{{actual}}}, "'
    others = " and ".join(f"`{owner}` {{{source}}}" for owner, source in owners)
    against = f'f"and {others}"' if others else f'"which is not {shape}"'
    return f"if {actual} != {shape}:\n    raise ValueError(\n        {message}\n        {against}\n    )"
