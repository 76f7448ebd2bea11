"""Founding case 2 (equinox#840), network and optimiser state in one module: what was published fails at the first update.

The answer is a train state that a factory makes from the finished network.
"""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
import pytest

from scaffold.spec.names import stem
from tests.support.forking import forked_pytest
from tests.support.projects import EXAMPLES, copy_example, failed_tests

OPTIMISER = optax.adamw(0.01)


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The examples by the name of their class."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return lambda name: getattr(importlib.import_module(stem(name)), name)


class HalfBuilt(eqx.Module):
    """As published: the state is made from a `self` that has none yet."""

    net: eqx.Module
    opt_state: Any = eqx.field(init=False)

    def __post_init__(self) -> None:
        trainable, _ = eqx.partition(self, eqx.is_inexact_array)
        self.opt_state = OPTIMISER.init(trainable)


class FromLeaves(eqx.Module):
    """The published remedy, with the name that `jax.tree_leaves` has today."""

    net: eqx.Module
    opt_state: Any

    def __init__(self, net: eqx.Module):
        self.net = net
        self.opt_state = OPTIMISER.init(jax.tree.leaves(eqx.filter(net, eqx.is_array)))


def gradients(model: Any) -> Any:
    return eqx.filter_grad(lambda model: jnp.sum(model(jnp.ones(2))))(model)


def test_the_published_state_of_a_half_built_self_fails_at_the_first_update() -> None:
    net = eqx.nn.Linear(2, 1, key=jax.random.key(0))
    with pytest.warns(UserWarning, match=r"field\(init=False\)"):
        model = HalfBuilt(net)
    trained = eqx.filter(model, eqx.is_inexact_array)
    with pytest.raises(ValueError, match="different pytree metadata"):
        OPTIMISER.update(trained, model.opt_state, trained)


def test_the_published_remedy_fails_at_the_first_update() -> None:
    model = FromLeaves(eqx.nn.Linear(2, 1, key=jax.random.key(0)))
    assert not hasattr(jax, "tree_leaves")
    with pytest.raises(ValueError, match="different types"):
        OPTIMISER.update(gradients(model.net), model.opt_state, model.net)


def regressor(examples: Any, seed: int = 0) -> Any:
    whiten = examples("Whiten").create(jnp.zeros(2), jnp.ones(2), 2)
    return examples("Regressor").create(whiten, 2, 3, key=jax.random.key(seed))


@pytest.mark.slow
def test_the_emitted_state_updates(examples: Any) -> None:
    state = examples("TrainState").create(regressor(examples), OPTIMISER, key=jax.random.key(0))
    with jax.numpy_dtype_promotion("strict"):
        after = eqx.filter_jit(lambda s: s.apply_gradients(gradients(s.model), OPTIMISER))(state)
    assert jax.tree.structure(after) == jax.tree.structure(state)
    assert int(after.step) == 1
    assert jnp.array_equal(after.model.whiten.deviation, state.model.whiten.deviation)
    assert not jnp.array_equal(after.model.hidden.weight, state.model.hidden.weight)


# Changed back to the mistake, the generated tests fail.


@dataclass(frozen=True)
class Mistake:
    """Texts to replace in an example, each of which is there once, and a test that must fail."""

    example: str
    edits: tuple[tuple[str, str], ...]
    test: str
    needs: tuple[str, ...] = ()


def in_train_state(test: str, *edits: tuple[str, str]) -> Mistake:
    return Mistake("train_state", edits, test, ("regressor", "whiten", "affine"))


MADE = "optimiser.init(eqx.filter(model, _trained(model)))"
MISTAKES = {
    "state from a list of leaves": in_train_state(
        "test_the_optimiser_holds_nothing_of_what_is_not_trained",
        (MADE, "optimiser.init(jax.tree.leaves(eqx.filter(model, eqx.is_array)))"),
    ),
    "state from a half-built self": in_train_state(
        "test_the_update_is_a_fixed_point",
        ("opt_state: optax.OptState\n", "opt_state: optax.OptState = eqx.field(init=False)\n"),
        (f"            opt_state=_copied({MADE}),\n", ""),
        (
            "    def __check_init__(self)",
            "    def __post_init__(self) -> None:\n"
            "        self.opt_state = optax.adamw(0.01).init(eqx.filter(self, eqx.is_inexact_array))\n\n"
            "    def __check_init__(self)",
        ),
    ),
    "state of the buffers too": in_train_state(
        "test_the_update_is_a_fixed_point", (MADE, "optimiser.init(eqx.filter(model, eqx.is_inexact_array))")
    ),
    "buffers trained": in_train_state(
        "test_a_step_moves_the_trained_arrays_alone",
        ('is_leaf=lambda node: hasattr(node, "trainable"),', "is_leaf=None,"),
    ),
    "optax under strict promotion": in_train_state(
        "test_a_step_under_strict_promotion",
        ('with jax.numpy_dtype_promotion("standard"):  # optax', "if True:  # optax"),
    ),
    "a counter that changes its dtype": in_train_state(
        "test_the_update_is_a_fixed_point", ("self.step + 1", "self.step + 1.0")
    ),
    "a counter that stands still": in_train_state("test_steps_are_counted", ("self.step + 1", "self.step")),
    "the model's own arrays": in_train_state("test_donation", ("model = _copied(model)", "")),
    "an average that stands still": in_train_state(
        "test_the_average_follows_the_weights", ("            ema=ema,\n", "")
    ),
    "one key for all steps": in_train_state(
        "test_each_step_has_a_key_of_its_own", ("jax.random.fold_in(self.key, self.step)", "self.key")
    ),
    "dtypes that optax chooses": in_train_state(
        "test_the_update_is_a_fixed_point",
        ("jnp.asarray(new, old.dtype) if eqx.is_array(old) else new", "new.astype(jnp.bfloat16)"),
    ),
}


@pytest.mark.spread(10)
@pytest.mark.parametrize("name", MISTAKES)
def test_the_mistake_is_noticed_by_the_generated_tests(name: str, tmp_path: Path) -> None:
    mistake = MISTAKES[name]
    project = copy_example(mistake.example, tmp_path / "project", *mistake.needs)
    module = project / f"{mistake.example}.py"
    text = module.read_text()
    for old, new in mistake.edits:
        assert text.count(old) == 1, f"the example no longer reads {old!r}"
        text = text.replace(old, new)
    module.write_text(text)
    result = forked_pytest(project, "-k", mistake.test)
    assert mistake.test in failed_tests(result), result.stdout
