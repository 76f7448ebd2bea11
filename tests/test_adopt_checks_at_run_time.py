"""What a class refuses by a check of Equinox while it runs, it refuses on purpose, as by a `raise`."""

from pathlib import Path

from tests.projects import scaffold
from tests.support import write_tree

SOURCE = """
import equinox as eqx, jax, jax.numpy as jnp
from jaxtyping import Array, Float

class Checked(eqx.Module):
    scale: Float[Array, "3"]

    def __call__(self, x: Float[Array, "3"]) -> Float[Array, "3"]:
        return self.scale * x

    def logarithm(self) -> Float[Array, "3"]:
        scale = eqx.error_if(self.scale, jnp.abs(self.scale - 0.5) > 0.9, "scale is between -0.4 and 1.4")
        return jnp.log(scale)

    def square(self, x: Float[Array, "3"]) -> Float[Array, "3"]:
        x = eqx.error_if(x, jnp.any(self.scale > 1.2), "scale is at most 1.2")
        return self.scale**2 * x
"""


def test_a_method_that_refuses_guessed_values_at_run_time_has_no_fault(tmp_path: Path) -> None:
    write_tree(tmp_path, {"checked.py": SOURCE})
    printed = scaffold(tmp_path, "adopt", "checked.py").stdout
    assert printed.startswith("Checked  adopted, ")
    assert "fault" not in printed and "internal error" not in printed
