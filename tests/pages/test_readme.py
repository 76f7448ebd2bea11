"""The README says what happens: every command in it runs, from the built wheel, in a clean folder."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from scaffold.law_wheel import law_wheel
from scaffold.laws import law_table
from scaffold.spec.reading.read import read_spec
from tests.pages.readme_pictures import PICTURES, README, TARGETS, blocks, drawn, write_examples
from tests.support.projects import AFFINE, REPOSITORY, bare_pytest, copy_example, run
from tests.support.systems import NEEDS_SHELL
from tests.support.trees import read_tree

pytestmark = NEEDS_SHELL

TUTORIAL = (REPOSITORY / "docs/tutorial.md").read_text(encoding="utf-8")
COMMANDS = (REPOSITORY / "docs/commands.md").read_text(encoding="utf-8")
SETUP, INSTALL, ADOPT, FROM_SPEC, OWN_TESTS = range(5)
"""The blocks of shell in the README."""
TRY, TUTORIAL_INSTALL, TRY_SPEC, WRONG = range(4)
"""Those of the tutorial."""
TRIED, WRITTEN, REFUSED, BROKEN = range(4)
"""The outputs in the tutorial."""
LONGEST = 150


def affine_command() -> str:
    """The command that generates the first class, on one line."""
    return blocks("text", TUTORIAL)[TRIED].replace("\\\n  ", "").strip()


@dataclass(frozen=True)
class Shell:
    """A clean folder with the tool on the path as the wheel installs it, and nothing of the checkout."""

    folder: Path
    site: Path

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        scripts = os.pathsep.join([str(self.site / "bin"), str(Path(sys.executable).parent)])
        env = {"PYTHONPATH": str(self.site), "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
        return run(["sh", "-ec", command], self.folder, env=env)


@pytest.fixture
def shell(wheel: Path, tmp_path: Path) -> Shell:
    site, folder = tmp_path / "site", tmp_path / "clean"
    folder.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    [entry_points] = site.glob("*.dist-info/entry_points.txt")
    (site / "bin").mkdir()
    for name, module, function in re.findall(
        r"^([\w-]+) = ([\w.]+):(\w+)$", entry_points.read_text(), re.MULTILINE
    ):
        script = site / "bin" / name
        script.write_text(f"#!{sys.executable}\nfrom {module} import {function}\n{function}()\n")
        script.chmod(0o755)
    return Shell(folder, site)


def test_the_wheel_has_the_templates_and_the_laws(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    templates = {
        path.relative_to(REPOSITORY).as_posix()
        for path in (REPOSITORY / "templates").rglob("*")
        if path.is_file()
    }
    assert {f"scaffold/{path}" for path in templates} <= names
    assert {name for name in names if name.endswith(".whl")} == {f"scaffold/wheels/{law_wheel().name}"}
    assert "scaffold/py.typed" in names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"scaffold", "jax_scaffold"}


def test_one_command_sets_up_generates_and_tests(tmp_path: Path) -> None:
    """As it stands, in a copy of what git has, where the uv of these tests is at hand."""
    command = blocks("sh")[SETUP]
    assert command == blocks("sh", TUTORIAL)[TRY]
    clone = clone_of_checkout(tmp_path / "clone")
    outside = [str(Path(sys.base_prefix) / "bin"), "/usr/local/bin", "/usr/bin", "/bin"]
    env = {**os.environ, "PATH": os.pathsep.join(outside), "TMPDIR": str(tmp_path)}
    for name in ("VIRTUAL_ENV", "PYTHONPATH", "UV_PROJECT_ENVIRONMENT"):
        env.pop(name, None)
    result = subprocess.run(["sh", "-ec", command], cwd=clone, env=env, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert affine_command() in result.stderr and blocks("text", TUTORIAL)[WRITTEN] in result.stdout
    texts = [data for path, data in read_tree(tmp_path / "my-layers").items() if not path.endswith(".whl")]
    written = "".join(data.decode() for data in texts)
    assert all(excerpt in written for excerpt in (*blocks("python", TUTORIAL), *blocks("toml", TUTORIAL)))
    counted = re.search(r"(\d+) passed", result.stdout)
    assert counted is not None and int(counted[1]) >= 15


def clone_of_checkout(folder: Path) -> Path:
    """The project without what its commands make, and the uv of these tests where `dev.py` looks for it."""
    made = (".git", ".uv", ".venv", ".*_cache", ".hypothesis", "__pycache__", "build", "dist", "uv.lock")
    shutil.copytree(REPOSITORY, folder, ignore=shutil.ignore_patterns(*made), symlinks=True)
    (folder / ".uv/bin").mkdir(parents=True)
    (folder / ".uv/bin/uv").symlink_to(Path(sys.executable).parent / "uv")
    return folder


@pytest.mark.slow  # the first command of the README installs as well
def test_the_clone_installs_as_a_tool(tmp_path: Path) -> None:
    """With the uv of these tests, into folders that go with them."""
    command = blocks("sh")[INSTALL]
    assert command == blocks("sh", TUTORIAL)[TUTORIAL_INSTALL] == blocks("sh", COMMANDS)[0]
    clone = clone_of_checkout(tmp_path / "clone")
    env = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(tmp_path / "bin")}
    result = run(["sh", "-ec", command], clone, env=env)
    assert result.returncode == 0, result.stderr
    for script in ("scaffold", "jax-scaffold"):
        kinds = run([str(tmp_path / "bin" / script), "kinds"], tmp_path)
        assert (kinds.returncode, "pytree" in kinds.stdout) == (0, True)
    # In an environment with nothing but what the wheel declares.
    project = tmp_path / "project"
    made = run(
        [str(tmp_path / "bin/scaffold"), "new-module", *AFFINE, "--laws", "wheel", "--folder", str(project)],
        tmp_path,
    )
    assert made.returncode == 0 and (project / "tests" / law_wheel().name).is_file(), made.stderr
    assert "P3 round trip" in run([str(tmp_path / "bin/scaffold"), "laws", "P3"], tmp_path).stdout


COMPLETION = re.compile(r"^\| (bash|zsh|fish) \| `.*_SCAFFOLD_COMPLETE=(\w+) scaffold.*` \|$", re.MULTILINE)


def test_the_lines_for_completion_give_what_the_shells_read() -> None:
    lines = dict(COMPLETION.findall(COMMANDS))
    assert list(lines) == ["bash", "zsh", "fish"]
    for shell, instruction in lines.items():
        result = run([sys.executable, "-m", "scaffold"], REPOSITORY, env={"_SCAFFOLD_COMPLETE": instruction})
        assert result.returncode == 0 and f"{shell}_complete" in result.stdout, result.stderr


def test_a_skeleton_becomes_a_tested_class(shell: Shell) -> None:
    [skeleton] = blocks("py", TUTORIAL)
    (shell.folder / "specs").mkdir()
    (shell.folder / "specs/whiten.py").write_text(skeleton)
    result = shell.run(blocks("sh", TUTORIAL)[TRY_SPEC])
    assert result.returncode == 0, result.stdout + result.stderr
    text = (shell.folder / "whiten.py").read_text()
    methods = ("def create(", "def of(", "def __call__(", "def inverse(", "def trainable(")
    assert all(f"    {one}" in text for one in methods)
    assert "def test_the_inverse_undoes_the_call" in (shell.folder / "tests/test_whiten.py").read_text()


ANSWER = re.compile(r"^\| (\w+#\d+) \|.*\| `(scaffold new-module .*)` \|$", re.MULTILINE)


@pytest.mark.slow  # each case has tests of its own in every run
def test_one_command_answers_each_founding_case(shell: Shell) -> None:
    """Each row of the table, in one folder, and then the tests of all."""
    answers = dict(ANSWER.findall(TUTORIAL))
    assert list(answers) == ["equinox#711", "equinox#651", "equinox#840", "equinox#768", "flax#4762"]
    for command in (affine_command().replace("--folder ../my-layers --test", ""), *answers.values()):
        result = shell.run(command)
        assert result.returncode == 0, command + result.stderr
    result = shell.run("pytest -q -p no:cacheprovider")
    assert result.returncode == 0, result.stdout
    assert len(list(shell.folder.glob("tests/test_*.py"))) == 6


def test_faults_are_told_as_the_tutorial_shows(shell: Shell) -> None:
    result = shell.run(blocks("sh", TUTORIAL)[WRONG])
    assert (result.returncode, result.stderr) == (2, blocks("text", TUTORIAL)[REFUSED])
    assert read_tree(shell.folder) == {}


def test_a_broken_class_is_told_as_the_tutorial_shows(tmp_path: Path) -> None:
    project = copy_example("table_bypass", tmp_path / "project")
    module = project / "table_bypass.py"
    stores = 'fields["table"], fields["attr"] = children'
    text = module.read_text()
    assert text.count(stores) == 1
    module.write_text(text.replace(stores, 'fields["attr"], fields["table"] = children'))
    result = bare_pytest(project, "-k", "p03")
    assert result.returncode == 1
    told = [
        line.lstrip("E ").removeprefix("pytree_laws.report.LawBroken: ")
        for line in result.stdout.splitlines()
    ]
    assert blocks("text", TUTORIAL)[BROKEN] in "\n".join(told)


@pytest.mark.slow  # the tutorial's skeleton, which each run tries, goes the same way
def test_a_new_class_is_what_the_readme_shows(shell: Shell) -> None:
    write_examples(shell.folder)
    result = shell.run(blocks("sh")[FROM_SPEC])
    assert result.returncode == 0 and " passed" in result.stdout, result.stdout + result.stderr
    [_, emitted] = blocks("python")
    assert emitted in (shell.folder / "whiten.py").read_text()


def test_a_class_that_exists_is_adopted_as_the_readme_shows(shell: Shell) -> None:
    write_examples(shell.folder)
    shows, adopts, tests = blocks("sh")[ADOPT].splitlines()
    assert " hidden " in shell.run(shows).stdout
    told = shell.run(f"{adopts} --python {sys.executable}")
    assert " 3 faults" in told.stdout, told.stderr
    shown = [line.strip() for line in told.stdout.splitlines()]
    assert all(line.strip() in shown for line in blocks("text")[0].splitlines())
    assert tests == "pytest -q" and (shell.folder / "tests/test_gate.py").is_file()


def test_the_findings_and_the_laws_are_those_of_the_docs() -> None:
    counted = re.search(
        r"(\d+) true, (\d+) false before", (REPOSITORY / "docs/adopt.md").read_text(encoding="utf-8")
    )
    assert counted is not None
    assert (
        f"{counted[1]} faults that plain jax confirms" in README
        and f"the {counted[2]} that were mistakes" in README
    )
    laws = law_table()
    rows = re.findall(r"^\| ([a-z0-9 ]+) \((P\d+)\) \| (.*) \|$", README, re.MULTILINE)
    assert len(rows) == 6 and len(laws) == 22
    assert all((name, told) == (laws[number].name, laws[number].protects) for name, number, told in rows)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "whiten" else pytest.mark.slow) for name in TARGETS]
)
def test_the_pictures_are_drawn_anew(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    write_examples(tmp_path)
    file, picture = PICTURES / f"{name}.svg", drawn(tmp_path, name)
    if request.config.getoption("--refresh-examples"):
        file.write_text(picture, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == picture, "pytest --refresh-examples draws it"
    assert f'src="docs/pictures/{name}.svg"' in README


def test_every_command_block_is_tried() -> None:
    assert len(blocks("sh")) == 5 and len(blocks("text")) == 1
    assert len(blocks("sh", TUTORIAL)) == 4 and len(blocks("text", TUTORIAL)) == 4
    assert len(blocks("sh", COMMANDS)) == 1 and len(README.splitlines()) <= LONGEST
    assert blocks("sh")[OWN_TESTS] == "python3 dev.py test\n"  # this very run; `.ci/run` is held to it


def test_every_spec_in_the_documentation_is_good() -> None:
    import tomllib

    for path in sorted((REPOSITORY / "docs").glob("*.md")):
        for number, text in enumerate(blocks("toml", path.read_text(encoding="utf-8"))):
            raw = tomllib.loads(text)
            if "fields" in raw:
                assert read_spec({"name": "Shown", **raw}, f"{path.name}, block {number}").fields
