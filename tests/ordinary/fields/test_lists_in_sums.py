"""Lists that are held as tuples, in methods that add another list to them."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried

STACK = """\
import equinox as eqx
import jax
from jaxtyping import Array, Float
from scaffold.skeleton import Module


class Stack(Module):
    layers: list[eqx.nn.Linear]

    def __init__(self, size: int, *, key: Array):
        self.layers = [eqx.nn.Linear(size, size, key=k) for k in jax.random.split(key, 2)]

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        for layer in self.layers + self.layers[:1]:
            x = layer(x)
        for layer in self.layers + (self.layers[0],):
            x = layer(x)
        return x

    def extended(self, layer: eqx.nn.Linear) -> "Stack":
        \"\"\"One layer more.\"\"\"
        more = [layer]
        return eqx.tree_at(lambda s: s.layers, self, self.layers + more)

    def swapped(self) -> "Stack":
        \"\"\"In the other order.\"\"\"
        return eqx.tree_at(lambda s: s.layers, self, self.layers[1:] + [self.layers[0]])
"""


@pytest.mark.slow  # a run of its own
def test_a_list_that_is_added_to_a_list_is_read_as_one(tmp_path: Path) -> None:
    code = tried(tmp_path, "stack", STACK)
    assert "layers: tuple[eqx.nn.Linear, ...]" in code
    assert "list(self.layers) + more" in code
    assert "list(self.layers)[1:] + [self.layers[0]]" in code
    assert "in self.layers + self.layers[:1]:" in code and "in self.layers + (self.layers[0],):" in code
