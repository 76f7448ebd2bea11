"""Optional arguments without a shape, which the value says that stands in for None."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

HEAD = """
from typing import Optional

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param
"""
CHOICES = {
    "an expression": ("=None", "zeros_like(self.rate) if h is None else h", "sample(seed + 1, (2,))"),
    "a negation": (": Optional[Array] = None", "h if h is not None else self.rate", "sample(seed + 1, (2,))"),
    "a length": (
        "=None",
        "jnp.zeros(x.shape[-1]) if h is None else jnp.asarray(h)",
        "sample(seed + 1, (2,))",
    ),
    "flags": ("=None", "jnp.ones(x.shape[0], bool) if h is None else h", 'sample(seed + 1, (3,), "bool")'),
    "places": ("=None", "jnp.arange(x.shape[0]) if h is None else h", 'sample(seed + 1, (3,), "int32")'),
    "two arrays": (
        "=None",
        "self.begin() if h is None else h",
        "(\n                sample(seed + 1, (2,)),\n                sample(seed + 11, (2,)),\n            )",
    ),
}


def _decay(kind: str, *lines: str) -> str:
    body = "\n        ".join(lines)
    return f"""{HEAD}

class Decay(Module):
    rate: Float[Array, " n"] = param("ones")

    def __call__(self, x: Float[Array, "time n"], h{kind}):
        zeros_like = jnp.zeros_like
        {body}
        return x[0] * self.rate + jax.tree.leaves(h)[0].sum()

    def begin(self):
        return jnp.zeros_like(self.rate), jnp.ones_like(self.rate)
"""


@pytest.mark.parametrize("name", CHOICES)
def test_an_option_is_given_what_stands_in_for_it(tmp_path: Path, name: str) -> None:
    kind, choice, given = CHOICES[name]
    said = generated(tmp_path, {"decay": _decay(kind, f"h = {choice}")})
    assert given in suite_text(tmp_path, "decay")
    assert "not tried" not in said


@pytest.mark.parametrize(
    "lines",
    [
        ("if h is None:", "    h = jnp.zeros_like(self.rate)"),
        ("h = h or self.begin()",),
        ("if h is not None:", "    a, b = h", "else:", "    a, b = self.begin()"),
    ],
)
def test_statements_stand_in_as_well(tmp_path: Path, lines: tuple[str, ...]) -> None:
    said = generated(tmp_path, {"decay": _decay("=None", *lines)})
    assert "sample(seed + 1, (2,))" in suite_text(tmp_path, "decay")
    assert "not tried" not in said


def test_an_option_whose_shape_no_code_implies_is_said_to_be_untried(tmp_path: Path) -> None:
    said = generated(tmp_path, {"decay": _decay("=None", "h = 0.1 if h is None else h")})
    assert 'Decay: not tried: __call__ with h (no example for h): write `@test(values={"h": ' in said
    assert "seed + 1" not in suite_text(tmp_path, "decay")


def test_an_option_is_given_the_shape_that_code_implies(tmp_path: Path) -> None:
    choice = "h = self.rate if h is None else jnp.concatenate([h, self.rate])"
    said = generated(tmp_path, {"decay": _decay("=None", choice)})
    assert "not tried" not in said
    assert "sample(seed + 1, (5,))" in suite_text(tmp_path, "decay")
    assert 'guessed = ("__call__",)' in suite_text(tmp_path, "decay")


@pytest.mark.slow
def test_a_branch_for_an_option_is_tried_and_so_is_the_one_without(tmp_path: Path) -> None:
    choice = "h = zeros_like(self.rate) if h is None else h"
    tried(tmp_path / "right", "decay", _decay("=None", choice))
    wrong = "h = h if h is None else jnp.concatenate([h, self.rate]) + self.rate"
    generated(tmp_path / "wrong", {"decay": _decay("=None", f"g = {choice.partition(' = ')[2]}", wrong)})
    ran = forked_pytest(tmp_path / "wrong/nets", "--numbers=off")
    assert "`call` on the example raised TypeError" in ran.stdout
    module = tmp_path / "right/nets/decay.py"
    module.write_text(
        module.read_text("utf-8").replace("zeros_like(self.rate) if", "jnp.zero(9) if"), "utf-8"
    )
    ran = forked_pytest(tmp_path / "right/nets", "--numbers=off")
    assert "P7 jit equals eager, at `call(h=None)`" in ran.stdout, ran.stdout
