"""Equal programs are compiled once while a law runs, and what differs is compiled each."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import compiler

from pytree_laws.patches import shared_executables
from pytree_laws.trace.programs import settings


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the programs that jax compiles, or looks up on disk."""
    names: list[str] = []
    plain = compiler.compile_or_get_cached

    def noted(
        backend: Any,
        computation: Any,
        devices: Any,
        compile_options: Any,
        host_callbacks: Sequence[Any],
        executable_devices: Any,
        pgle_profiler: Any = None,
    ) -> Any:
        names.append(str(computation.operation.attributes["sym_name"]).strip('"'))
        return plain(
            backend,
            computation,
            devices,
            compile_options,
            host_callbacks,
            executable_devices,
            pgle_profiler,
        )

    monkeypatch.setattr(compiler, "compile_or_get_cached", noted)
    yield names


def scanned(factor: float) -> np.ndarray:
    """An eager scan over a closure that is new at each call, by which jax compiles it at each call."""
    return np.asarray(
        jax.lax.scan(lambda total, x: (total + factor * x, x), jnp.zeros(()), jnp.arange(5.0))[0]
    )


def test_a_scan_over_new_closures_is_compiled_once(compiled: list[str]) -> None:
    with settings():
        results = [scanned(2.0) for _ in range(3)]
    assert compiled.count("jit_scan") == 1
    assert [float(result) for result in results] == [20.0] * 3


def test_the_name_of_a_function_makes_no_other_program(compiled: list[str]) -> None:
    def double(x: jax.Array) -> jax.Array:
        return 2 * x + 15

    def twice(x: jax.Array) -> jax.Array:
        return 2 * x + 15

    with settings():
        assert [float(jax.jit(function)(np.float32(1))) for function in (double, twice)] == [17.0, 17.0]
    assert [name for name in compiled if name in ("jit_double", "jit_twice")] == ["jit_double"]


def test_outside_of_the_laws_jax_compiles_as_always(compiled: list[str]) -> None:
    assert [float(scanned(3.0)) for _ in range(3)] == [30.0] * 3
    assert compiled.count("jit_scan") == 3


def test_programs_that_differ_are_not_taken_for_each_other(compiled: list[str]) -> None:
    with settings():
        assert [float(scanned(factor)) for factor in (4.0, 5.0)] == [40.0, 50.0]
    assert compiled.count("jit_scan") == 2


def test_options_of_a_program_tell_it_from_another(compiled: list[str]) -> None:
    def add(x: jax.Array) -> jax.Array:
        return x + 7

    with settings():
        for count in (1, 2):
            options = {"xla_cpu_parallel_codegen_split_count": count}
            assert float(jax.jit(lambda x: add(x), compiler_options=options)(np.float32(1))) == 8.0
    assert len(compiled) == 2


def test_each_callback_is_called(compiled: list[str]) -> None:
    def calling(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return jax.jit(lambda x: jax.pure_callback(function, jax.ShapeDtypeStruct((), jnp.float32), x))

    with settings():
        results = [float(calling(lambda x, n=n: np.float32(x + n))(np.float32(1))) for n in (1, 2, 3)]
    assert results == [2.0, 3.0, 4.0]


def test_of_many_programs_the_last_are_kept(compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_executables, "MAX_EXECUTABLES", 2)
    with settings():
        for factor in (11.0, 12.0, 13.0, 11.0, 13.0):
            assert float(scanned(factor)) == 10 * factor
    assert compiled.count("jit_scan") == 4, "the first of three is compiled again, and the last is not"


def test_a_jax_that_compiles_by_another_function_does_so(
    compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_executables, "PARAMETERS", ("backend", "module"))
    shared_executables._takes_programs.cache_clear()
    with settings():
        assert [float(scanned(14.0)) for _ in range(2)] == [140.0] * 2
    shared_executables._takes_programs.cache_clear()
    assert compiled.count("jit_scan") == 2
