"""Calls of constructors: those of records with defaults fit, and an author's own constructor may take what the tool has names for."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried
from tests.support.projects import scaffold
from tests.support.trees import write_tree

HEAD = """
import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, static, test
"""
TUPLE = """
class Hit(NamedTuple):
    t: Float[Array, ""]
    material: int = 0
"""
DATACLASS = """
@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Hit:
    t: Float[Array, ""]
    material: int = dataclasses.field(default=0, metadata={"static": True})
"""
RAY = """
class Ray(Module):
    origin: Float[Array, "3"] = param("ones")

    def __call__(self, x: Float[Array, "3"]) -> Float[Array, ""]:
        return CALL.t
"""


@pytest.mark.spread(6)
@pytest.mark.parametrize("record", [TUPLE, DATACLASS], ids=["tuple", "dataclass"])
@pytest.mark.parametrize(
    "call", ["Hit(x @ self.origin, 1)", "Hit(t=x @ self.origin, material=2)", "Hit(x @ self.origin)"]
)
def test_a_field_with_a_default_may_be_given_and_left_out(record: str, call: str, tmp_path: Path) -> None:
    assert call in tried(tmp_path, "rays", HEAD + record + RAY.replace("CALL", call))


@pytest.mark.parametrize("call", ["Hit(x @ self.origin, 1, 2)", "Hit(x @ self.origin, colour=2)", "Hit()"])
def test_what_a_record_does_not_take_is_refused(call: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"rays.py": HEAD + DATACLASS + RAY.replace("CALL", call)})
    result = scaffold(tmp_path, "new-module", "--spec=rays.py", "--dry-run")
    assert result.returncode == 2 and "`Hit(...)` does not fit the constructor" in result.stderr


OWN = '''
@test(values={"value": lambda: jnp.ones(2), "x": lambda: jnp.ones(2)})
class Real(Module):
    value: jax.Array = param()
    """What it holds."""

    def __init__(self, value):
        self.value = jnp.array(value)

    def __call__(self, x: jax.Array) -> jax.Array:
        return x * self.value


@test(values={"x": lambda: jnp.ones(3)})
class Scale(Module):
    gain: jax.Array = param()
    dtype: jnp.dtype = static()

    def __init__(self, n: int = 3, dtype=jnp.float32):
        self.dtype = dtype
        self.gain = jnp.ones(n, dtype)

    def __call__(self, x: jax.Array) -> jax.Array:
        return x * self.gain
'''


@pytest.mark.slow
def test_a_constructor_of_what_the_tool_has_no_type_or_another_meaning_for_is_the_authors(
    tmp_path: Path,
) -> None:
    module = tried(tmp_path, "real", HEAD + OWN)
    assert "        self.value = jnp.array(value)\n" in module
    assert "    def __init__(self, n: int = 3, dtype=jnp.float32):\n        self.dtype = dtype\n" in module
    assert '    """What it holds."""\n' in module
