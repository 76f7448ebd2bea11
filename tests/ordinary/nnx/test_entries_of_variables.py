"""Entries of arrays that a call of an NNX module sets in place, as Flax lets it."""

from pathlib import Path

from tests.ordinary.generated import tried
from tests.support.projects import scaffold
from tests.support.trees import write_tree

COUNTER = """\
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Nnx, param, state


class Counter(Nnx):
    gain: Float[Array, " k"] = param("ones")
    counts: Float[Array, " k"] = state("zeros", variable="BatchStat")

    def __call__(self, x: Float[Array, " k"]) -> Float[Array, " k"]:
        self.counts[0] = x[0] + self.counts[0]
        self.counts[1:] += 1.0
        return self.gain * x + self.counts
"""


def test_an_entry_of_a_state_is_set_in_place(tmp_path: Path) -> None:
    code = tried(tmp_path, "counter", COUNTER)
    assert "self.counts[0] = x[0] + self.counts[...][0]" in code
    assert "self.counts[1:] += 1.0" in code


def test_an_entry_of_what_is_no_state_is_not(tmp_path: Path) -> None:
    write_tree(tmp_path, {"counter.py": COUNTER.replace("self.counts[0] =", "self.gain[0] =")})
    made = scaffold(tmp_path, "new-module", "--spec=counter.py")
    assert made.returncode != 0
    assert "the call assigns `self.gain`, and it may update state alone" in made.stderr
    assert "immutable" not in made.stderr


def test_an_entry_of_the_state_of_a_module_of_equinox_is_refused(tmp_path: Path) -> None:
    of_equinox = COUNTER.replace("Nnx", "Module").replace(', variable="BatchStat"', "")
    write_tree(tmp_path, {"counter.py": of_equinox})
    made = scaffold(tmp_path, "new-module", "--spec=counter.py")
    assert made.returncode != 0
    assert "assigns `self.counts[0]`" in made.stderr and "instances are immutable" in made.stderr
