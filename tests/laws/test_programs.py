"""What the laws compile, and the settings that they run under."""

import jax
import jax.numpy as jnp
import pytest
from jax._src import compiler

from pytree_laws.look import programs
from pytree_laws.look.programs import QUICK, settings


def options_of_an_eager_operation() -> dict[str, object]:
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    return dict(options.env_option_overrides)


def test_eager_operations_are_compiled_quickly_within_the_laws_and_nowhere_else() -> None:
    before = compiler.get_compile_options
    assert options_of_an_eager_operation() == {}
    with settings():
        assert options_of_an_eager_operation() == dict(QUICK)
    assert compiler.get_compile_options is before


def test_options_of_jit_come_before_those_of_eager_operations() -> None:
    told = {"xla_cpu_use_fusion_emitters": True}
    with settings():
        options = compiler.get_compile_options(num_replicas=1, num_partitions=1, env_options_overrides=told)
    assert dict(options.env_option_overrides) == {**QUICK, **told}


def test_a_jax_that_makes_its_options_elsewhere_compiles_as_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MAKES_OPTIONS", "make_options")
    with settings():
        assert options_of_an_eager_operation() == {}
        assert float(jnp.sum(jnp.arange(3.0))) == 3.0


def test_a_backend_that_refuses_the_options_compiles_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "QUICK", {"xla_of_no_version": True})
    programs.quick_options.cache_clear()
    with settings():
        assert programs.quick_options() is None
        assert float(jax.jit(jnp.sum)(jnp.arange(5.0))) == 10.0
    programs.quick_options.cache_clear()
