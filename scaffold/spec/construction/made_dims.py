"""Dims of the arrays that an author's constructor makes, in terms of its arguments."""

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping, Set

from scaffold.source.expressions import is_arithmetic, local_values, nodes_of, parsed
from scaffold.source.instance import last_name, made_attributes
from scaffold.source.lists import Lists, argument_of, created_shape
from scaffold.source.local_makers import substituted
from scaffold.spec.construction.constructor import dims_of, parameters
from scaffold.spec.construction.guards import count_of_entries
from scaffold.spec.grammar.types import (
    ArrayType,
    ListType,
    ScalarType,
    TupleType,
    Type,
    dim_names,
    with_sizes,
)
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once

_WINDOWS = ("hanning", "hamming", "blackman", "bartlett", "kaiser")
_MAKERS = ("zeros", "ones", "empty", "full", "arange", "eye", *_WINDOWS)
"""Functions whose first argument may be the only size of an array."""
_FORMS = ("d_{}", "n_{}", "n_{}s", "num_{}", "num_{}s", "dim_{}", "{}_dim", "{}_size", "{}_features")
"""Names of arguments for the size of a dim, such as `num_heads` for `heads`."""


@once
def dims_of_arguments(spec: ModuleSpec) -> dict[str, str]:
    """Return the size of each dim in terms of the constructor's arguments and of constants.

    If `f[out, in_]` is made as `(out_features, in_features)`, `in_` has the size `in_features`. A size may be
    arithmetic, such as `2*tips - 2`.
    """
    names = {each.name for each in parameters(spec) if each.type == ScalarType("int")}
    names |= dict(spec.constants).keys()
    local_sizes = dict(_local_sizes(spec.making)) if names else {}
    lists = Lists(dict(local_values(spec.making)))
    pairs = [pair for name, value in made_fields(spec) for pair in _dims_of(spec, name, value, lists)]
    every = [*((dim, with_sizes(size, local_sizes)) for dim, size in pairs), *local_sizes.items()]
    sizes: dict[str, str] = {}
    for dim, size in every:
        if dim not in names and names.issuperset(dim_names(size)):
            sizes.setdefault(dim, size)
    return {**dict(_by_name(dims_of(spec), names)), **sizes}


@once
def settings_as_long(spec: ModuleSpec) -> dict[str, str]:
    """Return whole numbers that makers of instances set to a dim, each with the dim.

    After `cls(ones(n), size=n)`, `size` is as long as the dim of the array.
    """
    taken = parameters(spec)
    numbers = {each.name for each in taken if each.type == ScalarType("int") and each.default is None}
    sources = [method.call.text for method in spec.methods if method.owner == "cls"] if numbers else []
    sizes: dict[str, str] = {}
    for source in sources:
        values = dict(local_values(source))
        for call in (
            call for call in nodes_of(ast.Call, parsed(source)) if last_name(call) in ("cls", spec.name)
        ):
            given = {each.name: argument_of(call, place, each.name) for place, each in enumerate(taken)}
            dims = {
                size: dim for each in taken for size, dim in _sizes_given(each.type, given[each.name], values)
            }
            written = {name: ast.unparse(node) for name in numbers if (node := given[name]) is not None}
            sizes |= {name: dims[text] for name, text in written.items() if text in dims}
    return {name: dim for name, dim in sizes.items() if name not in dims_of(spec)}


def _sizes_given(
    kind: Type | None, node: ast.expr | None, values: Mapping[str, ast.expr]
) -> Iterator[tuple[str, str]]:
    """Yield the names of sizes in the shape of an argument, each with its dim."""
    made = values.get(node.id) if isinstance(node, ast.Name) else node
    shape = created_shape(made, ast.unparse) if isinstance(made, ast.Call) else None
    if isinstance(kind, ArrayType) and shape is not None and len(shape) == len(kind.dims):
        yield from ((size, dim) for size, dim in zip(shape, kind.dims, strict=True) if size.isidentifier())


def _by_name(dims: Iterable[str], names: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield dims that one argument names with a usual affix: `state` with `d_state`, `heads` with
    `num_heads`."""
    for dim in dims:
        named = [name for form in _FORMS if (name := form.format(dim)) in names]
        if len(named) == 1 and dim not in names:
            yield dim, named[0]


def _local_sizes(source: str) -> Iterator[tuple[str, str]]:
    """Yield the locals of a constructor that are arithmetic over names above: `half = n // 2 + 1`."""
    above: dict[str, str] = {}
    for name, value in local_values(source):
        if name not in above and _is_size(value, is_plain=False):
            above[name] = with_sizes(ast.unparse(value), above)
            yield name, above[name]


def made_fields(spec: ModuleSpec) -> Iterator[tuple[str, ast.expr]]:
    """Yield the fields that the constructor makes, each with its expression."""
    if spec.own_constructor is None:
        sources = ((field.name, field.expression) for field in spec.stored if field.expression)
        made = ((name, ast.parse(source, mode="eval").body) for name, source in sources)
    else:
        made = made_attributes(spec.making)
    shapes = {name: value for name, value in local_values(spec.making) if isinstance(value, ast.Tuple)}
    for name, value in made:
        yield name, substituted(value, shapes) if shapes else value


class _Counts(ast.NodeTransformer):
    """Replaces `len(names)` of a tuple or list that a constructor takes by the length of its example."""

    def __init__(self, spec: ModuleSpec) -> None:
        self.spec = spec
        self.several = {
            each.name
            for each in parameters(spec)
            if isinstance(each.type, ListType) or (isinstance(each.type, TupleType) and each.type.variadic)
        }

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Replace a length, also inside of the arguments of another call."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]) if name in self.several:
                return ast.Constant(count_of_entries(self.spec, name))
            case _:
                return node


def _dims_of(spec: ModuleSpec, name: str, value: ast.expr, lists: Lists) -> Iterator[tuple[str, str]]:
    """Yield the dims of a field, each with the size of which the constructor makes it."""
    field = spec.field(name)
    if field is not None and isinstance(field.type, ArrayType):
        helpers = {function.name for function in nodes_of(ast.FunctionDef, ast.parse(spec.helpers))}
        yield from _dims_in(field.type.dims, _Counts(spec).visit(copy.deepcopy(value)), helpers)
        shape = lists.shape_of_array(value)
        if len(shape) == len(field.type.dims):
            yield from zip(field.type.dims, map(str, shape), strict=True)


def _dims_in(dims: tuple[str, ...], value: ast.expr, helpers: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield the dims beside the sizes in a shape of the same length, such as `jnp.zeros((n, m))`.

    Calls of `helpers`, functions of the file, do not count, since they may do anything with a number.
    """
    for call in (call for call in nodes_of(ast.Call, value) if last_name(call) not in helpers):
        makes = last_name(call) in _MAKERS
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            listed = argument.elts if isinstance(argument, ast.Tuple | ast.List) else [argument]
            is_plain = listed == [argument] and not makes
            others = [size for size in listed if not isinstance(size, ast.Constant)] or listed
            if len(listed) == len(dims) and all(_is_size(size, is_plain=is_plain) for size in others):
                yield from zip(dims, map(ast.unparse, listed), strict=True)


def _is_size(node: ast.expr, *, is_plain: bool) -> bool:
    """Whether an expression is a name, or unless `is_plain` arithmetic over names."""
    if is_plain or isinstance(node, ast.Name):
        return isinstance(node, ast.Name)
    return is_arithmetic(node) and any(nodes_of(ast.Name, node))
