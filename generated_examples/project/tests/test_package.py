"""What holds for the package as a whole."""

import tomllib
from pathlib import Path

import jax
from conftest import GetKey

from example_study import __version__


def test_the_version_is_that_of_the_metadata() -> None:
    root = Path(__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    assert __version__ == project["project"]["version"]


def test_keys_differ_and_come_again(getkey: GetKey) -> None:
    first, second = getkey(), getkey()
    assert jax.random.bits(first) != jax.random.bits(second)
    again = GetKey(getkey.seed, "a test")
    assert jax.random.bits(again()) == jax.random.bits(GetKey(getkey.seed, "a test")())
