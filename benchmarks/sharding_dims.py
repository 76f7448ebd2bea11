"""Which dims of layers of others shard as they stand: a table for `docs/sharding.md`.

    python -m benchmarks.sharding_dims

puts each dim alone on an axis of an abstract mesh with explicit axes, as P20 does, and traces the call. A dim is known by its size.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int32

from pytree_laws.inspect.trees import named_arrays, partition
from pytree_laws.kinds.nnx.variables import to_tree
from pytree_laws.sharding.specs import Example, dims_alone

KEY = jax.random.key(0)
Named = Mapping[int, str]


class Embedding(eqx.Module):
    """A table as levanter has it: named axes, and the same array for both ends."""

    weight: Float[Array, "vocabulary embed"]

    def __call__(self, tokens: Int32[Array, " position"]) -> Float[Array, "position embed"]:
        return self.weight[tokens]


class Unembedding(eqx.Module):
    """The way back from the table."""

    weight: Float[Array, "vocabulary embed"]

    def __call__(self, x: Float[Array, "position embed"]) -> Float[Array, "position vocabulary"]:
        return jnp.einsum("pe,ve->pv", x, self.weight)


class Mlp(eqx.Module):
    """Two products with named axes."""

    up: Float[Array, "embed mlp"]
    down: Float[Array, "mlp embed"]

    def __call__(self, x: Float[Array, "position embed"]) -> Float[Array, "position embed"]:
        hidden = jax.nn.silu(jnp.einsum("pe,em->pm", x, self.up))
        return jnp.einsum("pm,me->pe", hidden, self.down)


class Attention(eqx.Module):
    """Products over heads."""

    query: Float[Array, "embed heads head_size"]
    key: Float[Array, "embed heads head_size"]
    value: Float[Array, "embed heads head_size"]
    output: Float[Array, "heads head_size embed"]

    def __call__(self, x: Float[Array, "position embed"]) -> Float[Array, "position embed"]:
        query, key, value = (jnp.einsum("pe,ehd->hpd", x, w) for w in (self.query, self.key, self.value))
        weights = jax.nn.softmax(jnp.einsum("hpd,hqd->hpq", query, key), axis=-1)
        return jnp.einsum("hpd,hde->pe", jnp.einsum("hpq,hqd->hpd", weights, value), self.output)


class RmsNorm(eqx.Module):
    """A norm over the embedding."""

    weight: Float[Array, " embed"]

    def __call__(self, x: Float[Array, "position embed"]) -> Float[Array, "position embed"]:
        return x * jax.lax.rsqrt(jnp.mean(x**2, axis=-1, keepdims=True) + 1e-6) * self.weight


def ones(*shape: int) -> Array:
    return jnp.ones(shape)


IN_OUT = {3: "in", 5: "out"}
EQUINOX: Mapping[str, Callable[[], tuple[Any, tuple[Any, ...], Named]]] = {
    "Linear": lambda: (eqx.nn.Linear(3, 5, key=KEY), (ones(3),), IN_OUT),
    "Conv1d": lambda: (eqx.nn.Conv1d(3, 5, 2, key=KEY), (ones(3, 11),), {**IN_OUT, 11: "length"}),
    "Conv2d": lambda: (eqx.nn.Conv2d(3, 5, 2, key=KEY), (ones(3, 11, 13),), {**IN_OUT, 11: "height"}),
    "ConvTranspose1d": lambda: (eqx.nn.ConvTranspose1d(3, 5, 2, key=KEY), (ones(3, 11),), IN_OUT),
    "LayerNorm": lambda: (eqx.nn.LayerNorm(3), (ones(3),), {3: "size"}),
    "RMSNorm": lambda: (eqx.nn.RMSNorm(3), (ones(3),), {3: "size"}),
    "GroupNorm": lambda: (eqx.nn.GroupNorm(2, 6), (ones(6, 11),), {6: "channels", 11: "length"}),
    "Embedding": lambda: (eqx.nn.Embedding(7, 3, key=KEY), (jnp.int32(1),), {7: "vocabulary", 3: "size"}),
    "GRUCell": lambda: (
        eqx.nn.GRUCell(3, 5, key=KEY),
        (ones(3), ones(5)),
        {3: "in", 5: "hidden", 15: "gates"},
    ),
    "LSTMCell": lambda: (
        eqx.nn.LSTMCell(3, 5, key=KEY),
        (ones(3), (ones(5), ones(5))),
        {3: "in", 5: "hidden", 20: "gates"},
    ),
    "MLP": lambda: (
        eqx.nn.MLP(3, 5, 7, 2, key=KEY),
        (ones(3),),
        {**IN_OUT, 7: "width"},
    ),
    "MultiheadAttention": lambda: (
        eqx.nn.MultiheadAttention(3, 6, qk_size=5, vo_size=5, key=KEY),
        (ones(11, 6), ones(11, 6), ones(11, 6)),
        {6: "size", 15: "heads", 11: "length"},
    ),
}
NNX: Mapping[str, Callable[[], tuple[Any, tuple[Any, ...], Named]]] = {
    "Linear": lambda: (nnx.Linear(3, 5, rngs=nnx.Rngs(0)), (ones(2, 3),), {**IN_OUT, 2: "batch"}),
    "Einsum": lambda: (
        nnx.Einsum("bi,io->bo", (3, 5), rngs=nnx.Rngs(0)),
        (ones(2, 3),),
        {**IN_OUT, 2: "batch"},
    ),
    "Conv": lambda: (
        nnx.Conv(3, 5, (1,), rngs=nnx.Rngs(0)),
        (ones(2, 11, 3),),
        {**IN_OUT, 2: "batch", 11: "length"},
    ),
    "LayerNorm": lambda: (nnx.LayerNorm(3, rngs=nnx.Rngs(0)), (ones(2, 3),), {3: "size", 2: "batch"}),
    "RMSNorm": lambda: (nnx.RMSNorm(3, rngs=nnx.Rngs(0)), (ones(2, 3),), {3: "size", 2: "batch"}),
    "BatchNorm": lambda: (nnx.BatchNorm(3, rngs=nnx.Rngs(0)), (ones(2, 3),), {3: "size", 2: "batch"}),
    "Embed": lambda: (
        nnx.Embed(7, 3, rngs=nnx.Rngs(0)),
        (jnp.zeros(2, jnp.int32),),
        {7: "vocabulary", 3: "size", 2: "batch"},
    ),
    "GRUCell": lambda: (
        nnx.GRUCell(3, 5, rngs=nnx.Rngs(0)),
        (ones(2, 5), ones(2, 3)),
        {3: "in", 5: "hidden", 15: "gates", 2: "batch"},
    ),
    "MultiHeadAttention": lambda: (
        nnx.MultiHeadAttention(3, 7, 15, decode=False, rngs=nnx.Rngs(0)),
        (ones(2, 11, 7),),
        {3: "heads", 5: "head size", 7: "size", 2: "batch", 11: "length"},
    ),
}
NAMED = {2: "position", 7: "vocabulary", 3: "embed", 5: "mlp", 11: "heads", 13: "head size"}
LEVANTER: Mapping[str, Callable[[], tuple[Any, tuple[Any, ...], Named]]] = {
    "Embedding": lambda: (Embedding(ones(7, 3)), (jnp.zeros(2, jnp.int32),), NAMED),
    "Unembedding": lambda: (Unembedding(ones(7, 3)), (ones(2, 3),), NAMED),
    "Mlp": lambda: (Mlp(ones(3, 5), ones(5, 3)), (ones(2, 3),), NAMED),
    "Attention": lambda: (
        Attention(ones(3, 11, 13), ones(3, 11, 13), ones(3, 11, 13), ones(11, 13, 3)),
        (ones(2, 3),),
        NAMED,
    ),
    "RmsNorm": lambda: (RmsNorm(ones(3)), (ones(2, 3),), NAMED),
}
FAMILIES = {"equinox.nn": EQUINOX, "flax.nnx": NNX, "in levanter's style": LEVANTER}


def example(instance: Any, arguments: tuple[Any, ...], names: Named) -> Example:
    """The call, with the dims that are known by their sizes."""
    tree, back = to_tree(instance) if isinstance(instance, nnx.Module) else (instance, lambda value: value)
    pairs = named_arrays(tree)

    def dims(array: Any) -> tuple[str, ...]:
        return tuple(names.get(size, "").replace(" ", "_") for size in array.shape)

    return Example(
        tree,
        back,
        lambda one, *given: one(*given),
        arguments,
        [name for name, _ in pairs],
        {name: dims(array) for name, array in pairs},
        [dims(array) for array in partition(arguments)[1]],
        (),
    )


def rows() -> Iterator[tuple[str, str, list[str], list[str]]]:
    """Family, class, the dims that shard as they stand, and those that need an `out_sharding`."""
    for family, layers in FAMILIES.items():
        for name, make in layers.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                layer = example(*make())
                found = dict(dims_alone(layer, layer.sizes()))
            shards = [dim.replace("_", " ") for dim, error in found.items() if not error]
            yield family, name, shards, [d.replace("_", " ") for d, error in found.items() if error]


def table() -> str:
    lines = ["| | class | shards as it stands | needs `out_sharding` |", "|---|---|---|---|"]
    for family, name, shards, needs in rows():
        lines.append(f"| {family} | `{name}` | {', '.join(shards) or '-'} | {', '.join(needs) or '-'} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
