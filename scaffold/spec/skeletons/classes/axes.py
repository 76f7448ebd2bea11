"""The batch axis over which a class averages, where its code names one and binds it nowhere."""

import ast
from collections.abc import Iterator, Mapping

from scaffold.spec.source.expressions import nodes_of
from scaffold.spec.source.instance import last_name

_COLLECTIVES = ("psum", "pmean", "pmax", "pmin", "all_gather", "axis_index", "axis_size")
_BIND = ("vmap", "pmap", "filter_vmap", "filter_pmap", "shard_map", "xmap")


def batch_axis(node: ast.ClassDef, beside: Mapping[str, ast.ClassDef]) -> str:
    """The name of the axis, as `eqx.nn.BatchNorm(size, axis_name="batch")` or `jax.lax.pmean(x, "batch")` has it; empty where
    there is none, or several. A class averages over the axes of those of its file that it makes, `beside`.
    """
    names = {*_axes(node, beside)}
    return names.pop() if len(names) == 1 else ""


def _axes(node: ast.ClassDef, beside: Mapping[str, ast.ClassDef]) -> Iterator[str]:
    calls = [*nodes_of(ast.Call, *node.body)]
    bound = {name for call in calls if last_name(call) in _BIND for name in _named(call)}
    made = dict.fromkeys(ast.unparse(call.func).partition(".")[0] for call in calls)
    parts = [beside[name] for name in made if name in beside and name != node.name]
    rest = {name: part for name, part in beside.items() if name != node.name}
    named = (name for call in calls if last_name(call) not in _BIND for name in _named(call))
    yield from {*named, *(name for part in parts for name in _axes(part, rest))} - bound


def _named(call: ast.Call) -> Iterator[str]:
    """The texts that a call gives as the name of an axis."""
    given = [keyword.value for keyword in call.keywords if keyword.arg == "axis_name"]
    if last_name(call) in _COLLECTIVES:
        given += call.args
    for value in given:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value
