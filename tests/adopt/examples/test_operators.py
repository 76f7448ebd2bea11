"""Classes that are used by an operator: matrices that are no arrays, vectors with named parts."""

from pathlib import Path

import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

SOURCE = '''
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class Lowrank(eqx.Module):
    """A matrix of low rank."""

    left: Float[Array, "n r"]
    right: Float[Array, "m r"]

    def __init__(self, n: int, m: int, r: int, key: jax.Array):
        one, two = jax.random.split(key)
        self.left, self.right = jax.random.normal(one, (n, r)), jax.random.normal(two, (m, r))

    def diagonal(self):
        return jnp.sum(self.left * self.right, axis=1)

    def __matmul__(self, x):
        return self.left @ (self.right.T @ x)


class Velocity(eqx.Module):
    u: Float[Array, " n"]
    v: Float[Array, " n"]

    def __init__(self, u: Float[Array, " n"], v: Float[Array, " n"]):
        self.u, self.v = jnp.array(u), jnp.array(v)

    def __add__(self, other):
        return Velocity(self.u + other.u, self.v + other.v)
'''


@pytest.mark.slow  # other calls are found in every run
def test_what_has_an_operator_is_called_by_it(tmp_path: Path) -> None:
    write_tree(tmp_path, {"lib.py": SOURCE})
    ran = scaffold(tmp_path, "adopt", "lib.py")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "Lowrank   adopted, called by `@`, " in ran.stdout
    assert "Velocity  adopted, called by `+`, " in ran.stdout
    assert "return instance @ x" in (tmp_path / "tests/test_lowrank.py").read_text()
    assert "return instance + other" in (tmp_path / "tests/test_velocity.py").read_text()
    assert passed(forked_pytest(tmp_path, "tests", "--numbers=check")) > 100
