"""Classes of every style, each for one way of finding how it is built and called."""

SOURCE = """
import dataclasses
import enum
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import abc

import chex
import equinox as eqx
import flax.struct
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int, PRNGKeyArray, PyTree


class Annotated(eqx.Module):
    weight: Float[Array, "rows columns"]

    def __call__(self, x: Float[Array, " columns"]) -> Float[Array, " rows"]:
        return self.weight @ x


class Unannotated(eqx.Module):
    weight: jax.Array

    def __init__(self, in_size, out_size, key):
        self.weight = jax.random.normal(key, (out_size, in_size))

    def __call__(self, x):
        return self.weight @ x


class Heads(eqx.Module):
    weight: jax.Array
    heads: int = eqx.field(static=True)

    def __init__(self, heads: int, size: int):
        if size % heads:
            raise ValueError("size must be a multiple of heads")
        self.weight, self.heads = jnp.ones((size,)), heads

    def __call__(self, x):
        return (self.weight * x).reshape(self.heads, -1)


class Mode(enum.Enum):
    UP = 1
    DOWN = 2


class Flags(eqx.Module):
    weight: jax.Array
    mode: Mode = eqx.field(static=True)
    norm: Literal["first", "last"] = eqx.field(static=True)
    is_signed: bool = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x


class Wrapped(eqx.Module):
    inner: Annotated
    function: Callable[[jax.Array], jax.Array]
    vector_field: Callable[[Any, Any, Any], Any]

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.function(self.inner(x))


class Base(eqx.Module):
    @abc.abstractmethod
    def apply(self, x): ...


class Unfinished(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        raise NotImplementedError


class Choosy(Unfinished):
    def __call__(self, x):
        if type(x).__name__ != "Events":
            raise NotImplementedError("of events alone")
        return self.weight * x.times


class Random(eqx.Module):
    rate: float

    def __call__(self, x, *, key: PRNGKeyArray | None = None):
        if key is None:
            raise ValueError("it needs a key")
        return x * jax.random.bernoulli(key, self.rate, x.shape)


class Carried(eqx.Module):
    weight: jax.Array

    def __init__(self, input_size: int, hidden_size: int, *, key: PRNGKeyArray):
        self.weight = jax.random.normal(key, (hidden_size, input_size))

    def __call__(self, input, hidden):
        h, c = hidden
        return jnp.tanh(self.weight @ input + h), c


class Attention(eqx.Module):
    def __call__(
        self,
        query: Float[Array, "queries size"],
        keys: Float[Array, "items size"],
        values: Float[Array, "items out"],
    ) -> Float[Array, "queries out"]:
        return jax.nn.softmax(query @ keys.T) @ values


class Lookup(eqx.Module):
    table: Float[Array, "items size"]

    def lookup(self, index: Int[Array, ""]) -> jax.Array:
        return self.table[index]


class OnlyMatrices(eqx.Module):
    weight: Float[Array, " size"]

    def __call__(self, x):
        return jnp.zeros(3) if x.ndim < 2 else x @ self.weight


class Averaged(eqx.Module):
    mean: eqx.nn.StateIndex

    def __init__(self, size: int):
        self.mean = eqx.nn.StateIndex(jnp.zeros(size, jnp.float32))

    def __call__(self, x: jax.Array, state: eqx.nn.State):
        mean = state.get(self.mean) + x
        return x - mean, state.set(self.mean, mean)


class Point(NamedTuple):
    place: jax.Array
    speed: jax.Array


@flax.struct.dataclass
class Gain:
    gain: jax.Array
    power: int = flax.struct.field(pytree_node=False, default=2)

    def __call__(self, x):
        return self.gain * x**self.power


@chex.dataclass(frozen=True)
class Particle:
    place: chex.Array


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Parameters:
    weights: PyTree[Array]
    layers: list[Annotated]

    @property
    def first(self):
        return self.layers[0]


@jax.tree_util.register_pytree_node_class
class Rotation:
    def __init__(self, quaternion):
        assert quaternion.shape == (4,)
        self.quaternion = quaternion

    @classmethod
    def exp(cls, tangent: Float[Array, "3"]) -> "Rotation":
        return cls(jnp.concatenate([tangent, jnp.ones(1)]))

    def apply(self, target: jax.Array) -> jax.Array:
        return jnp.cross(self.quaternion[:3], target)

    def tree_flatten(self):
        return (self.quaternion,), ()

    @classmethod
    def tree_unflatten(cls, aux, children):
        one = object.__new__(cls)
        (one.quaternion,) = children
        return one


class Neurons(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.weight = nnx.Param(jax.random.normal(rngs.params(), (size,), jnp.float32))

    def __call__(self, x):
        return self.weight[...] * x


class Plain:
    pass


class Halfway(eqx.Module):
    inner: Any

    def __init__(self, size: int):
        self.inner = {"weight": jnp.ones(size)}

    def unwrap(self):
        return 2.0 * self.inner


class Misspelt(eqx.Module):
    weight: Any

    def __init__(self, size: int):
        self.weight = jnp.ones(size)

    def total(self):
        return jnp.sum(wieght)


class Secret(eqx.Module):
    weight: jax.Array

    def __init__(self, password: type):
        raise ValueError("nobody knows it")
"""

X, INNER = "sample(seed, (3,))", "Annotated(weight=sample(seed, (3, 2)))"
OTHER = INNER.replace("seed", "seed + 1")
FOUND: dict[str, tuple[str, str, list[str]]] = {
    "Annotated": (INNER, "", ["sample(seed, (2,))"]),
    "Attention": (
        "Attention()",
        "",
        ["sample(seed, (5, 7))", "sample(seed, (11, 7), positive=True)", "sample(seed, (11, 13))"],
    ),
    "Averaged": ("eqx.nn.make_with_state(Averaged)(size=3)", "", [X, "self.state(seed)"]),
    "Carried": (
        "Carried(input_size=3, hidden_size=2, key=jax.random.key(seed))",
        "",
        [X, "(sample(seed, (2,)), sample(seed + 1, (2,)))"],
    ),
    "Flags": ("Flags(weight=sample(seed, (3,)), mode=Mode.UP, norm='first', is_signed=False)", "", [X]),
    "Gain": ("Gain(gain=sample(seed, (3,), positive=True))", "", [X]),
    "Heads": ("Heads(heads=2, size=4)", "", ["sample(seed, (4,))"]),
    "Lookup": (
        "Lookup(table=sample(seed, (3, 2), positive=True))",
        "lookup",
        ['sample(seed, (), "int", 0, 2)'],
    ),
    "Neurons": ("Neurons(size=3, rngs=nnx.Rngs(seed))", "", [X]),
    "OnlyMatrices": ("OnlyMatrices(weight=sample(seed, (3,)))", "", ["sample(seed, (5, 3))"]),
    "Parameters": (f"Parameters(weights=sample(seed, (3,)), layers=[{INNER}, {OTHER}])", "", []),
    "Particle": ("Particle(place=sample(seed, (3,), positive=True))", "", []),
    "Point": (
        "Point(place=sample(seed, (3,), positive=True), speed=sample(seed + 1, (3,), positive=True))",
        "",
        [],
    ),
    "Random": ("Random(rate=0.25)", "", ["sample(seed, (5,))", "jax.random.key(seed)"]),
    "Rotation": ("Rotation.exp(tangent=sample(seed, (3,), positive=True))", "apply", [X]),
    "Unannotated": ("Unannotated(in_size=3, out_size=2, key=jax.random.key(seed))", "", [X]),
    "Wrapped": (f"Wrapped(inner={INNER}, function=jnp.tanh, vector_field=field)", "", ["sample(seed, (2,))"]),
}
"""How each is built, which method is called, and with what."""
LEFT_OUT = {
    "Base": "it is abstract: `apply` is missing",
    "Plain": "it is no pytree: nothing registers it with jax",
}
