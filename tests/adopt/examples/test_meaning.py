"""What a call is given means something: sizes of a class that is small enough, domains by names, and the class that is asked for."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.adopt.test_adopt import adopt
from tests.support.trees import write_tree

pytestmark = pytest.mark.slow  # two runs of the laws on many classes

IMPORTS = """
import abc
import dataclasses
from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
"""

SEARCHED = """
@dataclasses.dataclass(frozen=True)
class Config:
    vocab_size: int = 30000
    hidden_size: int = 768
    head_size: int = 64
    num_heads: int = 12
    num_layers: int = 24
    pad_token_id: int = 29999


class Language(eqx.Module):
    '''A model whose configuration is of full size.'''

    table: jax.Array
    weights: list[jax.Array]

    def __init__(self, config: Config, *, key: jax.Array):
        if config.head_size * config.num_heads != config.hidden_size:
            raise ValueError("the heads do not fill the hidden size")
        self.table = jax.random.normal(key, (config.vocab_size, config.hidden_size), "float32")
        self.weights = [
            jax.random.normal(key, (config.hidden_size, config.hidden_size), "float32") / layer
            for layer in range(1, config.num_layers + 1)
        ]

    def __call__(self, tokens: jax.Array) -> jax.Array:
        x = self.table[tokens]
        for weight in self.weights:
            x = jnp.tanh(x @ weight)
        return x


class Batched(eqx.Module):
    '''A model of batches of tokens, or of what these are embedded in.'''

    table: jax.Array

    def __init__(self, *, key: jax.Array):
        self.table = jax.random.normal(key, (8, 6), "float32")

    def __call__(self, input_ids: jax.Array | None = None, inputs: jax.Array | None = None) -> jax.Array:
        if (input_ids is None) == (inputs is None):
            raise ValueError("specify exactly one of input_ids or inputs")
        batch, length, width = (self.table[input_ids] if inputs is None else inputs).shape
        return jnp.tanh(self.table[input_ids] if inputs is None else inputs).reshape(batch, length * width)


class Heavy(eqx.Module):
    '''A layer that is large by default.'''

    weight: jax.Array

    def __init__(self, width: int = 2048, *, key: jax.Array):
        self.weight = jax.random.normal(key, (width, width), "float32")

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight @ x


class Pictured(eqx.Module):
    weight: jax.Array

    def __init__(self, *, key: jax.Array):
        self.weight = jax.random.normal(key, (2, 3), "float32")

    def __call__(self, pictures):
        if pictures.ndim != 3 or pictures.shape[1:] != (24, 20):
            raise ValueError(f"expected (batch, 24, 20), got {pictures.shape}")
        return jnp.tanh(pictures).mean() * self.weight


class Folded(eqx.Module):
    weight: jax.Array

    def __init__(self, *, key: jax.Array):
        self.weight = jax.random.normal(key, (3,), "float32")

    def __call__(self, x):
        return self.weight * x.reshape(6, 15).sum()
"""

SOURCE = """
class Windowed(eqx.Module):
    weight: jax.Array

    def __init__(self, *, key: jax.Array):
        self.weight = jax.random.normal(key, (3,), "float32")

    def __call__(self, signal):
        if signal.shape[-1] < 300:
            raise ValueError("the signal is too short")
        return self.weight * jnp.tanh(signal[..., :300]).sum()


class Shells(eqx.Module):
    radii: Array
    hit_mask: Array
    num_values: Array
    log_scale: Array
    centre: Array

    def __call__(self, x: Float[Array, ""]):
        return jnp.where(self.hit_mask, x * self.radii + self.log_scale, self.num_values * x) + self.centre


class Rays(eqx.Module):
    gain: Float[Array, ""]

    def trace(self, origins, directions):
        '''Where rays end.

        Parameters
        ----------
        origins, directions : array (rays, 3)
            Where they begin, and where they go.
        '''
        return self.gain * origins + directions


class Prism(eqx.Module):
    weight: jax.Array

    def __init__(self, n_sides: int):
        if n_sides < 2:
            raise ValueError("no prism")
        self.weight = jnp.ones(n_sides, "float32")

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x.sum()


class Group(eqx.Module):
    positions: Float[Array, "n 3"]
    rotations: Float[Array, "n 3"]

    def __call__(self, x: Float[Array, ""]):
        return x * self.positions + self.rotations

    def to_dict(self):
        return {"positions": self.positions.tolist()}


class Camera(eqx.Module):
    groups: tuple[Group, ...]

    def __call__(self, x: Float[Array, ""]):
        return sum(group(x) for group in self.groups)


class Model(eqx.Module):
    @abc.abstractmethod
    def evaluate(self): ...


class Likelihood(eqx.Module):
    model: Model
    observation: Float[Array, " n"]

    def logpdf(self, x: Float[Array, " n"]):
        return -((self.observation - x) ** 2).sum()

    def __call__(self):
        return self.logpdf(self.model.evaluate())


class Between(eqx.Module):
    weight: Float[Array, " n"]
    interval: tuple[float, float] = eqx.field(static=True)

    def __call__(self, x: Float[Array, " n"]):
        low, high = self.interval
        return self.weight * (x - low) / (high - low)


class Whole(Between):
    interval: tuple[int, int] = eqx.field(static=True)


class Either(Between):
    interval: tuple[float | int, float | int] = eqx.field(static=True)


class Signed(eqx.Module):
    weight: Float[Array, " n"]
    output_keys: tuple[Any, ...] = eqx.field(static=True)

    def __call__(self, x: Float[Array, " n"]):
        return self.weight * x * len(self.output_keys)


class Specified(eqx.Module):
    weight: Float[Array, " n"]
    specs: Mapping = eqx.field(static=True)

    def __call__(self, x: Float[Array, " n"]):
        return self.weight * x
"""


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return adopted_from(tmp_path_factory.mktemp("meaning"), SOURCE)


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Classes of which the arguments are searched for long."""
    return adopted_from(tmp_path_factory.mktemp("searched"), SEARCHED)


def adopted_from(root: Path, source: str) -> dict[str, Any]:
    folder = write_tree(root, {"meaning.py": IMPORTS + source})
    report = json.loads(adopt(folder, "meaning", "--json").stdout)
    every = [*report["classes"], *report["left_out"]]
    return {one["class"].rpartition(":")[2]: one for one in every}


def test_a_configuration_of_full_size_is_reduced(searched: dict[str, Any]) -> None:
    built = searched["Language"]["built"]
    assert "hidden_size=48, head_size=4, num_layers=2, pad_token_id=0" in built, built
    assert searched["Language"]["arguments"]


def test_of_two_arguments_that_exclude_each_other_one_is_given(searched: dict[str, Any]) -> None:
    assert searched["Batched"]["arguments"] == ['sample(seed, (5, 7), "int", 0, 6)']


def test_a_large_default_is_reduced(searched: dict[str, Any]) -> None:
    assert searched["Heavy"]["built"] == "Heavy(key=jax.random.key(seed), width=128)"


def test_a_shape_that_an_error_wants_is_tried(searched: dict[str, Any]) -> None:
    assert searched["Pictured"]["arguments"] == ["sample(seed, (5, 24, 20))"]
    assert searched["Folded"]["arguments"] == ["sample(seed, (90,))"]


def test_a_longer_signal_is_tried_where_an_error_says_that_it_is_too_short(adopted: dict[str, Any]) -> None:
    assert adopted["Windowed"]["arguments"] == ["sample(seed, (2048,))"]


def test_names_say_what_is_positive_what_counts_and_what_are_flags(adopted: dict[str, Any]) -> None:
    built = adopted["Shells"]["built"]
    assert "radii=jnp.exp(sample(" in built
    assert 'hit_mask=sample(seed, (3,), "bool")' in built
    assert '"int", 2, 6)' in built
    assert "log_scale=sample(" in built
    assert adopted["Prism"]["built"] == "Prism(n_sides=3)"


def test_one_entry_of_a_docstring_speaks_of_several_arguments(adopted: dict[str, Any]) -> None:
    shapes = {text.partition(", ")[2] for text in adopted["Rays"]["arguments"]}
    assert len(shapes) == 1
    assert shapes.pop().endswith(", 3))")


def test_arrays_of_parts_are_drawn_each_for_itself(adopted: dict[str, Any]) -> None:
    draws = re.findall(r"sample\(seed[^)]*\)\)", adopted["Camera"]["built"])
    assert len(draws) == len({*draws}) == 4
    assert not [finding for finding in adopted["Camera"]["findings"] if finding["law"] == "P15"]


def test_what_makes_a_dict_for_a_file_is_called_by_nobody(adopted: dict[str, Any]) -> None:
    assert not [finding["where"] for finding in adopted["Group"]["findings"] if "to_dict" in finding["where"]]


def test_a_class_that_waits_for_one_of_the_user_is_left_out(adopted: dict[str, Any]) -> None:
    assert adopted["Likelihood"]["state"] == "left out"
    assert not adopted["Likelihood"]["built"]


def test_the_ends_of_an_interval_are_not_equal(adopted: dict[str, Any]) -> None:
    for name, interval in {"Between": "(0.25, 0.5)", "Whole": "(1, 2)", "Either": "(0.25, 0.5)"}.items():
        assert f"interval={interval}" in adopted[name]["built"]
        assert not [finding for finding in adopted[name]["findings"] if finding["law"] == "P9"]


def test_names_that_end_in_keys_are_no_random_keys_where_nothing_says_so(adopted: dict[str, Any]) -> None:
    assert "jax.random.key" not in adopted["Signed"]["built"]
    assert not adopted["Signed"]["findings"]


def test_a_static_mapping_is_given_no_arrays(adopted: dict[str, Any]) -> None:
    assert "specs={}" in adopted["Specified"]["built"]
