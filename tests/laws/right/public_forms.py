"""Forms that public libraries have on purpose, each beside a twin with a mistake in the same place."""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp


class Holder(eqx.Module):
    """What most of these hold."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x


class Refusing(Holder):
    """A method that is allowed elsewhere."""

    def dense(self) -> jax.Array:
        raise ValueError("this one is not made dense")


class Broken(Holder):
    """A method that names what is not there."""

    def dense(self) -> jax.Array:
        return self.wieght


class Shapeless(Holder):
    """A property by the name of one of arrays."""

    @property
    def shape(self) -> tuple[int, ...]:
        raise RuntimeError("it has no shape")


class Hiding(Holder):
    """An array where no leaf is."""

    table = jnp.ones(3)


class Braces:
    """A leaf that is written with braces, as a jaxpr is."""

    def __repr__(self) -> str:
        return "{ lambda ; a }"


class Programmed(Holder):
    """A leaf that is no array."""

    program: Any


class Constant(eqx.Module):
    """A class without arrays, which is called with nothing."""

    size: int = eqx.field(static=True)

    def __call__(self) -> jax.Array:
        return jnp.zeros(self.size, jnp.float32)


class Branching(Holder):
    """A branch by values."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return x if float(x[0]) > 0 else self.weight * x


class Fixed(Holder):
    """An output of one dtype."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return (self.weight * x).astype(jnp.float32)


class Keyed(eqx.Module):
    """A module with a dict of its own."""

    table: dict[str, jax.Array]

    def __init__(self, size: int):
        self.table = {"a": jnp.ones(size)}


class Wrapping(eqx.Module):
    """A module that is given another."""

    inner: Any

    def __init__(self, inner: Any):
        self.inner = inner


class Generated(eqx.Module):
    """A constructor that nobody wrote."""

    inner: Any


class Record(NamedTuple):
    """The same of Python's own."""

    inner: Any


class Activated(Holder):
    """A leaf that is a function, and a call that gives such a module."""

    activation: Callable[[Any], Any] = jnp.tanh

    def __call__(self, x: jax.Array) -> "Activated":
        return dataclasses.replace(self, weight=self.weight * x)


class Traced(Activated):
    """The same, another one under jit."""

    def __call__(self, x: jax.Array) -> "Activated":
        return dataclasses.replace(self, weight=self.weight * x + isinstance(x, jax.core.Tracer))


class Named:
    """A key of a dict that cannot be written."""

    def __repr__(self) -> str:
        return 1  # type: ignore[return-value]


class Tabled(eqx.Module):
    """A static table."""

    weight: jax.Array
    table: Any = eqx.field(static=True)


class Counting(eqx.Module):
    """A call that gives numbers of Python beside arrays, and another way through it."""

    weight: jax.Array
    power: int = eqx.field(static=True)

    def __init__(self, weight: jax.Array, power: int = 1, is_shifted: bool = False):
        self.weight, self.power = weight + is_shifted, power + is_shifted

    def __call__(self, x: jax.Array) -> tuple[Any, ...]:
        return self.power, self.weight * x**self.power


class Deciding(Counting):
    """The same, another one where nothing is traced."""

    def __call__(self, x: jax.Array) -> tuple[Any, ...]:
        return self.power, self.weight * x**self.power + isinstance(x, jax.core.Tracer)


class Flooding(Counting):
    """A number of Python beside what overflows on the way."""

    def __call__(self, x: jax.Array) -> tuple[Any, ...]:
        return self.power, self.weight * jnp.exp(x) / (1 + jnp.exp(x))


class Scattered(Holder):
    """A method that leaves out a part of what it computes."""

    def both(self, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        return self.weight * x, jnp.log(jnp.zeros(3).at[0].set(self.weight[1]) + 1)

    def first(self, x: jax.Array) -> jax.Array:
        return self.both(x)[0]


class Paired(eqx.Module):
    """A call that gives one half, and a method that gives the other."""

    left: jax.Array
    right: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.left * x

    def other(self) -> jax.Array:
        return self.right


class Losing(Scattered):
    """An update that nothing reads."""

    def first(self, x: jax.Array) -> jax.Array:
        self.weight.at[0].set(x[0])
        return self.weight * x


class Halves(eqx.Module):
    """A call that uses one element, and a method that uses the other."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight[0] * x

    def second(self, x: jax.Array) -> jax.Array:
        return self.weight[1] * x


class Gamma(eqx.Module):
    """A draw by rejection."""

    concentration: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.concentration * x

    def sample(self, key: jax.Array) -> jax.Array:
        first, second, _ = jnp.exp(self.concentration)
        return jax.random.beta(key, first, second, (5,))


class Stopped(Gamma):
    """A draw of which a part has no gradient."""

    def sample(self, key: jax.Array) -> jax.Array:
        return jax.lax.stop_gradient(self.concentration) + jnp.exp(self.concentration)


class Structure(eqx.Module):
    """What is said of arrays, as static."""

    said: jax.ShapeDtypeStruct = eqx.field(static=True)
    gain: jax.Array


class Structured(Holder):
    """A call that is given the structure of its input, and holds to it."""

    def __call__(self, x: jax.Array, structure: Structure) -> jax.Array:
        if x.dtype != structure.said.dtype:
            raise ValueError("another structure")
        return self.weight * structure.gain * x


class Unstructured(Holder):
    """The same of an array, with one of a fixed dtype."""

    def __call__(self, x: jax.Array, structure: jax.Array) -> jax.Array:
        return jax.lax.mul(self.weight * structure, jax.lax.mul(x, jnp.ones(3, jnp.float32)))


class WithNumber(Holder):
    """A number of Python beside an array in the result."""

    def __call__(self, x: jax.Array) -> tuple[jax.Array, float]:
        return self.weight * x, 0.5


class Powers(Holder):
    """A division by a number that the call is given, which is never 0."""

    def __call__(self, x: jax.Array, order: jax.Array) -> jax.Array:
        return jnp.sum(self.weight * x) / order


class EitherWay(Holder):
    """A constructor that is given a pair, or two values."""

    def __init__(self, weight, gain=None):  # type: ignore[no-untyped-def]
        if gain is None:
            weight, gain = weight
        self.weight = jnp.asarray(weight * gain)


class OneWay(Holder):
    """A constructor that forgets what it is called with."""

    def __init__(self, weight, gain=None):  # type: ignore[no-untyped-def]
        self.weight = jnp.asarray(weight * gain)


class Kernel(eqx.Module):
    """A base that hands its arguments on."""

    weight: jax.Array

    def __call__(self, x: jax.Array, y: jax.Array) -> jax.Array:
        return self.at(x, y)

    def at(self, x: jax.Array, y: jax.Array) -> jax.Array:
        return self.weight * x * y


class OfFirst(Kernel):
    """One that needs no second argument."""

    def at(self, x: jax.Array, y: jax.Array) -> jax.Array:
        return self.weight * x


class ForgetsSecond(eqx.Module):
    """A call that leaves out what it takes itself."""

    weight: jax.Array

    def __call__(self, x: jax.Array, y: jax.Array) -> jax.Array:
        return self.weight * x


class Meter(Holder):
    """A call that prints what the host is told."""

    def __call__(self, x: jax.Array) -> jax.Array:
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return self.weight * jax.pure_callback(lambda one: print("at", one[0]) or one, shape, x)


class Printing(Holder):
    """A print that was left over."""

    def __call__(self, x: jax.Array) -> jax.Array:
        print("here", x.shape)
        return self.weight * x


class Engine:
    """A static value without `__eq__`."""


class Unstored(eqx.Module):
    """A field with a default, which the constructor does not store."""

    weight: jax.Array
    name: str = "unstored"

    def __init__(self, weight: jax.Array):
        self.weight = weight
