"""Examples as long as a method asks for, which raises for others."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried, whole_suite

MODULE = """
import equinox as eqx
import jax
import jax.numpy as jnp


class {name}(eqx.Module):
    size: {kind}
    scale: jax.Array

    def __init__(self, size: int = 100):
        self.size = {stored}
        self.scale = jnp.ones(())

    def __call__(self, x: jax.Array) -> jax.Array:
{asked}
        return self.scale * x
"""
PAIR = "tuple[int, int]", "(size, 2 * size)"
CASES = {
    "patch": (
        *PAIR,
        """
        C, H, W = x.shape
        if H != self.size[0] or W != self.size[1]:
            raise ValueError(f"the size is not {self.size}")
""",
        "(3, 2, 4)",
    ),
    "column": (
        *PAIR,
        """
        if x.shape[1] != self.size[0]:
            raise ValueError("columns")
""",
        "(3, 2)",
    ),
    "square": (
        "tuple[int, int]",
        "size if isinstance(size, tuple) else (size, size)",
        '        assert x.shape == (self.size[0], self.size[1]), "size"',
        "(2, 2)",
    ),
    "last": ("int", "3 * size", "        assert self.size == x.shape[-1] and x.ndim == 2", "(3, 6)"),
    "vector": ("int", "size", '        assert x.shape[0] == self.size, "length"', "(2,)"),
    "single": ("int", "size", "        assert x.shape[-1] == 1", "(1,)"),
    "matrix": ("int", "size", "        assert x.shape[-2:] == (self.size, 3)", "(2, 3)"),
    "behind": (
        "int",
        "size",
        """
        if x.shape[1:] != (4, 3):
            raise ValueError("images")
""",
        "(2, 4, 3)",
    ),
}


def skeleton(name: str) -> str:
    kind, stored, asked, _ = CASES[name]
    return MODULE.format(name=name.title(), kind=kind, stored=stored, asked=asked.strip("\n"))


@pytest.mark.parametrize("name", CASES)
def test_an_axis_has_the_size_that_is_stored(name: str, tmp_path: Path) -> None:
    suite = whole_suite(tmp_path, name, skeleton(name))
    assert f"sample(seed, {CASES[name][-1]})" in suite
    assert ("self.size" in CASES[name][2]) == ('"size": 2' in suite), "a setting that is a size"


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_its_tests_pass(name: str, tmp_path: Path) -> None:
    tried(tmp_path, name, skeleton(name))
