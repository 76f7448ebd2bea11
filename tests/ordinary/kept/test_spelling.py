"""What an author wrote stays as it was written: imports, annotations, docstrings and the lines between."""

from pathlib import Path

import pytest

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


WRITTEN = '''\
"""
Turns of the plane. Each of them is held as an angle, and what they are multiplied with is a point of the plane.

References:
    [1] A. Author. Flocks, herds and schools: a model that is distributed over many pages.
"""

from __future__ import annotations

from typing import Optional, Tuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float
from scaffold.skeleton import {kind}, data, static

RATE = 3.0
"""How fast a turn is, which nobody asks for."""


# Turns.

class Turn({kind}):
    r"""
    A turn by $\\alpha$, of which nobody asks how many times it goes around, since that is not what it is for.
    """

    angle: Optional[Array] = data(example="f[]")
    # What is left.
    rest: Float[Array, " {size}"] | None = data()  # of each row
    names: Tuple[str, ...] = static(())

    # Factory.

    @classmethod
    def zero(cls, batch: Tuple[int, ...] = ()) -> Turn:
        """Nothing is turned, in as many rows as are asked for, each of which is one that turns nothing at all."""
        return Turn(angle=jnp.zeros(batch), rest=None, names=())

    # Use.

    def doubled(self, by: "Optional[float]" = None) -> Optional["Turn"]:
        angle = None if self.angle is None else self.angle * 2
        return Turn(angle=angle, rest=self.rest, names=self.names)
'''


def _changed(module: str, written: str) -> list[str]:
    """The lines of a skeleton that its module lacks."""
    there = module.splitlines()
    return [line for line in written.splitlines() if line not in there]


@pytest.mark.parametrize("kind", ["Module", "Pytree", "Namedtuple"])
def test_annotations_and_docstrings_stay_as_they_are_written(tmp_path: Path, kind: str) -> None:
    written = WRITTEN.format(kind=kind, size="size") if kind != "Namedtuple" else _of_data(kind)
    module = _module(tmp_path, "turn", written)
    changed = _changed(module, written)
    words = ("scaffold.skeleton", "class Turn", " = data(", " = static(", "import")
    assert [line for line in changed if not any(word in line for word in words)] == []
    assert "    # Factory.\n\n    @classmethod\n" in module and "    # Use.\n\n    def doubled" in module
    assert '\n"""How fast a turn is, which nobody asks for."""\n' in module and "\n# Turns.\n\n" in module
    assert "    angle: Optional[Array]" in module
    assert (
        '    # What is left.\n    rest: Float[Array, " size"] | None' in module
        and "  # of each row\n" in module
    )


def _of_data(kind: str) -> str:
    """The same without what a NamedTuple cannot hold."""
    text = (
        WRITTEN.format(kind=kind, size="size")
        .replace(", static", "")
        .replace(", names=()", "")
        .replace(", names=self.names", "")
    )
    return "\n".join(line for line in text.split("\n") if "static" not in line)


UNBOUND = """
from typing import Optional, Self

import jax
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Scale(Module):
    gain: Float[Array, "n"] = param("ones")

    def half(self) -> Optional[Scale]:
        return Scale(self.gain / 2)

    def third(self) -> Self:
        return Scale(self.gain / 3)
"""


def test_what_python_or_a_linter_would_read_otherwise_is_mended(tmp_path: Path) -> None:
    module = _module(tmp_path, "scale", UNBOUND)
    assert 'gain: Float[Array, " n"]\n' in module
    assert 'def half(self) -> "Scale | None":' in module and "def third(self) -> Self:" in module


CONSTRUCTOR = '''
from scaffold.skeleton import Module, data, static


class Drop(Module):
    p: float = data()
    mode: str = static()

    def __init__(self, p: float = 0.0, mode="global"):
        """Arguments.

        - `p`: Can be set to a number between zero and one. Whole inputs are dropped or retained.
        """
        self.p = p
        self.mode = mode
'''


@pytest.mark.parametrize("returns", ["", " -> None"])
def test_the_constructor_of_an_author_is_not_annotated_anew(tmp_path: Path, returns: str) -> None:
    written = CONSTRUCTOR.replace('"global"):', f'"global"){returns}:')
    assert written[written.index("    def __init__") :].rstrip() in _module(tmp_path, "drop", written)


def test_tabs_become_the_indents_of_the_project(tmp_path: Path) -> None:
    written = WRITTEN.format(kind="Module", size="size")
    module = _module(tmp_path / "spaces", "turn", written)
    assert _module(tmp_path / "tabs", "turn", written.replace("    ", "\t")).expandtabs(4) == module
