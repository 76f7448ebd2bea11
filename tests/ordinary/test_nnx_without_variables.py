"""Modules of NNX that make nothing, or Variables of a type of their own file."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest
from tests.support.projects import passed

IDENTITY = """
import jax
from flax import nnx


class Identity(nnx.Module):{constructor}
    def __call__(self, x: jax.Array) -> jax.Array:
        return x
"""
CONSTRUCTORS = (
    "",
    "\n    def __init__(self):\n        pass\n",
    '\n    def __init__(self):\n        """Nothing is made."""\n',
    "\n    def __init__(self, *, rngs: nnx.Rngs):\n        pass\n",
)


@pytest.mark.parametrize("constructor", CONSTRUCTORS)
def test_a_module_that_makes_nothing_is_written(tmp_path: Path, constructor: str) -> None:
    generated(tmp_path, {"identity": IDENTITY.replace("{constructor}", constructor)})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 30
    text = (tmp_path / "nets/identity.py").read_text("utf-8")
    assert ("def __init__(self, *, rngs: nnx.Rngs):" in text) == ("rngs" in constructor)
