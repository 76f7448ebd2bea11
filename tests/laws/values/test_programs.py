"""What the laws compile, and the settings that they run under."""

from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import pytest
from jax._src import compiler
from jax._src.interpreters import mlir, partial_eval

from pytree_laws.patches import fast_compile as quick
from pytree_laws.patches.fast_compile import PROGRAMS
from pytree_laws.trace.programs import settings

SHARED_BY_JAX = mlir.make_ir_context() is mlir.make_ir_context()


def options_of_an_eager_operation() -> dict[str, object]:
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    return dict(options.env_option_overrides)


def test_eager_operations_are_compiled_quickly_within_the_laws_and_nowhere_else() -> None:
    before = compiler.get_compile_options
    assert options_of_an_eager_operation() == {}
    with settings():
        assert options_of_an_eager_operation() == quick.quick_options() != {}
    assert compiler.get_compile_options is before


def test_options_of_jit_come_before_those_of_eager_operations() -> None:
    told = {"xla_cpu_parallel_codegen_split_count": 2}
    with settings():
        options = compiler.get_compile_options(num_replicas=1, num_partitions=1, env_options_overrides=told)
    assert dict(options.env_option_overrides) == {**(quick.quick_options() or {}), **told}


def test_a_jax_that_makes_its_options_elsewhere_compiles_as_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "OPTIONS", ("jax._src.compiler", "make_options"))
    monkeypatch.setattr(quick, "CONTEXT", ("jax._src.nowhere", "make_ir_context"))
    with settings():
        assert options_of_an_eager_operation() == {}
        assert float(jnp.sum(jnp.arange(3.0))) == 3.0


def test_a_backend_that_refuses_the_options_compiles_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "QUICK", {"xla_of_no_version": True})
    quick.quick_options.cache_clear()
    with settings():
        assert quick.quick_options() is None
        assert float(jax.jit(jnp.sum)(jnp.arange(5.0))) == 10.0
    quick.quick_options.cache_clear()


def test_a_tracer_that_is_asked_for_its_sharding_prints_no_history_within_the_laws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed, histories = list[str](), list[str]()
    history = partial_eval.DynamicJaxprTracer._origin_msg

    def noted(tracer: partial_eval.DynamicJaxprTracer) -> str:
        histories.append(history(tracer))
        return histories[-1]

    def asks(x: jax.Array) -> jax.Array:
        assert getattr(x + 1, "sharding", None) is None
        with pytest.raises(AttributeError) as raised:
            _ = (x + 1).sharding
        printed.append(str(raised.value))
        return x

    monkeypatch.setattr(partial_eval.DynamicJaxprTracer, "_origin_msg", noted)
    with settings():
        jax.eval_shape(asks, jnp.zeros(3))
        assert not histories
    jax.eval_shape(lambda x: asks(x), jnp.zeros(3))
    assert histories
    assert printed[0] == printed[1], "what is said of it is the same"
    assert jnp.zeros(3).sharding.is_fully_replicated


@pytest.mark.skipif(SHARED_BY_JAX, reason="this jax shares contexts by itself")
def test_programs_share_their_contexts_within_the_laws_and_nowhere_else() -> None:
    before = mlir.make_ir_context
    with settings():
        contexts = [mlir.make_ir_context() for _ in range(2 * PROGRAMS)]
        assert 2 <= len({id(one) for one in contexts}) <= 3
        with ThreadPoolExecutor() as threads:
            assert threads.submit(mlir.make_ir_context).result() not in contexts
    assert mlir.make_ir_context is before
    assert before() not in contexts


def test_a_context_that_is_made_from_something_is_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    made = mlir.make_ir_context

    def of_a_kind(kind: str = "jax") -> object:
        return made()

    monkeypatch.setattr(mlir, "make_ir_context", of_a_kind)
    with settings():
        assert mlir.make_ir_context is of_a_kind
        assert float(jax.jit(jnp.sum)(jnp.arange(6.0))) == 15.0


@pytest.mark.skipif(SHARED_BY_JAX, reason="this jax shares contexts by itself")
def test_a_program_that_is_compiled_while_another_is_written_down_has_a_context_of_its_own() -> None:
    """As an eager operation within a rule of lowering: in the same context it would land in the other program."""
    with settings(), mlir.make_ir_context() as outer:
        assert mlir.make_ir_context() is not outer
