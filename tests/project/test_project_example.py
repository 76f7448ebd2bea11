"""generated_examples/project works; tests/emitted/test_examples.py holds it to what the tool writes."""

import re
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.projects import EXAMPLES, passed, run

PROJECT = EXAMPLES / "project"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as its wheel installs it, so that its metadata can be read."""
    folder = tmp_path_factory.mktemp("site")
    result = run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], PROJECT)
    assert result.returncode == 0, result.stderr
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.mark.slow
def test_its_tests_pass_with_run_time_checks_and_strict_promotion(site: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    result = run(command, PROJECT, env={"PYTHONPATH": str(site)})
    assert passed(result) >= 5 * 40


def test_a_backend_that_is_not_there_is_an_error(site: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--backend=tpu"]
    result = run(command, PROJECT, env={"PYTHONPATH": str(site)})
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert "the backend 'tpu' is not there" in result.stderr and "leave --backend out" in result.stderr


@pytest.mark.slow
def test_its_model_learns_and_the_curve_is_drawn(site: Path, tmp_path: Path) -> None:
    image = tmp_path / "loss.png"
    command = [sys.executable, str(PROJECT / "examples/train.py"), "--steps", "80", "--out", str(image)]
    result = run(command, tmp_path, env={"PYTHONPATH": str(site)})
    assert result.returncode == 0, result.stderr
    told = re.search(r"loss ([\d.]+) -> ([\d.]+)", result.stdout)
    assert told is not None and float(told[2]) < 0.05 * float(told[1])
    assert "training: 100%" in result.stderr and image.read_bytes().startswith(PNG)
