"""A mesh as an example: one device, with an axis for each axis name in the code."""

import ast
from collections.abc import Iterator

from scaffold.source.definitions import arguments_with_defaults, statements
from scaffold.source.expressions import nodes_of, parsed
from scaffold.source.instance import last_name
from scaffold.spec.construction.constructor import parameters
from scaffold.spec.grammar.types import ClassType, members_of
from scaffold.spec.model import ModuleSpec

_SPECS = ("P", "PartitionSpec")
_COLLECTIVES = (
    *("psum", "pmean", "pmax", "pmin", "psum_scatter", "ppermute"),
    *("all_gather", "all_to_all", "axis_index", "axis_size"),
)
_USUAL = "data"


def is_mesh(kind: ClassType) -> bool:
    """Whether a type is the `Mesh` of jax."""
    return kind.name.rpartition(".")[2] == "Mesh" and (kind.module or "").partition(".")[0] == "jax"


def mesh_source(spec: ModuleSpec) -> str:
    """Return source for a mesh of one device, with the axes on which the class shards."""
    trees = [*statements(spec.source), *(parsed(method.call.text) for _, method in spec.functions)]
    named = (name for tree in trees for name in (*_axes_named(tree), *_axes_by_default(tree)))
    axes = [*dict.fromkeys(named)] or [_USUAL]
    devices = f"{'[' * (len(axes) - 1)}jax.devices()[:1]{']' * (len(axes) - 1)}"
    listed = ", ".join(f'"{axis}"' for axis in axes)
    return f"jax.sharding.Mesh({devices}, ({listed}{',' * (len(axes) == 1)}))"


def meshes_left_out(spec: ModuleSpec) -> Iterator[tuple[str, str]]:
    """Yield the arguments of the constructor that are None by default and may be a mesh, with a mesh."""
    for parameter in parameters(spec):
        members = members_of(parameter.type) if parameter.type is not None else ()
        may_be_mesh = any(isinstance(kind, ClassType) and is_mesh(kind) for kind in members)
        if may_be_mesh and parameter.default == "None":
            yield parameter.name, mesh_source(spec)


def _axes_named(tree: ast.AST) -> Iterator[str]:
    """Yield the axis names in partition specs, in collectives, and in `mesh.shape["data"]`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call() if last_name(node) in (*_SPECS, *_COLLECTIVES):
                yield from _texts(*node.args, *(keyword.value for keyword in node.keywords))
            case ast.Subscript(value=ast.Attribute(attr="shape"), slice=key):
                yield from _texts(key)
            case _:
                pass


def _axes_by_default(tree: ast.AST) -> Iterator[str]:
    for function in nodes_of(ast.FunctionDef, tree):
        named = (
            default for each, default in arguments_with_defaults(function) if "axis" in each.arg and default
        )
        yield from _texts(*named)


def _texts(*nodes: ast.expr) -> Iterator[str]:
    constants = (part.value for part in nodes_of(ast.Constant, *nodes))
    return (text for text in constants if isinstance(text, str))
