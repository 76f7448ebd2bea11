"""What a class did before it does after: no check of what its own code makes, its defaults, its annotations, and what reads numbers."""

from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree
from scaffold.skeleton import data, param
"""

WINDOWS = """
class Windows(eqx.Module):
    data: PyTree[Float[Array, "n ..."]]
    total: int

    def __init__(self, data: PyTree[Float[Array, "n ..."]], *, first: bool = False):
        if first:
            data = jax.tree.map(lambda x: x[0:1], data)
        self.total = jax.tree.leaves(data)[0].shape[0]
        self.data = data

    def __call__(self, i: int) -> PyTree[Float[Array, "..."]]:
        return jax.tree.map(lambda x: x[i], self.data)
"""


@pytest.mark.slow
def test_what_the_constructor_makes_is_not_checked_and_trees_keep_what_is_said_of_their_leaves(
    tmp_path: Path,
) -> None:
    code = tried(tmp_path, "windows", HEAD + WINDOWS)
    assert "__check_init__" not in code
    assert code.count('PyTree[Float[Array, "n ..."]]') == 2
    assert '{"a": sample(seed, (3, 3)), "b": (sample(seed + 10, (3, 3)),)}' in suite_text(tmp_path, "windows")


SERIES = """
class Series(eqx.Module):
    coefficients: Float[Array, " n"] = param()

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.coefficients * x

    def leading(self, tolerance: float = 0.1):
        numbers = np.asarray(self.coefficients)
        return int(np.count_nonzero(np.abs(numbers) > tolerance))
"""


@pytest.mark.slow  # a run of its own
def test_a_method_that_reads_numbers_is_tried_without_jit(tmp_path: Path) -> None:
    tried(tmp_path, "series", HEAD + SERIES)
    assert 'Method("leading", traced=False)' in suite_text(tmp_path, "series")
