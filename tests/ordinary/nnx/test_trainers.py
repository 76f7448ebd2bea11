"""Modules of NNX that hold another, with its optimiser: what is stored is a part, though no method calls it by its name."""

from pathlib import Path

from tests.ordinary.generated import generated
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
