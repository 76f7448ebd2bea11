"""Tests of `Embedding`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Output, PytreeLaws, sample

from embedding import Embedding


class TestEmbedding(PytreeLaws):
    """The pytree laws on `Embedding`."""

    leaves = (Leaf("weight", "param", (2, 3)),)
    static: ClassVar = {
        "num_embeddings": ...,
        "embedding_size": ...,
    }
    other: ClassVar = {
        "num_embeddings": 5,
    }
    rejected = (({"num_embeddings": -1}, ValueError),)
    drawn = ("weight",)
    returns = (Output((3,)),)
    ignores_key = True
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "num_embeddings": 2,
            "embedding_size": 3,
            "weight": None,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> Embedding:
        return Embedding(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (
            sample(seed + 50, (), "int32"),
            sample(seed + 51, (), "key"),
        )

    def call(self, instance: Any, *arguments: Any) -> Any:
        x, key = arguments
        return instance(x, key=key)
