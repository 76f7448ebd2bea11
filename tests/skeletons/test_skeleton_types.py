"""Type checkers see skeletons, before anything is generated: of the examples, and of the documentation."""

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from scaffold import find_layout, plan
from scaffold.cli import main
from scaffold.generate import load_specs
from scaffold.spec.skeletons.classes.class_statements import KINDS
from tests.skeletons.test_skeleton_files import AFFINE
from tests.support.projects import EXAMPLES, REPOSITORY, checker, run
from tests.support.trees import write_tree

CLASSES = REPOSITORY / "tests/classes/specs"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("pyright", ()),
        pytest.param("mypy", ("--explicit-package-bases",), marks=pytest.mark.slow),
    ],
)
def test_type_checkers_are_content_with_every_example_and_notice_a_wrong_word(
    name: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    monkeyed = AFFINE.replace('param("lecun_normal")', 'param("lecun_normal", optoinal="x")')
    write_tree(tmp_path, {"bad/wrong.py": monkeyed, "specs/": "", ".git/": ""})
    for module in ("padding.py", "sharding.py"):  # which specs use
        shutil.copy(EXAMPLES / module, tmp_path)
    shutil.copytree(CLASSES, tmp_path / "classes")
    for path in (EXAMPLES / "specs").glob("*.py"):
        (tmp_path / "specs" / path.name).write_text(path.read_text())
    for path in sorted((EXAMPLES / "specs").glob("*.toml")):
        target = str(tmp_path / "specs" / f"{path.stem}.py")
        result = CliRunner().invoke(main, ["convert", str(path), target, "--folder", str(tmp_path)])
        assert result.exit_code == 0, result.output
    env = {"MYPYPATH": str(REPOSITORY)}
    result = run(checker(name, *options, "specs", "classes", "bad"), tmp_path, env=env)
    errors = [line for line in result.stdout.splitlines() if " error: " in line]
    assert errors and all("wrong.py:" in line for line in errors), result.stdout + result.stderr
    assert any("optoinal" in line for line in errors)


PAGE = (REPOSITORY / "docs/skeletons.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("pyright",), marks=pytest.mark.slow),
        pytest.param(("mypy", "--explicit-package-bases"), marks=pytest.mark.slow),
        ("ruff", "check", "--isolated", "--ignore", "F722"),
    ],
    ids=lambda command: command[0],
)
def test_the_skeletons_of_the_documentation_are_right(command: tuple[str, ...], tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", **{f"specs/example_{n}.py": text for n, text in enumerate(BLOCKS)}})
    specs = load_specs(sorted((tmp_path / "specs").iterdir()))
    names = ["Coupling", "Leaky", "Encoder", "Decoder", "Filter", "Turn", "Layer", "Network"]
    assert [spec.name for spec in specs] == names
    wanted = {str(step.path) for step in plan(specs, find_layout(tmp_path)).writes}
    assert {"coupling.py", "example_2.py", "filter.py"} <= wanted
    result = run([*checker(*command), "specs"], tmp_path, env={"MYPYPATH": str(REPOSITORY)})
    assert result.returncode == 0, result.stdout
    assert all(f"`{base}`" in PAGE for base in KINDS)
