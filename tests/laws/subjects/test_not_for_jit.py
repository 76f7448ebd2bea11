"""A method of which a docstring says that it is not for `jax.jit` is no fault there; of another one it is."""

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import check_pytree
from pytree_laws.inspect.classes import documents_untraced
from pytree_laws.report import ADVICE, FAULT


class Ring(eqx.Module):
    after: jax.Array

    def __call__(self, start: jax.Array) -> jax.Array:
        """The ring that `start` is in."""
        path = [int(start[0])]
        while len(path) < self.after.shape[0]:
            path.append(int(self.after[path[-1]]))
        return jnp.array(path)


class Said(Ring):
    def __call__(self, start: jax.Array) -> jax.Array:
        """The ring that `start` is in. Not jittable (the output length is data-dependent)."""
        return super().__call__(start)


@pytest.mark.parametrize(("ring", "severity"), [(Ring, FAULT), (Said, ADVICE)])
def test_what_is_said_not_to_be_compiled_is_advice(ring: type[Ring], severity: str) -> None:
    report = check_pytree(
        lambda seed: ring(jnp.roll(jnp.arange(3), 1)), lambda seed: (jnp.array([seed % 3]),)
    )
    [finding] = [one for one in report.findings if one.where == "compiled call"]
    assert finding.severity == severity


@pytest.mark.parametrize(
    ("text", "says_so"),
    [
        ("This cannot be used under `jax.jit`.", True),
        ("Not traceable.", True),
        ("It does not retrace in jit.", False),
    ],
)
def test_how_a_docstring_says_so(text: str, says_so: bool) -> None:
    def method() -> None: ...

    method.__doc__ = text
    assert documents_untraced(method) is says_so
