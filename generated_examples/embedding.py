import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int32, PRNGKeyArray


class Embedding(eqx.Module):
    """A table of vectors that are looked up by index."""

    num_embeddings: int = eqx.field(static=True)
    embedding_size: int = eqx.field(static=True)
    weight: Float[Array, "num_embeddings embedding_size"]

    def __init__(
        self,
        num_embeddings: int | None = None,
        embedding_size: int | None = None,
        weight: Float[Array, "num_embeddings embedding_size"] | None = None,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray | None = None,
    ):
        dtype = jnp.result_type(float) if dtype is None else dtype
        if weight is None:
            if num_embeddings is None or embedding_size is None or key is None:
                raise ValueError(
                    "give `num_embeddings`, `embedding_size` and `key`, or `weight`"
                )
            if num_embeddings < 0 or embedding_size < 0:
                raise ValueError(
                    "`num_embeddings` and `embedding_size` must not be negative"
                )
            weight = jax.random.normal(key, (num_embeddings, embedding_size), dtype)
        if weight.ndim != 2:
            raise ValueError(f"`weight` must have two axes, got shape {weight.shape}")
        rows, columns = weight.shape
        if num_embeddings not in (None, rows) or embedding_size not in (None, columns):
            raise ValueError(
                f"`weight` has shape {weight.shape}, not {(num_embeddings, embedding_size)}"
            )
        self.num_embeddings = rows
        self.embedding_size = columns
        self.weight = jnp.asarray(jnp.array(weight, weight.dtype), dtype)

    def __call__(
        self, x: Int32[Array, ""], *, key: PRNGKeyArray | None = None
    ) -> Float[Array, " embedding_size"]:
        """The vector at index `x`. `key` is ignored, and there for
        `equinox.nn.Sequential`.
        """
        if jnp.shape(x) != ():
            raise ValueError(
                f"`x` must be a scalar index, got {jnp.shape(x)}; use `jax.vmap`"
            )
        return self.weight[x]
