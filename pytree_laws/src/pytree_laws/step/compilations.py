"""Compilations while a block runs, as jax reports them to its monitors."""

import contextlib
from collections.abc import Generator
from typing import Any

import jax.monitoring

_COMPILED = "/jax/core/compile/backend_compile_duration"


@contextlib.contextmanager
def compilations() -> Generator[list[str]]:
    """Collect the name of each function that jax compiles within the block."""
    names: list[str] = []
    unregister = getattr(jax.monitoring, "unregister_event_duration_listener", None)
    is_within = True

    def listen(event: str, duration_secs: float, **facts: Any) -> None:
        if event == _COMPILED and is_within:
            name = str(facts.get("fun_name", "a function"))
            names.append(name.removeprefix("jit(").removesuffix(")"))

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield names
    finally:
        is_within = False  # before jax 0.8 a listener stays
        if unregister is not None:
            unregister(listen)
