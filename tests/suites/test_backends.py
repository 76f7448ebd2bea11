"""The platform of the tests: chosen by the spec, the project, the command line and the environment; never another."""

from pathlib import Path

import pytest

from tests.support.projects import AFFINE, bare_pytest, passed, run, scaffold
from tests.support.trees import write_tree

PROJECT = """
[project]
name = "pkg"

[tool.scaffold]
backend = "cuda"
lower_for = ["cuda", "tpu"]
"""


def generated(folder: Path, *arguments: str) -> str:
    """The generated test of Affine."""
    result = scaffold(folder, "new-module", *AFFINE, *arguments)
    assert result.returncode == 0, result.stderr
    return (folder / "tests" / "test_affine.py").read_text(encoding="utf-8")


def test_where_nothing_is_said_the_tests_run_wherever_jax_does(tmp_path: Path) -> None:
    test = generated(tmp_path)
    assert "backend" not in test
    assert "lower_for" not in test


@pytest.mark.slow  # a run of its own, as others near it
def test_the_command_line_chooses_and_the_spec_keeps_it(tmp_path: Path) -> None:
    test = generated(tmp_path, "--backend", "cpu", "--lower-for", "cuda", "--lower-for", "tpu")
    assert 'backend = "cpu"\n    lower_for = ("cuda", "tpu")\n' in test
    spec = (tmp_path / "specs" / "affine.toml").read_text(encoding="utf-8")
    assert '[test]\nbackend = "cpu"\nlower_for = ["cuda", "tpu"]\n' in spec
    assert scaffold(tmp_path, "new-module", "--spec", "specs/affine.toml").returncode == 0
    assert passed(bare_pytest(tmp_path, "-k", "p18")) == 3


def test_the_project_chooses_where_the_spec_does_not(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": PROJECT})
    test = generated(tmp_path)
    assert 'backend = "cuda"\n    lower_for = ("cuda", "tpu")\n' in test
    (tmp_path / "tests" / "test_affine.py").unlink()
    (tmp_path / "affine.py").unlink()
    spec = tmp_path / "specs" / "affine.toml"
    spec.write_text(
        spec.read_text(encoding="utf-8") + '\n[test]\nbackend = "cpu"\nlower_for = []\n', encoding="utf-8"
    )
    assert scaffold(tmp_path, "new-module", "--spec", "specs/affine.toml").returncode == 0
    test = (tmp_path / "tests" / "test_affine.py").read_text(encoding="utf-8")
    assert 'backend = "cpu"\n' in test
    assert "lower_for" not in test


def test_an_unknown_platform_is_refused(tmp_path: Path) -> None:
    result = scaffold(tmp_path, "new-module", *AFFINE, "--backend", "gpu", "--lower-for", "tpuu")
    assert result.returncode == 2
    assert (
        "--backend: `gpu` is not legal\n  legal: cpu, cuda, rocm, tpu\n  fix: write `cuda` for NVIDIA or"
        in result.stderr
    )
    assert (
        "--lower-for: `tpuu` is not legal\n  legal: cpu, cuda, rocm, tpu\n  fix: did you mean `tpu`?"
        in result.stderr
    )
    assert not any(tmp_path.iterdir())


def test_what_a_spec_says_is_not_said_again(tmp_path: Path) -> None:
    generated(tmp_path)
    arguments = (
        "--spec",
        "specs/affine.toml",
        "--backend",
        "cpu",
        "--lower-for",
        "tpu",
        "--size",
        "in_size=3",
    )
    result = scaffold(tmp_path, "new-module", *arguments)
    assert result.returncode == 2
    assert "`--spec` says it all, and --backend, --size, --lower-for says it again" in result.stderr


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("declared", "env", "told"),
    [
        ("cuda", {}, "the tests must run on cuda, and jax has none: Unknown backend cuda."),
        (
            "cpu",
            {"PYTREE_LAWS_BACKEND": "rocm"},
            "the tests must run on rocm, and jax has none: Unknown backend rocm.",
        ),
        ("tpu", {"JAX_PLATFORMS": "tpu"}, "the tests must run on tpu, and jax has none: "),
    ],
)
def test_the_tests_refuse_any_other_platform(
    declared: str, env: dict[str, str], told: str, tmp_path: Path
) -> None:
    generated(tmp_path, "--backend", declared)
    wanted = env.get("PYTREE_LAWS_BACKEND", declared)
    result = run(["pytest", "-q", "-p", "no:cacheprovider"], tmp_path, env=env)
    assert result.returncode == 1
    assert told in result.stdout
    assert f"to run on {wanted}: install jax for it, and set JAX_PLATFORMS={wanted}" in result.stdout
    assert "set PYTREE_LAWS_BACKEND to cpu, cuda, rocm or tpu for this run" in result.stdout
    # said once, and nothing has run
    assert result.stdout.count("ERROR at setup of") == 1
    assert "1 error" in result.stdout
    assert "passed" not in result.stdout
    assert "failed" not in result.stdout


@pytest.mark.slow  # a run of its own
def test_the_environment_chooses_before_the_class(tmp_path: Path) -> None:
    generated(tmp_path, "--backend", "cuda")
    result = run(
        ["pytest", "-q", "-p", "no:cacheprovider", "-k", "p02"], tmp_path, env={"PYTREE_LAWS_BACKEND": "cpu"}
    )
    assert passed(result) > 0
