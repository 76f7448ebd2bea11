"""Laws of a training step: mistakes are noticed with the leaf, and their right forms pass."""

import time
from collections.abc import Iterator
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from _pytest.outcomes import Skipped

from pytree_laws import LawBroken, StepLaws
from pytree_laws.step.laws import LAWS
from pytree_laws.step.run import StepRun
from tests.laws.steps.mistakes import MISTAKES
from tests.laws.steps.nnx_mistakes import NNX_MISTAKES
from tests.laws.steps.right import PlainSteps, Steps
from tests.laws.steps.run_mistakes import RUN_MISTAKES
from tests.support.projects import REPOSITORY

EVERY = MISTAKES | NNX_MISTAKES | RUN_MISTAKES


def findings(suite: type[StepLaws]) -> Iterator[tuple[str, LawBroken]]:
    """What the laws find of a suite, with the names of the tests that find it."""
    run = StepRun(suite())
    for name in dir(suite):
        if name.startswith("test_"):
            test: Any = getattr(suite(), name)
            try:
                test(run)
            except Skipped:
                continue
            except LawBroken as broken:
                yield name, broken


@pytest.mark.spread(6)
@pytest.mark.parametrize("mistake", EVERY, ids=lambda cls: cls.__name__)
def test_a_mistake_is_noticed_with_its_leaf(mistake: type[StepLaws]) -> None:
    _, law, where = EVERY[mistake]
    by_test = dict(findings(mistake))
    noticed = [broken.finding.where for name, broken in by_test.items() if law in name]
    assert noticed == [where], [str(broken) for broken in by_test.values()]


@pytest.mark.spread(5)
@pytest.mark.parametrize(
    "right",
    sorted({PlainSteps, *(right for right, _, _ in EVERY.values())}, key=str),
    ids=lambda cls: cls.__name__,
)
def test_the_right_form_passes(right: type[StepLaws]) -> None:
    assert [str(broken) for _, broken in findings(right)] == []


def test_a_failure_says_law_place_hint_and_fix() -> None:
    mistake = next(m for m in MISTAKES if m.__name__ == "DecayOfFrozen")
    _, broken = next(iter(findings(mistake)))
    assert str(broken).startswith("S5 frozen, at `model.offset`: step 1 moved it by 1.01e-06\n")
    assert "look for: weight decay, or a mask that does not fit the tree" in str(broken)
    assert "usual fix" not in str(broken)  # what is known of this place is better


class Unknown(Steps):
    frozen = ("model.ofset",)


def test_a_frozen_path_that_is_none_names_the_paths_there_are() -> None:
    ((name, broken),) = findings(Unknown)
    assert name == "test_s5_frozen_leaves_stay"
    assert "model.ofset names no array; legal: model.weight, model.bias, model.offset" in str(broken)


class Raises(Steps):
    def step(self, state: Any, batch: Any) -> Any:
        return state.mdoel, batch


def test_a_step_that_raises_is_one_finding() -> None:
    ((name, broken),) = findings(Raises)
    assert name == "test_s1_the_step_runs"
    assert "AttributeError" in broken.finding.what


class Endless(Steps):
    time_limit = 0.2

    def step(self, state: Any, batch: Any) -> Any:
        time.sleep(1.0)
        return state, batch


def test_a_step_that_does_not_end_is_stopped() -> None:
    findings_by_test = dict(findings(Endless))
    assert findings_by_test, "it ends"
    for broken in findings_by_test.values():
        assert "of Endless took more than 0 seconds" in broken.finding.what
        assert broken.finding.hint == "`time_limit` allows more"


def test_the_docs_list_each_law() -> None:
    docs = (REPOSITORY / "docs/laws.md").read_text(encoding="utf-8")
    assert [
        f"| {law.number} {law.name} |" for law in LAWS.values() if f"| {law.number} {law.name} |" not in docs
    ] == []


class AsksForValues(PlainSteps):
    """A step that is compiled in parts, and asks for a value between them: as a whole it cannot be traced."""

    step = staticmethod(
        lambda state, batch: jax.jit(PlainSteps.step)(state, batch) if float(batch[0][0, 0]) else None
    )


def test_a_step_that_cannot_be_traced_as_a_whole_is_reproducible() -> None:
    assert [str(broken) for name, broken in findings(AsksForValues) if "s9" in name] == []


class Layered(eqx.Module):
    """A model that says what of it is trained: of a layer the arrays, and not its function."""

    mlp: eqx.nn.MLP
    offset: jax.Array

    def trainable(self) -> Any:
        arrays = jax.tree.map(eqx.is_inexact_array, self)
        return eqx.tree_at(lambda spec: spec.offset, arrays, False)


def test_functions_of_layers_are_not_frozen() -> None:
    model = Layered(eqx.nn.MLP(2, 2, 3, 1, key=jax.random.key(0)), jnp.zeros(2))
    assert StepLaws().frozen_paths({"model": model}) == ["model.offset"]
