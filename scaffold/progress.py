"""How far a long plan has come, for whoever wants to hear it."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Listener = Callable[[str, int, int], None]
"""Is given what is done, how many of it are done, and how many there are."""
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Generator[None, None, None]:
    """All that is `counted` within is told to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def counted(items: Sequence[T], label: str) -> Iterator[T]:
    """The items, each told as `what` before it is worked on."""
    listener = _listener.get()
    for number, item in enumerate(items):
        if listener is not None:
            listener(label, number, len(items))
        yield item
