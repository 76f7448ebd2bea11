"""Fields whose annotation says nothing of what they hold: `Any`, and type variables."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest

TRACK = """\
from typing import Any, Generic, TypeVar

import equinox as eqx
from jaxtyping import Array, Float

T = TypeVar("T")


class Track(eqx.Module, Generic[T]):
    velocity: Float[Array, "2"]
    label: T

    def __call__(self, x):
        return self.velocity + x
"""
CALLED = TRACK.replace("    label: T\n", "    inner: T\n").replace("return self", "return self.inner(self")
CALLED = CALLED.replace("+ x", "+ x)")


@pytest.mark.parametrize("kind", ["T", "Any"])
def test_what_nothing_reads_and_may_be_anything_is_no_weight_that_is_left_unused(
    tmp_path: Path, kind: str
) -> None:
    code = tried(tmp_path, "track", TRACK.replace("label: T", f"label: {kind}"))
    assert f"label: {kind}\n" in code
    assert "unused=True" in (tmp_path / "nets/tests/test_track.py").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["T", "Any"])
def test_what_the_class_calls_is_given_a_function(tmp_path: Path, kind: str) -> None:
    code = tried(tmp_path, "track", CALLED.replace("inner: T", f"inner: {kind}"))
    assert f"inner: {kind}\n" in code
    assert '"inner": jnp.tanh' in (tmp_path / "nets/tests/test_track.py").read_text("utf-8")


@pytest.mark.slow
def test_a_weight_that_nothing_reads_is_a_fault_still(tmp_path: Path) -> None:
    generated(tmp_path, {"track": TRACK.replace("label: T", 'label: Float[Array, "3"]')})
    result = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert result.returncode == 1 and "test_p08_every_parameter_changes_the_output" in result.stdout


BESIDE = TRACK.replace("    label: T\n", "    options: dict = eqx.field(static=True, default_factory=dict)\n")
BESIDE = BESIDE.replace(
    "class Track",
    "class Point(eqx.Module):\n    at: Float[Array, '2']\n\n    def __call__(self, x):\n        return self.at + x\n\n\nclass Track",
)


@pytest.mark.slow
def test_a_type_variable_of_a_class_that_is_emitted_word_for_word_is_carried(tmp_path: Path) -> None:
    code = tried(tmp_path, "tracks", BESIDE)
    assert code.count('T = TypeVar("T")') == 1 and "class Track(eqx.Module, Generic[T]):" in code
