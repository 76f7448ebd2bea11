"""The laws notice the mistakes of sharding: P18 and P20 on one device, P21 on eight."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.sharding.sharding_mistakes import MISTAKES, TRAINER, Mistake, edited
from tests.support.projects import EXAMPLES, failed_laws, run

FILES = (
    *(
        "decoder.py",
        "sharding.py",
        "filter_specs.py",
        "weight_decay.py",
        "tests/conftest.py",
        "tests/test_decoder.py",
    ),
    "tests/numbers/decoder.8_devices.txt",
)


def noticed(folder: Path, one: Mistake | None) -> set[str]:
    """The laws that fail where the mistake is made; of a class as it is generated, where there is none."""
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(EXAMPLES / name, folder / name)
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (folder / "tests/test_trainer.py").write_text(TRAINER)
    if one is not None:
        path = folder / one.file
        path.write_text(edited(path.read_text(), one))
    suite = one.suite if one is not None else "FeedForward or Trainer"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rf", "tests"]
    alone = run([*command, "-k", f"(p18 or p20) and ({suite})"], folder)
    several = run([*command, "--mesh", "8", "-k", suite], folder)
    assert "error" not in (alone.stdout + several.stdout).splitlines()[-1], alone.stdout + several.stdout
    return failed_laws(alone) | failed_laws(several)


@pytest.mark.slow
def test_the_generated_class_has_no_finding(tmp_path: Path) -> None:
    assert noticed(tmp_path, None) == set()
    record = tmp_path / FILES[-1]
    record.unlink()
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--mesh",
        "8",
        "--numbers=update",
        "-k",
        "p21_collectives",
    ]
    assert run(command, tmp_path).returncode == 0
    assert record.read_text() == (EXAMPLES / FILES[-1]).read_text()


@pytest.mark.spread(13)
@pytest.mark.parametrize("one", MISTAKES, ids=[one.name for one in MISTAKES])
def test_a_mistake_is_noticed(one: Mistake, tmp_path: Path) -> None:
    assert noticed(tmp_path, one) == set(one.laws)
