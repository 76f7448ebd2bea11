"""`save` in a spec, on the command line and in a project; what the classes that have it do."""

import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx

from tests.support.forking import forked_pytest
from tests.support.projects import EXAMPLES, copy_example, failed_tests, passed, scaffold
from tests.support.trees import read_tree, write_tree

SCALE = ("Scale", "factor:f[size]", "--call", "x:f[size] -> f[size]", "--body", "return self.factor * x")
PACKAGE = {"pyproject.toml": '[project]\nname = "lib"\n', "lib/__init__.py": ""}


def spec(name: str = "Scale", more: str = "", fields: str = 'factor = "f[size]"') -> str:
    return f'name = "{name}"\n{more}\n[fields]\n{fields}\n'


def refused(folder: Path, *arguments: str) -> str:
    """What the tool says when it refuses with exit code 2, having written nothing."""
    before = read_tree(folder)
    result = scaffold(folder, "new-module", *arguments)
    assert (result.returncode, read_tree(folder)) == (2, before), result.stderr
    return result.stderr


# Where it comes from


@pytest.mark.parametrize("before", [{}, PACKAGE], ids=["loose", "package"])
def test_the_command_line_writes_the_key_and_the_module(before: dict[str, str], tmp_path: Path) -> None:
    write_tree(tmp_path, before)
    result = scaffold(tmp_path, "new-module", *SCALE, "--save")
    assert result.returncode == 0, result.stderr
    source = tmp_path / ("lib" if before else ".")
    assert "save = true\n" in (tmp_path / "specs/scale.toml").read_text()
    assert [path.stem for path in source.glob("*serialisation.py")] == ["serialisation"]
    package = "lib." if before else ""
    line = f"from {package}serialisation import load_tree, save_tree"
    assert line in (source / "scale.py").read_text()
    assert passed(forked_pytest(tmp_path, "-k", "p14")) == 8


def test_without_it_nothing_is_there(tmp_path: Path) -> None:
    assert scaffold(tmp_path, "new-module", *SCALE).returncode == 0
    assert not list(tmp_path.glob("*serialisation.py"))
    assert "save" not in (tmp_path / "scale.py").read_text()


@pytest.mark.parametrize(
    ("setting", "key", "expected"),
    [
        ("save = true", "", "save_tree(path, self)"),
        ("save = true", "save = false", ""),
        ("save = false", "", ""),
        ("save = false", "save = true", "save_tree(path, self)"),
    ],
)
def test_the_project_decides_where_the_spec_says_nothing(
    setting: str, key: str, expected: str, tmp_path: Path
) -> None:
    write_tree(
        tmp_path, {"pyproject.toml": f"[tool.scaffold]\n{setting}\n", "specs/scale.toml": spec(more=key)}
    )
    result = scaffold(tmp_path, "show", "Scale", "--code", "--json")
    text = json.loads(result.stdout)["files"][0]["text"]
    assert expected in text and (expected != "") == ("def load(" in text)


def test_the_module_is_the_users_own(tmp_path: Path) -> None:
    assert scaffold(tmp_path, "new-module", *SCALE, "--save").returncode == 0
    module = tmp_path / "serialisation.py"
    module.write_text(module.read_text() + "\n# Mine.\n")
    other = scaffold(tmp_path, "new-module", "Shift", "shift:f[size]", "--save")
    assert other.returncode == 0, other.stderr
    assert module.read_text().endswith("# Mine.\n")


# What is refused


@pytest.mark.parametrize("value", ['"leaves"', '"safetensors"', "3"])
def test_there_is_one_format_and_no_choice(value: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/scale.toml": spec(more=f"save = {value}")})
    told = refused(tmp_path, "--spec", "specs/scale.toml")
    shown = value.replace('"', "'")
    assert f": save: {shown} is not a boolean\n" in told
    assert (
        "write `save = true`: Whether the class has `save` and `load`, whose files are safetensors." in told
    )


def test_a_setting_that_cannot_be_used(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": '[tool.scaffold]\nsave = "npz"\n'})
    told = refused(tmp_path, *SCALE)
    assert "pyproject.toml: tool.scaffold.save: is a string, and should be a boolean" in told


def test_all_names_that_are_taken_are_told_at_once(tmp_path: Path) -> None:
    fields = 'load = "f[]"\nsave = "f[]"'
    write_tree(
        tmp_path,
        {
            "specs/scale.toml": spec(more="save = true", fields=fields),
            "specs/serialisation.toml": spec("Serialisation"),
        },
    )
    told = refused(tmp_path, "--spec", "specs/scale.toml", "specs/serialisation.toml")
    for name in ("load", "save"):
        assert f"fields.{name}: `{name}` is a method of a class with `save`\n" in told
    assert "name: `serialisation.py` is where `save` and `load` do their work\n" in told


def test_another_module_of_that_name_is_not_taken_for_ours(tmp_path: Path) -> None:
    write_tree(tmp_path, {"serialisation.py": "VERSION = 3\n"})
    assert refused(tmp_path, *SCALE, "--save") == (
        "error: --save: `serialisation.py` is there already, and has no function `load_tree`\n"
        "  fix: rename that module: `serialisation.py` is where `save` and `load` do their work\n"
    )


# What the classes do


@pytest.fixture(autouse=True)
def on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))


def example(name: str) -> Any:
    stems = {"NnxBlock": "nnx_block", "TrainState": "train_state", "SolverTerm": "solver_term"}
    return getattr(importlib.import_module(stems.get(name, name.lower())), name)


def train_state(optimiser: Any, seed: int = 0) -> Any:
    whiten = example("Whiten").create(jnp.full(2, float(seed)), jnp.ones(2), 2)
    regressor = example("Regressor").create(whiten, 2, 3, key=jax.random.key(seed))
    return example("TrainState").create(regressor, optimiser, key=jax.random.key(seed))


@pytest.mark.slow
def test_a_resumed_run_is_the_uninterrupted_one(tmp_path: Path) -> None:
    optimiser = optax.adamw(0.01)

    @eqx.filter_jit
    def step(state: Any) -> Any:
        x = jax.random.normal(state.step_key, (2,))
        slopes = eqx.filter_grad(lambda model: jnp.sum(model(x) ** 2))(state.model)
        return state.apply_gradients(slopes, optimiser)

    half = step(step(train_state(optimiser)))
    half.save(tmp_path / "run")
    skeletons = (
        train_state(optimiser, seed=1),
        eqx.filter_eval_shape(train_state, optimiser),
    )
    for like in skeletons:
        resumed = step(step(type(half).load(tmp_path / "run", like)))
        assert bool(eqx.tree_equal(step(step(half)), resumed))
    with pytest.raises(ValueError, match="opt_state") as caught:
        type(half).load(tmp_path / "run", train_state(optax.sgd(0.1, momentum=0.9)))
    assert "optax.ScaleByAdamState in the file, optax.transforms.TraceState in `like`" in str(caught.value)


def test_a_closure_is_refused_where_its_arguments_are_others(tmp_path: Path) -> None:
    make = example("SolverTerm").create
    arrays = (jnp.ones((2, 2)), jnp.ones(2), jnp.ones(()))
    term = make(*arrays, (jnp.ones(()), jnp.ones(2), jnp.ones(2)))
    term.save(tmp_path / "term")
    other = make(*arrays, (jnp.ones(()), jnp.ones(2)))
    with pytest.raises(ValueError) as caught:
        type(term).load(tmp_path / "term", other)
    assert "float32[], float32[2], float32[2]" in str(caught.value).splitlines()[1]
    assert len(str(caught.value).splitlines()) == 2


def test_nnx_keeps_shared_variables_shared(tmp_path: Path) -> None:
    def tied(seed: int) -> Any:
        block = example("NnxBlock")(3, rngs=nnx.Rngs(seed))
        block.layers[1].kernel = block.layers[0].kernel
        return block

    block = tied(0)
    block(jnp.ones(3))
    block.save(tmp_path / "block")
    for like in (tied(1), nnx.eval_shape(lambda: tied(1))):
        loaded = type(block).load(tmp_path / "block", like)
        assert loaded.layers[0].kernel is loaded.layers[1].kernel
        assert loaded.layers[0].kernel is not like.layers[0].kernel
        assert int(loaded.calls[...]) == 1
        np.testing.assert_array_equal(loaded(jnp.ones(3)), nnx.clone(block)(jnp.ones(3)))
    with pytest.raises(ValueError, match=r"momentum: 0.9 in the file, 0.5 in `like`"):
        type(block).load(tmp_path / "block", example("NnxBlock")(3, momentum=0.5, rngs=nnx.Rngs(0)))


@pytest.mark.spread(3)
@pytest.mark.parametrize("form", ["flag", "factory", "static"])  # the examples have bypass
def test_every_form_of_rebuild_saves(form: str, tmp_path: Path) -> None:
    text = (EXAMPLES / f"specs/table_{form}.toml").read_text()
    write_tree(tmp_path, {"specs/table.toml": text.replace("doc =", "save = true\ndoc =", 1)})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/table.toml")
    assert result.returncode == 0, result.stderr
    assert passed(forked_pytest(tmp_path, "-k", "p14")) >= 6


# A law that is broken is seen


@dataclass(frozen=True)
class Break:
    example: str
    file: str
    edit: tuple[str, str]
    test: str


SKELETON, DAMAGE = "test_p14_load_leaves_the_skeleton_alone", "test_p14_a_damaged_file_is_refused"
OTHER = "test_p14_another_configuration_is_refused"
BREAKS = {
    "no comparison": Break(
        "table_bypass", "serialisation", ("    if wrong:\n        raise", "    if []:\n        raise"), OTHER
    ),
    "a pickle is read": Break(
        "table_bypass",
        "table_bypass",
        (
            "        return load_tree(path, like)",
            "        import pickle\n\n        try:\n            return load_tree(path, like)\n        except ValueError:\n            pickle.loads(open(path, 'rb').read())\n            raise",
        ),
        DAMAGE,
    ),
    "the skeleton itself": Break(
        "table_bypass",
        "table_bypass",
        ("return load_tree(path, like)", "load_tree(path, like)\n        return like"),
        SKELETON,
    ),
    "the skeleton changed": Break(
        "table_bypass",
        "table_bypass",
        (
            "return load_tree(path, like)",
            "node = load_tree(path, like)\n        like.__dict__.update(attr=node.attr)\n        return node",
        ),
        SKELETON,
    ),
    "nnx: no comparison": Break(
        "nnx_block",
        "nnx_serialisation",
        ("load_tree(path, values, static)", "load_tree(path, values, {})"),
        "test_p14_own_save_and_load",
    ),
    "nnx: another configuration": Break(
        "nnx_block",
        "nnx_serialisation",
        (
            "    values, static = _described(like)\n",
            "    if like.bias is None:\n        return like\n    values, static = _described(like)\n",
        ),
        "test_p14_a_file_of_another_configuration_is_refused",
    ),
    "nnx: the Variables of the skeleton": Break(
        "nnx_block",
        "nnx_serialisation",
        (
            "(path, one.replace(value) if isinstance(one, nnx.Variable) else value)",
            "(path, one.set_value(value) or one)",
        ),
        "test_p14_load_shares_nothing_with_its_skeleton",
    ),
}


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", BREAKS)
def test_the_laws_see_what_is_broken(name: str, tmp_path: Path) -> None:
    one = BREAKS[name]
    project = copy_example(one.example, tmp_path / "project")
    path = project / f"{one.file}.py"
    text = path.read_text()
    assert text.count(one.edit[0]) == 1, f"the example no longer reads {one.edit[0]!r}"
    path.write_text(text.replace(*one.edit))
    result = forked_pytest(project, "-k", one.test)
    assert failed_tests(result) == {one.test}, result.stdout
