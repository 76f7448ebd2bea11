"""A limit of time for each law: a call that never ends is a finding, and no endless run."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Generator
from types import FrameType

RELEASES: list[Callable[[], object]] = []
"""What has pytest give the standard streams back."""
GRACE = 30.0  # seconds, after which no interrupt can be hoped for


class TooLong(BaseException):
    """A law has used up its time; no `except Exception` of a class may swallow it."""


@contextlib.contextmanager
def time_limit(seconds: float, told: str) -> Generator[None, None, None]:
    """Raises `TooLong` after so many seconds, where the platform has a timer to do so.

    A loop inside of a compiled program hears no signal. Under pytest the process then ends,
    and says which law it was.
    """
    is_main = threading.current_thread() is threading.main_thread()
    has_timer = hasattr(signal, "setitimer") and is_main
    if not has_timer or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def interrupt(_: int, __: FrameType | None) -> None:
        raise TooLong(told)

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    last = threading.Timer(seconds + GRACE, stop, [told])
    last.daemon = True
    last.start()
    try:
        yield
    finally:
        last.cancel()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def stop(told: str) -> None:
    """Ends a run of pytest that nothing else can end; a notebook is left to its owner."""
    if "PYTEST_CURRENT_TEST" in os.environ:
        for release in RELEASES[:1]:
            release()  # or what is written here would be captured, and lost
        os.write(2, f"\n{told}: its compiled program does not end\n".encode())
        os._exit(70)
