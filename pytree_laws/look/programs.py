"""Compiled functions, and the settings that all laws run under."""

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Generator, Mapping
from typing import Any

import jax
import numpy as np

from ..report import ANY_ERROR
from .trees import avals, merge, split


@contextlib.contextmanager
def settings() -> Generator[None, None, None]:
    """What all laws run under: quick compilation, and products in full precision.

    What they compile runs once or twice. By default a GPU or a TPU rounds what goes into
    a product, as `jit` and eager calls need not do alike.
    """
    name = "jax_disable_most_optimizations"
    before = jax.config.values[name]
    jax.config.update(name, True)
    try:
        with jax.default_matmul_precision("highest"), quick_eager_operations():
            yield
    finally:
        jax.config.update(name, before)


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """`jax.jit` that compiles faster, where that can be: most programs run once or twice."""
    return jax.jit(function, compiler_options=quick_options(), **options)


QUICK: Mapping[str, Any] = {
    "xla_cpu_use_fusion_emitters": False,
    "xla_cpu_parallel_codegen_split_count": 1,
}
"""On the CPU, XLA compiles in a third of the time without its fusion emitters, and in less of both cores in one piece."""


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
def quick_eager_operations() -> Generator[None, None, None]:
    """Within it eager operations are compiled with `QUICK`, too, where that can be.

    `jax.jit` takes options of XLA, an eager operation does not, and XLA reads its variable but once for
    a process, which is not ours. So they join where jax makes the options of each program; a jax
    that makes them elsewhere compiles as always.
    """
    module: Any = sys.modules.get("jax._src.compiler")
    made = getattr(module, MAKES_OPTIONS, None)
    if made is None or TAKES_OVERRIDES not in inspect.signature(made).parameters:
        yield
        return

    def with_quick(*given: Any, **named: Any) -> Any:
        told = {**(quick_options() or {}), **(named.get(TAKES_OVERRIDES) or {})}
        return made(*given, **{**named, TAKES_OVERRIDES: told})

    quick_options()  # found out before it is needed, by programs of its own
    setattr(module, MAKES_OPTIONS, with_quick)
    try:
        yield
    finally:
        setattr(module, MAKES_OPTIONS, made)


MAKES_OPTIONS, TAKES_OVERRIDES = "get_compile_options", "env_options_overrides"


def jit_split(function: Callable[..., Any]) -> Any:
    """`jax.jit` of a function of an instance that it takes in the two parts of `split`."""

    def merged(static: Any, arrays: Any, *arguments: Any) -> Any:
        return function(merge(static, arrays), *arguments)

    return compiled(merged, static_argnums=0)


class Compiled:
    """`jax.jit` of a function of an instance and arguments, which notes its traces.

    Leaves that are no arrays are held static where `mixed` says that an instance has such.
    """

    def __init__(self, function: Callable[..., Any], mixed: Callable[[Any], bool]):
        def traced(instance: Any, *arguments: Any) -> Any:
            self.traces.append(avals(arguments))
            return function(instance, *arguments)

        self.mixed, self.traces = mixed, list[Any]()
        self.plain, self.split = compiled(traced), jit_split(traced)

    def __call__(self, instance: Any, *arguments: Any) -> Any:
        if self.mixed(instance):
            return self.split(*split(instance), *arguments)
        return self.plain(instance, *arguments)

    def shapes(self, instance: Any, *arguments: Any) -> Any:
        """The result of a call as shapes and dtypes, from the same traces."""
        if self.mixed(instance):
            return self.split.eval_shape(*split(instance), *arguments)
        return self.plain.eval_shape(instance, *arguments)

    def traces_of(self, arguments: Any) -> int:
        """How often it was traced for arguments of these shapes and dtypes."""
        return self.traces.count(avals(jax.eval_shape(lambda: arguments)))
