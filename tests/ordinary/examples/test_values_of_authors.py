"""Values that the author gives for an argument: its dims have their sizes, or none that the tool has chosen."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

GROUP = """
from typing import Tuple

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import test

Pair = Tuple[Float[Array, "Rec"], Float[Array, "Rec"]]


@test(values={{"size": lambda: 3, "carry": lambda: {carry}}})
class Group(eqx.Module):
    size: int

    def __call__(self, carry: Pair) -> Pair:
        a, b = carry
        return a * b, jnp.ones(self.size, b.dtype) + b
"""
VALUES = {
    "(jnp.ones(3), jnp.full(3, 0.5))": "Output((3,)),",
    "tuple(jnp.ones((2, 3)))": "Output((None,)),",
}


@pytest.mark.parametrize("carry", VALUES)
def test_outputs_are_as_long_as_the_values_are(tmp_path: Path, carry: str) -> None:
    tried(tmp_path, "group", GROUP.format(carry=carry))
    assert suite_text(tmp_path, "group").count(VALUES[carry]) == 2


@pytest.mark.slow
def test_an_output_of_another_length_than_the_values_is_told(tmp_path: Path) -> None:
    text = GROUP.format(carry=next(iter(VALUES)))
    generated(tmp_path, {"group": text.replace("return a * b,", "return (a * b)[:2],")})
    said = forked_pytest(tmp_path / "nets", "--numbers=off").stdout
    assert "at `output 0`: the shape is (2,), declared is (3,)" in said
