"""Gradients of what is emitted are those of the author's body, run as plain jax with the arrays as arguments."""

from collections import Counter
from typing import Any

import jax.numpy as jnp
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from scaffold.emit.members import members
from scaffold.passes import states
from tests.drawn.draft_gradients import ROLES, classes
from tests.emitted.plain_jax import check_gradients, sample

PHASES = (Phase.generate,)
DRAWN = settings(database=None, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))


def check_drawn(count: int) -> Counter[tuple[str, str]]:
    """How often each role was drawn in each kind."""
    seen: Counter[tuple[str, str]] = Counter()

    @seed(1)
    @settings(DRAWN, max_examples=count)
    @given(classes())
    def check(raw: dict[str, Any]) -> None:
        both = check_gradients(raw, sample(1, (3,)))
        seen.update({(both.spec.kind, one.role) for one in both.spec.fields})
        untold = {name for name, table in raw["fields"].items() if not {"role", "init"} & table.keys()}
        seen.update({(both.spec.kind, "untold")} if untold - {"flag"} else ())

    check()
    return seen


@pytest.mark.slow  # its neighbours are tried in every run
def test_gradients_of_drawn_classes_are_those_of_plain_jax() -> None:
    check_drawn(30)


@pytest.mark.slow
def test_gradients_of_many_drawn_classes_are_those_of_plain_jax() -> None:
    seen = check_drawn(2_000)
    assert {(kind, role) for kind, roles in ROLES.items() for role in (*roles, "untold")} <= set(seen)


CALL = {"args": "x: f[n]", "returns": "f[n]"}


@pytest.mark.parametrize("kind", ["module", "pytree", "nnx"])
@pytest.mark.parametrize("role", ["data", "buffer"])
def test_data_and_buffers_differ_where_they_are_declared(kind: str, role: str) -> None:
    fields = {"w": {"type": "f[n]", "role": "param"}, "past": {"type": "f[n]", "role": role}}
    raw = {
        "name": "A",
        "kind": kind,
        "fields": fields,
        "call": {**CALL, "body": "return self.w * self.past * x"},
    }
    check_gradients(raw, sample(1, (3,)))


STATEFUL = {
    "name": "A",
    "fields": {"mean": "f[n]@state"},
    "call": {**CALL, "body": "self.mean = self.mean * x\nreturn jnp.sin(self.mean)"},
}


def test_a_state_that_is_cut_off_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    check_gradients(STATEFUL, jnp.ones(3))
    monkeypatch.setattr(
        states, "_read", lambda name, state: f"jax.lax.stop_gradient({state}.get(self.{name}))"
    )
    with pytest.raises(AssertionError, match="the gradient of"):
        check_gradients(STATEFUL, jnp.ones(3))


def test_data_that_is_cut_off_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = {"name": "A", "fields": {"w": "f[n]@data"}, "call": {**CALL, "body": "return jnp.sin(self.w) * x"}}
    check_gradients(raw, jnp.ones(3))
    monkeypatch.setattr(members, "guarded_buffers", lambda spec: (("w", False),))
    with pytest.raises(AssertionError, match="the gradient of `w`"):
        check_gradients(raw, jnp.ones(3))
