"""Founding case 0 on its four answers: every transformation works, and the preset runs once for each creation."""

import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from tests.projects import EXAMPLES

FORMS = ("bypass", "flag", "factory", "static")


class ReadingSpy(dict[str, float]):
    """A dict that counts how often it is read as a whole, which is what presetting does to it."""

    reads = 0

    def items(self) -> Any:
        self.reads += 1
        return super().items()


@dataclass(frozen=True)
class Case:
    """One of the four classes, how to build it, and how to read its leaf `b`."""

    form: str
    build: Callable[..., Any]

    def entries(self, table: Any) -> Any:
        return table.table_entries if self.form == "static" else table.table

    def make(self) -> Any:
        return self.build({"a": 0.0, "b": 1.0}, 2.0, 3)


@pytest.fixture(params=FORMS)
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Case]:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    module = importlib.import_module(f"table_{request.param}")
    cls = getattr(module, f"Table{request.param.title()}")
    yield Case(request.param, cls if request.param == "flag" else cls.create)
    sys.modules.pop(module.__name__)


def test_the_entry_is_preset_and_the_callers_dict_unchanged(case: Case) -> None:
    given = {"a": 0.0, "b": 1.0}
    made = case.build(given, 2.0, 3)
    assert given == {"a": 0.0, "b": 1.0}
    assert (float(made.table["a"]), float(made.table["b"]), made.static) == (42.0, 1.0, 3)


def test_presetting_runs_once_for_a_creation_and_never_on_a_rebuild(case: Case) -> None:
    spy = ReadingSpy(a=0.0, b=1.0)
    made = case.build(spy, 2.0, 3)
    assert spy.reads == 1
    jax.tree.map(lambda leaf: leaf + 1, made)
    jax.jit(lambda table: table)(made)
    eqx.tree_at(lambda table: table.attr, made, jnp.float32(5.0))
    assert spy.reads == 1
    case.build(spy, 2.0, 3)
    assert spy.reads == 2


def test_a_rebuild_does_not_touch_what_creation_preset(case: Case) -> None:
    shifted = jax.tree.map(lambda leaf: leaf + 1, case.make())
    expected = 42.0 if case.form == "static" else 43.0
    assert (float(shifted.table["a"]), float(shifted.table["b"])) == (expected, 2.0)


def test_tree_at_replaces_any_leaf(case: Case) -> None:
    made = case.make()
    by_attribute = eqx.tree_at(lambda table: table.attr, made, jnp.float32(5.0))
    by_entry = eqx.tree_at(lambda table: case.entries(table)["b"], made, jnp.float32(7.0))
    assert (float(by_attribute.attr), float(by_attribute.table["a"])) == (5.0, 42.0)
    assert (float(by_entry.table["b"]), float(by_entry.attr)) == (7.0, 2.0)


def test_jit_sees_every_value_and_traces_once_for_a_configuration(case: Case) -> None:
    traces: list[int] = []

    @jax.jit
    def call(table: Any, x: Any) -> Any:
        traces.append(1)
        return table(x)

    x = jnp.array([1.0, 2.0], jnp.float32)
    assert call(case.make(), x).tolist() == [86.0, 688.0]
    assert call(case.build({"b": 2.0}, 1.0, 3), x).tolist() == [44.0, 352.0]
    assert len(traces) == 1
    assert call(case.build({"b": 2.0}, 1.0, 2), x).tolist() == [44.0, 176.0]
    assert len(traces) == 2


def test_grad_has_the_structure_of_the_class(case: Case) -> None:
    gradient = jax.grad(lambda table: table(jnp.float32(2.0)))(case.make())
    assert jax.tree.structure(gradient) == jax.tree.structure(case.make())
    assert (float(gradient.attr), float(case.entries(gradient)["b"])) == (43.0 * 8, 2.0 * 8)
    assert case.form == "static" or float(gradient.table["a"]) == 2.0 * 8


def test_vmap_over_stacked_instances_is_the_loop(case: Case) -> None:
    made = [case.build({"b": float(number)}, 2.0, 1) for number in range(3)]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *made)
    one = jnp.float32(1.0)
    assert jax.vmap(lambda table: table(one))(stacked).tolist() == [float(table(one)) for table in made]


def test_vmap_maps_one_leaf_alone(case: Case) -> None:
    made = case.make()
    axes = eqx.tree_at(
        lambda table: table.attr, jax.tree.map(lambda _: None, made), 0, is_leaf=lambda leaf: leaf is None
    )
    widened = eqx.tree_at(lambda table: table.attr, made, jnp.arange(3, dtype=jnp.float32))
    result = jax.vmap(lambda table: table(jnp.float32(1.0)), in_axes=(axes,))(widened)
    assert result.tolist() == [0.0, 43.0, 86.0]


def test_statics_that_would_poison_the_treedef_are_refused(case: Case) -> None:
    with pytest.raises(TypeError, match="`static` is static, so it must be an int, got"):
        case.build({"b": 1.0}, 2.0, jnp.int32(3))
