"""Five places where the usual project templates break Equinox code, each shown not to break here.

Each test also does what the usual templates do, and sees it break: otherwise it could not fail.
"""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.project.test_project import EVERY_KIND, made
from tests.support.projects import run

STYLES = ("kidger", "scientific-python")


@pytest.fixture(scope="module", params=STYLES)
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of each style, with a class of each kind."""
    folder = tmp_path_factory.mktemp("made") / "study"
    return made(folder, f"style={request.param}", "layout=flat", EVERY_KIND)


def settings(project: Path) -> dict[str, Any]:
    return tomllib.loads((project / "pyproject.toml").read_text())


def ruff(project: Path, *arguments: str) -> str:
    """What ruff says of the project, with the project's own settings."""
    return run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=concise", *arguments], project
    ).stdout


# -- 1: a type checker that does not see the dependencies --------------------------------------------------------------

MISTAKE = """
import jax
import jax.numpy as jnp

shape: jax.Array = jnp.zeros(3).shape
"""


@pytest.mark.slow
def test_the_hook_for_types_sees_jax(project: Path, tmp_path: Path) -> None:
    config = yaml.safe_load((project / ".pre-commit-config.yaml").read_text())
    hooks = {hook["id"]: hook for repo in config["repos"] for hook in repo["hooks"]}
    [checker] = hooks.keys() & {"mypy", "pyright"}
    assert hooks[checker]["language"] == "system"
    assert hooks[checker]["entry"].split() == ["uv", "run", checker]
    (tmp_path / "mistake.py").write_text(MISTAKE)
    result = run([sys.executable, "-m", checker, "mistake.py"], tmp_path)
    assert result.returncode == 1 and '"tuple[int, ...]"' in result.stdout


@pytest.mark.slow
def test_a_hook_in_an_environment_of_its_own_would_pass_anything(tmp_path: Path) -> None:
    (tmp_path / "mistake.py").write_text(MISTAKE)
    alone = ("--no-site-packages", "--ignore-missing-imports")
    assert run([sys.executable, "-m", "mypy", *alone, "mistake.py"], tmp_path).returncode == 0


# -- 2: rows of continuous integration that jax cannot meet ------------------------------------------------------------


PLATFORMS = {"ubuntu-latest": "linux", "macos-latest": "macos", "windows-latest": "windows"}


def resolved(requirements: list[str], python: str, resolution: str, system: str = "ubuntu-latest") -> str:
    """The versions that uv finds for a Python on a system, from wheels alone; empty where there are none."""
    platform = PLATFORMS[system]
    options = ("--python-version", python, "--python-platform", platform, "--resolution", resolution)
    command = ["uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--only-binary", ":all:"]
    text = "\n".join(requirements)
    done = subprocess.run([*command, *options, "-"], input=text, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


@pytest.mark.slow  # what an index has today, no change here moves
def test_every_row_of_ci_can_be_installed(project: Path) -> None:
    workflow = yaml.safe_load((project / ".github/workflows/ci.yml").read_text())
    rows = workflow["jobs"]["tests"]["strategy"]["matrix"]["include"]
    document = settings(project)
    [wheel] = project.glob("tests/*.whl")
    tools = [name for name in document["dependency-groups"]["test"] if not name.startswith("pytree-laws")]
    wanted = [*document["project"]["dependencies"], *tools, f"pytree-laws @ {wheel.as_uri()}"]
    floor = document["project"]["requires-python"].removeprefix(">=")
    assert rows[0] == {"system": "ubuntu-latest", "python": floor, "resolution": "lowest-direct"}
    assert {row["system"] for row in rows} == set(PLATFORMS)
    found = {tuple(row.values()): resolved(wanted, **row) for row in rows}
    assert all("jax==" in versions for versions in found.values()), found
    oldest = next(name for name in wanted if name.startswith("jax>=")).replace(">=", "==")
    assert f"{oldest}\n" in found["ubuntu-latest", floor, "lowest-direct"]


@pytest.mark.slow  # as above
def test_the_newest_jax_on_the_oldest_python_is_a_row_that_cannot_be_met() -> None:
    assert resolved(["jax>=0.11"], "3.11", "highest") == ""
    assert "jax==" in resolved(["jax>=0.11"], "3.14", "highest")


# -- 3: rules that hide jaxtyping from run time ------------------------------------------------------------------------


@pytest.mark.slow
def test_fixes_leave_jaxtyping_where_run_time_finds_it(project: Path, tmp_path: Path) -> None:
    package = tmp_path / "study"
    package.mkdir()
    (tmp_path / "pyproject.toml").write_bytes((project / "pyproject.toml").read_bytes())
    module = package / "affine.py"
    text = (project / "study/affine.py").read_text()
    module.write_text("from __future__ import annotations\n\n" + text)
    ruff(tmp_path, "--fix", "--unsafe-fixes")
    assert "TYPE_CHECKING" not in module.read_text()
    assert 'bias: Float[Array, " out_size"] | None' in module.read_text()
    ruff(tmp_path, "--fix", "--unsafe-fixes", "--extend-select", "TC")
    assert "if TYPE_CHECKING:\n    from jax" in module.read_text()


SHAPES = """
import jax
import jax.dtypes
import jax.numpy as jnp
import pytest
from study import Affine


def test_a_wrong_shape_is_refused():
    affine = Affine.create(2, 3, use_bias=False, key=jax.random.key(0))
    with pytest.raises(TypeError, match="in_size"):
        affine(jnp.zeros((3, 4)))


def test_a_promotion_is_refused():
    with pytest.raises(jax.dtypes.TypePromotionError):
        jnp.zeros(2, jnp.float32) + jnp.zeros(2, jnp.int32)
"""


@pytest.mark.slow
@pytest.mark.spread(2)
def test_shapes_and_promotion_are_checked_at_run_time(project: Path, tmp_path: Path) -> None:
    fake = tmp_path / "study-0.1.0.dist-info"
    fake.mkdir()
    (fake / "METADATA").write_text("Metadata-Version: 2.4\nName: study\nVersion: 0.1.0\n")
    test = project / "tests/test_shapes.py"
    test.write_text(SHAPES)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_shapes.py"]
    try:
        checked = run(command, project, env={"PYTHONPATH": str(tmp_path)})
        unchecked = run([*command, "-o", "addopts="], project, env={"PYTHONPATH": str(tmp_path)})
    finally:
        test.unlink()
    assert "2 passed" in checked.stdout, checked.stdout
    assert "1 failed, 1 passed" in unchecked.stdout


# -- 4: families of rules that fight JAX code --------------------------------------------------------------------------

GOOD = '''\
"""Good JAX code."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def rotate(
    W: Float[Array, "size size"],
    x: Float[Array, " size"],
    n: int,
    a: float,
    b: float,
    c: float,
    use_bias: bool = True,
) -> Float[Array, " size"]:
    """Rotate `x`, and shift it."""
    shift = jax.vmap(lambda v: a * v**3 + b * v + c)
    y = jax.lax.fori_loop(0, n, lambda _, v: W @ v, x)
    return shift(y) if use_bias else 0.5 * jnp.tanh(y)
'''
FIGHTS = ("FBT", "N", "PLR", "ARG")


@pytest.mark.slow
def test_good_code_is_left_in_peace(project: Path, tmp_path: Path) -> None:
    ignored = settings(project)["tool"]["ruff"]["lint"]["ignore"]
    assert {"F722", "UP037"} <= set(ignored)
    (tmp_path / "pyproject.toml").write_bytes((project / "pyproject.toml").read_bytes())
    (tmp_path / "good.py").write_text(GOOD)
    assert ruff(tmp_path) == "All checks passed!\n"
    told = ruff(tmp_path, "--extend-select", ",".join(FIGHTS))
    assert {"FBT001", "N803", "PLR0913"} <= {line.split()[1] for line in told.splitlines() if ".py:" in line}


def test_what_is_emitted_is_clean(project: Path) -> None:
    assert ruff(project) == "All checks passed!\n"


def test_the_family_that_removes_quotes_would_open_every_shape(project: Path, tmp_path: Path) -> None:
    (tmp_path / "shape.py").write_text('from jaxtyping import Array, Float\n\nx: Float[Array, "size"]\n')
    (tmp_path / "pyproject.toml").write_bytes((project / "pyproject.toml").read_bytes())
    ruff(tmp_path, "--fix")
    assert 'Float[Array, "size"]' in (tmp_path / "shape.py").read_text()


# -- 5: the oldest Python, and the syntax that is emitted --------------------------------------------------------------


def test_what_is_emitted_is_python_of_the_oldest_version(project: Path) -> None:
    assert settings(project)["project"]["requires-python"] == ">=3.11"
    for path in project.rglob("*.py"):
        ast.parse(path.read_text(), feature_version=(3, 11))
    newer = project / "study/newer.py"
    newer.write_text("type Size = int\n")
    told = ruff(project)
    newer.unlink()
    assert "newer.py:1:1: invalid-syntax: Cannot use `type` alias statement on Python 3.11" in told
