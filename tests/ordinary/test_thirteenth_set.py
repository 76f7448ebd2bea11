"""What a thirteenth set of ordinary classes has shown, as the smallest classes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
import dataclasses
from typing import Literal

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int
from scaffold.skeleton import Module, Pytree, buffer, data, param, static, test
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


@pytest.mark.slow  # one class of a set, of which the others are tried at each run
def test_a_name_of_one_dim_may_stand_for_several_elsewhere(tmp_path: Path) -> None:
    tried(tmp_path, "block", HEAD + BLOCK)


NET = """

@dataclasses.dataclass(frozen=True)
class Config:
    width: int = 5
    features: int = 7


class Net(nnx.Module):
    def __init__(self, config: Config = Config(), *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(config.width, config.features, rngs=rngs)

    def encode(self, x: Float[Array, "batch width"]) -> tuple[Float[Array, "batch features"], Array]:
        return self.linear(x), jnp.zeros(())

    def __call__(self, x: Float[Array, "batch width"]) -> Array:
        return self.encode(x)[0]
"""


@pytest.mark.slow  # one class of a set, of which the others are tried at each run
def test_a_setting_is_the_size_of_a_dim_of_a_result_that_is_carried(tmp_path: Path) -> None:
    tried(tmp_path, "net", HEAD + NET)


MECHANISM = """

@test(
    values={
        "orders": lambda: jnp.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        "species": lambda: ("A", "B", "C"),
    },
)
class Mechanism(Pytree, rebuild="static"):
    rate: Float[Array, " reaction"] = param("ones")
    orders: Float[Array, "reaction species"] = buffer()
    species: tuple[str, ...] = static()

    def __call__(self, x: Float[Array, " species"]) -> Float[Array, " reaction"]:
        return self.rate * (self.orders @ x)
"""


def test_example_arrays_say_the_sizes_of_dims_of_the_name_of_a_field(tmp_path: Path) -> None:
    said = generated(tmp_path, {"mechanism": HEAD + MECHANISM})
    tests = (tmp_path / "nets/tests/test_mechanism.py").read_text("utf-8")
    assert (
        "error" not in said
        and 'Leaf("orders", "buffer", (2, 3))' in tests
        and "sample(seed + 50, (3,))" in tests
    )


FROST = """

class Frost(Module):
    weight: Float[Array, " plots"] = param("ones")
    base: float = static(0.1)
    pruning: Literal["guyot", "cordon", "bush"] = static("guyot")

    def __call__(self, x: Float[Array, " plots"]) -> Float[Array, " plots"]:
        return self.weight * x if self.pruning != "bush" else x - self.weight

    def frosted(self, nights: Float[Array, "n plots"], *, limit: int = 2) -> Bool[Array, " plots"]:
        return jnp.sum(nights < self.base, axis=0) > limit
"""


def test_counts_are_taken_of_more_than_their_bound_and_each_word_of_a_setting_is_accepted(
    tmp_path: Path,
) -> None:
    generated(tmp_path, {"frost": HEAD + FROST})
    tests = (tmp_path / "nets/tests/test_frost.py").read_text("utf-8")
    assert "sample(seed, (5, 2))" in tests, "twice the limit, and one"
    assert '{"pruning": "cordon"},' in tests and '{"pruning": "bush"},' in tests


GUSTS = """

class Gusts(Module):
    weight: Float[Array, " n"] = param("ones")
    weather: PRNGKeyArray = buffer()

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.weight * x

    def gusts(self, hours: Int[Array, " m"]) -> Float[Array, " m"]:
        return jax.vmap(lambda hour: jax.random.normal(jax.random.fold_in(self.weather, hour), (), self.weight.dtype))(hours)
"""


@pytest.mark.slow
def test_a_method_uses_the_key_that_it_draws_from(tmp_path: Path) -> None:
    tried(tmp_path, "gusts", HEAD.replace("Int\n", "Int, PRNGKeyArray\n") + GUSTS)
    assert 'used=("weather",)' in (tmp_path / "nets/tests/test_gusts.py").read_text("utf-8")


CACHED = """

class Cached(nnx.Module):
    def __init__(self, width: int, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(width, width, rngs=rngs)
        self.width = width
        self.past: nnx.Cache | None = nnx.data(None)

    def reset(self, batch: int) -> None:
        self.past = nnx.Cache(jnp.zeros((batch, self.width)))

    def __call__(self, x: Float[Array, "batch width"]) -> Float[Array, "batch width"]:
        return self.linear(x)

    def decode(self, x: Float[Array, "batch width"]) -> Float[Array, "batch width"]:
        if self.past is None:
            raise RuntimeError("call reset first")
        self.past[...] = self.past[...] + x
        return self.linear(self.past[...])


class Holder(nnx.Module):
    def __init__(self, width: int, *, rngs: nnx.Rngs):
        self.cached = Cached(width, rngs=rngs)

    def __call__(self, x: Float[Array, "batch width"]) -> Float[Array, "batch width"]:
        return self.cached(x)

    def decode(self, x: Float[Array, "batch width"]) -> Float[Array, "batch width"]:
        return 2 * self.cached.decode(x)
"""


@pytest.mark.slow  # one class of a set, of which the others are tried at each run
def test_a_method_that_asks_for_another_one_first_is_not_tried(tmp_path: Path) -> None:
    said = generated(tmp_path, {"cached": HEAD + CACHED})
    assert "Cached: not tried: reset (returns nothing); decode (asks for `reset` first)" in said
    assert "Holder: not tried: decode (asks for `reset` first)" in said
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


BASIS = """

class Basis(Module):
    basis: Float[Array, "size rank"] = buffer("orthogonal")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " rank"]:
        return x @ jnp.linalg.qr(self.basis)[0]
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_what_begins_orthogonal_has_no_more_columns_than_rows(tmp_path: Path) -> None:
    tried(tmp_path, "basis", HEAD + BASIS)
    assert '"basis", "buffer", (3, 2)' in (tmp_path / "nets/tests/test_basis.py").read_text("utf-8")


JAM = """

class Jam(Module):
    weight: Float[Array, " stops"] = param("ones")
    closed: Bool[Array, " stops"] = buffer()
    grip: float = static(0.8)
    period: float = static(5.0, check=lambda period: period > 0)
    character: Literal["fixed", "flashing", "occulting"] = static("fixed")

    def __call__(self, x: Float[Array, " stops"]) -> Float[Array, " stops"]:
        return self.weight * x

    def jammed(self, queues: Float[Array, "n stops"], *, most: int = 1) -> Bool[Array, " n"]:
        full = (queues > self.grip) & ~self.closed
        return jnp.sum(full, axis=1) > most

    def rhythm(self, times: Float[Array, " n"]) -> Float[Array, " n"]:
        phase = 2 * jnp.pi * times / self.period
        if self.character == "flashing":
            return jax.nn.relu(jnp.sin(phase))
        if self.character == "occulting":
            return 1 - jnp.square(jnp.cos(phase))
        return jnp.ones_like(times)
"""


def test_a_local_that_some_branches_read_is_not_used_in_each_and_a_mask_shows_with_large_numbers(
    tmp_path: Path,
) -> None:
    tried(tmp_path, "jam", HEAD + JAM)
    tests = (tmp_path / "nets/tests/test_jam.py").read_text("utf-8")
    assert 'used=("grip", "closed")' in tests and 'used=("period"' not in tests
