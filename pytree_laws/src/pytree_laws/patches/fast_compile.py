"""What has jax compile in less time while a law runs: most of its programs run once or twice.

`jax.jit` takes options of XLA, an eager operation does not, and XLA reads its variable but once for a
process, which is not ours. So they join where jax makes the options of each program. And jax makes for each
program the surroundings in which it is written down, with every dialect of MLIR anew: these serve several.
Both are private functions of jax, put back after each law; a jax that has others goes on as always.
"""

import contextlib
import functools
import inspect
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from typing import Any

import jax
import numpy as np

from ..report import ANY_ERROR
from .replace import replaced
from .shared_executables import shared_executables

QUICK: Mapping[str, Any] = {"xla_cpu_use_fusion_emitters": False, "xla_cpu_parallel_codegen_split_count": 1}
"""On the CPU, XLA compiles in a third of the time without its fusion emitters, and in less of both cores in one piece."""
OPTIONS = "jax._src.compiler", "get_compile_options"
OVERRIDES = "env_options_overrides"  # what it takes
CONTEXT = "jax._src.interpreters.mlir", "make_ir_context"
SHARDING = "jax._src.core", "Tracer.sharding"
PROGRAMS = 50  # that one context serves, since it keeps what it has seen


@functools.cache
def quick_options() -> dict[str, Any] | None:
    """Those of `QUICK` that this platform and this version of XLA know."""
    for options in (dict(QUICK), *({name: value} for name, value in QUICK.items())):
        try:
            jax.jit(lambda x: x, compiler_options=options)(np.float32(0))
        except ANY_ERROR:  # another platform, or a version that has no such option
            continue
        return options
    return None


@contextlib.contextmanager
def quick_compilation() -> Generator[None, None, None]:
    """Within it eager operations are compiled with `QUICK`, too, programs share their contexts, and equal ones are compiled once."""
    quick_options()  # found out before it is needed, by programs of its own
    with (
        replaced(OPTIONS, _takes_overrides, _with_quick),
        replaced(CONTEXT, _makes_anew, _shared),
        shared_executables(),
        replaced(SHARDING, lambda attribute: isinstance(attribute, property), _without_sharding),
    ):
        yield


@functools.cache
def _takes_overrides(function: Any) -> bool:
    return OVERRIDES in inspect.signature(function).parameters


@functools.cache
def _makes_anew(function: Any) -> bool:
    """Whether it makes a context of nothing at each call: from 0.12 on, jax shares them by itself."""
    return not inspect.signature(function).parameters and function() is not function()


@functools.cache
def _with_quick(made: Callable[..., Any]) -> Callable[..., Any]:
    def with_quick(*arguments: Any, **named: Any) -> Any:
        options = {**(quick_options() or {}), **(named.get(OVERRIDES) or {})}
        return made(*arguments, **{**named, OVERRIDES: options})

    return with_quick


def _is_lowering() -> bool:
    """Whether a program is being written down at this moment: what another one puts into the same context would land in it."""
    mlir: Any = sys.modules.get("jax._src.lib.mlir")
    with contextlib.suppress(AttributeError, ValueError):
        return mlir.ir.Context.current is not None
    return False


@functools.cache
def _shared(made: Callable[[], Any]) -> Callable[[], Any]:
    """A maker of contexts that hands out each of them `PROGRAMS` times, to the main thread alone."""
    contexts: list[Any] = []

    def shared() -> Any:
        if threading.current_thread() is not threading.main_thread() or _is_lowering():
            return made()
        if not contexts:
            contexts[:] = [made()] * PROGRAMS
        return contexts.pop()

    return shared


@functools.cache
def _without_sharding(_: Any) -> property:
    """Has tracers say at once that they have no `sharding`, which NNX asks each one that is stored.

    jax prints the operations that led to the tracer for a message that nobody sees, since its `__getattr__` has another one:
    a fifth of what the constructor of a module takes to trace.
    """

    def sharding(tracer: Any) -> Any:
        raise AttributeError("sharding")  # `Tracer.__getattr__` goes on from here

    return property(sharding)
