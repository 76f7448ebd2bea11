import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int32, PRNGKeyArray


class TiedEmbedding(eqx.Module):
    """The next token from the last one: one table of vectors at the input and,
    transposed, at the output.
    """

    embedding: Float[Array, "vocabulary size"]
    """A vector for each token"""
    mix: Float[Array, "size size"]

    @classmethod
    def create(
        cls,
        vocabulary: int,
        size: int,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> "TiedEmbedding":
        dtype = jnp.result_type(float) if dtype is None else dtype
        embedding_key, mix_key = jax.random.split(key, 2)
        return cls(
            embedding=jax.random.normal(embedding_key, (vocabulary, size), dtype),
            mix=jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
                mix_key, (size, size), dtype
            ),
        )

    @property
    def head(self) -> Float[Array, "size vocabulary"]:
        """Tied to `embedding`, which alone is stored."""
        return self.embedding.T

    def __call__(self, token: Int32[Array, ""]) -> Float[Array, " vocabulary"]:
        """The logits of the next token."""
        hidden = jnp.tanh(self.mix @ self.embedding[token])
        return hidden @ self.head
