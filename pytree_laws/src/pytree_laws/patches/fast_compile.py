"""Quick compilation by jax while a law runs, since most of its programs run once or twice.

`jax.jit` takes options of XLA, but an eager operation does not. XLA reads its environment variable once in a
process, which may be another program's. So the options are added in the private function that makes the
options of each program. Another private function makes an MLIR context, with every dialect, for each program.
With the patch, several programs share a context. The functions are restored after each law. A jax without
these functions compiles as usual.
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
"""Options of XLA for the CPU.

Without fusion emitters, compilation takes a third of the time. In a single piece, it takes less time of both
cores.
"""
OPTIONS = "jax._src.compiler", "get_compile_options"
OVERRIDES = "env_options_overrides"  # what it takes
CONTEXT = "jax._src.interpreters.mlir", "make_ir_context"
SHARDING = "jax._src.core", "Tracer.sharding"
PROGRAMS = 50  # that one context serves, since it keeps what it has seen


@functools.cache
def quick_options() -> dict[str, Any] | None:
    """Return the options of `QUICK` that this platform and this version of XLA accept, or None."""
    for options in (dict(QUICK), *({name: value} for name, value in QUICK.items())):
        try:
            jax.jit(lambda x: x, compiler_options=options)(np.float32(0))
        except ANY_ERROR:  # another platform, or a version that has no such option
            continue
        return options
    return None


@contextlib.contextmanager
def quick_compilation() -> Generator[None, None, None]:
    """Compile eager operations with `QUICK`, share contexts, and compile equal programs once."""
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
    """Whether a function makes a new context at each call. From 0.12 on, jax shares contexts itself."""
    return not inspect.signature(function).parameters and function() is not function()


@functools.cache
def _with_quick(made: Callable[..., Any]) -> Callable[..., Any]:
    def with_quick(*arguments: Any, **named: Any) -> Any:
        options = {**(quick_options() or {}), **(named.get(OVERRIDES) or {})}
        return made(*arguments, **{**named, OVERRIDES: options})

    return with_quick


def _is_lowering() -> bool:
    """Whether jax is lowering a program, whose context another program must not enter."""
    mlir: Any = sys.modules.get("jax._src.lib.mlir")
    with contextlib.suppress(AttributeError, ValueError):
        return mlir.ir.Context.current is not None
    return False


@functools.cache
def _shared(made: Callable[[], Any]) -> Callable[[], Any]:
    """Wrap a maker of contexts so that each context serves `PROGRAMS` programs in the main thread."""
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
    """Return a property by which tracers raise at once for `sharding`, which NNX reads of each stored tracer.

    jax would list the operations behind the tracer in a message that is never shown. That takes a fifth of
    the time in which a constructor is traced.
    """

    def sharding(tracer: Any) -> Any:
        raise AttributeError("sharding")  # `Tracer.__getattr__` goes on from here

    return property(sharding)
