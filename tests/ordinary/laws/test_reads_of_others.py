"""What other classes of a file do with a class: they read a parameter that it does not, and train less of it than it would."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

START = """import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, call, module, param


class Cell(Module):
    w: Float[Array, "n n"] = param("orthogonal")
    h0: Float[Array, " n"] = param("zeros")

    @call(carry="h")
    def __call__(self, h: Float[Array, " n"], x: Float[Array, " n"]) -> Float[Array, " n"]:
        return jnp.tanh(self.w @ h + x)


class Net(Module):
    cell: Cell = module()

    def __call__(self, xs: Float[Array, "time n"]) -> Float[Array, " n"]:
        return jax.lax.scan(lambda h, x: (self.cell(h, x), None), self.cell.h0, xs)[0]
"""
TIED = """
from jaxtyping import Array, Float, Int
from scaffold.skeleton import Module, param, shared


class Embedder(Module):
    table: Float[Array, "vocabulary size"] = param("normal(0.02)")
    head: Float[Array, "size vocabulary"] = shared("table.T")

    def __call__(self, ids: Int[Array, " time"]) -> Float[Array, "time size"]:
        return self.table[ids]
"""
LOGITS = """
    def logits(self, x: Float[Array, "time size"]) -> Float[Array, "time vocabulary"]:
        return x @ self.head
"""
MODEL = """

class Model(Module):
    embedder: Embedder = module()

    def __call__(self, ids: Int[Array, " time"]) -> Float[Array, "time vocabulary"]:
        return self.embedder(ids) @ self.embedder.head
"""
WHOLE = """import equinox as eqx
import jax
from jaxtyping import Array, Float


class Part(eqx.Module):
    base: Float[Array, " n"]
    a: Float[Array, " n"]

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.base * x + self.a


class Whole(eqx.Module):
    part: Part
    gain: Float[Array, " n"]

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.gain * self.part(x)

    def trainable(self):
        none = jax.tree.map(lambda _: False, self)
        return eqx.tree_at(lambda whole: (whole.part.a, whole.gain), none, (True, True))
"""


@pytest.mark.slow  # a run of its own
def test_a_parameter_that_another_class_reads_is_not_unused(tmp_path: Path) -> None:
    tried(tmp_path, "net", START)
    assert 'Leaf("h0", "param", (2,), value=0.0, unused=True),' in suite_text(tmp_path, "net")


@pytest.mark.slow  # a run of its own
@pytest.mark.parametrize(
    "text",
    [
        TIED + LOGITS,
        pytest.param(TIED.replace("import Module", "import Module, module") + MODEL, marks=pytest.mark.slow),
    ],
    ids=["method", "class"],
)
def test_a_tie_that_the_call_leaves_to_others_is_not_unused(text: str, tmp_path: Path) -> None:
    tried(tmp_path, "embedder", text)
    assert '    ignored = ("head",)\n' in suite_text(tmp_path, "embedder")


@pytest.mark.slow  # a run of its own
def test_a_class_may_train_less_of_its_parts_and_no_less_of_itself(tmp_path: Path) -> None:
    generated(tmp_path, {"whole": WHOLE})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off", "-k", "TestWhole and p16")) > 1
    module = tmp_path / "nets/whole.py"
    module.write_text(
        module.read_text("utf-8").replace(
            "(whole.part.a, whole.gain), none, (True, True)", "whole.part.a, none, True"
        )
    )
    ran = forked_pytest(tmp_path / "nets", "--numbers=off", "-k", "TestWhole and p16")
    assert ran.returncode == 1 and "on a fresh instance it selects ['part.a']" in ran.stdout


CLIPPED = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class Clipped(eqx.Module):
    bound: float = eqx.field(static=True, default=1.0)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        @jax.custom_vjp
        def identity(x):
            return x

        def backward(_, g):
            return (jnp.clip(g, -self.bound, self.bound),)

        identity.defvjp(lambda x: (x, None), backward)
        return identity(x)
"""


def test_a_rule_of_an_identity_is_there_for_another_gradient(tmp_path: Path) -> None:
    tried(tmp_path, "clipped", CLIPPED)
