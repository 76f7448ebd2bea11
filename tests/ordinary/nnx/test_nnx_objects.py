"""Classes of NNX that are no modules, as metrics: they hold Variables, change in place, and are held to the laws of NNX."""

from pathlib import Path

import pytest

from tests.adopt.asking import Asked, asked_of
from tests.ordinary.generated import generated, suite_text
from tests.support.forking import forked_pytest
from tests.support.projects import passed

METRICS = '''
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float


class Base(nnx.Metric):
    """What every metric has."""

    def __init__(self) -> None:
        self.total = nnx.metrics.MetricState(jnp.zeros(()))
        self.count = nnx.metrics.MetricState(jnp.zeros(()))

    def reset(self) -> None:
        self.total[...] = jnp.zeros(())
        self.count[...] = jnp.zeros(())

    def compute(self) -> jax.Array:
        return self.total[...] / self.count[...]


class Average(Base):
    """The mean of what was seen."""

    def update(self, values: Float[Array, " n"]) -> None:
        self.total[...] += jnp.sum(values)
        self.count[...] += values.size


class Averaged(nnx.Pytree):
    """Weights that are followed."""

    def __init__(self, n: int):
        self.weights = nnx.Variable(jnp.zeros(n))

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        self.weights[...] = 0.9 * self.weights[...] + 0.1 * x
        return self.weights[...]
'''
asked = asked_of("nnx_objects", METRICS)


def test_metrics_are_written_word_for_word_and_held_to_the_laws_of_nnx(tmp_path: Path) -> None:
    said = generated(tmp_path, {"metrics": METRICS})
    assert "not tested" not in said, said
    suites = suite_text(tmp_path, "metrics")
    assert suites.count("(NnxLaws)") == 3 and "self.count[...] += values.size" in (
        tmp_path / "nets/metrics.py"
    ).read_text("utf-8")
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 100


@pytest.mark.slow
def test_adopt_takes_them_for_what_changes_in_place(asked: Asked) -> None:
    assert asked.adopt("Average")["kind"] == "nnx"
    answer = asked.adopt("Averaged")
    assert (answer["kind"], answer["updates"]) == ("nnx", ["weights"]), answer
