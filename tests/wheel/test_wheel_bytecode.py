"""The bytecode of a wheel is kept beside it: read by the next run, made anew where it does not fit, and never in the way."""

import io
import marshal
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scaffold.law_wheel import law_wheel

MODULES = ("__init__", "errors", "report", "patches/__init__", "patches/wheel_bytecode")
"""What importing `pytree_laws.report` takes of the wheel, so that little is compiled."""
IMPORT = "import sys; sys.path.insert(0, sys.argv[1]); from pytree_laws.report import LawBroken; print(LawBroken.__module__)"
REPORT = "pytree_laws/report.py"
CHANGED = "raise SystemExit('another code')"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return written(tmp_path / law_wheel().name)


def written(path: Path, **changes: str) -> Path:
    """A wheel of the modules that are imported, some with other texts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in MODULES:
            archive.writestr(f"pytree_laws/{name}.py", changes.get(name) or law_wheel().texts[f"{name}.py"])
    path.write_bytes(buffer.getvalue())
    return path


def run(wheel: Path, code: str = IMPORT, **variables: str) -> str:
    """What a Python prints that imports the laws of a wheel; it keeps bytecode, whatever the machine says."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    command = [sys.executable, "-c", code, str(wheel)]
    result = subprocess.run(
        command, cwd=wheel.parent, env=kept | variables, capture_output=True, text=True, check=False
    )
    return result.stdout + result.stderr


def bytecode(wheel: Path) -> Path:
    [path] = (wheel.parent / "__pycache__").iterdir()
    return path


def exchange_code(wheel: Path) -> None:
    """Let the kept code of a module be another one, so that it shows which code is run."""
    key, codes = marshal.loads(bytecode(wheel).read_bytes())
    codes[str(wheel / REPORT)] = compile(CHANGED, REPORT, "exec")
    bytecode(wheel).write_bytes(marshal.dumps((key, codes)))


def test_a_run_keeps_the_bytecode_and_the_next_one_reads_it(wheel: Path) -> None:
    assert run(wheel) == "pytree_laws.report\n"
    assert bytecode(wheel).name == f"{wheel.stem}.{sys.implementation.cache_tag}.pyc"
    exchange_code(wheel)
    assert run(wheel) == "another code\n"


def test_the_bytecode_of_another_content_is_not_read(wheel: Path) -> None:
    run(wheel)
    written(wheel, report=CHANGED)
    assert run(wheel) == "another code\n"
    written(wheel)
    assert run(wheel) == "pytree_laws.report\n"


def test_bytecode_that_moved_is_not_read(wheel: Path, tmp_path: Path) -> None:
    run(wheel)
    exchange_code(wheel)
    moved = tmp_path.rename(tmp_path.with_name("moved"))
    assert run(moved / wheel.name) == "pytree_laws.report\n"


@pytest.mark.parametrize("content", [b"", b"no bytecode", marshal.dumps(7), marshal.dumps((b"", {}))[:-1]])
def test_a_damaged_file_is_written_anew(wheel: Path, content: bytes) -> None:
    run(wheel)
    whole = bytecode(wheel).read_bytes()
    bytecode(wheel).write_bytes(content)
    assert run(wheel) == "pytree_laws.report\n"
    assert len(bytecode(wheel).read_bytes()) == len(whole)


def test_nothing_is_kept_where_python_keeps_nothing_or_the_folder_takes_nothing(wheel: Path) -> None:
    assert run(wheel, PYTHONDONTWRITEBYTECODE="1") == "pytree_laws.report\n"
    assert [path.name for path in wheel.parent.iterdir()] == [wheel.name]
    (wheel.parent / "__pycache__").touch()
    assert run(wheel) == "pytree_laws.report\n"


def test_the_folder_for_bytecode_is_the_one_that_python_is_told(wheel: Path, tmp_path: Path) -> None:
    run(wheel, PYTHONPYCACHEPREFIX=str(tmp_path / "elsewhere"))
    assert not (wheel.parent / "__pycache__").exists()
    kept = (tmp_path / "elsewhere").rglob(f"{wheel.stem}.*.pyc")
    assert len([*kept]) == 1


def test_the_source_of_the_laws_is_found(wheel: Path) -> None:
    code = f"{IMPORT}; import inspect; print(inspect.getsource(LawBroken).partition(chr(10))[0], inspect.getfile(LawBroken))"
    for _ in range(2):
        assert run(wheel, code).splitlines()[1] == f"class LawBroken(AssertionError): {wheel / REPORT}"
