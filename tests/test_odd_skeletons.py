"""Skeletons that mix what is rarely mixed: their fresh tests pass, and what would be wrong is refused."""

from pathlib import Path

from tests.forking import forked_pytest
from tests.projects import passed, scaffold
from tests.support import write_tree

HEAD = '''"""A class."""

from jaxtyping import Array, Float

from scaffold.skeleton import Module, Pytree, data, param, static


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
    assert passed(forked_pytest(tmp_path, "tests")) > 90
