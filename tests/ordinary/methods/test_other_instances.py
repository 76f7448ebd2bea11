"""Methods that are given another instance of the class, and parts that call something else by a word of the tool."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.trees import write_tree

HEAD = """
import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, buffer, module, param
"""
TABLE = """
class Table(Module):
    table: Float[Array, " n"] = buffer()
    gain: Float[Array, " n"] = param("ones")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.gain * (x + self.table)

    def apart(self, other: "Table") -> Float[Array, ""]:
        # How far it is from another.
        return jnp.sum((self.table - other.table) ** 2 * self.gain)
"""
OPERATED = """
@jax.tree_util.register_pytree_node_class
class Pair:
    def __init__(self, w: float | jax.Array):
        self.both = jnp.stack([w, w])

    def tree_flatten(self):
        return (self.both,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        made = cls.__new__(cls)
        made.both = children[0]
        return made

    @classmethod
    def unit(cls):
        return cls(jnp.ones(()))

    def __add__(self, other: Any):
        if isinstance(other, Pair):
            return Pair(self.both[0] + other.both[0])
        return NotImplemented

    def __sub__(self, other):
        return jax.tree.map(lambda x, y: x - y, self, other)

    def __mul__(self, other):
        return jnp.sum(self.both * other.both)

    def apart(self, other: "Pair"):
        return self.both - other.both
"""
PART = """
class Scale(eqx.Module):
    value: jax.Array
    trainable: bool = eqx.field(static=True)

    def __init__(self, size):
        self.value = jnp.ones(size)
        self.trainable = True

    def __call__(self, x):
        return self.value * x
"""
HOLDER = """
class Net(Module):
    scale: Scale = module()
    bias: Float[Array, " size"] = param("zeros")

    def __init__(self, size: int):
        self.scale = Scale(size)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.scale(x) + self.bias
"""


def test_the_buffer_of_another_instance_has_no_gradient(tmp_path: Path) -> None:
    emitted = tried(tmp_path, "table", HEAD + TABLE)
    assert "jax.lax.stop_gradient(self.table) - jax.lax.stop_gradient(other.table)" in emitted


@pytest.mark.slow
def test_operators_are_given_another_instance(tmp_path: Path) -> None:
    imports = "from typing import Any\n\nimport jax\nimport jax.numpy as jnp\n"
    said = generated(tmp_path, {"pair": f"{imports}\n{OPERATED}"})
    assert "not tried" not in said and "not tested" not in said, said
    tests = suite_text(tmp_path, "pair")
    for name in ("__add__", "__sub__", "__mul__", "apart"):
        assert f'Method("{name}", lambda seed: (Pair(' in tests, tests
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert ran.returncode == 0, ran.stdout


@pytest.mark.slow
def test_a_part_may_have_an_attribute_that_is_called_trainable(tmp_path: Path) -> None:
    said = generated(tmp_path, {"net": f"{HEAD}from scalelib import Scale\n{HOLDER}"})
    assert "not tried" not in said, said
    library = f"import equinox as eqx\nimport jax\nimport jax.numpy as jnp\n{PART}"
    write_tree(tmp_path, {"nets/scalelib.py": library})
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert ran.returncode == 0, ran.stdout
