"""Globals and caches that a first call under `jax.eval_shape` fills with tracers."""

import contextlib
import functools
import sys
from collections.abc import Generator, Mapping
from types import ModuleType
from typing import Any

from jax.core import Tracer

from ..values.sources import Source

_CACHED = type(functools.cache(len))
Globals = Mapping[str, Mapping[str, Any]]
"""Globals of each module, by module name."""


def globals_of(source: Source) -> Globals:
    """Copy the globals of the packages that an expression imports, except JAX and NumPy."""
    packages = {line.split()[1].partition(".")[0] for _, line in source.imports} - {"jax", "numpy"}
    modules = [name for name in sys.modules if name.partition(".")[0] in packages]
    return {name: dict(vars(sys.modules[name])) for name in modules if _is_module(sys.modules[name])}


def without_tracers(before: Globals) -> bool:
    """Restore the globals that have become tracers, and return whether there were any."""
    kept = [
        (module, name)
        for module in before
        for name, value in [*vars(sys.modules[module]).items()]
        if isinstance(value, Tracer)
    ]
    for module, name in kept:
        if name in before[module]:
            setattr(sys.modules[module], name, before[module][name])
        else:
            delattr(sys.modules[module], name)
    return bool(kept)


@contextlib.contextmanager
def with_cold_caches(cls: type) -> Generator[None]:
    """Clear the `lru_cache`s of the package of a class on entry and exit, so that no tracer leaks."""
    _empty_caches(cls.__module__.partition(".")[0])
    try:
        yield
    finally:
        _empty_caches(cls.__module__.partition(".")[0])


def _empty_caches(package: str) -> None:
    for function in _cached_functions(package, len(sys.modules)):
        function.cache_clear()


@functools.cache
def _cached_functions(package: str, _modules: int) -> tuple[Any, ...]:
    """Return the functions and methods of a package with an `lru_cache`.

    The number of loaded modules is part of the cache key, so that later imports are seen.
    """
    names = [name for name in [*sys.modules] if name.partition(".")[0] == package]
    held = [value for name in names for value in [*vars(sys.modules[name]).values()]]
    owned = [value for cls in held if isinstance(cls, type) for value in [*vars(cls).values()]]
    return tuple(value for value in (*held, *owned) if isinstance(value, _CACHED))


def _is_module(value: Any) -> bool:
    return isinstance(value, ModuleType)
