"""What libraries that nobody had looked at before have shown of `scaffold adopt`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jax.core import Tracer

from scaffold.adopt.emit.class_suite import Adopted
from scaffold.adopt.report import Outcome, Report
from tests.adopt.asking import Asked
from tests.support.projects import scaffold
from tests.support.trees import write_tree

SOURCE = '''
from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import effects_of_others

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float

if TYPE_CHECKING:
    from effects_of_others import Effect


class Modifier(eqx.Module):
    value: jax.Array
    effect: Effect

    def __init__(self, value: Float[Array, " n"], effect: Effect):
        self.value, self.effect = value, effect

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.effect(self.value, x)


class Mask(eqx.Module):
    mask: Bool[Array, ...]

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.where(self.mask, x, 0.0)


class Strength(nnx.Param):
    pass


class Wave(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.strength = Strength(rngs.params.normal((3,)))

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.strength[...] * x


class Chunked(nnx.Module):
    def __init__(self, inner: nnx.Linear, outer: nnx.Linear):
        self.inner, self.outer = inner, outer

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.outer(jnp.tanh(self.inner(x)))


class Transformed(nnx.Module):
    def __init__(self, param: nnx.Variable):
        self.param = param

    def get_value(self) -> jax.Array:
        return jnp.tanh(self.param[...])


class Parts(nnx.Module):
    def __init__(self, module_or_state: nnx.State | nnx.Module):
        self.module = module_or_state

    def __call__(self, x: jax.Array) -> jax.Array:
        return x * sum(jnp.sum(leaf) for leaf in jax.tree.leaves(self.module))


class Normed(eqx.nn.StatefulLayer):
    """A layer with a state, whose call a batch axis is missing for."""

    norm: eqx.nn.BatchNorm

    def __init__(self, size: int):
        self.norm = eqx.nn.BatchNorm(size, "batch", mode="batch")

    def __call__(self, x: jax.Array, state: eqx.nn.State) -> tuple[jax.Array, eqx.nn.State]:
        raise ValueError("nothing suits it")

    def resolve(self) -> jax.Array:
        return self.norm.weight * 2.0


class Batched(eqx.nn.StatefulLayer):
    norm: eqx.nn.BatchNorm
    scale: jax.Array

    def __init__(self, size: int):
        self.norm = eqx.nn.BatchNorm(size, "examples", mode="batch")
        self.scale = jnp.full((size,), 0.5, "float32")

    def __call__(
        self, x: jax.Array, state: eqx.nn.State, *, key: jax.Array | None = None
    ) -> tuple[jax.Array, eqx.nn.State]:
        normed, state = self.norm(x, state)
        return self.scale * normed, state


class Centred(eqx.Module):
    weight: jax.Array

    def __init__(self, size: int):
        self.weight = jnp.full((size,), 0.5, "float32")

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * (x - jax.lax.pmean(x, "examples"))


class Mixer(eqx.Module):
    weight: jax.Array

    def __init__(self, size: int):
        self.weight = jnp.full((size,), 0.5, "float32")

    def __call__(self, x: jax.Array, key: jax.Array) -> jax.Array:
        return self.weight * x


class Step(eqx.Module):
    """A step, which does nothing by itself."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return x


class Shift(Step):
    offset: jax.Array

    def __init__(self, size: int):
        self.offset = jnp.full((size,), 0.5, "float32")

    def __call__(self, x: jax.Array) -> jax.Array:
        return x + self.offset


class Chain(eqx.Module):
    first: Step
    second: Step

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.second(self.first(x))


class Endless(eqx.Module):
    """A class that is built at once, and whose call is never done."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        time.sleep(3600)


class Deaf(eqx.Module):
    """A class whose call hears nothing until its time is up, as what is compiled for long."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(2.5)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        return self.weight * x


class Computed(eqx.Module):
    """A class whose attributes are computed, which may fail in any way."""

    weight: jax.Array

    def __getattr__(self, name: str):
        raise TypeError(f"cannot compute {name}")

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x
'''
EFFECTS = """
import equinox as eqx
import jax


class Effect(eqx.Module):
    slope: jax.Array

    def __call__(self, value: jax.Array, x: jax.Array) -> jax.Array:
        return (self.slope * value).sum() * x
"""


PLAIN = """
from flax import nnx


class Plain(nnx.Module):
    def __init__(self, single):
        self.double = 2.0 * single
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    folder = tmp_path_factory.mktemp("unseen")
    write_tree(folder, {"effects_of_others.py": EFFECTS})
    found = Asked(folder, "unseen", SOURCE)
    yield found
    found.child.close()


@pytest.mark.slow
def test_names_for_type_checkers_alone_are_known(asked: Asked) -> None:
    found = asked.adopt("Modifier")
    assert dict(found["inputs"])["effect"].startswith("Effect(") and found["called"]


@pytest.mark.slow
def test_any_shape_written_without_quotes_is_known(asked: Asked) -> None:
    assert '"bool")' in dict(asked.adopt("Mask")["inputs"])["mask"]


def test_an_instance_that_keeps_tracers_is_made_of_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Flax takes a plain array of a module for static where it is a tracer."""
    from scaffold.adopt.child.building.built import instance_of
    from scaffold.adopt.child.values.sources import Source

    write_tree(tmp_path, {"plain_arrays.py": PLAIN})
    monkeypatch.syspath_prepend(str(tmp_path))
    made = instance_of(Source("Plain(jnp.ones(3))", (("Plain", "from plain_arrays import Plain"),)))
    assert not isinstance(made.double, Tracer) and made.double.shape == (3,)


@pytest.mark.slow  # a search of its own in another interpreter
def test_variables_of_a_type_of_its_own_are_imported(asked: Asked) -> None:
    found = asked.adopt("Wave")
    assert found["leaves"] == ['Var("strength", Strength, (3,))']
    assert ["Strength", "from unseen import Strength"] in found["leaf_imports"]


def test_a_variable_is_one_of_flax_that_holds_an_array(asked: Asked) -> None:
    assert dict(asked.adopt("Transformed")["inputs"])["param"].startswith("nnx.Param(sample(seed")


def test_parts_of_a_module_are_not_made_up(asked: Asked) -> None:
    assert "nnx.Linear" in dict(asked.adopt("Parts")["inputs"])["module_or_state"]


@pytest.mark.slow
def test_a_call_takes_the_state_of_the_instance(asked: Asked) -> None:
    found = asked.adopt("Normed")
    assert found["has_state"] and not found["called"] and "nothing suits it" in found["why"]


@pytest.mark.slow
def test_a_call_that_names_the_axis_of_a_batch_is_mapped_over_it(asked: Asked) -> None:
    found = asked.adopt("Centred")
    assert found["axis"] == {"name": "examples", "mapped": ["x"], "has_state": False}
    assert found["arguments"][0][:2] == ["x", "sample(seed, (4, 3))"]
    assert asked.adopt("Batched")["axis"]["has_state"] and not asked.adopt("Mixer")["axis"]


def test_a_key_that_nothing_depends_on_is_declared(asked: Asked) -> None:
    assert asked.adopt("Mixer")["ignores_key"] and not asked.adopt("Mask")["ignores_key"]


def test_a_subclass_that_holds_arrays_goes_before_a_base_that_holds_none(asked: Asked) -> None:
    assert [text for _, text in asked.adopt("Chain")["inputs"]] == ["Shift(size=3)", "Shift(size=3)"]


@pytest.mark.slow  # its neighbours are tried in every run
def test_parts_are_drawn_from_seeds_of_their_own(asked: Asked) -> None:
    inner, outer = (text for _, text in asked.adopt("Chunked")["inputs"])
    assert inner.startswith("nnx.Linear(") and outer == inner.replace("(seed)", "(seed + 1)")


@pytest.mark.slow  # its neighbours are tried in every run
def test_what_was_found_until_the_time_is_up_is_kept(asked: Asked) -> None:
    found = asked.adopt("Endless", seconds=4.0)
    assert found["built"] and not found["called"] and found["why"] == "it took more than 4 seconds"


@pytest.mark.slow
def test_what_was_found_is_kept_though_the_search_went_on_beyond_its_time(asked: Asked) -> None:
    found = asked.adopt("Deaf", seconds=2.0)
    assert found["built"] and len(found["leaves"]) == 1 and found["why"] == "it took more than 2 seconds"


def test_a_class_whose_attributes_fail_is_built(asked: Asked) -> None:
    assert asked.adopt("Computed")["built"]


@pytest.mark.slow  # its neighbours look at parts of it
def test_the_file_declares_what_was_found(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": "[project]\nname = 'unseen'\n", "effects_of_others.py": EFFECTS})
    write_tree(tmp_path, {"unseen.py": SOURCE})
    report = scaffold(
        tmp_path, "adopt", "unseen.py:Mixer", "unseen.py:Wave", "unseen.py:Batched", "unseen.py:Centred"
    )
    print(report.stdout)
    assert "    ignores_key = True\n" in (tmp_path / "tests/test_mixer.py").read_text()
    call = 'return jax.vmap(instance, (0,), 0, axis_name="examples")(x)\n'
    assert call in (tmp_path / "tests/test_centred.py").read_text()
    call = 'return jax.vmap(instance, (0, None), (0, None), axis_name="examples")(x, state)\n'
    assert call in (tmp_path / "tests/test_batched.py").read_text()
    wave = (tmp_path / "tests/test_wave.py").read_text()
    assert "from unseen import Strength, Wave\n" in wave and 'Var("strength", Strength, (3,))' in wave


@pytest.mark.slow
def test_every_class_over_a_minute_is_named() -> None:
    names = [f"C{place}" for place in range(8)]
    outcomes = tuple(Outcome(Adopted("many", name, name, {}), seconds=61.0) for name in names)
    assert all(f"many:{name} 61 s" in Report(outcomes).text() for name in names)
