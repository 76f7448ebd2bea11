"""Layers of Equinox and Flax as examples, for a class that takes its sizes off a layer."""

import ast
from collections.abc import Iterator, Mapping
from string import Formatter

from scaffold.source.expressions import nodes_of
from scaffold.spec.construction.given_shapes import sizes_read
from scaffold.spec.construction.made_dims import made_fields
from scaffold.spec.grammar.types import ArrayType, ClassType
from scaffold.spec.model import ModuleSpec
from scaffold.suite.examples.meshes import is_mesh, mesh_source

_KEY = "key=jax.random.key({seed})"
_OF_EQUINOX = {
    "Linear": f"eqx.nn.Linear({{in_features}}, {{out_features}}, {_KEY})",
    "MLP": f"eqx.nn.MLP({{in_size}}, {{out_size}}, 7, 2, {_KEY})",
    "GRUCell": f"eqx.nn.GRUCell({{input_size}}, {{hidden_size}}, {_KEY})",
    "LSTMCell": f"eqx.nn.LSTMCell({{input_size}}, {{hidden_size}}, {_KEY})",
    "Embedding": f"eqx.nn.Embedding({{num_embeddings}}, {{embedding_size}}, {_KEY})",
    "LayerNorm": "eqx.nn.LayerNorm({shape})",
    "RMSNorm": "eqx.nn.RMSNorm({shape})",
    "MultiheadAttention": f"eqx.nn.MultiheadAttention(1, {{query_size}}, {_KEY})",
    **{
        name: f"eqx.nn.{name}({{in_channels}}, {{out_channels}}, 3, {_KEY})"
        for name in ("Conv1d", "Conv2d", "Conv3d")
    },
    "Sequential": f"eqx.nn.Sequential([eqx.nn.Linear({{in_features}}, {{out_features}}, {_KEY})])",
    "Module": f"eqx.nn.Linear({{in_features}}, {{out_features}}, {_KEY})",
    "Dropout": "eqx.nn.Dropout()",
    "Identity": "eqx.nn.Identity()",
    "PReLU": "eqx.nn.PReLU(jnp.array(0.25, float))",
    "Lambda": "eqx.nn.Lambda(jnp.tanh)",
}
"""Sources of layers in terms of their sizes. A linear layer stands for any Module."""
_RNGS = "rngs=nnx.Rngs({seed})"
_OF_FLAX = {
    "Linear": f"nnx.Linear({{in_features}}, {{out_features}}, {_RNGS})",
    "Module": f"nnx.Linear({{in_features}}, {{out_features}}, {_RNGS})",
    "Embed": f"nnx.Embed({{num_embeddings}}, {{features}}, {_RNGS})",
    **{name: f"nnx.{name}({{num_features}}, {_RNGS})" for name in ("LayerNorm", "RMSNorm", "BatchNorm")},
    **{
        name: f"nnx.{name}({{in_features}}, {{hidden_features}}, {_RNGS})"
        for name in ("GRUCell", "SimpleCell", "LSTMCell", "OptimizedLSTMCell")
    },
    "Conv": f"nnx.Conv({{in_features}}, {{out_features}}, 3, {_RNGS})",
    "Dropout": f"nnx.Dropout(0.5, {_RNGS})",
}
_WEIGHTS = {
    ("equinox", "Linear"): ("weight", ("out_features", "in_features")),
    ("equinox", "Embedding"): ("weight", ("num_embeddings", "embedding_size")),
    ("flax", "Linear"): ("kernel", ("in_features", "out_features")),
    ("flax", "Embed"): ("embedding", ("num_embeddings", "features")),
}
"""The weights of a layer, with the sizes of their axes."""
_USUAL = (3, 5)


def layer_source(spec: ModuleSpec, kind: ClassType, name: str, sizes: Mapping[str, int], seed: str) -> str:
    """Return source that makes a layer or a mesh for the argument `name`, or an empty text for other classes.

    Sizes are named by the code, as `linear_in_features`. Else they are dims for which the class reads the
    layer, as in `(rank, base.in_features)`. Else they are dims of the same name.
    """
    if is_mesh(kind):
        return mesh_source(spec)
    room, layer = (kind.module or "").partition(".")[0], kind.name.rpartition(".")[2]
    template = {"equinox": _OF_EQUINOX, "flax": _OF_FLAX}.get(room, {}).get(layer, "")
    taken = [size for _, size, _, _ in Formatter().parse(template) if size and size != "seed"]
    weights, axes = _WEIGHTS.get((room, layer), ("", ()))
    reads = {f"{name}.{size}": size for size in taken}
    reads |= {f"{name}.{weights}.shape[{axis}]": size for axis, size in enumerate(axes)}
    dims = {reads[text]: dim for text, dim in _dims_made(spec) if text in reads}
    usual = dict(zip(taken, _USUAL, strict=False))
    chosen = {
        size: sizes.get(f"{name}_{size}", sizes.get(dims.get(size, size), usual[size])) for size in taken
    }
    return template.format(seed=seed, **chosen)


def _dims_made(spec: ModuleSpec) -> Iterator[tuple[str, str]]:
    """Yield what the constructor reads for a size, such as `base.in_features`, each with its dim."""
    own = spec.own_constructor
    read = dict(sizes_read(own.call.source if own is not None else spec.setup))
    yield from ((text, name) for name, text in read.items())
    for field_name, value in made_fields(spec):
        field = spec.field(field_name)
        dims = field.type.dims if field is not None and isinstance(field.type, ArrayType) else ()
        for shape in nodes_of(ast.Tuple, value):
            if len(shape.elts) == len(dims):
                texts = map(ast.unparse, shape.elts)
                yield from ((read.get(text, text), dim) for text, dim in zip(texts, dims, strict=True))
