"""What a fourth and a fifth set of ordinary classes have shown, as the smallest classes: each is generated as it is written, and its tests pass."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray, PyTree
from scaffold.skeleton import buffer, call, data, module, param
"""
CLASSES = {
    "heads": """
class Heads(eqx.Module):
    lin: eqx.nn.Linear
    heads: int = eqx.field(static=True)

    def __init__(self, dim: int, heads: int = 2, *, key: PRNGKeyArray):
        if dim % (2 * heads) != 0:
            raise ValueError("dim must be divisible by 2 * heads")
        self.lin = eqx.nn.Linear(dim, dim, key=key)
        self.heads = heads

    def __call__(self, x: Float[Array, " dim"]) -> Float[Array, "heads d"]:
        return self.lin(x).reshape(self.heads, -1)
""",
    "rotary": """
class Rotary(eqx.Module):
    cos: Float[Array, "n half"] = buffer()

    def __init__(self, head_dim: int, n: int = 8):
        self.cos = jnp.cos(jnp.arange(n)[:, None] * 2.0 ** -jnp.arange(0, head_dim, 2))

    def __call__(self, x: Float[Array, "seq head_dim"]) -> Float[Array, "seq head_dim"]:
        a, b = jnp.split(x, 2, axis=-1)
        cos = self.cos[: x.shape[0]]
        return jnp.concatenate([a * cos, b * cos], axis=-1)

    def pairs(self, x: Float[Array, "seq head_dim"]) -> Float[Array, "seq half"]:
        return x[..., ::2] - x[..., 1::2]
""",
    "pool": """
class Pool(eqx.Module):
    pooling: str = eqx.field(static=True)

    def __init__(self, pooling: str = "mean"):
        if pooling not in ("mean", "sum"):
            raise ValueError(f"unknown pooling {pooling!r}")
        self.pooling = pooling

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, " d"]:
        return {"mean": jnp.mean, "sum": jnp.sum}[self.pooling](x, axis=0)
""",
    "ring": """
class Ring(eqx.Module):
    head: Int[Array, ""] = data()

    def __init__(self):
        self.head = jnp.zeros((), jnp.int32)

    def add(self) -> "Ring":
        return eqx.tree_at(lambda r: r.head, self, self.head + 1)
""",
    "linear": """
class Batch(NamedTuple):
    x: Float[Array, "b n"]
    y: Float[Array, " b"]


class Linear(eqx.Module):
    w: Float[Array, " n"] = param("zeros")
    inner: eqx.nn.Linear

    def __init__(self, n: int, *, key: PRNGKeyArray):
        self.w = jnp.zeros(n)
        self.inner = eqx.nn.Linear(n, n, key=key)

    def loss(self, batch: Batch) -> Float[Array, ""]:
        guess = batch.x @ (self.w + self.inner(jnp.ones_like(self.w)))
        return jnp.mean((guess - batch.y) ** 2)
""",
    "spectral": """
class Spectral(eqx.Module):
    weight: Float[Array, "cin cout modes"] = param()
    modes: int

    def __init__(self, cin: int, cout: int, modes: int, *, key: PRNGKeyArray):
        self.weight = jax.random.normal(key, (cin, cout, modes))
        self.modes = modes

    def __call__(self, x: Float[Array, "cin n"]) -> Float[Array, "cout n"]:
        n = x.shape[-1]
        x_hat = jnp.fft.rfft(x)[:, : self.modes]
        y_hat = jnp.einsum("im,iom->om", x_hat, self.weight[:, :, : x_hat.shape[-1]])
        return jnp.fft.irfft(y_hat, n=n)
""",
    "stack": """
class Plate(eqx.Module):
    weight: Float[Array, "size size"] = param("orthogonal(0.5)")

    def __call__(self, x: Float[Array, " size"], *, foaming: bool = False) -> Float[Array, " size"]:
        y = jnp.tanh(self.weight @ x)
        return 0.5 * y if foaming else y


class Stack(eqx.Module):
    plates: list[Plate] = module(stacked=True)
    gain: Float[Array, " size"] = buffer()

    def __init__(self, gain: Float[Array, " size"], size: int, count: int = 3, *, key: PRNGKeyArray):
        self.gain = gain
        self.plates = [Plate.create(size, key=one) for one in jax.random.split(key, count)]

    def __call__(self, x: Float[Array, " size"], *, foaming: bool = False) -> Float[Array, " size"]:
        x = self.gain * x
        for plate in self.plates:
            x = plate(x, foaming=foaming)
        return x
""",
    "causal": """
class Causal(eqx.Module):
    query: eqx.nn.Linear
    key: eqx.nn.Linear
    positions: Float[Array, "block size"] = param("normal")
    mask: Float[Array, "block block"] = buffer()

    def __init__(self, size: int, block: int, *, key: PRNGKeyArray):
        first, second, third = jax.random.split(key, 3)
        self.query = eqx.nn.Linear(size, size, key=first)
        self.key = eqx.nn.Linear(size, size, key=second)
        self.positions = jax.random.normal(third, (block, size))
        self.mask = jnp.where(jnp.tril(jnp.ones((block, block))) > 0, 0.0, -1e9)

    def __call__(self, x: Float[Array, "length size"]) -> Float[Array, "length size"]:
        length = x.shape[0]
        x = x + self.positions[:length]
        scores = jax.vmap(self.query)(x) @ jax.vmap(self.key)(x).T + self.mask[:length, :length]
        return jax.nn.softmax(scores, axis=-1) @ x
""",
    "attend": """
class Attend(eqx.Module):
    att: Float[Array, "heads per_head"]
    heads: int

    def __init__(self, out_dim: int, heads: int = 2, concat: bool = True, *, key: PRNGKeyArray):
        per_head = out_dim // heads if concat else out_dim
        self.att = jax.random.normal(key, (heads, per_head))
        self.heads = heads

    def __call__(self, x: Float[Array, " out_dim"]) -> Float[Array, " heads"]:
        return (x.reshape(self.heads, -1) * self.att).sum(-1)
""",
    "integrator": """
class Integrator(eqx.Module):
    total: Float[Array, ""] = data("zeros")

    @call(carry="self")
    def __call__(self, x: Float[Array, ""]) -> tuple["Integrator", Float[Array, ""]]:
        total = self.total + x
        return Integrator(total), total
""",
    "gap": """
class Point(eqx.Module):
    at: Float[Array, " n"] = data()


class Gap(eqx.Module):
    w: Float[Array, " n"] = param("ones")

    def gap(self, point: Point, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.w * (point.at - x)
""",
    "lion": """
class Lion(eqx.Module):
    decay: float = eqx.field(static=True)

    def init(self, params: PyTree) -> PyTree:
        return jax.tree.map(lambda leaf: self.decay * leaf, params)
""",
    "inducing": """
class Inducing(eqx.Module):
    points: Float[Array, " m"] = param()

    def __init__(self, inducing: Float[Array, " m"]):
        self.points = inducing

    def __call__(self) -> Float[Array, " m"]:
        return self.points * 2
""",
    "schedule": """
class Table(eqx.Module):
    steps: Float[Array, " n"] = buffer()


class Schedule(eqx.Module):
    table: Table
    gain: Float[Array, " n"] = param("ones")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.gain * self.table.steps * x
""",
    "gain": """
class Gain(eqx.Module):
    gain: Float[Array, " dim"] = param("ones")

    def __call__(self, x: Float[Array, "... dim"]) -> Float[Array, "... dim"]:
        return x * self.gain
""",
    "quantity": """
class Quantity(eqx.Module):
    value: Float[Array, "..."] = data()

    def __neg__(self) -> "Quantity":
        return Quantity(-self.value)
""",
    "critic": """
class Critic(eqx.Module):
    online: eqx.nn.Linear
    target: eqx.nn.Linear = module(frozen=True)

    def __init__(self, size: int, *, key: PRNGKeyArray):
        self.online = eqx.nn.Linear(size, 1, key=key)
        self.target = jax.tree.map(jnp.array, self.online)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " 1"]:
        return self.online(x) - self.target(x) ** 2
""",
    "frames": """
class Frames(eqx.Module):
    window: Float[Array, " n_fft"] = buffer()

    def __init__(self, n_fft: int = 16):
        self.window = 0.5 - 0.5 * jnp.cos(2 * jnp.pi * jnp.arange(n_fft) / n_fft)

    def __call__(self, signal: Float[Array, " samples"]) -> Float[Array, " samples"]:
        return jnp.convolve(signal, self.window, mode="same")
""",
}
EMITTED = {
    "pool": ("pool.py", "pooling: str = eqx.field(static=True)"),
    "ring": ("ring.py", "        self.head = jnp.zeros((), jnp.int32)\n"),
    "inducing": ("inducing.py", "        self.points = _real(inducing)\n"),
    "schedule": ("schedule.py", "self.gain * jax.lax.stop_gradient(self.table.steps) * x\n"),
    "linear": ("linear.py", "    inner: eqx.nn.Linear\n"),
}
IN_TESTS = {
    "pool": '        "pooling": "sum",\n',
    "ring": 'leaves = (Leaf("head", "data", (), "int32"),)',
    "linear": ", (3, 2)), y=sample(seed",
    "stack": "        foaming = False\n        x = jax.lax.stop_gradient(instance.gain) * x\n",
    "gain": "        return (sample(seed, (3, 2)),)\n",
    "frames": 'Leaf("window", "buffer", (16,))',
}


@pytest.mark.spread(24)
@pytest.mark.parametrize("name", CLASSES)
def test_it_is_generated_as_it_is_written_and_its_tests_pass(tmp_path: Path, name: str) -> None:
    generated(tmp_path, {name: HEAD + CLASSES[name]})
    made = tmp_path / "nets"
    if name in EMITTED:
        file, text = EMITTED[name]
        assert text in (made / file).read_text()
    assert IN_TESTS.get(name, "") in (made / "tests" / f"test_{name}.py").read_text()
    assert passed(forked_pytest(made, "--numbers=off")) > 40


def test_operators_without_an_example_are_named_and_what_jax_calls_is_not(tmp_path: Path) -> None:
    text = """
class Ring(eqx.Module):
    items: Float[Array, "n d"] = data()

    def __getitem__(self, index):
        return self.items[index]

    def __mul__(self, other):
        return Ring(jnp.concatenate([self.items, other]))

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)
"""
    told = generated(tmp_path, {"ring": HEAD + text})
    assert "Ring: not tried: __mul__ (no example for other)\n" in told
