"""Tests of `Attention`, `FeedForward`, `DecoderBlock` and `LanguageModel`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Method, Output, PytreeLaws, sample

from decoder import Attention, DecoderBlock, FeedForward, LanguageModel
from weight_decay import decayed


class TestAttention(PytreeLaws):
    """The pytree laws on `Attention`."""

    leaves = (
        Leaf("queries", "param", (16, 3, 5), std=0.2),
        Leaf("keys", "param", (16, 3, 5), std=0.2),
        Leaf("values", "param", (16, 3, 5), std=0.2),
        Leaf("mix", "param", (5, 16, 3), std=0.2),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "heads": 2,
    }
    drawn = ("queries", "keys", "values", "mix")
    sharding: ClassVar = {"heads": "model"}
    returns = (Output((7, 5)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "heads": 16,
            "head_size": 3,
            "size": 5,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> Attention:
        return Attention.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (7, 5)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)


class TestFeedForward(PytreeLaws):
    """The pytree laws on `FeedForward`."""

    leaves = (
        Leaf("up", "param", (16, 3), std=0.2),
        Leaf("bias", "param", (16,), value=0.0),
        Leaf("down", "param", (3, 16), std=0.2),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "hidden_size": 2,
    }
    drawn = ("up", "down")
    undecayed = ("bias",)
    sharding: ClassVar = {"hidden_size": "model"}
    returns = (Output((5, 3)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "hidden_size": 16,
            "size": 3,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> FeedForward:
        return FeedForward.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (5, 3)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)


class TestDecoderBlock(PytreeLaws):
    """The pytree laws on `DecoderBlock`."""

    leaves = (
        Leaf("attention", "module"),
        Leaf("feed_forward", "module"),
        Leaf("attention_scale", "param", (5,), value=1.0),
        Leaf("feed_forward_scale", "param", (5,), value=1.0),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "size": 7,
    }
    drawn = ("attention", "feed_forward")
    undecayed = ("attention_scale", "feed_forward_scale")
    sharding: ClassVar = {}
    returns = (Output((3, 5)),)
    methods = (
        Method(
            "normed", lambda seed: (sample(seed, (3, 5)),), returns=(Output((3, 5)),)
        ),
    )
    decay_mask = staticmethod(decayed)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "heads": 8,
            "head_size": 2,
            "size": 5,
            "hidden_size": 16,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> DecoderBlock:
        return DecoderBlock(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3, 5)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)


class TestLanguageModel(PytreeLaws):
    """The pytree laws on `LanguageModel`."""

    leaves = (
        Leaf("embedding", "param", (24, 5), std=0.2),
        Leaf("positions", "param", (7, 5), std=0.2),
        Leaf("blocks", "module"),
    )
    static: ClassVar = {
        "depth": 2,
    }
    other: ClassVar = {
        "vocabulary": 3,
    }
    rejected = (
        ({"depth": 2.5}, TypeError),
        ({"depth": True}, TypeError),
    )
    drawn = ("embedding", "positions", "blocks")
    tuples = ("blocks",)
    sharding: ClassVar = {"vocabulary": "model"}
    layers: ClassVar = {"blocks": "depth"}
    returns = (Output((7, 24)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "vocabulary": 24,
            "length": 7,
            "size": 5,
            "heads": 8,
            "head_size": 2,
            "hidden_size": 16,
            "depth": 2,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> LanguageModel:
        return LanguageModel(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (7,), "int32", high=24),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (tokens,) = arguments
        return instance(tokens)
