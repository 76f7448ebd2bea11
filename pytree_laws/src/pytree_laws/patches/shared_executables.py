"""Executables that equal programs share, since an eager `lax.scan` over a new closure compiles at each call.

jax finds an executable by its function, and a new function has none. A law calls the same method many times,
each with the same program. So the patch compares programs as XLA receives them. Equal texts with equal
options and devices share an executable. A program that calls Python is compiled each time, since its text
does not name the function.
"""

import functools
import hashlib
import inspect
import re
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from .replace import replaced

COMPILE = "jax._src.compiler", "compile_or_get_cached"
PARAMETERS = (
    *("backend", "computation", "devices", "compile_options"),
    *("host_callbacks", "executable_devices", "pgle_profiler"),
)
# Of the function and of its results, in the text of a module.
NAMES = re.compile(r'(?m)(?<=^module )@\S+|jax\.result_info = "[^"]*"')
MAX_EXECUTABLES = 256  # of the programs that were used last


def shared_executables() -> AbstractContextManager[None]:
    """Return a context in which jax does not compile a program that it has compiled before."""
    return replaced(COMPILE, _takes_programs, _compiling_once)


@functools.cache
def _takes_programs(function: Any) -> bool:
    return tuple(inspect.signature(function).parameters) == PARAMETERS


@functools.cache
def _compiling_once(compile_program: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the function that compiles a program with a cache of executables."""
    executables: OrderedDict[tuple[Any, ...], Any] = OrderedDict()

    def compile_once(
        backend: Any, computation: Any, devices: Any, options: Any, callbacks: Any, *others: Any
    ) -> Any:
        text = NAMES.sub("", computation.operation.get_asm(enable_debug_info=False))
        if callbacks or "callback" in text:
            return compile_program(backend, computation, devices, options, callbacks, *others)
        digest = hashlib.sha256(text.encode()).digest()
        key = (backend, devices.shape, *devices.flat, options.SerializeAsString(), digest)
        if key not in executables:
            executables[key] = compile_program(backend, computation, devices, options, callbacks, *others)
        executables.move_to_end(key)
        if len(executables) > MAX_EXECUTABLES:
            executables.popitem(last=False)
        return executables[key]

    return compile_once
