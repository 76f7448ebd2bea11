"""Parameters that a call reads at one of its options alone, where another method hands the instance on."""

from pathlib import Path

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest
from tests.support.projects import passed

DIAL = """
import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Dial(Module):
    rim: Float[Array, " n"] = param("ones")
    tilt: Float[Array, ""] = param("full(0.9)")

    def __call__(self, sun: Float[Array, " n"], *, noon: bool = False) -> Float[Array, " n"]:
        shadow = self.rim * jnp.sin(sun)
        return shadow * jnp.cos(self.tilt) if noon else shadow

    def turned(self, angle: Float[Array, ""]) -> "Dial":
        return eqx.tree_at(lambda dial: dial.rim, self, self.rim * angle)
"""


def test_a_parameter_that_an_option_alone_reads_is_used(tmp_path: Path) -> None:
    generated(tmp_path, {"dial": DIAL})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 60
