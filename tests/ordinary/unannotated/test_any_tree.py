"""Trees of arrays by the names of other libraries: they are tried, and the annotations stay."""

from pathlib import Path

from tests.ordinary.generated import tried

AVERAGE = """
import chex
import jax
import optax
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, static


class Average(Module):
    scale: Float[Array, ""] = param("ones")
    decay: float = static(0.9)

    def __call__(self, tree: chex.ArrayTree) -> jax.Array:
        return self.scale * optax.tree.norm(tree)

    def update(self, params: optax.Params, average: optax.Params) -> optax.Updates:
        return jax.tree.map(lambda p, a: self.decay * a + (1 - self.decay) * p, params, average)
"""


def test_trees_of_optax_and_chex_have_an_example(tmp_path: Path) -> None:
    module = tried(tmp_path, "average", AVERAGE)
    assert "def __call__(self, tree: chex.ArrayTree) -> jax.Array:" in module
    assert "params: optax.Params, average: optax.Params" in module and "-> optax.Updates:" in module
