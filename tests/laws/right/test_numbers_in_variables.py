"""Variables of NNX that hold numbers of Python or arrays of NumPy, in whose place a program gives arrays; arrays in none."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from harness.runner import run

from pytree_laws import check_pytree, sample
from pytree_laws.nnx import NnxLaws, Var
from pytree_laws.report import ADVICE, FAULT
from right.test_right_forms import finding


class Scaled(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs):
        self.scale = nnx.Param(2.0)

    def scaled(self, x: jax.Array) -> jax.Array:
        return x * self.scale


def test_a_python_number_in_a_variable_is_advice() -> None:
    body = {
        "variables": (Var("scale", nnx.Param, ()),),
        "inputs": lambda self, seed: {"rngs": nnx.Rngs(seed)},
        "build": lambda self, rngs: Scaled(rngs=rngs),
        "arguments": lambda self, seed: (sample(seed, (3,)),),
        "call": lambda self, model, x: model.scaled(x),
    }
    form = type("Form", (NnxLaws,), body)
    assert finding(form, "p02_variables_are_as_declared").startswith(
        "advice: declared as Param, it must be a jax.Array"
    )
    assert finding(form, "p01_builds_under_jit_without_leaking") == ""


class Sampler(nnx.Module):
    """A part of a pipeline, which counts what it has given."""

    def __init__(self, size: int = 4, rate: float = 0.5):
        self.size = size
        self.rate = nnx.Param(rate)
        self.count = nnx.Variable(0)
        self.shuffles = nnx.Variable(True)
        self.table = nnx.Variable(np.arange(3, dtype=np.float32))

    def __call__(self, x: jax.Array) -> jax.Array:
        self.count.set_value(self.count.get_value() + 1)
        turned = jnp.where(self.shuffles.get_value(), x[::-1], x)
        return turned * self.rate.get_value() + self.table.get_value()

    def get_state(self) -> dict[str, Any]:
        return {"count": self.count.get_value(), "shuffles": self.shuffles.get_value()}

    def progress(self) -> Any:
        return self.count.get_value() / self.size


def test_all_else_that_holds_of_arrays_holds_of_them() -> None:
    body = {
        "inputs": lambda self, seed: {"size": 4},
        "build": lambda self, **inputs: Sampler(**inputs),
        "arguments": lambda self, seed: (sample(seed, (3,)),),
        "call": lambda self, model, x: model(x),
    }
    outcome = run(type("Form", (NnxLaws,), body), on_warning="ignore")
    assert sorted(name for name, _ in outcome.found) == [
        "test_p02_variables_are_as_declared",  # advice
        "test_p05_no_value_is_weakly_typed",  # a cost, and what it costs is told next
        "test_p06_one_trace_serves_all_modules",
    ]


class Rotary(nnx.Module):
    """It computes a table, which it keeps in no Variable."""

    def __init__(self, length: int, *, rngs: nnx.Rngs):
        self.angle = jnp.arange(length, dtype=jnp.float32)
        self.scale = nnx.Param(rngs.normal((length,)))

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.cos(self.angle * x) * self.scale


class Offset(Rotary):
    """A weight lies in no Variable either."""

    def __init__(self, length: int, *, rngs: nnx.Rngs):
        super().__init__(length, rngs=rngs)
        self.offset = jnp.zeros(length)

    def __call__(self, x: jax.Array) -> jax.Array:
        return super().__call__(x) + self.offset


@pytest.mark.parametrize(("cls", "place", "severity"), [(Rotary, "angle", ADVICE), (Offset, "offset", FAULT)])
def test_a_table_in_no_variable_is_advice_and_a_weight_a_fault(cls: Any, place: str, severity: str) -> None:
    build = lambda seed: cls(3, rngs=nnx.Rngs(seed))  # noqa: E731
    [told] = check_pytree(build, lambda seed: (sample(seed, (3,)),)).findings
    assert (told.law.number, told.where, told.severity) == ("P2", place, severity)
    assert ("class Table(nnx.Variable)" in told.hint) is (severity == ADVICE)
