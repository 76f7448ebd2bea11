"""Tests of `TiedEmbedding`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Method, Output, sample
from pytree_laws.shared import SharedLaws

from tied_embedding import TiedEmbedding


class TestTiedEmbedding(SharedLaws):
    """The pytree laws on `TiedEmbedding`."""

    leaves = (
        Leaf("embedding", "param", (2, 3), std=1.0),
        Leaf("mix", "param", (3, 3), std=0.5774),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "vocabulary": 5,
    }
    ties: ClassVar = {
        "head": "embedding",
    }
    drawn = ("embedding", "mix")
    returns = (Output((2,)),)
    methods = (Method("head", returns=(Output((3, 2)),)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "vocabulary": 2,
            "size": 3,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> TiedEmbedding:
        return TiedEmbedding.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (), "int32"),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (token,) = arguments
        return instance(token)
