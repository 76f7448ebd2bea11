"""Handlers that make SIGTERM and SIGHUP undo a run and clean up, as SIGINT does."""

import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

T = TypeVar("T")


class Stopped(SystemExit):
    """Exit on a signal, with 128 plus its number, as a shell reports it."""

    def __init__(self, number: int):
        super().__init__(128 + number)
        self.signal = signal.Signals(number).name

    def __str__(self) -> str:
        return ": ".join([f"stopped by {self.signal}", *getattr(self, "__notes__", [])[:1]])


@contextmanager
def stoppable() -> Generator[None, None, None]:
    """Raise `Stopped` on signals that would kill the process. Ignored signals stay ignored (`nohup`)."""
    numbers = [
        getattr(signal, name)
        for name in ("SIGTERM", "SIGHUP")
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_DFL
    ]

    def stop(number: int, _: FrameType | None) -> None:
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)  # nothing is to stop the way back
        raise Stopped(number)

    try:
        for number in numbers:
            signal.signal(number, stop)
    except ValueError:  # not in the main thread, where alone Python handles signals
        numbers.clear()
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def to_the_end(action: Callable[[], T]) -> T:
    """Complete an idempotent action despite an interrupt, which is raised afterwards."""
    try:
        return action()
    except (KeyboardInterrupt, SystemExit):
        action()
        raise
