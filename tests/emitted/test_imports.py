"""The tool's process never imports what belongs to the user's project, nor what is slow to start."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.library import BIAS, Library, spec
from tests.support.projects import AFFINE, EXAMPLES

FORBIDDEN = (
    "jax",
    "jaxlib",
    "equinox",
    "flax",
    "optax",
    "numpy",
    "copier",
    "questionary",
    "rich",
    "pydantic",
)
RUN_AND_LIST = """
import sys
from scaffold.cli import main
{before}
try:
    main(sys.argv[1:], standalone_mode=False)
finally:
    print("\\nMODULES", *sorted({{name.split(".")[0] for name in sys.modules}}))
"""


def modules_after(folder: Path, *arguments: str, before: str = "") -> set[str]:
    """The top-level modules in the process after a command of the tool."""
    code = RUN_AND_LIST.format(before=before)
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return set(result.stdout.rsplit("MODULES", 1)[1].split())


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    "arguments",
    [
        ("new-module", *AFFINE),
        ("new-module", *AFFINE, "--diff"),
        (
            "new-module",
            "--spec",
            str(EXAMPLES / "specs/table_flag.toml"),
            str(EXAMPLES / "specs/whiten.toml"),
        ),
        ("show", "--code", str(EXAMPLES / "specs/affine.toml")),
        ("show", "--code", str(EXAMPLES / "specs/gru_cell.py")),
        ("convert", str(EXAMPLES / "specs/gru_cell.py"), "gru_cell.toml"),
        ("kinds",),
        ("laws", "--json"),
        ("schema",),
    ],
    ids=lambda arguments: " ".join(arguments[:2])[:40],
)
def test_nothing_heavy_is_imported(arguments: tuple[str, ...], tmp_path: Path) -> None:
    modules = modules_after(tmp_path, *arguments)
    assert "scaffold" in modules
    assert modules.isdisjoint(FORBIDDEN)


def test_a_picture_needs_rich_and_nothing_else(tmp_path: Path) -> None:
    modules = modules_after(tmp_path, "show", str(EXAMPLES / "specs/affine.toml"))
    assert modules & {*FORBIDDEN} == {"rich"}


@pytest.mark.spread(3)
@pytest.mark.parametrize("command", ["update", "check", "destroy"])
def test_nothing_heavy_is_imported_later_either(command: str, tmp_path: Path) -> None:
    """In a project with a class that was edited, and whose spec says something else now."""
    library = Library.at(tmp_path)
    library.generate(dense=spec("Dense"), other=spec("Other"))
    library.append("lib/dense.py", "# mine\n")
    library.write_specs(dense=spec("Dense", BIAS))
    if command == "check":
        library.update()
    modules = modules_after(tmp_path, command, *(["Other"] if command == "destroy" else []))
    assert "scaffold" in modules and modules.isdisjoint(FORBIDDEN)


@pytest.mark.slow
def test_an_import_would_be_seen(tmp_path: Path) -> None:
    assert "copier" in modules_after(tmp_path, "kinds", before="import copier")


def test_help_does_without_templates_and_specs(tmp_path: Path) -> None:
    code = "import sys\nfrom scaffold.cli import main\ntry:\n    main(['--help'])\nfinally:\n    print('MODULES', *sorted(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    modules = set(result.stdout.rsplit("MODULES", 1)[1].split())
    assert modules.isdisjoint({"jinja2", "scaffold.spec", "scaffold.generate", "tomllib", *FORBIDDEN})
