"""What a class refuses by a check of Equinox while it runs, it refuses on purpose, as by a `raise`."""

from pathlib import Path

import pytest

from tests.support.projects import scaffold
from tests.support.trees import write_tree

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


@pytest.mark.slow
def test_a_method_that_refuses_guessed_values_at_run_time_has_no_fault(tmp_path: Path) -> None:
    write_tree(tmp_path, {"checked.py": SOURCE})
    printed = scaffold(tmp_path, "adopt", "checked.py").stdout
    assert printed.startswith("Checked  adopted, ")
    assert "fault" not in printed and "internal error" not in printed


LOOKED_UP = """
import equinox as eqx, jax, jax.numpy as jnp, numpy as np
from jaxtyping import Array, Float, Int

class Structure(eqx.Module):
    nodes: Int[Array, "3"]

class Goal(eqx.Module):
    key: int
    target: Float[Array, ""]

    def __call__(self, structure: Structure) -> Float[Array, ""]:
        nodes = np.asarray(structure.nodes)
        place = jnp.argmax(jnp.asarray(nodes) == self.key)
        is_missing = jnp.asarray(nodes)[0] == 1  # not for the first seed
        return self.target * eqx.error_if(place, is_missing, "the structure has no such node")
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_an_example_that_is_refused_where_no_trace_can_follow_is_no_call(tmp_path: Path) -> None:
    write_tree(tmp_path, {"goals.py": LOOKED_UP})
    printed = scaffold(tmp_path, "adopt", "goals.py:Goal").stdout
    assert "fault" not in printed.split() and "--call" in printed


OPENED = """
import os
import equinox as eqx, jax
from jaxtyping import Array, Float

class Table(eqx.Module):
    _values: Float[Array, "3"]

    @classmethod
    def from_csv(cls, file) -> "Table":
        with open(file) as lines:  # by its number: it is closed then
            open("opened", "w").close()
        raise ValueError("no table")

    def __call__(self, x: Float[Array, "3"]) -> Float[Array, "3"]:
        return self._values * x
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_no_number_is_tried_as_a_file(tmp_path: Path) -> None:
    write_tree(tmp_path, {"table.py": OPENED})
    assert scaffold(tmp_path, "adopt", "table.py").stdout.startswith("Table  adopted, ")
    assert not (tmp_path / "opened").exists()
