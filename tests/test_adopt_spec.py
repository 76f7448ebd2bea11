"""`scaffold adopt --spec`: a class that exists as a spec, and what would differ. The examples, whose specs are known, come out again."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from scaffold.generate import shown_files
from scaffold.in_project.layout import find_layout
from tests.projects import EXAMPLES, REPOSITORY, run
from tests.support import read_tree, write_tree

QUICK = (
    *("abstract_norm.py:AbstractNorm", "affine.py:Affine", "affine_init.py:AffineInit", "belief.py:Belief"),
    *("coupling.py:Coupling", "linear.py:Linear", "running_centre.py:RunningCentre", "stack.py:Stack"),
    *("table_bypass.py:TableBypass", "table_factory.py:TableFactory", "whiten.py:Whiten"),
)
"""Examples of every form that comes out as it is: factories, `__init__`, draws, buffers, state, containers, pytrees."""
OTHERWISE = {
    "embedding.py:Embedding": "becomes `jnp.array(",  # its weight is made ready in an expression, and copied once more
    "loop_condition.py:LoopCondition": "it is a closure",
    "low_rank_linear.py:LowRankLinear": "trained_fields",  # `frozen` has no trace but this
    "nnx_block.py:NnxBlock": "becomes `Count[",  # a type of its own, which the class would have again
    "smooth.py:Smooth": "__check_init__: does",  # a tuple whose parts are of one type
    "solver_term.py:SolverTerm": "it is a closure",
    "split_params_nested.py:SplitParamsNested": "",  # groups
    "split_table.py:SplitTable": "combine: is left out",
    "table_flag.py:TableFlag": "_rebuild",
    "table_static.py:TableStatic": "table_preset",
    "train_state.py:TrainState": "it is a train state",
}
"""Examples that a spec gives otherwise than by the form of the class alone, with a part of what is told of them."""


def adopt(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scaffold", "adopt", *arguments, "--spec", "--python", sys.executable]
    return run(command, folder)


def told(folder: Path, *targets: str) -> dict[str, dict[str, Any]]:
    """What is said of each class, by its name."""
    result = adopt(folder, *targets, "--json")
    assert result.returncode in (0, 1), result.stderr
    return {one["class"].partition(":")[2]: one for one in json.loads(result.stdout)["specs"]}


def lines(one: dict[str, Any]) -> list[str]:
    """The differences as they are printed."""
    return [
        f"{each['place']}: {each['what']}" + f": {each['why']}" * bool(each["why"])
        for each in one["differences"]
    ]


class LastNames(ast.NodeTransformer):
    """`State` for `eqx.nn.State`: an import by another way is no difference of the class."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        root = ast.unparse(node).partition(".")[0]
        return ast.Name(node.attr) if root in ("eqx", "jax", "jnp") else self.generic_visit(node)  # type: ignore[return-value]


def without_docstrings(text: str, name: str) -> str:
    """The statement of a class, of which nothing but docstrings is left out."""
    [node] = [one for one in ast.parse(text).body if isinstance(one, ast.ClassDef) and one.name == name]
    for one in ast.walk(node):
        if (
            isinstance(one, ast.FunctionDef | ast.ClassDef)
            and ast.get_docstring(one, clean=False) is not None
        ):
            one.body = one.body[1:]
    return ast.unparse(LastNames().visit(node))


def check_round_trip(targets: Iterable[str], folder: Path) -> None:
    """That each class is given by its spec with no difference told, and with none that is there."""
    targets = list(targets)
    before = read_tree(EXAMPLES)
    found = told(EXAMPLES, *targets)
    assert read_tree(EXAMPLES) == before
    assert list(found) == [one.partition(":")[2] for one in targets]
    for target in targets:
        file, _, name = target.partition(":")
        assert (found[name]["form"], found[name]["why"], lines(found[name])) == ("py", None, []), target
        path = write_tree(folder, {f"specs/{file}": found[name]["spec"]}) / "specs" / file
        [text] = [one.text for one in shown_files(str(path), find_layout(folder)) if one.path.name == file]
        assert without_docstrings(text, name) == without_docstrings((EXAMPLES / file).read_text(), name), (
            target
        )


def test_the_examples_come_out_as_they_are(tmp_path: Path) -> None:
    check_round_trip(QUICK, tmp_path)


@pytest.mark.slow
def test_every_example_comes_out_or_tells_why(tmp_path: Path) -> None:
    every = {
        f"{path.name}:{one.name}"
        for path in EXAMPLES.glob("*.py")
        for one in ast.parse(path.read_text()).body
        if isinstance(one, ast.ClassDef) and (EXAMPLES / "tests" / f"test_{path.name}").exists()
    }
    every -= {"nnx_block.py:Count", "split_params_nested.py:SplitParamsNestedSmall", "padding.py:Boundary"}
    check_round_trip(sorted(every - {*OTHERWISE}), tmp_path)
    found = told(EXAMPLES, *OTHERWISE)
    for target, part in OTHERWISE.items():
        one = found[target.partition(":")[2]]
        assert part in "\n".join([one["why"] or "", *lines(one)]) and (one["why"] or lines(one)), target


WHITEN = (EXAMPLES / "whiten.py").read_text(encoding="utf-8")
UNSAID = {
    "a constant of the class": (
        ("    epsilon: float = eqx", "    order: ClassVar[int] = 2\n    epsilon: float = eqx"),
        ["order: is left out: a spec has no place for what belongs to the class alone"],
    ),
    "a keyword": (("(eqx.Module)", "(eqx.Module, strict=True)"), ["the class: `strict=True` is left out"]),
    "a decorator": (
        ("class Whiten", "@final\nclass Whiten"),
        ["the class: `@final` is left out"],
    ),
    "a method that decides": (
        ("    def trainable", "    def __hash__(self):\n        return 2\n\n    def trainable"),
        ["__hash__: is left out: `__hash__` is what jax, Python or the class decides by"],
    ),
    "no copy": (
        ("mean=_real(mean, asked)", "mean=mean"),
        ["create, `mean`: `mean` becomes `jnp.array(mean, dtype)`: what is given is copied"],
    ),
    "another condition": (
        ("if not (self.epsilon > 0):", 'if self.epsilon < 0 and print("odd"):'),
        ["__check_init__: does "],
    ),
    "a default": (("epsilon: float = 1e-06", "epsilon: float = 0.25"), []),
    "another draw": (("gain=jnp.ones((size,), dtype)", "gain=jnp.full((size,), 3.0, dtype)"), []),
}


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What is said of one class as it is, and with each edit."""
    folder = tmp_path_factory.mktemp("edited")
    files = {f"edit{place}.py": edit(*change) for place, (change, _) in enumerate(UNSAID.values())}
    write_tree(folder, files)
    result = adopt(folder, *(f"{path}:Whiten" for path in files), "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    assert read_tree(folder).keys() == files.keys()
    return dict(zip(UNSAID, json.loads(result.stdout)["specs"], strict=True))


def edit(old: str, new: str) -> str:
    assert WHITEN.count(old) == 1, old
    return "from typing import ClassVar, final\n\n" + WHITEN.replace(old, new)


@pytest.mark.parametrize("name", UNSAID)
def test_what_no_spec_says_is_told(edited: dict[str, dict[str, Any]], name: str) -> None:
    found, expected = lines(edited[name]), UNSAID[name][1]
    assert bool(found) is bool(expected), found
    assert [one for one in expected if not any(line.startswith(one) for line in found)] == [], found


NNX = """
import jax
import jax.numpy as jnp
from flax import nnx


class Norm(nnx.Module):
    def __init__(self, size: int, depth: int, decay: float = 0.9, *, rngs: nnx.Rngs):
        self.scale = nnx.Param(jnp.ones((size,)))
        self.mean = nnx.BatchStat(jnp.zeros((size,)))
        self.steps = nnx.Variable(jnp.zeros((), jnp.int32))
        self.layers = nnx.List([nnx.Linear(size, size, rngs=rngs) for _ in range(depth)])
        self.depth, self.decay = depth, decay
        if not self.decay < 1:
            raise ValueError(f"`decay` must satisfy `decay < 1`, got {self.decay!r}")

    def __call__(self, x: jax.Array):
        self.mean.value = self.decay * self.mean.value + (1 - self.decay) * x
        self.steps[...] += 1
        for layer in self.layers:
            x = layer(x)
        return self.scale.get_value() * (x - self.mean[...])


class Noise(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.scale, self.rngs = nnx.Param(jnp.ones((size,))), rngs

    def __call__(self, x: jax.Array):
        return x + self.scale * jax.random.normal(self.rngs.noise(), x.shape)
"""


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_module_of_nnx_is_said_in_arrays(tmp_path: Path, processes: str) -> None:
    write_tree(tmp_path, {"nets.py": NNX})
    result = adopt(tmp_path, "nets.py", "--json", "-n", processes)
    noise, norm = json.loads(result.stdout)["specs"]
    assert noise["why"] == "it keeps its `rngs`, and by a spec `__init__` draws, or the call from a key"
    assert [line for line in SAID if line not in norm["spec"]] == [], norm["spec"]
    told = lines(norm)
    assert [one for one in told if one.partition(":")[0] in ("the class", "__init__, `layers`")] == []
    assert "mean: is a field as well: what `__init__` assigns is declared" in told
    write_tree(tmp_path, {"specs/norm.py": norm["spec"]})
    shown = run([sys.executable, "-m", "scaffold", "show", "specs/norm.py"], tmp_path)
    assert "self.mean = nnx.BatchStat(" in shown.stdout, shown.stderr
    assert "self.steps[...] += 1" in shown.stdout


SAID = (
    'scale: Float32[Array, " size"] = param("ones")',
    'mean: Float32[Array, " size"] = state("zeros", variable="BatchStat")',
    'steps: Int32[Array, ""] = buffer("zeros")',
    "layers: list[Linear] = module(",
    "decay: float = static(0.9, check=lambda decay: decay < 1)",
    "self.mean = self.decay * self.mean + (1 - self.decay) * x",
    "self.steps += 1",
    "return self.scale * (x - self.mean)",
)

ODD = """
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp


class Maker(type):
    pass


@jax.tree_util.register_pytree_node_class
class Aliased(metaclass=Maker):
    def tree_flatten(self):
        return (), ()

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls()


class Base(eqx.Module):
    gain: jax.Array


class Below(Base):
    pass


class Empty(eqx.Module):
    def __call__(self, x: jax.Array) -> jax.Array:
        return x


class Frozen(eqx.Module):
    gain: jax.Array = eqx.field(static=True)


class Halfway(eqx.Module):
    gain: jax.Array
    sum: jax.Array

    def __init__(self, size: int):
        self.gain = jnp.ones(size)
        self.sum = self.summed()

    def summed(self) -> jax.Array:
        return self.gain.sum()


class New(eqx.Module):
    gain: jax.Array

    def __new__(cls, *arguments: Any) -> "New":
        return super().__new__(cls)
"""
WHY = {
    "Halfway": "`sum = self.summed()` in its `__init__` uses an instance that is not finished",
    "Aliased": "its metaclass `Maker` may do anything to it",
    "Below": "its field `gain` is declared by `Base`, and a class of a spec has its own",
    "Empty": "it holds nothing, and a spec has fields",
    "Frozen": "its static field `gain` is an array, which has no equality that a treedef could use",
    "New": "`__new__` decides how it is built, and a spec has no place for it",
}


def test_what_cannot_be_said_is_told_in_a_line(tmp_path: Path) -> None:
    write_tree(tmp_path, {"odd.py": ODD})
    result = adopt(tmp_path, *(f"odd.py:{name}" for name in WHY))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [f"odd:{name}: no spec says it: {why}" for name, why in WHY.items()]
    assert read_tree(tmp_path).keys() == {"odd.py"}


PAGE = (REPOSITORY / "docs" / "adopt.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_shows_what_it_prints(tmp_path: Path) -> None:
    layers = next(body for name, body in BLOCK.findall(PAGE) if name == "python")
    [command, skeleton, differences] = BLOCK.findall(PAGE[PAGE.index("## A class as a spec") :])[:3]
    write_tree(tmp_path, {"nets/__init__.py": "", "nets/layers.py": layers})
    [target] = re.findall(r"nets\.\S+", command[1])
    result = adopt(tmp_path, target)
    assert (result.stdout, result.stderr, result.returncode) == (skeleton[1], differences[1], 0)
    assert read_tree(tmp_path).keys() == {"nets/__init__.py", "nets/layers.py"}
    write_tree(tmp_path, {"specs/affine.py": result.stdout})
    assert (
        "class Affine(eqx.Module):"
        in run([sys.executable, "-m", "scaffold", "show", "specs/affine.py"], tmp_path).stdout
    )
