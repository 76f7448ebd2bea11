"""Classes with methods, written as skeletons from their public descriptions: what is emitted holds the laws, is typed,
and has the numbers of plain jax, NumPy, or the layers of Equinox that it stands for."""

import shutil
from pathlib import Path

import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import EXAMPLES, checker, passed, run, scaffold
from tests.support.trees import write_tree

CLASSES = Path(__file__).parents[2] / "classes"
SPECS = (*sorted((CLASSES / "specs").glob("*.py")), EXAMPLES / "specs/so3.py")  # SO3 is an example as well


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_tree(tmp_path_factory.mktemp("described"), {".git/": "", "specs/": ""})
    for path in SPECS:
        shutil.copy(path, folder / "specs")
    result = scaffold(folder, "new-module", "--spec", *(f"specs/{path.name}" for path in SPECS))
    assert result.returncode == 0, result.stderr
    shutil.copy(CLASSES / "numbers.py", folder / "tests/test_numbers.py")
    return folder


def test_the_classes_have_all_that_was_asked_for(project: Path) -> None:
    wanted = {
        "affine_coupling": ("forward", "inverse"),
        "so3": ("exp", "log", "identity", "inverse", "__matmul__", "apply"),
        "replay_buffer": ("add", "sample"),
        "key_cache": ("empty", "update"),
        "kernels": ("gram", "diagonal", "__call__"),
        "camera": ("identity", "from_intrinsics", "from_field_of_view", "project"),
        "kalman_filter": ("predict", "update"),
        "lora_linear": ("from_linear", "merge"),
        "rotary_attention": ("__call__", "step"),
    }
    assert len(SPECS) == 9
    for module, methods in wanted.items():
        text = (project / f"{module}.py").read_text()
        assert [name for name in methods if f"    def {name}(" not in text] == [], module


@pytest.mark.slow  # tests/emitted/test_gradients.py and tests/emitted/test_equinox_layers.py compare numbers in each run
def test_their_numbers_are_those_of_plain_jax(project: Path) -> None:
    assert passed(forked_pytest(project, "tests/test_numbers.py")) >= 13


@pytest.mark.slow  # the examples hold the laws of each of these kinds in every run
def test_they_hold_the_laws(project: Path) -> None:
    assert passed(forked_pytest(project, "tests", "--deselect", "tests/test_numbers.py")) > 500


@pytest.mark.slow  # tests/emitted/test_emitted.py and tests/house/test_quality.py look at each form of class in every run
def test_they_are_typed(project: Path) -> None:
    modules = sorted(path.name for path in project.glob("*.py"))
    for name in ("pyright", "mypy"):
        checked = run(checker(name, *modules), project)
        assert checked.returncode == 0, checked.stdout
