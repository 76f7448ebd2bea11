"""A class whose methods read what only the classes that inherit from it have is a part of these."""

from pathlib import Path

import pytest

from tests.support.projects import scaffold
from tests.support.trees import write_tree

SOURCE = """
import equinox as eqx
import jax


class Stepping(eqx.Module):
    rate: jax.Array

    def step(self, x):
        return x + self.rate * self.drift(x)


class Growing(Stepping):
    size: jax.Array

    def drift(self, x):
        return self.size * x


class Mistaken(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return self.wieght * x


class Inheriting(Mistaken):
    pass
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("mixins")
    write_tree(folder, {"lib.py": SOURCE})
    return scaffold(folder, "adopt", "lib.py").stdout


def test_what_is_mixed_into_others_is_left_out(printed: str) -> None:
    assert "`self.drift`, which `Growing` has" in printed
    assert "\nGrowing " in printed or printed.startswith("Growing ")


def test_an_attribute_that_nobody_has_is_a_mistake(printed: str) -> None:
    assert "object has no attribute 'wieght'" in printed
