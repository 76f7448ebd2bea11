"""What a module keeps of a trace: a global that a function fills at its first call, under `jax.eval_shape` with a tracer."""

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from jax.core import Tracer

from ..values.sources import Source

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


def _is_module(value: Any) -> bool:
    return isinstance(value, ModuleType)
