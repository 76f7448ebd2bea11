"""Progress of a long plan, for an optional listener."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Listener = Callable[[str, int, int], None]
"""Function of a label, the number of finished items, and the number of all items."""
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Generator[None, None, None]:
    """Report all items that are `counted` within to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def counted(items: Sequence[T], label: str) -> Iterator[T]:
    """Yield the items, and report each to the listener before the caller works on it."""
    listener = _listener.get()
    for number, item in enumerate(items):
        if listener is not None:
            listener(label, number, len(items))
        yield item
