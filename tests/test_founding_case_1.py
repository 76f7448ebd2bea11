"""Founding case 1, leaves of one type (equinox#651): a filter by identity selects wrongly, ours by field does not."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.projects import EXAMPLES, bare_pytest, copy_example, failed_laws


@pytest.fixture
def params(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield importlib.import_module("split_params").SplitParams.create(1.0, 2.0, 3.0)


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
    tied = eqx.tree_at(lambda one: (one.element1, one.element3), params, (params.element2,) * 2)
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
    gap = eqx.tree_at(lambda one: one.element2, params, None)
    assert marks(gap.select_small()) == (True, None, False)
    text = eqx.tree_at(lambda one: one.element2, params, "text")
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


def test_the_pytree_form_partitions_without_equinox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    table = importlib.import_module("split_table").SplitTable.create(
        mask=jnp.array([True, False]), channels=2
    )
    first, rest = table.partition_first()
    assert (first.offsets, first.mask, rest.gains) == (None, None, None)
    whole = first.combine(rest)
    assert jax.tree.structure(whole) == jax.tree.structure(table)
    assert all(
        left is right for left, right in zip(jax.tree.leaves(whole), jax.tree.leaves(table), strict=True)
    )


def test_a_filter_by_identity_in_its_place_is_caught(tmp_path: Path) -> None:
    project = copy_example("split_params", tmp_path / "project")
    module = project / "split_params.py"
    by_field = """jax.tree_util.tree_map_with_path(
            lambda path, _: path[0].name in ("element1", "element2"), self
        )"""
    text = module.read_text()
    assert text.count(by_field) == 1
    module.write_text(text.replace(by_field, "jax.tree.map(lambda leaf: leaf is not self.element3, self)"))
    assert failed_laws(bare_pytest(project)) == {"P16"}
