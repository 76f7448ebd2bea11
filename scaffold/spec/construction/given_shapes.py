"""Dims that the constructor reads off its arguments."""

import ast
from collections.abc import Iterator

from scaffold.source.expressions import assigned_names, local_values, shapes_unpacked
from scaffold.spec.construction.arithmetic import solved
from scaffold.spec.grammar.types import ArrayType
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once


@once
def given_arrays(spec: ModuleSpec) -> dict[str, ArrayType]:
    """Return the fields and the arguments that certainly are arrays of the declared shape, by name."""
    if spec.own_constructor is not None:
        return {}
    declared = {argument.name: argument for argument in spec.arguments if argument.type is not None}
    given = (field for field in spec.stored if field.given and field.name not in declared)
    changed = ("converter", "preprocess", "optional", "nullable")
    plain = (field for field in given if not any(getattr(field, key) for key in changed))
    needed = (argument for argument in declared.values() if argument.default is None)
    kinds = {member.name: member.type for member in (*plain, *needed)}
    assigned = assigned_names(spec.setup)
    return {
        name: kind
        for name, kind in kinds.items()
        if isinstance(kind, ArrayType) and all(dim[0] != "*" for dim in kind.dims) and name not in assigned
    }


@once
def dims_read_off(spec: ModuleSpec) -> dict[str, str]:
    """Return each dim of a given array, with the first array that has it plain, or else in arithmetic.

    A dim that is also a field or an argument is left out, since the caller sets it.
    """
    taken = {*assigned_names(spec.setup), *(member.name for member in (*spec.fields, *spec.arguments))}
    owners: dict[str, str] = {}
    every = [(name, dim) for name, array in given_arrays(spec).items() for dim in array.dims]
    for name, dim in sorted(every, key=lambda pair: not pair[1].isidentifier()):
        solution = solved(dim, "size")
        if solution is not None and solution[0] not in taken:
            owners.setdefault(solution[0], name)
    return owners


def dims_solved(spec: ModuleSpec, name: str) -> dict[str, str]:
    """Return dims that arithmetic reads off a given array: `n+1` gives `n` as `np.shape(x)[0] - 1`."""
    array, owners, sources = given_arrays(spec)[name], dims_read_off(spec), dict[str, str]()
    plain = [dim for dim in array.dims if dim.isidentifier()]
    for axis, dim in enumerate(array.dims):
        solution = solved(dim, f"np.shape({name})[{axis}]")
        if solution is not None and solution[0] not in plain and owners.get(solution[0]) == name:
            sources.setdefault(*solution)
    return sources


def sizes_read(source: str) -> Iterator[tuple[str, str]]:
    """Yield the locals that a constructor reads off its arguments, each with its expression.

    After `m, n = base.weight.shape`, `n` is `base.weight.shape[1]`.
    """
    for array, names in shapes_unpacked(source):
        for axis, name in enumerate(names):
            if isinstance(name, ast.Name):
                yield name.id, f"{ast.unparse(array)}.shape[{axis}]"
    yield from ((name, ast.unparse(value)) for name, value in local_values(source) if _is_read(value))


def _is_read(value: ast.expr) -> bool:
    """Whether an expression is an attribute, or an axis of a shape."""
    is_axis = isinstance(value, ast.Subscript) and ast.unparse(value.value).endswith(".shape")
    return is_axis or isinstance(value, ast.Attribute)
