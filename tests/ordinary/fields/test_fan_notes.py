"""What is said of an initialiser that scales with its fans, where an array has more axes than a matrix."""

from pathlib import Path

from tests.ordinary.generated import generated

HEADS = """\
import math

import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Heads(Module):
    wq: Float[Array, "heads dim size"] = param("lecun_normal")
    mix: Float[Array, "size size"] = param("lecun_normal")
    wo: Float[Array, "size heads dim"] = param("normal(1 / math.sqrt(heads * dim))")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.mix @ jnp.einsum("ohd,hd->o", self.wo, self.wq @ x)
"""


def test_the_axes_of_a_fan_are_named_where_there_are_more_than_two(tmp_path: Path) -> None:
    said = " ".join(generated(tmp_path, {"heads": HEADS}).split())
    assert "Heads: `lecun_normal` of `wq` counts heads * size as its fan-in, all axes but `dim`" in said
    assert '(`param("normal(1 / math.sqrt(size))")` counts `size` alone)' in said
    assert "of `mix`" not in said and "of `wo`" not in said
