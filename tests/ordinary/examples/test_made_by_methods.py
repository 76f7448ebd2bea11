"""Examples that methods make, records that may be left out, and sizes and trees that belong together."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

HEAD = """
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

import equinox as eqx
import flax.struct
import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jaxtyping import Array, Float, Int, PyTree
from scaffold.skeleton import Module, Namedtuple, data, static

"""

CACHED = """
class Cache(NamedTuple):
    keys: Float[Array, "max_len dim"]
    length: Int[Array, ""]


class Cached(eqx.Module):
    weight: Float[Array, "dim dim"]

    def __init__(self, dim: int, *, key: Array):
        self.weight = jax.random.normal(key, (dim, dim))

    def __call__(
        self, x: Float[Array, " dim"], cache: Optional[Cache] = None
    ) -> tuple[Float[Array, " dim"], Optional[Cache]]:
        k = self.weight @ x
        if cache is None:
            return k, None
        keys = cache.keys.at[cache.length].set(k)
        return keys.sum(0), Cache(keys, cache.length + 1)
"""

CLASSES = {
    "cached": (
        CACHED,
        ["call=lambda instance, x, cache: instance(x, cache)", 'guessed = ("call with cache",)'],
    ),
    "begun": (
        f"""{CACHED}
    def init_cache(self, max_len: int) -> Cache:
        return Cache(jnp.zeros((max_len, self.weight.shape[0])), jnp.zeros((), jnp.int32))
""",
        ["instance(x, cache=instance.init_cache(3))"],
    ),
    "outer": (
        f"""{CACHED}
    def begin(self) -> Cache:
        return Cache(jnp.zeros((5, self.weight.shape[0])), jnp.zeros((), jnp.int32))


class Outer(eqx.Module):
    inner: Cached

    def __init__(self, dim: int, *, key: Array):
        self.inner = Cached(dim, key=key)

    def __call__(
        self, x: Float[Array, " dim"], cache: Optional[Cache] = None
    ) -> tuple[Float[Array, " dim"], Optional[Cache]]:
        y, cache = self.inner(x, cache)
        return x + y, cache
""",
        ["instance(x, cache=instance.inner.begin())"],
    ),
    "cell": (
        """
class Hidden(NamedTuple):
    h: Float[Array, " hidden"]
    c: Float[Array, " hidden"]


class Cell(eqx.Module):
    weight: Float[Array, "four_hidden both"]
    hidden: int = eqx.field(static=True)

    def __init__(self, size: int, hidden: int, *, key: Array):
        self.weight = jax.random.normal(key, (4 * hidden, size + hidden)) * 0.1
        self.hidden = hidden

    def initial(self) -> Hidden:
        return Hidden(jnp.zeros(self.hidden), jnp.zeros(self.hidden))

    def __call__(
        self, x: Float[Array, " size"], state: Hidden | None = None
    ) -> tuple[Float[Array, " hidden"], Hidden]:
        h, c = self.initial() if state is None else state
        i, f, g, o = jnp.split(self.weight @ jnp.concatenate([x, h]), 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return h, Hidden(h, c)

    def unroll(
        self, xs: Float[Array, "time size"], state: Hidden | None = None, *, reverse: bool = False
    ) -> Float[Array, "time hidden"]:
        def step(carry, x):
            h, carry = self(x, carry)
            return carry, h

        return jax.lax.scan(step, self.initial() if state is None else state, xs, reverse=reverse)[1]
""",
        ["instance(x, state=instance.initial())", "instance.unroll(xs, state=instance.initial())"],
    ),
    "step": (
        """
class Slope(eqx.Module):
    rate: Float[Array, " dim"]

    def __init__(self, dim: int):
        self.rate = jnp.ones(dim)

    def __call__(self, x: Float[Array, " dim"]) -> Float[Array, ""]:
        return self.rate @ x


class Step(eqx.Module):
    optim: optax.GradientTransformation = eqx.field(static=True)

    def __init__(self, optim: optax.GradientTransformation):
        self.optim = optim

    def init(self, model: Slope) -> optax.OptState:
        return self.optim.init(eqx.filter(model, eqx.is_inexact_array))

    def __call__(
        self, model: Slope, opt_state: optax.OptState, x: Float[Array, " dim"]
    ) -> tuple[Slope, optax.OptState]:
        grads = eqx.filter_grad(lambda m: m(x) ** 2)(model)
        updates, opt_state = self.optim.update(grads, opt_state, eqx.filter(model, eqx.is_inexact_array))
        return eqx.apply_updates(model, updates), opt_state
""",
        ["opt_state=instance.init(model)"],
    ),
    "solve": (
        """
class Solve(eqx.Module):
    steps: int = eqx.field(static=True, default=4)

    def solve(self, field: Callable, t0: Float[Array, ""], y0: Float[Array, " dim"]) -> Float[Array, " dim"]:
        return jax.lax.fori_loop(0, self.steps, lambda i, y: y + 0.1 * field(t0 + 0.1 * i, y), y0)
""",
        ["jnp.logaddexp"],
    ),
    "wrap": (
        """
class Wrap(eqx.Module):
    backbone: eqx.Module
    head: eqx.nn.Linear

    def __init__(self, backbone: eqx.Module, size: int, *, key: Array):
        self.backbone = backbone
        self.head = eqx.nn.Linear(size, 1, key=key)

    @classmethod
    def mlp(cls, in_size: int, size: int, *, key: Array) -> "Wrap":
        k1, k2 = jax.random.split(key)
        return cls(eqx.nn.MLP(in_size, size, 8, 1, key=k1), size, key=k2)

    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " one"]:
        return self.head(self.backbone(x))
""",
        ["return Wrap.mlp(**inputs)"],
    ),
    "patches": (
        """
class Patches(nnx.Module):
    def __init__(self, image_size: int = 8, patch: int = 4, channels: int = 6, *, rngs: nnx.Rngs):
        sides = (patch, patch)
        self.stem = nnx.Conv(3, channels, kernel_size=sides, strides=sides, padding="VALID", rngs=rngs)
        self.mix = nnx.Linear((image_size // patch) ** 2, 2, rngs=rngs)

    def __call__(self, images: Float[Array, "batch height width 3"]) -> Float[Array, "batch channels 2"]:
        x = self.stem(images)
        return self.mix(jnp.swapaxes(x.reshape(x.shape[0], -1, x.shape[-1]), 1, 2))
""",
        ["8, 8, 3)"],
    ),
    "linear": (
        """
@flax.struct.dataclass
class Linear:
    params: Any

    @classmethod
    def linear(cls, in_dim: int, out_dim: int, key: jax.Array) -> "Linear":
        return cls({"w": jax.random.normal(key, (in_dim, out_dim))})

    def add(self, x: Float[Array, "batch in_dim"]) -> Float[Array, "batch out_dim"]:
        return x @ self.params["w"]
""",
        ["Linear.linear(in_dim=3, out_dim=5, ", "sample(seed, (2, 3))"],
    ),
    "members": (
        """
@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Members:
    params: PyTree
    rate: Float[Array, " members"]

    @classmethod
    def create(cls, members: int, dim: int) -> "Members":
        return cls({"w": jnp.ones((members, dim))}, jnp.ones(members))

    def step(self, x: Float[Array, " dim"]) -> Float[Array, " members"]:
        return jax.vmap(lambda p, r: r * (p["w"] @ x))(self.params, self.rate)
""",
        ["Members.create(members=3, dim=2)"],
    ),
    "sums": (
        """
@flax.struct.dataclass
class Sums:
    params: Any
    grads: Any

    @classmethod
    def zeros(cls, dim: int) -> "Sums":
        return cls({"w": jnp.ones(dim)}, {"w": jnp.zeros(dim)})

    def loss(self, params, x: Float[Array, " dim"]):
        return jnp.sum((params["w"] @ x) ** 2)

    def add(self, other):
        halves = jax.tree.map(lambda leaf: leaf / 2, other)
        return self.replace(grads=jax.tree.map(jnp.add, self.grads, halves))

    def step(self, rate: float) -> "Sums":
        return self.replace(params=jax.tree.map(lambda p, g: p - rate * g, self.params, self.grads))
""",
        ["instance.loss(params=instance.params, x=x)", "instance.add(other=instance.grads)"],
    ),
    "descent": (
        """
@flax.struct.dataclass
class Descent:
    params: dict[str, jax.Array]
    opt_state: optax.OptState
    tx: optax.GradientTransformation = flax.struct.field(pytree_node=False)

    @classmethod
    def begin(cls, dim: int = 3) -> "Descent":
        params, tx = {"w": jnp.ones(dim)}, optax.sgd(0.1)
        return cls(params, tx.init(params), tx)

    def apply_gradients(self, grads):
        updates, opt_state = self.tx.update(grads, self.opt_state, self.params)
        return self.replace(params=optax.apply_updates(self.params, updates), opt_state=opt_state)
""",
        ["instance.apply_gradients(grads=instance.params)"],
    ),
    "beams": (
        """
class BeamState(Namedtuple):
    tokens: Int[Array, "beams max_len"] = data()
    log_probs: Float[Array, " beams"] = data()


class BeamSearch(Module):
    beams: int = static(4, check=lambda beams: beams > 0)
    max_len: int = static(16, check=lambda max_len: max_len > 1)
    penalty: float = static(0.5)

    def __call__(self, state: BeamState) -> Float[Array, " beams"]:
        kept = jnp.arange(self.max_len) < self.beams
        return state.log_probs * self.penalty + jnp.sum(kept & (state.tokens != 1), axis=-1)
""",
        ["tokens=sample(seed + 100, (4, 16)"],
    ),
}


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", CLASSES)
def test_it_is_tried_with_what_belongs_together(name: str, tmp_path: Path) -> None:
    code, made = CLASSES[name]
    tried(tmp_path, name, HEAD + code, least=40)
    tests = suite_text(tmp_path, name)
    assert [text for text in made if text not in tests] == [], tests


@pytest.mark.slow
def test_a_branch_for_a_record_that_may_be_left_out_is_not_passed_over(tmp_path: Path) -> None:
    generated(tmp_path, {"cached": HEAD + CACHED.replace(".set(k)", ".set(k[:, None])")})
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "not tried: the example of `call with cache` is a guess, and does not fit" in ran.stdout


@pytest.mark.slow
def test_an_array_that_a_class_compares_with_a_setting_is_a_guess_in_all_that_use_it(tmp_path: Path) -> None:
    code = """
@jax.tree_util.register_pytree_node_class
class Gather:
    def __init__(self, data: Float[Array, " nse"], indices: Int[Array, " nse"], *, shape: tuple[int, int]):
        self.data, self.indices, self.shape = data, indices, tuple(shape)

    def tree_flatten(self):
        return (self.data, self.indices), self.shape

    @classmethod
    def tree_unflatten(cls, shape, children):
        new = object.__new__(cls)
        (new.data, new.indices), new.shape = children, shape
        return new

    def matvec(self, x: Float[Array, " cols"]) -> Float[Array, " rows"]:
        assert x.shape == (self.shape[1],), f"{x.shape} does not fit {self.shape}"
        return jax.ops.segment_sum(self.data * x[self.indices], self.indices, num_segments=self.shape[0])

    def matmat(self, x: Float[Array, "cols batch"]) -> Float[Array, "rows batch"]:
        return jax.vmap(self.matvec, in_axes=1, out_axes=1)(x)
"""
    generated(tmp_path, {"gather": HEAD + code})
    assert 'guessed = ("matvec", "matmat")' in suite_text(tmp_path, "gather")
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert ran.returncode == 0, ran.stdout


def test_nothing_is_made_of_itself_or_of_what_the_call_is_not_passed(tmp_path: Path) -> None:
    code = """
class Steps(eqx.Module):
    weight: Float[Array, " n"]

    def __init__(self, n: int):
        self.weight = jnp.ones(n)

    def step(self, state: optax.OptState) -> optax.OptState:
        return jax.tree.map(lambda leaf: leaf + 1, state)

    def run(self, state: optax.OptState, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return x * self.weight + jax.tree.leaves(state)[0]
"""
    assert "not tried: step, run (no example for state" in generated(tmp_path, {"steps": HEAD + code})
