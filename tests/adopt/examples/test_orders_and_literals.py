"""Values of orders, which have each index once, and of literals that are no plain values."""

import enum
from typing import Any, Literal

import jax.numpy as jnp
import pytest

from scaffold.adopt.child.values.annotations import EMPTY
from scaffold.adopt.child.values.candidates import values_for
from scaffold.adopt.child.values.context import Context


class Colour(enum.Enum):
    RED = 1


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Literal[jnp.float8_e5m2], "jnp.float8_e5m2"),
        (Literal["same", 3], "'same'"),
        (Literal[Colour.RED], "Colour.RED"),
    ],
)
def test_a_literal_is_written_as_what_it_is(kind: Any, text: str) -> None:
    first = values_for("kind", kind, Context())[0]
    assert first.text == text, first


def test_a_permutation_has_each_index_once() -> None:
    texts = [source.text for source in values_for("permutation", EMPTY, Context(is_call=True))]
    assert "jnp.roll(jnp.arange(3), 1)" in texts, texts
