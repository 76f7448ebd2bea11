"""Skeletons that mix what is rarely mixed: their fresh tests pass, and what would be wrong is refused."""

import sys
from pathlib import Path

import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import passed, run, scaffold
from tests.support.trees import write_tree

HEAD = '''"""A class."""

from jaxtyping import Array, Float, Int

from scaffold.skeleton import Module, Nnx, Pytree, data, param, state, static


'''
CAMERA = '''class Camera(Pytree, rebuild="flag", save=True):
    """Looks at points."""

    focal: Float[Array, " n"] = param("ones")
    lens: str = static("pinhole")
    near: float = static(0.1)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.focal * x + self.near
'''


def generated(folder: Path, source: str) -> str:
    """Generate a class of this skeleton; the faults, where there are any."""
    write_tree(folder, {"pyproject.toml": '[project]\nname = "odd"\n', "specs/odd.py": HEAD + source})
    ran = scaffold(folder, "new-module", "--spec", "specs/odd.py")
    assert "Traceback" not in ran.stderr
    return ran.stderr if ran.returncode else ""


def test_a_file_names_each_setting_of_a_registered_class(tmp_path: Path) -> None:
    assert not generated(tmp_path, CAMERA)
    assert passed(forked_pytest(tmp_path, "tests")) > 80


PAIR = '''class Pair(Pytree, rebuild="{rebuild}"):
    """Two numbers."""

    first: Float[Array, " n"] = param("ones")
    second: Float[Array, " n"] = param("ones")
    turned: bool = static(False)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return -self.first * x if self.turned else self.first * x + self.second

    def with_second(self, c: Float[Array, " n"]) -> "Pair":
        """The same with another second one."""
        return Pair(self.first, {second}, turned=self.turned)
'''


@pytest.mark.parametrize("rebuild", ["bypass", "flag", "dataclass"])
def test_a_call_that_the_constructor_does_not_take_is_refused(rebuild: str, tmp_path: Path) -> None:
    assert not generated(tmp_path / "right", PAIR.format(rebuild=rebuild, second="c"))
    told = generated(tmp_path / "wrong", PAIR.format(rebuild=rebuild, second="self.second, second=c"))
    assert "`Pair(...)` does not fit the constructor: multiple values for argument 'second'" in told


BANK = '''class Bank(Module):
    """Levels of bands."""

    level: Float[Array, " bands"] = param()
    gain: Float[Array, " bands"] = param()
    shift: Float[Array, " bands"] = param("zeros")

    def __init__(self, level: Float[Array, " bands"], gain: Float[Array, " bands"]) -> None:
        self.level = 2 * level
        self.gain = gain

    def __call__(self, x: Float[Array, " bands"]) -> Float[Array, " bands"]:
        return self.gain * (self.level * x + self.shift)
'''
USE = """
import jax.numpy as jnp
from bank import Bank
print(Bank(jnp.ones(4), jnp.ones(4)).shift.shape)
Bank(jnp.ones(4), jnp.ones(3))
"""


@pytest.mark.slow  # its neighbours are tried in every run
def test_sizes_are_read_off_the_arguments_of_a_constructor_of_ones_own(tmp_path: Path) -> None:
    assert not generated(tmp_path, BANK)
    ran = run([sys.executable, "-c", USE], tmp_path)
    assert ran.stdout == "(4,)\n"
    assert "ValueError: `gain` has shape (3,), and `level` (4,)" in ran.stderr
    assert passed(forked_pytest(tmp_path, "tests")) > 80


COUNTER = '''class Counter(Nnx):
    """Counts its calls."""

    weight: Float[Array, " n"] = param("ones")
    count: Int[Array, ""] = state("zeros")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        self.count += 1
        return self.weight * x

    def twice(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        """The map of the map."""
        return self(self(x))
'''


@pytest.mark.slow  # its neighbours are tried in every run
def test_a_method_that_calls_the_module_updates_what_the_call_does(tmp_path: Path) -> None:
    assert not generated(tmp_path, COUNTER)
    assert "updates=('count',)" in (tmp_path / "tests/test_counter.py").read_text().replace('"', "'")
    assert passed(forked_pytest(tmp_path, "tests")) > 80
