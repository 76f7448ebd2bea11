"""Names of dims: one stands for a size, for several dims, or for any."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float
from scaffold.skeleton import Module, data, param
"""


BLOCK = """

class Block(nnx.Module):
    def __init__(self, width: int, rngs: nnx.Rngs):
        self.linear = nnx.Linear(width, width, rngs=rngs)

    def feed(self, x: Float[Array, "*batch width"]) -> Float[Array, "*batch width"]:
        return x + self.linear(x)

    def __call__(self, x: Float[Array, "batch time width"]) -> Float[Array, "batch time width"]:
        return self.feed(x)
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_a_name_of_one_dim_may_stand_for_several_elsewhere(tmp_path: Path) -> None:
    tried(tmp_path, "block", HEAD + BLOCK)


KERNEL = """

class Kernel(Module):
    width: Float[Array, ""] = param("ones")

    def __call__(self, x: Float[Array, "n d"], z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return jnp.exp(-self.width * jnp.sum((x[:, None] - z) ** 2, axis=-1))


class Inducing(Module):
    kernel: Kernel
    places: Float[Array, "m d"] = param("normal")

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        return self.kernel(x, self.places) @ self.kernel(self.places, self.places)
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_dims_of_one_name_in_two_classes_are_no_ties(tmp_path: Path) -> None:
    tried(tmp_path, "inducing", HEAD + KERNEL)
    suite = suite_text(tmp_path, "inducing")
    inducing = suite[suite.index("class TestInducing") :]
    assert '"m": 2,' in inducing and '"d": 3,' in inducing and "(5, 3)" in inducing, inducing


STACKED = """

class Post(NamedTuple):
    mean: Float[Array, " state"]


class Filter(Module):
    transition: Float[Array, "state state"] = param()

    def run(self, prior: Post, ys: Float[Array, "time state"]) -> Post:
        def step(post, y):
            post = Post(self.transition @ post.mean + y)
            return post, post

        return jax.lax.scan(step, prior, ys)[1]
"""


@pytest.mark.slow
def test_records_that_a_scan_stacks_have_one_more_axis(tmp_path: Path) -> None:
    generated(tmp_path, {"filters": HEAD + STACKED})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off", "-k", "TestFilter")) > 50


EMPTY = """

class Point(Module):
    weight: Float[Array, " n"] = param()

    def scaled(self, x: Float[Array, " n"], shape: tuple[()] = ()) -> Float[Array, " n"]:
        return self.weight * x
"""


def test_a_tuple_of_nothing_has_no_dims(tmp_path: Path) -> None:
    generated(tmp_path, {"point": HEAD + EMPTY})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


CLASSES = {
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
    # A result has a dim of its own.
    "halving": """
class Halving(Module):
    weight: Float[Array, "out_size in_size"] = param("lecun_normal")

    def __call__(self, x: Float[Array, "n in_size"]) -> Float[Array, "half out_size"]:
        return (x @ self.weight.T)[::2]
""",
}
IN_TESTS = {
    "gain": "        return (sample(seed, (3, 2)),)\n",
}


@pytest.mark.slow  # the classes of other subjects are tried in every run
@pytest.mark.parametrize("name", CLASSES)
def test_dims_may_be_any_or_of_the_result_alone(tmp_path: Path, name: str) -> None:
    tried(tmp_path, name, HEAD + CLASSES[name])
    suite = suite_text(tmp_path, name)
    assert IN_TESTS.get(name, "") in suite


WITH_WORDS = """
from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Cache(NamedTuple):
    state: Float[Array, "inner state"]


class Scan(Module):
    decay: Float[Array, "inner state"] = param()

    def __init__(self, inner: int, d_state: int = 4):
        self.decay = jnp.tile(jnp.arange(1, d_state + 1, dtype=jnp.float32), (inner, 1))

    def __call__(self, x: Float[Array, " inner"]) -> Float[Array, " inner"]:
        return x * self.decay.sum(1)

    def step(self, cache: Cache, x: Float[Array, " inner"]) -> Cache:
        return Cache(cache.state * jnp.exp(self.decay) + x[:, None])
"""


@pytest.mark.slow
def test_an_argument_is_the_size_of_the_dim_that_it_is_named_after(tmp_path: Path) -> None:
    tried(tmp_path, "scan", WITH_WORDS)
    tests = suite_text(tmp_path, "scan")
    assert "Cache(state=sample(seed + 100, (2, 4)))" in tests and "guessed" not in tests


HELD = """
class Held(eqx.Module):
    weight: Array
    size: int = eqx.field(static=True)

    def __init__(self, size: int, outer: int, *, key: jax.Array):
        self.weight = jax.random.normal(key, shape=(outer, size))
        self.size = size

    def __call__(self, x: Float[Array, "{self.size}"]) -> Float[Array, "self.outer"]:
        return self.weight @ x

    def twice(self, x: Float[Array, "2*self.size"]) -> Float[Array, "n {2*self.size}"]:
        return x[None, :]
"""


def test_a_dim_may_be_what_the_instance_holds(tmp_path: Path) -> None:
    said = generated(tmp_path, {"held": HEAD + HELD})
    suite = suite_text(tmp_path, "held")
    assert "not tried" not in said and "Output((None, 4))" in suite and "sample(seed, (2,))" in suite, suite
