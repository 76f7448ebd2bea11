"""Founding case 1 (equinox#651), leaves of one type: a filter by identity selects wrongly.

The answers are a filter spec by field, and the layout in which the fields of a group are a child of their own.
"""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import EXAMPLES, copy_example, failed_laws

CLASSES = {"split_params": "SplitParams", "split_params_nested": "SplitParamsNested"}


@pytest.fixture(params=CLASSES)
def params(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Both answers, in turn."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    cls = getattr(importlib.import_module(request.param), CLASSES[request.param])
    yield cls.create(1.0, 2.0, 3.0)


def leaf(name: str) -> Any:
    """Where a coefficient lies, for `eqx.tree_at`."""
    return lambda one: getattr(one.small if hasattr(one, "small") and name != "element3" else one, name)


def by_identity(reference: Any, tree: Any) -> Any:
    """The filter that people write: everything but the third element of `reference`."""
    return jax.tree.map(lambda leaf: leaf is not reference.element3, tree)


def marks(spec: Any) -> tuple[bool, bool, bool]:
    return (spec.element1, spec.element2, spec.element3)


WANTED = (True, True, False)


def test_on_the_instance_itself_both_agree(params: Any) -> None:
    assert marks(by_identity(params, params)) == WANTED
    assert marks(params.select_small()) == WANTED


def test_tied_leaves(params: Any) -> None:
    places = [leaf("element1"), leaf("element3")]
    tied = eqx.tree_at(lambda one: [place(one) for place in places], params, [params.element2] * 2)
    assert marks(by_identity(tied, tied)) == (False, False, False)
    assert marks(tied.select_small()) == WANTED


def test_a_copy(params: Any) -> None:
    copy = jax.tree.map(lambda leaf: leaf + 0, params)
    assert marks(by_identity(params, copy)) == (True, True, True)
    assert marks(copy.select_small()) == WANTED


def test_inside_jit(params: Any) -> None:
    seen: list[Any] = []

    @jax.jit
    def inside(traced: Any) -> Any:
        seen.extend((by_identity(params, traced), traced.select_small()))
        return traced.element1

    inside(params)
    assert [marks(spec) for spec in seen] == [(True, True, True), WANTED]


def test_none_and_leaves_that_are_no_arrays(params: Any) -> None:
    gap = eqx.tree_at(leaf("element2"), params, None)
    assert marks(gap.select_small()) == (True, None, False)
    text = eqx.tree_at(leaf("element2"), params, "text")
    assert marks(text.select_small()) == WANTED


def test_partition_and_combine_are_inverse(params: Any) -> None:
    small, rest = params.partition_small()
    assert (small.element3, rest.element1, rest.element2) == (None, None, None)
    assert eqx.tree_equal(eqx.combine(small, rest), params)


def test_two_of_three_are_fitted(params: Any) -> None:
    x = jnp.linspace(-1, 1, 16, dtype=jnp.float32)
    target = 3 * x**2 - x + 3

    @jax.jit
    def step(model: Any) -> Any:
        small, rest = model.partition_small()
        slope = jax.grad(lambda part: jnp.mean((eqx.combine(part, rest)(x) - target) ** 2))(small)
        return eqx.apply_updates(model, jax.tree.map(lambda one: -0.3 * one, slope))

    fitted = params
    for _ in range(200):
        fitted = step(fitted)
    assert np.allclose([float(fitted.element1), float(fitted.element2)], [3.0, -1.0], atol=1e-3)
    assert fitted.element3 == params.element3


def test_the_spec_by_path_that_was_published_works_and_keeps_what_is_no_array(params: Any) -> None:
    """It is right for ties and copies; but an all-True spec trains functions and integers too."""
    everything = jax.tree.map(lambda _: True, params)
    assert marks(eqx.tree_at(leaf("element3"), everything, False)) == WANTED
    layer = eqx.nn.MLP(1, 1, 2, 1, key=jax.random.key(0))
    spec = jax.tree.map(lambda _: True, layer)
    with pytest.raises(TypeError, match="not a valid JAX type"):
        jax.grad(lambda part: jnp.sum(part.layers[0].weight))(eqx.filter(layer, spec))


def test_a_spec_may_be_kept_for_the_structure_and_not_passed_through_jit(params: Any) -> None:
    spec = params.select_small()
    copy = jax.tree.map(lambda one: one + 1, params)
    kept = jax.jit(lambda one: eqx.filter(one, spec))(copy)
    assert marks(jax.tree.map(lambda _: True, kept)) == (True, True, None)
    with pytest.raises(ValueError, match="cannot be traced arrays"):
        jax.jit(eqx.filter)(copy, spec)


def test_the_annotation_of_the_report_is_not_enforced() -> None:
    class Annotated(eqx.Module):
        element1: jnp.float64

    assert Annotated("text").element1 == "text"
    assert jnp.asarray(1.0).dtype == jnp.float32


def test_in_the_nested_layout_a_group_is_one_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    nested = importlib.import_module("split_params_nested").SplitParamsNested.create(1.0, 2.0, 3.0)
    doubled = eqx.tree_at(lambda one: one.small, nested, jax.tree.map(lambda one: 2 * one, nested.small))
    assert [float(one) for one in jax.tree.leaves(doubled)] == [2.0, 4.0, 3.0]
    assert float(nested.element1) == 1.0 and nested.element1 is nested.small.element1
    slope = jax.grad(lambda small: small.element1**2 + small.element2)(nested.small)
    assert [float(one) for one in jax.tree.leaves(slope)] == [2.0, 1.0]


def test_the_pytree_form_partitions_without_equinox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    table = importlib.import_module("split_table").SplitTable.create(mask=jnp.array([True, False]))
    first, rest = table.partition_first()
    assert (first.offsets, first.mask, rest.gains) == (None, None, None)
    whole = first.combine(rest)
    assert jax.tree.structure(whole) == jax.tree.structure(table)
    assert all(
        left is right for left, right in zip(jax.tree.leaves(whole), jax.tree.leaves(table), strict=True)
    )


BY_FIELD = """jax.tree_util.tree_map_with_path(
            lambda path, _: path[0].name {}, self
        )"""
SPECS = {
    "split_params": BY_FIELD.format('in ("element1", "element2")'),
    "split_params_nested": BY_FIELD.format('== "small"'),
}
BY_IDENTITY = "jax.tree.map(lambda leaf: leaf is not self.element3, self)"
MISTAKES = {
    "a filter by identity": ("split_params", SPECS["split_params"], BY_IDENTITY, "P16"),
    "a filter by value": (
        "split_params",
        SPECS["split_params"],
        "jax.tree.map(lambda leaf: bool(leaf != self.element3), self)",
        "P16",
    ),
    "a filter by identity, nested": ("split_params_nested", SPECS["split_params_nested"], BY_IDENTITY, "P16"),
    "a spec of everything": (
        "split_params_nested",
        SPECS["split_params_nested"],
        "jax.tree.map(lambda _: True, self)",
        "P16",
    ),
}


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", MISTAKES)
def test_the_mistake_is_noticed_by_the_generated_tests(name: str, tmp_path: Path) -> None:
    example, right, wrong, law = MISTAKES[name]
    project = copy_example(example, tmp_path / "project")
    module = project / f"{example}.py"
    text = module.read_text()
    assert text.count(right) == 1, f"the example no longer reads {right!r}"
    module.write_text(text.replace(right, wrong))
    assert failed_laws(forked_pytest(project, "-k", "p16")) == {law}
