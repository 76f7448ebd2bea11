"""Classes that take a mesh are tried on one of a single device, with the axes that their code names."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

HEAD = """
import equinox as eqx
import jax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jaxtyping import Array, Float

"""
REQUIRED = """
class Meshed(eqx.Module):
    weight: Float[Array, "dim hidden"]
    mesh: Mesh = eqx.field(static=True)

    def __init__(self, dim: int, hidden: int, mesh: Mesh, *, key: Array):
        self.weight = jax.random.normal(key, (dim, hidden))
        self.mesh = mesh

    def __call__(self, x: Float[Array, "batch dim"]) -> Float[Array, "batch hidden"]:
        return jax.lax.with_sharding_constraint(x @ self.weight, NamedSharding(self.mesh, P("data", "model")))
"""
OPTIONAL = """
class Maybe(eqx.Module):
    weight: Float[Array, "dim dim"]
    mesh: Mesh | None = eqx.field(static=True)

    def __init__(self, dim: int, mesh: Mesh | None = None, *, key: Array):
        self.weight = jax.random.normal(key, (dim, dim))
        self.mesh = mesh

    def __call__(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        y = self.weight @ x
        if self.mesh is None:
            return y
        return jax.lax.with_sharding_constraint(y, NamedSharding(self.mesh, P("model")))
"""


@pytest.mark.slow
def test_a_mesh_that_is_needed_has_the_axes_of_partition_specs(tmp_path: Path) -> None:
    tried(tmp_path, "meshed", HEAD + REQUIRED)
    assert 'jax.sharding.Mesh([jax.devices()[:1]], ("data", "model"))' in suite_text(tmp_path, "meshed")


@pytest.mark.slow
def test_axes_are_those_of_collectives_and_of_settings_as_well(tmp_path: Path) -> None:
    by_setting = REQUIRED.replace("mesh: Mesh, *, key", 'mesh: Mesh, *, axis: str = "rows", key')
    by_setting = by_setting.replace("self.mesh = mesh", "self.mesh = mesh\n        del axis")
    generated(tmp_path, {"meshed": HEAD + by_setting.replace('P("data", "model")', "P()")})
    assert 'jax.sharding.Mesh(jax.devices()[:1], ("rows",))' in suite_text(tmp_path, "meshed")


def test_a_mesh_that_may_be_left_out_is_given_as_well(tmp_path: Path) -> None:
    generated(tmp_path, {"maybe": HEAD + OPTIONAL.replace('P("model")', 'P("model", None, None)')})
    assert 'accepted = ({"mesh": jax.sharding.Mesh(jax.devices()[:1], ("model",))},)' in suite_text(
        tmp_path, "maybe"
    )
    ran = forked_pytest(tmp_path / "nets", "--numbers=off", "-k", "constructor_accepts")
    assert (
        "the call raised ValueError: One of with_sharding_constraint arguments is incompatible" in ran.stdout
    )
