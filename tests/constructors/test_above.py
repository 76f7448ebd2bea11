"""An `init` expression reads the fields above it that the constructor has made."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from scaffold import ScaffoldError
from scaffold.spec.reading.read import read_spec
from tests.emitted.plain_jax import Both

# The recurrence of Orvieto et al. (2023), arXiv:2303.06349: `gamma` is made from `nu`.
LRU: dict[str, Any] = {
    "nu_log": {"type": "f[n]", "init": "=jnp.log(jax.random.uniform(key, (n,), dtype, 0.1, 1.0))"},
    "gamma_log": {"type": "f[n]", "init": "=0.5 * jnp.log1p(-jnp.exp(-2 * jnp.exp(nu_log)))"},
    "rate": {"type": "f[n]", "role": "data", "init": "=gamma_log + nu_log"},
}
CALL = {"args": "x: f[n]", "returns": "f[n]", "body": "return self.nu_log * x + self.gamma_log + self.rate"}


def spec(kind: str = "module", fields: Any = LRU, **parts: Any) -> dict[str, Any]:
    return {"name": "A", "kind": kind, "fields": fields, "call": CALL, **parts}


FORMS = [
    ("module", {}),
    ("module", {"constructor": "init"}),
    ("pytree", {}),
    ("pytree", {"rebuild": "factory"}),
    ("pytree", {"rebuild": "flag"}),
    ("pytree", {"constructor": "init"}),
]


@pytest.mark.parametrize(("kind", "form"), FORMS)
def test_a_field_is_made_once_and_read_below(kind: str, form: dict[str, Any]) -> None:
    values = Both(spec(kind, **form), n=3, key=jax.random.key(1)).values()
    wanted = 0.5 * jnp.log1p(-jnp.exp(-2 * jnp.exp(values["nu_log"])))
    np.testing.assert_allclose(values["gamma_log"], wanted, rtol=1e-6)
    np.testing.assert_allclose(values["rate"], wanted + values["nu_log"], rtol=1e-6)


def test_a_variable_holds_what_was_read() -> None:
    from flax import nnx

    values = Both(spec("nnx"), n=3, rngs=nnx.Rngs(1)).values()
    wanted = 0.5 * jnp.log1p(-jnp.exp(-2 * jnp.exp(values["nu_log"])))
    np.testing.assert_allclose(values["gamma_log"], wanted, rtol=1e-6)


REFUSED = {
    "a field below": {
        "a": {"type": "f[n]", "init": "=b * 2"},
        "b": {"type": "f[n]", "init": "=jnp.ones((n,))"},
    },
    "the field itself": {"a": {"type": "f[n]", "init": "=a * 2"}},
    "an optional field": {
        "b": {"type": "f[n]", "init": "=jnp.ones((n,))", "optional": "use_b"},
        "a": {"type": "f[n]", "init": "=b * 2"},
    },
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_there_yet_cannot_be_read(name: str) -> None:
    raw = {"name": "A", "fields": REFUSED[name]}
    with pytest.raises(ScaffoldError, match="is not known here"):
        read_spec(raw, "s")


def test_what_is_given_goes_before_what_is_made() -> None:
    fields = {
        "depth": {"type": "int", "init": "=2 * 2"},
        "a": {"type": "f[n]", "init": "=jnp.ones((n,)) * depth"},
    }
    raw = {"name": "A", "fields": fields, "setup": "depth = 7"}
    assert float(Both({**raw, "call": {**CALL, "body": "return self.a * x"}}, n=3).values()["a"][0]) == 7
    raw = {**raw, "setup": ""}
    assert float(Both({**raw, "call": {**CALL, "body": "return self.a * x"}}, n=3).values()["a"][0]) == 4
