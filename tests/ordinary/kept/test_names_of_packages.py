"""What packages call by names of their own: modules and metrics of Flax, arrays, fields of attrs; and a method for some instances."""

from pathlib import Path

from tests.ordinary.generated import generated, suite_text

MODULES = """
import equinox as eqx
import jax.numpy as jnp
from flax import nnx
from flax.nnx.module import Module
from flax.nnx.training.metrics import Metric, MetricState
from jaxtyping import Array, Float


class Count(Module):
    def __init__(self, size: int):
        self.total = nnx.BatchStat(jnp.zeros(size))

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        self.total[...] += x
        return self.total[...]


class Mean(Metric):
    def __init__(self):
        self.total = MetricState(jnp.array(0, dtype=jnp.float32))

    def update(self, values: Float[Array, " n"]) -> None:
        self.total[...] += jnp.sum(values)
"""


def test_modules_and_metrics_of_flax_are_those_of_nnx_where_they_are_defined(tmp_path: Path) -> None:
    generated(tmp_path, {"modules": MODULES})
    assert suite_text(tmp_path, "modules").count("(NnxLaws)") == 2


ARRAYS = """
import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float, Real
from tinygp.helpers import JAXArray


class Poly(eqx.Module):
    knots: JAXArray

    def __init__(self, knots: Real[ArrayLike, " m"]) -> None:
        self.knots = jnp.asarray(knots, float)

    def __call__(self) -> Float[Array, " m"]:
        return self.knots

    def integrate(self, a: Real, b: Real) -> Float[Array, ""]:
        return jnp.sum(self.knots) * (b - a)
"""


def test_arrays_have_many_names(tmp_path: Path) -> None:
    said = generated(tmp_path, {"poly": ARRAYS})
    assert "not tested" not in said and '"knots": sample(seed, (2,))' in suite_text(tmp_path, "poly"), said


RECORD = """
import jax
from attr import attrib, attrs


@attrs(frozen=True)
class Record:
    name: str = attrib(converter=str)
    values: jax.Array = attrib()

    def doubled(self) -> "Record":
        return Record(self.name, 2 * self.values)


jax.tree_util.register_pytree_node(
    Record, lambda x: ((x.values,), x.name), lambda name, values: Record(name, values[0])
)
"""


def test_fields_of_attrs_are_arguments_of_the_class(tmp_path: Path) -> None:
    generated(tmp_path, {"record": RECORD})
    suite = suite_text(tmp_path, "record")
    assert '"name": "name"' in suite and '"values": sample(' in suite, suite


BODY = """
import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import data


class Body(eqx.Module):
    mass: Float[Array, ""] | None = data()
    radius: Float[Array, ""] = data()

    def __call__(self, x: Float[Array, ""]) -> Float[Array, ""]:
        return self.radius * x

    def gravity(self) -> Float[Array, ""]:
        return self.mass / self.radius**2
"""


def test_a_method_may_be_for_the_instances_that_have_what_others_lack(tmp_path: Path) -> None:
    generated(tmp_path, {"body": BODY})
