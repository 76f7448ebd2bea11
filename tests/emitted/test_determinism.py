"""The same bytes, whatever the hash seed, the folder, the umask and the installation."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scaffold.in_project.spec_files import spec_files
from scaffold.law_wheel import law_wheel
from tests.support.projects import AFFINE, EXAMPLES, REPOSITORY, scaffold
from tests.support.systems import NEEDS_MODES
from tests.support.trees import read_modes, read_tree, write_tree

SPECS = sorted(f"specs/{path.name}" for path in spec_files(EXAMPLES / "specs"))


def generated(folder: Path, **env: str) -> dict[str, bytes]:
    """What the tool writes for the specs of all examples, in a new folder."""
    shutil.copytree(EXAMPLES / "specs", folder / "specs")
    result = scaffold(folder, "new-module", "--spec", *SPECS, env=env)
    assert result.returncode == 0, result.stderr
    return read_tree(folder)


def test_hash_seeds_and_folders_change_nothing(tmp_path: Path) -> None:
    first = generated(tmp_path / "one", PYTHONHASHSEED="1")
    second = generated(tmp_path / "another place" / "ünïcode", PYTHONHASHSEED="4242")
    assert first == second


@pytest.mark.slow
def test_a_plan_does_not_depend_on_the_order_of_specs(tmp_path: Path) -> None:
    forward = generated(tmp_path / "forward")
    folder = tmp_path / "backward"
    shutil.copytree(EXAMPLES / "specs", folder / "specs")
    assert scaffold(folder, "new-module", "--spec", *reversed(SPECS)).returncode == 0
    assert read_tree(folder) == forward


@pytest.mark.parametrize("mask", [0o022, 0o077])
@NEEDS_MODES
def test_new_files_have_the_modes_of_the_umask(mask: int, tmp_path: Path) -> None:
    umask = f"import os; os.umask({mask}); from scaffold.cli import main; main()"
    subprocess.run(
        [sys.executable, "-c", umask, "new-module", *AFFINE], cwd=tmp_path, check=True, capture_output=True
    )
    modes = read_modes(tmp_path)
    assert (modes["affine.py"], modes["tests"]) == (0o666 & ~mask, 0o777 & ~mask)
    reference = tmp_path / "reference"
    write_tree(tmp_path, {"reference/": ""})
    assert scaffold(reference, "new-module", *AFFINE).returncode == 0
    written = {path: data for path, data in read_tree(tmp_path).items() if not path.startswith("reference")}
    assert written == read_tree(reference)


@pytest.mark.slow
@NEEDS_MODES
def test_a_read_only_installation_writes_files_that_can_be_edited(tmp_path: Path) -> None:
    site = tmp_path / "site"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "scaffold", site / "scaffold", ignore=ignore)
    shutil.copytree(REPOSITORY / "templates", site / "scaffold" / "templates")
    for path in site.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    (tmp_path / "project").mkdir()
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [
        sys.executable,
        "-c",
        "import scaffold.cli as c; print(c.__file__); c.main()",
        "new-module",
        *AFFINE,
        "--laws",
        "wheel",
    ]
    result = subprocess.run(
        command, cwd=tmp_path / "project", env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(str(site))
    modes = read_modes(tmp_path / "project")
    assert modes["affine.py"] & 0o200 and modes[f"tests/{law_wheel().name}"] & 0o200
    (tmp_path / "other").mkdir()
    assert scaffold(tmp_path / "other", "new-module", *AFFINE, "--laws", "wheel").returncode == 0
    assert read_tree(tmp_path / "project") == read_tree(tmp_path / "other")
