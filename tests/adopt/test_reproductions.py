"""The lines of plain jax that a report has: they run as they stand, and raise until the class is mended."""

import json
import re
import sys
from pathlib import Path

import pytest

from scaffold.adopt.reproduce.plain import DRAWN, ONES, Numbers, plain
from scaffold.adopt.reproduce.recipes import RECIPES
from scaffold.adopt.reproduce.shown import with_error
from tests.support.projects import run, scaffold
from tests.support.trees import write_tree

MISTAKES = """
import copy
import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp


class Engine:
    pass


ENGINE = Engine()


class Kernel(eqx.Module):
    scale: jax.Array
    engine: Engine = eqx.field(static=True)

    def __init__(self, scale: jax.Array):
        self.scale = scale
        self.engine = ENGINE

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x


class Ratio(eqx.Module):
    scale: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * jnp.sin(x) / x


class Length(eqx.Module):
    scale: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.sqrt(jnp.sum((self.scale * x) ** 2))


class Branch(eqx.Module):
    scale: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x if x.sum() > 0 else x


class Halves(eqx.Module):
    # It is for bfloat16.

    scale: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return jax.lax.add(self.scale * x, jnp.ones(3, jnp.float32))


@jax.tree_util.register_pytree_node_class
@dataclasses.dataclass
class Checked:
    scale: jax.Array

    def __post_init__(self):
        if self.scale.ndim != 1:
            raise ValueError("scale must be a vector")

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x

    def tree_flatten(self):
        return (self.scale,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


@jax.tree_util.register_pytree_node_class
class Forgets:
    def __init__(self, scale: jax.Array, kind: str = "rbf"):
        self.scale, self.kind = scale, kind

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x

    def tree_flatten(self):
        return (self.scale,), ()

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, *aux)


@jax.tree_util.register_pytree_node_class
class Converts:
    def __init__(self, scale: jax.Array):
        self.scale = jnp.asarray(scale) if hasattr(scale, "shape") else scale

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x

    def tree_flatten(self):
        return (self.scale,), ()

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*[child + 0 if type(child) is bool else child for child in children])


class Unset(eqx.Module):
    scale: jax.Array
    rate: float = 0.5

    def __init__(self, scale: jax.Array):
        self.scale = scale

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * self.rate * x
"""
SHOWN = {
    "Branch": "test_p07_loses_no_precision_on_the_way",
    "Checked": "test_p03_round_trip_keeps_any_leaves",
    "Converts": "test_p03_round_trip_keeps_any_leaves",
    "Forgets": "test_p03_round_trip_keeps_what_the_constructor_is_given",
    "Halves": "test_p07_bfloat16_in_bfloat16_out",
    "Kernel": "test_p14_deepcopy",
    "Length": "test_p09_no_gradient_is_nan_where_the_output_is_finite",
    "Ratio": "test_p07_equal_arguments_give_no_nan",
    "Unset": "test_p14_pickle",
}
MENDED = {
    "Branch": ("self.scale * x if x.sum() > 0 else x", "jnp.where(x.sum() > 0, self.scale * x, x)"),
    "Checked": ("if self.scale.ndim != 1", "if getattr(self.scale, 'ndim', 1) != 1"),
    "Converts": ("[child + 0 if type(child) is bool else child for child in children]", "children"),
    "Forgets": ("(self.scale,), ()", "(self.scale,), (self.kind,)"),
    "Halves": ("jnp.ones(3, jnp.float32)", "jnp.ones(3, x.dtype)"),
    "Kernel": (
        "class Engine:\n    pass",
        "class Engine:\n    __eq__ = lambda self, other: True\n    __hash__ = None",
    ),
    "Length": ("jnp.sum((self.scale * x) ** 2)", "1 + jnp.sum((self.scale * x) ** 2)"),
    "Ratio": ("jnp.sin(x) / x", "jnp.sinc(x)"),
    "Unset": ("    rate: float = 0.5\n", "    rate = 0.5\n"),
}


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, str]]:
    """Findings that are shown by code, by class and test."""
    folder = tmp_path_factory.mktemp("mistakes")
    write_tree(folder, {"mistakes.py": MISTAKES})
    ran = scaffold(folder, "adopt", "mistakes.py", "--python", sys.executable, "--json", "--dry-run")
    return {
        (one["class"].partition(":")[2], finding["test"]): finding
        for one in json.loads(ran.stdout)["classes"]
        for finding in one["findings"][::-1]
        if "shows" in finding
    }


@pytest.fixture(scope="module")
def shown(findings: dict[tuple[str, str], dict[str, str]]) -> dict[str, str]:
    """What is shown of each class by one of its tests."""
    return {name: findings[name, test]["shows"] for name, test in SHOWN.items()}


def test_a_wrong_number_is_told_with_the_line_that_makes_it(
    findings: dict[tuple[str, str], dict[str, str]],
) -> None:
    made = findings["Ratio", SHOWN["Ratio"]]["made_at"]
    assert made.startswith("mistakes.py:")
    assert made.endswith("jnp.sin(x) / x")


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOWN)
def test_a_reproduction_raises_as_it_stands_and_passes_once_the_class_is_mended(
    name: str, shown: dict[str, str], tmp_path: Path
) -> None:
    code = shown[name]
    assert code and "pytree_laws" not in code and "seed" not in code
    write_tree(tmp_path, {"mistakes.py": MISTAKES, "shows.py": code})
    raised = run([sys.executable, "shows.py"], tmp_path)
    assert raised.returncode == 1
    comment = re.search(r"# raises (.*)", code)
    assert re.search(re.escape(comment[1] if comment else "AssertionError"), raised.stderr)
    write_tree(tmp_path, {"mistakes.py": MISTAKES.replace(*MENDED[name])})
    assert run([sys.executable, "shows.py"], tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("text", "numbers", "expected"),
    [
        ("sample(seed, (3,))", ONES, "jnp.ones(3)"),
        ("sample(seed + 2, (3, 5))", DRAWN, "jax.random.normal(jax.random.key(2), (3, 5))"),
        ("jnp.exp(sample(seed, ()))", Numbers("0"), "jnp.zeros(())"),
        ("jnp.exp(sample(seed, (3,)))", DRAWN, "jnp.exp(jax.random.normal(jax.random.key(0), 3))"),
        ("sample(seed, (2,), 'int', 1, 4)", ONES, "jax.random.randint(jax.random.key(0), 2, 1, 4)"),
        ("Net(key=jax.random.key(seed + 1), seed=seed)", ONES, "Net(key=jax.random.key(1), seed=0)"),
        ("self.make(seed).init(3)", ONES, "instance.init(3)"),
    ],
)
def test_an_expression_of_a_test_file_in_plain_jax(text: str, numbers: Numbers, expected: str) -> None:
    assert plain(text, numbers) == expected


def test_what_needs_the_suite_has_no_plain_form() -> None:
    with pytest.raises(ValueError, match="suite"):
        plain("self.inputs(seed)", ONES)


def test_what_a_script_raises_is_told_where_it_is_short() -> None:
    assert with_error("run()", "ValueError: no") == "run()  # raises ValueError: no"
    assert with_error("run()", f"ValueError: {'no ' * 50}") == "run()  # raises ValueError"
    assert with_error("assert False", "AssertionError: ") == "assert False"


def test_each_recipe_is_of_a_test_of_the_laws() -> None:
    sources = [path.read_text() for path in (Path(__file__).parents[2] / "pytree_laws/src").rglob("*.py")]
    assert [name for name in RECIPES if not any(name in source for source in sources)] == []
