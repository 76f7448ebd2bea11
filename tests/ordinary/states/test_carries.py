"""Methods that hand something on to their next call: an argument, or the instance, whose data they fill."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32
from scaffold.skeleton import Module, Pytree, buffer, call, data, field, param, state
"""


STEPPED = """

class Recurrence(Module):
    weight: Float[Array, " size"] = param("normal")

    @call(carry="hidden")
    def step(
        self, hidden: Float[Array, " size"], x: Float[Array, " size"]
    ) -> tuple[Float[Array, " size"], Float[Array, " size"]]:
        hidden = self.weight * hidden + x
        return hidden, jnp.tanh(hidden)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.weight * x
"""


@pytest.mark.slow
def test_a_method_carries_an_argument(tmp_path: Path) -> None:
    tried(tmp_path, "recurrence", HEAD + STEPPED)
    suite = suite_text(tmp_path, "recurrence")
    assert "carry=0" in suite, suite


STATEFUL = """

class Drift(Module):
    weight: Float[Array, " size"] = param("normal")
    seen: Float[Array, " size"] = state("zeros")

    @call(carry="hidden")
    def step(self, hidden: Float[Array, " size"], x: Float[Array, " size"]) -> Float[Array, " size"]:
        self.seen = self.seen + x
        return self.weight * hidden + x

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        self.seen = self.seen + x
        return self.weight * x
"""


@pytest.mark.slow
def test_a_method_with_a_state_carries_an_argument(tmp_path: Path) -> None:
    tried(tmp_path, "drift", HEAD + STATEFUL)


KEPT = """

class Ring(Pytree):
    values: Float[Array, " room"] = data("zeros")
    filled: Bool[Array, " room"] = field("zeros")
    added: Int32[Array, ""] = field("zeros")

    @call(carry="self")
    def add(self, value: Float[Array, ""]) -> "Ring":
        at = self.added % self.values.shape[0]
        return Ring(self.values.at[at].set(value), self.filled.at[at].set(True), self.added + 1)

    def total(self) -> Float[Array, ""]:
        return jnp.sum(jnp.where(jnp.arange(self.values.shape[0]) < self.added, self.values, 0))
"""


@pytest.mark.slow  # a run of its own
def test_a_field_takes_its_initialiser_first_and_what_begins_empty_is_filled(tmp_path: Path) -> None:
    tried(tmp_path, "ring", HEAD + KEPT)
    suite = suite_text(tmp_path, "ring")
    assert 'Method("total", returns=(Output(()),), used=("values",)),' in suite, suite


GUARDED = """

class Waiting(Module):
    values: Float[Array, " room"] = data("zeros")
    count: Int32[Array, ""] = data("zeros")

    def add(self, value: Float[Array, ""]) -> "Waiting":
        at = eqx.error_if(self.count, self.count >= self.values.shape[0], "full")
        return Waiting(self.values.at[at].set(value), self.count + 1)

    def total(self) -> Float[Array, ""]:
        return jnp.sum(jnp.where(jnp.arange(self.values.shape[0]) < self.count, self.values, 0))

    def __call__(self, x: Float[Array, ""]) -> Float[Array, " room"]:
        return self.values + x
"""


@pytest.mark.slow
def test_a_queue_may_become_full(tmp_path: Path) -> None:
    source = GUARDED.replace("    def add(", '    @call(carry="self")\n    def add(')
    tried(tmp_path, "waiting", HEAD + source)


SCANNED = """

class Norm(Module):
    mean: Float[Array, " d"] = buffer("zeros")

    def updated(self, x: Float[Array, " d"]) -> "Norm":
        return eqx.tree_at(lambda norm: norm.mean, self, 0.9 * self.mean + 0.1 * x)

    def scan(self, xs: Float[Array, "time d"]) -> tuple["Norm", Float[Array, "time d"]]:
        def body(norm, x):
            norm = norm.updated(x)
            return norm, x - norm.mean

        return jax.lax.scan(body, self, xs)
"""


@pytest.mark.slow
def test_a_buffer_that_a_scan_updates_has_no_gradient(tmp_path: Path) -> None:
    generated(tmp_path, {"norms": HEAD + SCANNED})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50
    module = tmp_path / "nets/norm.py"
    text = module.read_text("utf-8").replace("jax.lax.stop_gradient(self.mean)", "self.mean")
    module.write_text(text, "utf-8")
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "a gradient reaches the buffer `mean`" in ran.stdout


INTEGRATOR = """
class Integrator(eqx.Module):
    total: Float[Array, ""] = data("zeros")

    @call(carry="self")
    def __call__(self, x: Float[Array, ""]) -> tuple["Integrator", Float[Array, ""]]:
        total = self.total + x
        return Integrator(total), total
"""


@pytest.mark.slow  # the classes of other subjects are tried in every run
def test_a_call_carries_its_instance(tmp_path: Path) -> None:
    tried(tmp_path, "integrator", HEAD + INTEGRATOR)
