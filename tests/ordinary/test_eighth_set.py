"""What an eighth set of ordinary classes has shown, as the smallest classes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
from collections.abc import Callable
from itertools import pairwise

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float
from scaffold.skeleton import Module, data, param, static
"""
CLASSES = {
    "plate": """
class Wave(eqx.Module):
    phase: jax.Array
    shape: Callable[[jax.Array], jax.Array]

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.shape(x + self.phase)


class Plate(eqx.Module):
    phase: jax.Array
    aperture: jax.Array | None = None

    def __call__(self, field):
        out = field * jnp.cos(self.phase)
        return out if self.aperture is None else out * self.aperture


class Screen(eqx.Module):
    plates: list[Plate]
    order: int = eqx.field(static=True, default=1)

    def __init__(self, size, depth=2, order=1, *, key):
        self.plates = [Plate(jax.random.normal(k, (size,))) for k in jax.random.split(key, depth)]
        self.order = order

    def __check_init__(self):
        if self.order not in (0, 1):
            raise ValueError(f"order is 0 or 1, not {self.order}")

    @classmethod
    def flat(cls, size: int, order: int = 1) -> "Screen":
        return cls(size, 1, order, key=jax.random.key(0))
""",
    "slots": """
class Slots(nnx.Module):
    def __init__(self, size, slots, width, dilation, *, rngs):
        self.mean = nnx.Param(jax.random.normal(rngs.params(), (width,)))
        self.embed = nnx.Linear(size, width, rngs=rngs)
        self.gates = nnx.Conv(width, width, (2,), kernel_dilation=dilation, padding="CAUSAL", rngs=rngs)
        self.head = nnx.Linear(width, size, rngs=rngs)
        self.slots = slots

    def start(self) -> jax.Array:
        return jnp.ones((self.slots, 1)) * self.mean[...]

    def __call__(self, x):
        return self.head(self.gates(self.embed(x) + self.start().mean(0)))


class Encoder(nnx.Module):
    def __init__(self, *sizes: int, rngs: nnx.Rngs):
        self.layers = nnx.List([nnx.Linear(n, m, rngs=rngs) for n, m in pairwise(sizes)])

    @property
    def last(self):
        *_, last = self.layers
        return last


class Coded(nnx.Module):
    def __init__(self, levels: int, width: int, depth: int = 2, *, rngs: nnx.Rngs):
        self.embed = nnx.Embed(levels, width, rngs=rngs)
        self.blocks = nnx.List([nnx.Linear(width, width, rngs=rngs) for _ in range(depth)])
        self.mix = nnx.Param(jnp.ones(depth))

    def __call__(self, codes: jax.Array) -> jax.Array:
        x = self.embed(codes)
        for weight, block in zip(self.mix[...], self.blocks):
            x = x + weight * block(x)
        return x
""",
    "memory": """
class Memory(Module):
    keys: Float[Array, "heads depth size"] = param()
    taps: Float[Array, "width size"] = param()
    heads: int = static()

    def __init__(self, size: int, heads: int = 2, width: int = 4, *, key: jax.Array) -> None:
        first, second = jax.random.split(key)
        shape = (heads, size // heads, size)
        self.keys = jax.random.normal(first, shape) / size**0.5
        self.taps = jax.random.normal(second, (width, size))
        self.heads = heads

    def __call__(self, x: Float[Array, "time size"]) -> Float[Array, "time heads depth"]:
        width, size = self.taps.shape
        kept = jax.lax.conv_general_dilated(
            x[None],
            self.taps[:, None, :],
            window_strides=(1,),
            padding=[(width - 1, 0)],
            dimension_numbers=("NWC", "WIO", "NWC"),
            feature_group_count=size,
        )
        return jnp.einsum("hds,ts->thd", self.keys, kept[0])


class Sketch(Module):
    rows: Float[Array, "capacity size"] = data()

    def leading(self, count: int) -> Float[Array, "count size"]:
        return jnp.linalg.qr(self.rows.T @ self.rows).Q[:count]
""",
    "ring": """
@jax.tree_util.register_pytree_node_class
class Ring:
    def __init__(self, points, mixing=1.0):
        self.points = points
        self.mixing = mixing

    @classmethod
    def empty(cls, memory: int, size: int) -> "Ring":
        return cls(jnp.zeros((memory, size)))

    def tree_flatten(self):
        return (self.points,), (self.mixing,)

    @classmethod
    def tree_unflatten(cls, settings, children):
        new = object.__new__(cls)
        (new.points,), (new.mixing,) = children, settings
        return new

    def total(self):
        return self.mixing * self.points.sum()
""",
}


@pytest.mark.spread(8)
@pytest.mark.parametrize("name", CLASSES)
def test_it_is_tried_as_it_is_written_and_its_tests_pass(tmp_path: Path, name: str) -> None:
    emitted = tried(tmp_path, name, HEAD + CLASSES[name])
    if name == "plate":
        assert "    aperture: jax.Array | None = None\n" in emitted
        assert "    shape: Callable[[jax.Array], jax.Array]\n" in emitted


GUESSED = """
class Filter(eqx.Module):
    weight: jax.Array

    def __init__(self, n, m, *, key):
        self.weight = jax.random.normal(key, (n, m))

    def __call__(self, x):
        if x.ndim != 3:
            raise ValueError("three axes are needed")
        return x @ self.weight

    def twice(self, x):
        return self.weight @ x
"""


def test_an_example_that_the_code_alone_suggests_is_not_tried_where_it_does_not_fit(tmp_path: Path) -> None:
    generated(tmp_path, {"filter": HEAD + GUESSED})
    assert 'guessed = ("__call__", "twice")\n' in (tmp_path / "nets/tests/test_filter.py").read_text("utf-8")
    ran = forked_pytest(tmp_path / "nets", "--numbers=off", "-rs")
    assert passed(ran) > 30
    said = "not tried: the example of `__call__` is a guess, and does not fit (ValueError: three axes are needed)"
    assert said in ran.stdout


@pytest.mark.slow  # one class of a set, of which the others are tried at each run
def test_an_edit_that_breaks_what_is_on_record_is_no_misfit(tmp_path: Path) -> None:
    text = GUESSED.replace("if x.ndim != 3", "if x.ndim != 1")
    generated(tmp_path, {"filter": HEAD + text})
    passed(forked_pytest(tmp_path / "nets", "--numbers=record"))
    module = tmp_path / "nets/filter.py"
    module.write_text(module.read_text("utf-8").replace("x.ndim != 1", "x.ndim != 3"), "utf-8")
    assert (
        "`call` on the example raised ValueError"
        in forked_pytest(tmp_path / "nets", "--numbers=check").stdout
    )
    module.write_text(module.read_text("utf-8").replace("self.weight @ x", "self.weight.T @ x"), "utf-8")
    failed = forked_pytest(tmp_path / "nets", "--numbers=check").stdout
    assert "P7 jit equals eager, at `twice`: it raised TypeError" in failed


def test_a_mistake_of_a_guessed_example_is_no_misfit(tmp_path: Path) -> None:
    text = GUESSED.replace("if x.ndim != 3", "if x.dims != 3")
    generated(tmp_path, {"filter": HEAD + text})
    assert (
        "`call` on the example raised AttributeError"
        in forked_pytest(tmp_path / "nets", "--numbers=off").stdout
    )
