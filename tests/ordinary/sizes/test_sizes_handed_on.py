"""Sizes that a class hands on to parts of its file, whose constructors refuse some."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

BLOCK = """\
import equinox as eqx
import jax
from jaxtyping import Array, Float


class Rope(eqx.Module):
    head_dim: int = eqx.field(static=True)

    def __init__(self, head_dim: int):
        if head_dim % 2:
            raise ValueError("head_dim must be even")
        self.head_dim = head_dim


class Attention(eqx.Module):
    proj: eqx.nn.Linear
    rope: Rope

    def __init__(self, dim: int, num_heads: int, *, key):
        if dim % num_heads != 0:
            raise ValueError("dim is not divisible by num_heads")
        self.proj = eqx.nn.Linear(dim, dim, key=key)
        self.rope = Rope(dim // num_heads)

    def __call__(self, x: Float[Array, "seq dim"]) -> Float[Array, "seq dim"]:
        return jax.vmap(self.proj)(x)


class Block(eqx.Module):
    attention: Attention

    def __init__(self, width: int, heads: int, *, key):
        self.attention = Attention(width, heads, key=key)

    def __call__(self, x: Float[Array, "seq width"]) -> Float[Array, "seq width"]:
        return x + self.attention(x)
"""
BY_NAME = "head_dim = dim // num_heads\n        self.rope = Rope(head_dim=head_dim)"


@pytest.mark.spread(3)
@pytest.mark.parametrize("by", ["self.rope = Rope(dim // num_heads)", BY_NAME])
def test_a_size_fits_the_guards_of_all_parts_below(tmp_path: Path, by: str) -> None:
    tried(tmp_path, "block", BLOCK.replace("self.rope = Rope(dim // num_heads)", by))
    assert '"width": 30,\n            "heads": 5,' in suite_text(tmp_path, "block")


@pytest.mark.slow
def test_what_hands_on_what_a_part_refuses_is_a_guess(tmp_path: Path) -> None:
    generated(tmp_path, {"block": BLOCK.replace("head_dim % 2", "head_dim != 8")})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 40
    assert suite_text(tmp_path, "block").count('guessed = ("__init__",)') == 3


@pytest.mark.slow
def test_what_makes_parts_that_take_all_is_no_guess(tmp_path: Path) -> None:
    guards = ("if head_dim % 2:", "if dim % num_heads != 0:")
    text = BLOCK
    for guard in guards:
        start = text.index(guard)
        text = text[:start] + text[text.index("self.", start) :]
    generated(tmp_path, {"block": text.replace("x + self.attention(x)", "x + self.attention(x, 1)")})
    assert "guessed" not in suite_text(tmp_path, "block")
    assert "1 fault" in (said := forked_pytest(tmp_path / "nets", "--numbers=off").stdout), said
