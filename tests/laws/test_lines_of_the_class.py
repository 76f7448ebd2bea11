"""A message names the line of the class: where a float gets wider than bfloat16."""

import inspect
from pathlib import Path
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, Method, PytreeLaws, sample
from pytree_laws.inspect.raised_at import raised_at
from tests.laws.seen_broken import broken


class Widened(eqx.Module):
    """Results that are wider than what they are computed of, each by another line."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        mean = jnp.mean(x)  # float32 on the way, and bfloat16 again
        total = jnp.zeros(3)
        for row in (x, self.weight):
            total = total + row
        return mean * self.weight, 2 * total

    def gram(self, x: jax.Array) -> jax.Array:
        noise = jnp.eye(3)
        scaled = self.weight * x
        return jax.jit(lambda m: m @ m.T)(scaled[:, None] * scaled[None, :] + noise)

    def chosen(self, x: jax.Array) -> jax.Array:
        places = jnp.argmax(x[None], 0)
        chosen = jax.nn.one_hot(places, 3)
        return chosen * self.weight

    def nothing(self, x: jax.Array) -> jax.Array:
        return jnp.zeros(())


class Wide(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)),)
    methods: ClassVar[Any] = ()

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,))}

    def build(self, **inputs: Any) -> Any:
        return Widened(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class WideGram(Wide):
    methods = (Method("gram", lambda seed: (sample(seed, (3,)),)),)


class WideChosen(Wide):
    methods = (Method("chosen", lambda seed: (sample(seed, (3,)),)),)


class WideConstant(Wide):
    methods = (Method("nothing", lambda seed: (sample(seed, (3,)),)),)


def line_of(text: str) -> str:
    """A line of the class, as a message shows it."""
    lines, first = inspect.getsourcelines(Widened)
    [index] = [i for i, line in enumerate(lines) if line.strip() == text]
    return f"{__name__.rpartition('.')[2]}.py:{first + index}: {text}"


@pytest.mark.parametrize(
    ("form", "test", "where", "line"),
    [
        (Wide, "p07_bfloat16_in_bfloat16_out", "output 1", "total = jnp.zeros(3)"),
        (WideGram, "p07_methods_in_bfloat16_give_bfloat16", "gram, output 0", "noise = jnp.eye(3)"),
        (WideChosen, "p07_methods_in_bfloat16_give_bfloat16", "chosen, output 0", "chosen = jax.nn.one_hot(places, 3)"),
        (WideConstant, "p07_methods_in_bfloat16_give_bfloat16", "nothing, output 0", ""),
    ],
)  # fmt: skip
def test_the_line_at_which_a_float_gets_wider_is_told(
    form: type[PytreeLaws], test: str, where: str, line: str
) -> None:
    jax.make_jaxpr(lambda places: jax.nn.one_hot(places, 3))(jnp.zeros(3, jnp.int32))  # is not traced again
    found = broken(form(), test)
    assert found.where == where
    assert found.hint.endswith(line_of(line) if line else ": it is a constant")


def test_where_no_line_is_of_the_class_that_of_a_library_is_named() -> None:
    with pytest.raises(Exception) as below:
        eqx.nn.Linear(2, 3, key="key")
    assert raised_at(below.value, Path(__file__).parent).startswith("equinox/nn/_linear.py:")
    assert raised_at(below.value).startswith("tests/laws/test_lines_of_the_class.py:")
