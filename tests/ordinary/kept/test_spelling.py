"""What an author wrote stays as it was written: imports, annotations, docstrings and the lines between."""

from pathlib import Path

from tests.ordinary.generated import generated

QUOTED = """
from typing import Literal

import jax
import jax.numpy as jnp
import optax
from functools import partial
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Scale(Module):
    gain: Float[Array, " n"] = param("ones")

    def __call__(
        self, x: Float[Array, " n"], mode: Literal["partial"] = "partial", *, key: "jax.Array | None" = None
    ):
        return self.gain * jnp.tanh(x)

    def moved(self, state: dict[str, "optax.OptState"]) -> Float[Array, "partial"]:
        return self.gain
"""


def _module(folder: Path, name: str, skeleton: str) -> str:
    generated(folder, {name: skeleton})
    return (folder / f"nets/{name}.py").read_text("utf-8")


def test_names_in_annotations_in_quotes_are_read(tmp_path: Path) -> None:
    module = _module(tmp_path, "scale", QUOTED)
    assert "\nimport jax\n" in module and "\nimport optax\n" in module
    assert "import partial" not in module
