"""Methods that override annotated ones without annotations of their own: what a base says of them holds of its subclasses."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest
from tests.support.projects import passed

OPERATOR = """\
import abc

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class Operator(eqx.Module):
    @abc.abstractmethod
    def mv(self, x: Float[Array, " n"]) -> Float[Array, " m"]: ...

    @abc.abstractmethod
    def width(self) -> int: ...

    def rmv(self, y: Float[Array, " m"]) -> Float[Array, " n"]:
        like = jax.ShapeDtypeStruct((self.width(),), y.dtype)
        (out,) = jax.linear_transpose(self.mv, like)(y)
        return out


class Diagonal(Operator):
    d: Float[Array, " n"]

    def width(self):
        return self.d.size

    def mv(self, x):
        return self.d * x
"""
SUM = (
    OPERATOR
    + """

class Sum(Operator):
    terms: tuple[Operator, ...]

    def width(self):
        return self.terms[0].width()

    def mv(self, x):
        return sum(term.mv(x) for term in self.terms)
"""
)


def test_dims_of_a_base_have_the_sizes_that_an_override_gives(tmp_path: Path) -> None:
    generated(tmp_path, {"operators": OPERATOR})
    suite = (tmp_path / "nets/tests/test_operators.py").read_text("utf-8")
    row = suite[suite.index('"rmv"') :]
    assert "(sample(seed + 50, (2,)),)" in row[:80] and '"rmv"' not in suite[suite.index("guessed") :][:60]
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 80


@pytest.mark.slow
def test_dims_that_nothing_sizes_are_guesses(tmp_path: Path) -> None:
    said = generated(tmp_path, {"operators": SUM})
    assert "Sum: not" not in said
    suite = (tmp_path / "nets/tests/test_operators.py").read_text("utf-8")
    assert '"rmv")' in suite[suite.index("class TestSum") :]
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 120


@pytest.mark.slow
def test_a_mistake_in_an_inherited_method_is_told_where_its_dims_are_known(tmp_path: Path) -> None:
    broken = OPERATOR.replace("(self.width(),), y.dtype", "(self.width() + 1,), y.dtype")
    generated(tmp_path, {"operators": broken})
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert run.returncode == 1 and "at `rmv`" in run.stdout
