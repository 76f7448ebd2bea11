"""Layers of Equinox and Flax as examples: a class that is given a `Linear` takes its sizes off it."""

import ast
from collections.abc import Iterator, Mapping

from scaffold.spec.construction.given_shapes import sizes_read
from scaffold.spec.construction.made_dims import made_fields
from scaffold.spec.grammar.types import ArrayType, ClassType
from scaffold.spec.model import ModuleSpec
from scaffold.spec.source.expressions import nodes_of

_OF_EQUINOX = {
    "Linear": ("in_features", "out_features"),
    "MLP": ("in_size", "out_size", "width_size", "depth"),
    "GRUCell": ("input_size", "hidden_size"),
    "LSTMCell": ("input_size", "hidden_size"),
    "Embedding": ("num_embeddings", "embedding_size"),
    "LayerNorm": ("shape",),
    "RMSNorm": ("shape",),
}
"""The sizes that a layer is made with, in order."""
_OF_FLAX = {
    "Linear": ("in_features", "out_features"),
    "Embed": ("num_embeddings", "features"),
    "LayerNorm": ("num_features",),
    "RMSNorm": ("num_features",),
    "BatchNorm": ("num_features",),
}
_WEIGHTS = {
    ("equinox", "Linear"): ("weight", ("out_features", "in_features")),
    ("equinox", "Embedding"): ("weight", ("num_embeddings", "embedding_size")),
    ("flax", "Linear"): ("kernel", ("in_features", "out_features")),
    ("flax", "Embed"): ("embedding", ("num_embeddings", "features")),
}
"""The weights of a layer, and the sizes that their axes have."""
_WITHOUT_KEY = ("LayerNorm", "RMSNorm")
_USUAL = (3, 5, 7, 2)


def layer_source(spec: ModuleSpec, kind: ClassType, name: str, sizes: Mapping[str, int], seed: str) -> str:
    """Source that makes a layer for the argument `name`; empty of a class that is none.

    It has the sizes of the dims for which the class reads its attributes, as `(rank, base.in_features)`, or which bear their names.
    """
    room, layer = (kind.module or "").partition(".")[0], kind.name.rpartition(".")[2]
    taken = {"equinox": _OF_EQUINOX, "flax": _OF_FLAX}.get(room, {}).get(layer, ())
    if not taken:
        return ""
    weights, axes = _WEIGHTS.get((room, layer), ("", ()))
    reads = {f"{name}.{size}": size for size in taken}
    reads |= {f"{name}.{weights}.shape[{axis}]": size for axis, size in enumerate(axes)}
    dims = {reads[text]: dim for text, dim in _dims_made(spec) if text in reads}
    chosen = [sizes.get(dims.get(size, size), usual) for size, usual in zip(taken, _USUAL, strict=False)]
    called, drawn = _maker(room, layer, seed)
    return f"{called}({', '.join([*map(str, chosen), *drawn])})"


def _maker(room: str, layer: str, seed: str) -> tuple[str, list[str]]:
    """What is called, and the randomness that it is given."""
    if room == "flax":
        return f"nnx.{layer}", [f"rngs=nnx.Rngs({seed})"]
    return f"eqx.nn.{layer}", [] if layer in _WITHOUT_KEY else [f"key=jax.random.key({seed})"]


def _dims_made(spec: ModuleSpec) -> Iterator[tuple[str, str]]:
    """What the constructor reads for each size of what it makes, as `base.in_features`, with the dim of that size."""
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
