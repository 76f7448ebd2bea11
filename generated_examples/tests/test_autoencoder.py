"""Tests of `Encoder`, `Decoder` and `Autoencoder`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Method, Output, PytreeLaws, sample

from autoencoder import Autoencoder, Decoder, Encoder


class TestEncoder(PytreeLaws):
    """The pytree laws on `Encoder`."""

    leaves = (
        Leaf("weight", "param", (2, 3), std=0.5774),
        Leaf("bias", "param", (2,), value=0.0),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "hidden": 5,
    }
    drawn = ("weight",)
    returns = (Output((2,)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "hidden": 2,
            "size": 3,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> Encoder:
        return Encoder.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)


class TestDecoder(PytreeLaws):
    """The pytree laws on `Decoder`."""

    leaves = (Leaf("weight", "param", (2, 3), std=0.5774),)
    static: ClassVar = {}
    other: ClassVar = {
        "size": 5,
    }
    drawn = ("weight",)
    returns = (Output((2,)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "size": 2,
            "hidden": 3,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> Decoder:
        return Decoder.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (code,) = arguments
        return instance(code)


class TestAutoencoder(PytreeLaws):
    """The pytree laws on `Autoencoder`."""

    leaves = (
        Leaf("encoder", "module"),
        Leaf("decoder", "module"),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "size": 5,
    }
    drawn = ("encoder", "decoder")
    returns = (Output((2,)),)
    methods = (
        Method("encode", lambda seed: (sample(seed, (2,)),), returns=(Output((3,)),)),
    )
    one_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "size": 2,
            "hidden": 3,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> Autoencoder:
        return Autoencoder(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (2,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
