"""Parts that begin as copies of others, and are kept from gradients, as target networks are."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest

OF_EQUINOX = """\
import equinox as eqx
import jax


class Twin(eqx.Module):
    critic: eqx.nn.Linear
    target: eqx.nn.Linear

    def __init__(self, dim: int, *, key):
        self.critic = eqx.nn.Linear(dim, 1, key=key)
        self.target = jax.tree.map(lambda x: x + 0, self.critic)

    def __call__(self, x):
        return self.critic(x) - jax.lax.stop_gradient(self.target(x))
"""
OF_FLAX = """\
from flax import nnx


class Twin(nnx.Module):
    def __init__(self, dim: int, *, rngs: nnx.Rngs):
        self.critic = nnx.Linear(dim, 1, rngs=rngs)
        self.target = nnx.clone(self.critic)

    def __call__(self, x):
        return self.critic(x) - self.target(x)
"""


@pytest.mark.parametrize("skeleton", [OF_EQUINOX, OF_FLAX], ids=["equinox", "flax"])
def test_a_copy_of_a_part_that_no_gradient_reaches_is_right(tmp_path: Path, skeleton: str) -> None:
    tried(tmp_path, "twin", skeleton)


@pytest.mark.slow
def test_a_part_of_its_own_that_no_gradient_reaches_is_told(tmp_path: Path) -> None:
    drawn = "self.target = eqx.nn.Linear(dim, 1, key=jax.random.split(key)[0])"
    generated(
        tmp_path,
        {"twin": OF_EQUINOX.replace("self.target = jax.tree.map(lambda x: x + 0, self.critic)", drawn)},
    )
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert run.returncode == 1 and "test_p09_every_trained_sub_tree_has_a_gradient" in run.stdout
