"""What a method keeps behind `stop_gradient`, as its code says: what lies there alone, and what goes beside it."""

from pathlib import Path

import pytest

from tests.ordinary.generated import whole_suite
from tests.support.forking import forked_pytest
from tests.support.projects import passed

TEMPORAL_DIFFERENCE = """
import jax
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Td(Module):
    weight: Float[Array, " n"] = param("normal(1.0)")
    scale: Float[Array, ""] = param("ones")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, ""]:
        return (self.weight * x).sum()

    def error(self, x: Float[Array, " n"], following: Float[Array, " n"], reward: Float[Array, ""]) -> Float[Array, ""]:
        goal = jax.lax.stop_gradient(reward + 0.9 * self(following))
        return self.scale * (self(x) - goal)

    def again(self, x: Float[Array, " n"], y: Float[Array, " n"]) -> Float[Array, ""]:
        x = jax.lax.stop_gradient(x)
        return self.error(x, y, self.scale) + jax.numpy.argmax(y)
"""
MISTAKES = (
    ("jax.lax.stop_gradient(reward", "(reward", "a gradient reaches argument 1, argument 2, which"),
    ("(self(x) - goal)", "jax.lax.stop_gradient(self(x) - goal)", "depends on argument 0, and no gradient"),
)


@pytest.mark.slow
def test_what_reaches_a_result_through_a_stop_alone_is_closed_and_what_goes_beside_it_is_not(
    tmp_path: Path,
) -> None:
    suite = whole_suite(tmp_path, "td", TEMPORAL_DIFFERENCE)
    error, again = suite.split('"error"')[1].split('"again"')
    assert 'stopped=("weight",)' in error and "closed=(1, 2)" in error
    assert 'stopped=(0, 1, "weight", "scale")' in again and "closed" not in again
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50
    module = tmp_path / "nets/td.py"
    code = module.read_text("utf-8")
    for right, wrong, told in MISTAKES:
        assert right in code
        module.write_text(code.replace(right, wrong), "utf-8")
        assert told in forked_pytest(tmp_path / "nets", "-k", "p09_").stdout
