"""Modules of NNX that hold another, with its optimiser: what is stored is a part, though no method calls it by its name."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

TRAINER = """\
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(size, 1, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)


class Trainer(nnx.Module):
    def __init__(self, model: Net, lr: float = 1e-3):
        self.model = model
        self.optimizer = nnx.Optimizer(model, optax.adam(lr), wrt=nnx.Param)

    def train_step(self, x):
        def loss_fn(model):
            return jnp.mean(model(x) ** 2)

        loss, grads = nnx.value_and_grad(loss_fn)(self.model)
        self.optimizer.update(self.model, grads)
        return loss
"""


def test_a_module_that_is_stored_is_a_part(tmp_path: Path) -> None:
    generated(tmp_path, {"trainer": TRAINER})
    suite = (tmp_path / "nets/tests/test_trainer.py").read_text("utf-8")
    assert 'Var("model", nnx.Module)' in suite and '"model": ...' not in suite
    run = forked_pytest(tmp_path / "nets", "--numbers=off", "-rw")
    assert passed(run) > 80
    # That an optimiser made in each constructor is compiled anew is a cost that Flax's own design has.
    assert "hold another `GradientTransformationExtraArgs` there" in run.stdout


NOTES = """\
import jax.numpy as jnp
import optax
from flax import nnx


class Notes(nnx.Module):
    def __init__(self, n_notes: int, features: int, *, rngs: nnx.Rngs):
        self.embed = nnx.Embed(n_notes, features, rngs=rngs)
        self.out = nnx.Linear(features, n_notes, rngs=rngs)

    def __call__(self, notes):
        return self.out(self.embed(notes))


def loss_fn(model, notes):
    logits = model(notes[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, notes[:, 1:]).mean()


class Listener(nnx.Module):
    def __init__(self, model: Notes):
        self.model = model
        self.optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)

    def train_step(self, notes):
        loss, grads = nnx.value_and_grad(loss_fn)(self.model, notes)
        self.optimizer.update(self.model, grads)
        return loss

    def step_on_one(self, tune):
        loss, grads = nnx.value_and_grad(lambda m: jnp.mean(m(tune) ** 2))(self.model)
        self.optimizer.update(self.model, grads)
        return loss
"""


@pytest.mark.slow
def test_a_step_takes_what_the_model_takes_that_its_loss_is_called_with(tmp_path: Path) -> None:
    tried(tmp_path, "notes", NOTES)
    steps = suite_text(tmp_path, "notes").partition("class TestListener")[2]
    assert steps.count('"int32"') == 2 and '(2, 3), "int32"' in steps, steps


@pytest.mark.slow
def test_a_method_that_steps_no_optimiser_has_its_slope_at_zeros_asked(tmp_path: Path) -> None:
    evaluate = "\n    def evaluate(self, x):\n        return jnp.sqrt(jnp.sum(self.model(x) ** 2 + x**2))\n"
    code = TRAINER.replace("size, 1, rngs", "size, 1, use_bias=False, rngs") + evaluate
    generated(tmp_path, {"trainer": code})
    ran = forked_pytest(tmp_path / "nets", "--numbers=off", "-k", "nan_at_zeros")
    assert "P9 gradient and step, at `evaluate`" in ran.stdout and "at `train_step`" not in ran.stdout
