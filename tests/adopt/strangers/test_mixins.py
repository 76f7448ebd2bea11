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


@pytest.mark.slow
def test_what_is_mixed_into_others_is_left_out(printed: str) -> None:
    assert "`self.drift`, which `Growing` has" in printed
    assert "\nGrowing " in printed or printed.startswith("Growing ")


@pytest.mark.slow
def test_an_attribute_that_nobody_has_is_a_mistake(printed: str) -> None:
    assert "object has no attribute 'wieght'" in printed


@pytest.mark.slow  # its neighbours are tried in every run
def test_a_module_that_names_the_classes_of_a_private_one_has_them(tmp_path: Path) -> None:
    layer = "import equinox as eqx\nimport jax\n\n\nclass Layer(eqx.Module):\n    size: jax.Array\n"
    layer += "\n    def __call__(self, x):\n        return self.size * x\n"
    files = {
        "company/__init__.py": "",
        "company/_src/__init__.py": "",
        "company/_src/layers.py": layer,
        "company/layers.py": 'from company._src.layers import Layer\n\n__all__ = ["Layer"]\n',
    }
    write_tree(tmp_path, files)
    for target in ("company", "company.layers"):
        told = scaffold(tmp_path, "adopt", target, "--dry-run").stdout
        assert "Layer  adopted" in told, told
