"""Data that needs no more: a NamedTuple, and a dataclass on `jax.tree_util.register_dataclass`."""

import dataclasses
import importlib.util
import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import EXAMPLES, failed_tests, passed, scaffold
from tests.support.trees import replace_in, write_tree

NAMED = 'name = "Point"\nkind = "namedtuple"\n\n[fields]\n'
REGISTERED = 'name = "Point"\nkind = "pytree"\nrebuild = "dataclass"\n\n[fields]\n'
FORMS = {"namedtuple": NAMED, "dataclass": REGISTERED}


def shown(folder: Path, text: str) -> tuple[str, str]:
    """The class and its tests."""
    write_tree(folder, {"specs/point.toml": text})
    result = scaffold(folder, "show", "Point", "--code", "--json")
    assert result.returncode == 0, result.stderr
    source, tests = (file["text"] for file in json.loads(result.stdout)["files"])
    return source, tests


@pytest.mark.spread(6)
@pytest.mark.parametrize("form", FORMS)
def test_where_nothing_is_made_there_is_no_constructor(form: str, tmp_path: Path) -> None:
    source, tests = shown(tmp_path, FORMS[form] + 'x = "f[n]"\nsteps = "i32[]"\n')
    assert "def " not in source.replace("def trainable", "") and "return Point(**inputs)" in tests
    for field in (
        'x = { type = "f[n]", init = "zeros" }',
        'x = { type = "f[n]", preprocess = "x - 1" }',
        'x = { type = "f[n]", optional = "has_x" }',
        'x = "f[n] | None"',
        'x = "list[f[n]]"',
    ):
        source, tests = shown(tmp_path, f"{FORMS[form]}{field}\n")
        assert "    def create(" in source and "return Point.create(**inputs)" in tests, field


def test_a_static_field_of_a_dataclass_is_checked_in_create(tmp_path: Path) -> None:
    source, _ = shown(tmp_path, REGISTERED + 'x = "f[n]"\nunit = "str"\n')
    assert '    unit: str = dataclasses.field(metadata={"static": True})\n' in source
    assert "        node._check()\n        return node\n" in source
    assert "__post_init__" not in source, "jax would run it on every rebuild"


def test_what_does_not_hold_is_said_with_its_reason(tmp_path: Path) -> None:
    skipped = {
        "namedtuple": '("p10_",)',
        "dataclass": '(\n        "p10_",\n        "p17_the_treedef_names: `register_dataclass` does not name the class",\n    )',
    }
    for form, text in FORMS.items():
        _, tests = shown(tmp_path, f'{text}x = "f[n]"\n\n[test]\nskip = ["p10_"]\n')
        assert f"    skips = {skipped[form]}\n" in tests


@pytest.mark.slow
@pytest.mark.spread(3)
@pytest.mark.parametrize("form", FORMS)
def test_it_is_a_skip_of_what_would_fail(form: str, tmp_path: Path) -> None:
    """And of nothing else: all other laws hold."""
    fields = 'x = "f[n]@param"\nmade = { type = "f[n]", init = "normal" }\nsteps = { type = "i32[]", init = "zeros" }\n'
    text = f'save = true\n{FORMS[form]}{fields}inner = "Inner"\n'
    inner = 'name = "Inner"\nkind = "namedtuple"\n\n[fields]\nx = { type = "f[n]", role = "data" }\n'
    write_tree(tmp_path, {"specs/point.toml": text, "specs/inner.toml": inner})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/point.toml", "specs/inner.toml")
    assert result.returncode == 0, result.stderr
    assert passed(forked_pytest(tmp_path)) >= 90
    skipping = [path for path in (tmp_path / "tests").glob("test_*.py") if "skips = (" in path.read_text()]
    assert [path.name for path in skipping] == ["test_point.py"] * (form == "dataclass")
    for path in skipping:
        replace_in(path, "skips = (", "_left_out = (")
    expected = {
        "namedtuple": set[str](),
        "dataclass": {"test_p17_the_treedef_names_the_class"},
    }
    assert failed_tests(forked_pytest(tmp_path, "-k", "p13_equality or p17")) == expected[form]


def test_what_the_docs_say_of_mixing_two_dataclasses() -> None:
    def made(name: str) -> Any:
        cls = dataclasses.make_dataclass(name, [("x", Any)], frozen=True)
        return jax.tree_util.register_dataclass(cls)(jnp.ones(2))

    one, other = made("One"), made("Other")
    assert jax.tree.structure(one) == jax.tree.structure(other)
    carried, _ = jax.lax.scan(lambda carry, _: (other, None), one, None, length=2)
    chosen = jax.lax.cond(True, lambda: one, lambda: other)
    assert {type(carried), type(chosen)} <= {type(one), type(other)}


def test_data_of_a_namedtuple_is_not_trained_in_what_holds_it() -> None:
    path = EXAMPLES / "belief.py"
    spec = importlib.util.spec_from_file_location("belief", path)
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    belief = module.Belief(jnp.zeros(2), jnp.eye(2), jnp.zeros(()))
    assert jax.tree.leaves(belief.trainable()) == [False, False, False]
    assert isinstance(belief.trainable(), module.Belief)
