"""A module of NNX as a spec has it: fields and arguments that are arrays, which Variables hold without the author's saying so.

`self.mean = nnx.BatchStat(E)` is `self.mean = E`, and `self.mean[...]` is `self.mean`. What is compared with the class
that would be written is the class as it is there.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from scaffold.adopt.as_spec.shapes import Seen
from scaffold.adopt.as_spec.source import ClassSource, source_in
from scaffold.spec.rewriting import rewrite
from scaffold.spec.skeletons.names import Names
from scaffold.spec.variables import FLAX

_CONTAINERS = ("flax.nnx.List", "flax.nnx.Dict")
_PASSES = 3
"""How deep Variables may lie: in a list, and in a condition."""


def in_arrays(source: ClassSource, placed: Mapping[str, Any], seen: Seen) -> ClassSource:
    """The class without the Variables that hold its arrays."""
    variables = dict(variables_of(seen))
    makers = {"Param", "Variable", *FLAX, *(kind.rpartition(".")[2] for kind in variables.values())}
    text = source.notes.text
    for _ in range(_PASSES):
        text = rewrite(text, lambda node, above: _unwrapped(node, above, makers, source))
    text = rewrite(text, lambda node, above: _read(node, above, {*variables}, source))
    return replace(source_in(text, placed), variables=variables)


def variables_of(seen: Seen) -> Iterator[tuple[str, str]]:
    """The path of each Variable, and its type as it is written."""
    for text in seen.found.get("leaves", ()):
        match ast.parse(text, mode="eval").body:
            case ast.Call(args=[ast.Constant(value=str(path)), kind, *_]):
                yield path, ast.unparse(kind)
            case _:
                pass


def _is_within(above: tuple[ast.AST, ...], source: ClassSource) -> bool:
    return any(isinstance(one, ast.ClassDef) and one.name == source.node.name for one in above)


def _unwrapped(
    node: ast.AST, above: tuple[ast.AST, ...], makers: set[str], source: ClassSource
) -> str | None:
    """What is in a Variable or a list of NNX, where one is assigned, or an annotation of the class names one."""
    if not _is_within(above, source):
        return None
    is_assigned = any(isinstance(one, ast.Assign | ast.AnnAssign) for one in above)
    match node:
        case ast.Call(func=maker, args=[value], keywords=[]) if _holds(maker, makers, source.names):
            return ast.unparse(value) if is_assigned else None
        case ast.Subscript(value=holder, slice=inner) if _holds(holder, makers, source.names):
            whole = source.names.of(holder)
            return f"list[{ast.unparse(inner)}]" if whole == _CONTAINERS[0] else ast.unparse(inner)
        case _:
            return None


def _holds(node: ast.expr, makers: set[str], names: Names) -> bool:
    whole = names.of(node)
    return whole in _CONTAINERS or whole.rpartition(".")[2] in makers


def _read(node: ast.AST, above: tuple[ast.AST, ...], held: set[str], source: ClassSource) -> str | None:
    """`self.NAME` for `self.NAME[...]`, `.value` and `.get_value()` of what a Variable holds."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="get_value"), args=[], keywords=[]):
            pass
        case ast.Attribute(value=value, attr="value"):
            pass
        case ast.Subscript(value=value, slice=ast.Constant(value=end)) if end is Ellipsis:
            pass
        case _:
            return None
    is_own = isinstance(value, ast.Attribute) and ast.unparse(value.value) == "self" and value.attr in held
    return ast.unparse(value) if is_own and _is_within(above, source) else None
