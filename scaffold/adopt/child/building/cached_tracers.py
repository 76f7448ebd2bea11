"""What a module keeps of a trace: a global or a cache that a function fills at its first call, under `jax.eval_shape` with a tracer."""

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
"""By module, its globals."""


def globals_of(source: Source) -> Globals:
    """The globals of the packages from which an expression imports, as they are now."""
    packages = {line.split()[1].partition(".")[0] for _, line in source.imports} - {"jax", "numpy"}
    modules = [name for name in sys.modules if name.partition(".")[0] in packages]
    return {name: dict(vars(sys.modules[name])) for name in modules if _is_module(sys.modules[name])}


def without_tracers(before: Globals) -> bool:
    """Whether a global has become a tracer since; it is then what it was."""
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
    """Within it, what functions of the package of a class keep in an `lru_cache` is of no other trace, and is forgotten at the end."""
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
    """The functions of a package, and of its classes, that keep results; anew once more modules are imported."""
    names = [name for name in [*sys.modules] if name.partition(".")[0] == package]
    held = [value for name in names for value in [*vars(sys.modules[name]).values()]]
    owned = [value for cls in held if isinstance(cls, type) for value in [*vars(cls).values()]]
    return tuple(value for value in (*held, *owned) if isinstance(value, _CACHED))


def _is_module(value: Any) -> bool:
    return isinstance(value, ModuleType)
