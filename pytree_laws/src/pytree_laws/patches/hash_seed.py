"""Hashes of texts, which differ between processes, and with them the order of sets."""

import builtins
import contextlib
import inspect
import sys
from collections.abc import Callable, Generator, Iterator
from types import FrameType
from typing import Any
from unittest import mock

_LIBRARIES = (
    *("jax", "jaxlib", "numpy", "equinox", "flax", "optax", "pytree_laws"),
    *("jaxtyping", "beartype", "wadler_lindig"),
)


@contextlib.contextmanager
def salted(salt: int) -> Generator[list[str]]:
    """Change the hashes of texts, and collect the lines of an author's code that call `hash` on texts."""
    asked: list[str] = []
    plain: Callable[[Any], int] = builtins.hash

    def hashed(value: Any, /) -> int:
        result, frame = plain(value), inspect.currentframe()
        frame = frame and frame.f_back
        if not frame or not has_text(value) or not _is_of_author(frame):
            return result
        asked.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        return plain((salt, result))

    with mock.patch.object(builtins, "hash", hashed):
        yield asked


def has_text(value: Any) -> bool:
    """Whether the hash of a value depends on a text, and so differs between processes."""
    if isinstance(value, tuple | frozenset):
        return any(map(has_text, value))
    return isinstance(value, str | bytes)


def _is_of_author(frame: FrameType) -> bool:
    """Whether a frame is of no library, and of no `__hash__`, whose result need not be stable."""
    root = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    is_library = root in _LIBRARIES or root in sys.stdlib_module_names
    return not is_library and frame.f_code.co_name != "__hash__"


class Turned(frozenset[Any]):
    """A set that iterates in the opposite order, as it may in another process."""

    def __iter__(self) -> Iterator[Any]:
        return reversed(list(super().__iter__()))
