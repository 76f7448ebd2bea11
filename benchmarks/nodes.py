"""Emitted nodes, 4 arrays and 2 statics each, beside what one could write by hand."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import equinox as eqx
import flax.struct
import jax
import jax.numpy as jnp

from benchmarks._timing import Budget, Measured, Table, interleave, main, repeated
from scaffold import find_layout, load_spec, plan
from scaffold.publish import publish

ARRAYS = ("weight", "bias", "scale", "shift")
TUPLE, BYPASS, DATACLASS, MODULE = "tuple", "emitted bypass", "register_dataclass", "eqx.Module"
SPEC = """
name = "Node{title}"
{header}

[fields]
weight = {{ type = "f[size]", role = "param" }}
bias = {{ type = "f[size]", role = "param" }}
scale = {{ type = "f[size]", role = "param" }}
{rest}
"""
PLAIN = """
shift = { type = "f[size]", role = "param" }
depth = { type = "int" }
label = { type = "str" }
"""
# The form `static` is for dicts with preset entries: one array lies in a dict, and the preset is the second static.
PRESET = """
shift = { type = "dict[str, f[size]]", role = "param", preset = { fixed = 42.0 } }
depth = { type = "int" }
"""


@partial(jax.tree_util.register_dataclass, data_fields=[*ARRAYS], meta_fields=["depth", "label"])
@dataclass(frozen=True)
class Dataclass:
    weight: jax.Array
    bias: jax.Array
    scale: jax.Array
    shift: jax.Array
    depth: int
    label: str


@flax.struct.dataclass
class Struct:
    weight: jax.Array
    bias: jax.Array
    scale: jax.Array
    shift: jax.Array
    depth: int = flax.struct.field(pytree_node=False)
    label: str = flax.struct.field(pytree_node=False)


class Module(eqx.Module):
    weight: jax.Array
    bias: jax.Array
    scale: jax.Array
    shift: jax.Array
    depth: int = eqx.field(static=True)
    label: str = eqx.field(static=True)


BY_HAND = {DATACLASS: Dataclass, "flax.struct": Struct, MODULE: Module}
STATEMENTS = {
    "flatten": ("flatten(node)", 500),
    "unflatten": ("unflatten(leaves)", 500),
    "construct": ("make(*parts)", 100),
    "array out": ("summed(node)", 100),
    "node out": ("stepped(node)", 100),
    "both ways": ("unflatten_many(flatten(many)[0])", 10),
}


def measure(runs: int) -> Measured:
    """Every measure of every kind of node, one after the other in each round."""
    with TemporaryDirectory(prefix="scaffold-benchmark-") as temporary:
        makers = {TUPLE: (_tuple, _arrays()), **_emitted(Path(temporary)), **_by_hand()}
    names = {kind: _names(make, parts) for kind, (make, parts) in makers.items()}
    cases = {
        (measure, kind): repeated(statement, number, names[kind])
        for measure, (statement, number) in STATEMENTS.items()
        for kind in makers
    }
    medians = interleave(cases, runs)
    one = _table("One node", medians, ("flatten", "unflatten", "construct"), (DATACLASS,))
    call = _table("Cached jax.jit call of one node", medians, ("array out", "node out"), (TUPLE,))
    many = _table("Flatten and unflatten a list of 50 nodes", medians, ("both ways",), (DATACLASS, MODULE))
    return [one, call, many], [
        Budget("jit call, array out, emitted / tuple", call.ratio("array out", BYPASS, TUPLE), 1.10),
        Budget("50 nodes, emitted / register_dataclass", many.ratio("both ways", BYPASS, DATACLASS), 1.0),
        Budget("50 nodes, emitted / eqx.Module", many.ratio("both ways", BYPASS, MODULE), 0.4),
    ]


def _arrays() -> tuple[jax.Array, ...]:
    return tuple(jnp.full((8,), value, jnp.float32) for value in (1.0, 2.0, 3.0, 4.0))


def _tuple(*parts: Any) -> tuple[Any, ...]:
    return parts


def _by_hand() -> dict[str, tuple[Any, tuple[Any, ...]]]:
    return {kind: (make, (*_arrays(), 3, "layer")) for kind, make in BY_HAND.items()}


def _emitted(folder: Path) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """The classes as the tool writes them, each with the values of its fields."""
    forms = {form: f'kind = "pytree"\nrebuild = "{form}"' for form in ("bypass", "flag", "factory", "static")}
    specs = [_spec(folder, form, header) for form, header in {**forms, "module": ""}.items()]
    publish(plan([load_spec(spec) for spec in specs], find_layout(folder)))
    sys.path.insert(0, str(folder))
    *arrays, last = _arrays()
    statics = {"static": (*arrays, {"b": last}, (("fixed", 42.0),), 3)}
    return {
        f"emitted {form}": (
            getattr(import_module(f"node_{form}"), f"Node{form.title()}"),
            statics.get(form, (*arrays, last, 3, "layer")),
        )
        for form in (*forms, "module")
    }


def _spec(folder: Path, form: str, header: str) -> Path:
    path = folder / f"{form}.toml"
    rest = PRESET if form == "static" else PLAIN
    path.write_text(SPEC.format(title=form.title(), header=header, rest=rest), encoding="utf-8")
    return path


def _names(make: Any, parts: tuple[Any, ...]) -> dict[str, Any]:
    """What the statements of one kind of node use: an instance, and functions that no other kind is traced by."""
    node, many = make(*parts), [make(*parts) for _ in range(50)]
    leaves, treedef = jax.tree_util.tree_flatten(node)
    return {
        "node": node,
        "many": many,
        "make": make,
        "parts": parts,
        "leaves": leaves,
        "flatten": jax.tree_util.tree_flatten,
        "unflatten": treedef.unflatten,
        "unflatten_many": jax.tree_util.tree_structure(many).unflatten,
        "summed": jax.jit(lambda node: sum(jax.tree_util.tree_leaves(node))),
        "stepped": jax.jit(lambda node: jax.tree_util.tree_map(lambda leaf: leaf + 1, node)),
    }


def _table(
    title: str, medians: Mapping[tuple[str, str], float], measures: Sequence[str], baselines: Sequence[str]
) -> Table:
    chosen = {
        one: {kind: median for (measure, kind), median in medians.items() if measure == one}
        for one in measures
    }
    return Table(title, chosen, [(one, baseline) for one in measures for baseline in baselines], "µs")


if __name__ == "__main__":
    main("nodes", __doc__, 200, ("jax", "equinox", "flax"), measure)
