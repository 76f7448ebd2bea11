"""Methods below a decorator that maps or differentiates them: the tests call them as their users do."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest
from tests.support.projects import passed

MAPPED = """
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Kernel(Module):
    log_scale: Float[Array, " d"] = param("zeros")

    @partial(jax.vmap, in_axes=(None, 0))
    def __call__(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        return x * jnp.exp(-self.log_scale)

    @partial(jax.vmap, in_axes=(None, 0, None))
    def against(self, x: Float[Array, " d"], y: Float[Array, "m d"]) -> Float[Array, " m"]:
        return jnp.sum((x - y) ** 2 * jnp.exp(-self.log_scale), axis=-1)

    @partial(jax.grad, argnums=1)
    def slope(self, x: Float[Array, " d"]) -> Float[Array, ""]:
        return jnp.sum(jnp.cos(x) * jnp.exp(-self.log_scale))

    @jax.vmap
    def scaled(self, x: Float[Array, ""]) -> Float[Array, ""]:
        return x * self.log_scale
"""


@pytest.mark.slow  # its neighbours are tried in every run
def test_a_decorated_method_is_called_as_its_users_call_it(tmp_path: Path) -> None:
    told = generated(tmp_path, {"kernel": MAPPED})
    assert "Kernel: not tried: scaled (no example for x)" in told, "instances of one each are what it maps"
    suite = (tmp_path / "nets" / "tests" / "test_kernel.py").read_text()
    assert "returns = (Output((3, 2)),)" in suite
    assert 'Method("slope", lambda seed: (sample(seed, (2,)),)' in suite
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 70
