"""Which method `scaffold adopt` takes for the call, the values that it makes, and the numbers that it records."""

import sys
from pathlib import Path

import pytest

from tests.adopt.test_adopt import ODD, adopt, masked
from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

SOURCE = """
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class Mean(eqx.Module):
    total: Array
    count: Array

    def __init__(self, total: Float[Array, " n"], count: Float[Array, " n"]):
        self.total = jnp.array(total)
        self.count = jnp.array(count)

    def select(self):
        return self.total[:1]

    def update(self, x):
        return Mean(self.total + x, self.count + 1)

    def value(self):
        return self.total / self.count


class Window(eqx.Module):
    X: Array | None
    y: Array | None

    def __init__(self, X: Array | None = None, y: Array | None = None):
        self.X = None if X is None else jnp.array(X)
        self.y = None if y is None else jnp.array(y)

    def resize(self, n: int):
        return Window(self.X[:n], self.y[:n])


class Two(eqx.Module):
    first: Callable
    second: Callable
    knots: Array
    red: str = eqx.field(static=True)
    blue: str = eqx.field(static=True)

    def __init__(self, first: Callable, second: Callable, knots: Array, red: str, blue: str):
        self.first, self.second, self.knots = first, second, jnp.array(knots)
        self.red, self.blue = red, blue

    def __call__(self, x: Array) -> Array:
        return self.second(self.first(self.knots * x))
"""


def adopted(folder: Path, *options: str) -> str:
    write_tree(folder, {"lib.py": SOURCE})
    ran = scaffold(folder, "adopt", "lib.py", "--python", sys.executable, *options)
    assert ran.returncode == 3, ran.stdout + ran.stderr  # a class has no call
    return ran.stdout


@pytest.mark.slow  # the calls of one class each are looked at in every run
def test_the_call_is_what_the_class_is_for_and_its_numbers_are_recorded(tmp_path: Path) -> None:
    told = adopted(tmp_path)
    lines = told.splitlines()
    assert lines[0].startswith("Mean    adopted, called by `value`, ")
    assert "lib:Window: its call is not found: no meaningful call: `resize` takes no arrays" in told
    text = (tmp_path / "tests/test_two.py").read_text()
    assert '"first": jnp.tanh,' in text and '"second": jnp.sin,' in text
    assert '"knots": jnp.sort(sample(seed, (3,)))' in text
    assert '"red": "name",' in text and '"blue": "weight",' in text
    assert passed(forked_pytest(tmp_path, "tests", "--numbers=check")) > 150
    source = (tmp_path / "lib.py").read_text()
    (tmp_path / "lib.py").write_text(source.replace("self.total + x", "self.total - x"))
    ran = forked_pytest(tmp_path, "tests/test_mean.py", "--numbers=check")
    assert ran.returncode == 1 and "P19 numbers, at `update.total`" in ran.stdout


@pytest.mark.slow  # tests/records/test_record_numbers.py has first runs
def test_numbers_are_left_to_the_first_run_where_that_is_wished(tmp_path: Path) -> None:
    adopted(tmp_path, "--no-record")
    assert not (tmp_path / "tests/numbers").exists()
    settings = '[project]\nname = "lib"\n[tool.scaffold]\nnumbers = "off"\n'
    write_tree(tmp_path, {"pyproject.toml": settings})
    adopted(tmp_path)
    assert not (tmp_path / "tests/numbers").exists()


@pytest.mark.slow  # severities of suites are tried in tests/laws
def test_a_cost_is_a_warning_of_the_tests_and_no_failure(tmp_path: Path) -> None:
    strict = '[project]\nname = "odd"\n[tool.pytest.ini_options]\nfilterwarnings = ["error"]\n'
    write_tree(tmp_path, {"odd.py": ODD, "pyproject.toml": strict})
    result = adopt(tmp_path, "odd.py:Weak", "--build", "Weak.create(3)")
    assert (result.returncode, masked(result.stdout).split("\n")[0]) == (
        0,
        "Weak  adopted, N tests pass, N cost",
    )
    assert 'severity = "fault"' in (tmp_path / "tests/test_weak.py").read_text()
    ran = forked_pytest(tmp_path, "tests/test_weak.py")
    assert ran.returncode == 0 and "LawWarning: P5 static, at `mean`: it is weakly typed" in ran.stdout


SHAPES = {
    "shapes/__init__.py": "",
    "shapes/clouds.py": "import jax.numpy as jnp\n\n\ndef cloud(n):\n    return jnp.ones(n)\n",
}
BUILD = (
    "lib.py:Mean",
    "--build",
    "Mean(g.cloud(3), 2 * g.cloud(3))",
    "--python",
    sys.executable,
    "--dry-run",
)


@pytest.mark.slow
def test_what_is_said_of_a_class_may_name_what_is_imported_for_it(tmp_path: Path) -> None:
    write_tree(tmp_path, {"lib.py": SOURCE, **SHAPES})
    ran = scaffold(tmp_path, "adopt", *BUILD, "--with", "import shapes.clouds as g", "--diff")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "+import shapes.clouds as g" in ran.stdout
    ran = scaffold(tmp_path, "adopt", *BUILD, "--with", "g = 3", "--with", "from g import *")
    assert ran.returncode == 2
    assert (
        "--with 'from g import *': is no import statement\n  also: --with 'g = 3'\n  fix: write one"
        in ran.stderr
    )


MISTAKES = {
    ("--build", "Mean(g.cloud(3), jnp.ones(3))"): "raised NameError: name 'g' is not defined",
    ("--build", "Mean(jnp.ones(3)"): "is no Python: '(' was never closed",
    ("--call", "update(numbers)"): "raised NameError: name 'numbers' is not defined",
    (
        "--call",
        "update(jnp.ones(5))",
    ): "raised TypeError: add got incompatible shapes for broadcasting: (3,), (5,). (raised at: lib.py:",
    ("--call", "jnp.ones(3)"): "is no call of a method; legal are `METHOD(...)`, and `(...)` for `__call__`",
    ("--call", "total"): "names no method; legal are `select(...)`, `update(...)`, `value(...)`",
    ("--call", "norm(3)"): "names no method; legal are `select(...)`, `update(...)`, `value(...)`",
}


@pytest.mark.spread(6)
@pytest.mark.parametrize(("option", "text"), MISTAKES)
def test_a_mistake_in_what_is_said_is_no_fault_of_the_class(option: str, text: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"lib.py": SOURCE})
    built = [] if option == "--build" else ["--build", "Mean(jnp.ones(3), jnp.ones(3))"]
    ran = scaffold(tmp_path, "adopt", "lib.py:Mean", *built, option, text, "--python", sys.executable)
    assert ran.returncode == 2, ran.stdout
    assert f"{option} {text!r}: {MISTAKES[option, text]}" in ran.stderr
    assert "fix: write what works on the class" in ran.stderr
    assert {path.name for path in tmp_path.iterdir()} - {"__pycache__"} == {"lib.py"}
