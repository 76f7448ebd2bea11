"""Time limit for each law, so that an endless call becomes a finding."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Sequence
from types import FrameType

PERIOD = 1.0  # seconds between two looks
GRACE = 15.0  # seconds, after which no interrupt can be hoped for


class TooLong(BaseException):
    """Raised when a law has used up its time. `except Exception` in a class cannot catch it."""

    is_of_example = False
    """Whether the example alone takes too long."""


@contextlib.contextmanager
def time_limit(seconds: float, message: str, watch: "Watch | None" = None) -> Generator[None, None, None]:
    """Raise `TooLong` after a number of seconds, if the platform has a timer.

    A loop in a compiled program receives no signal. Under pytest, the process then ends and names the law.
    """
    is_main = threading.current_thread() is threading.main_thread()
    has_timer = hasattr(signal, "setitimer") and is_main
    if not has_timer or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def interrupt(_: int, __: FrameType | None) -> None:
        raise TooLong(message)

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    watch = watch or Watch()
    watch.begin(seconds + GRACE, message)
    try:
        yield
    finally:
        watch.end()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Watch:
    """A thread that ends a program without signals.

    Laws share the thread, since starting a thread takes long.
    """

    def __init__(self) -> None:
        self.thread: threading.Thread | None = None
        self.latest: float | None = None
        self.told = ""
        self.release: Callable[[], object] | None = None
        """Function that makes pytest release the standard streams."""
        self.findings: Callable[[], Sequence[str]] = list
        """Function that lists the findings so far, because an ended process prints no summary."""

    def begin(self, seconds: float, message: str) -> None:
        self.told, self.latest = message, time.monotonic() + seconds
        if self.thread is None or not self.thread.is_alive():
            self.thread = threading.Thread(target=self.look, daemon=True)
            self.thread.start()

    def end(self) -> None:
        self.latest = None

    def look(self) -> None:
        """Check the time limit regularly until no law runs."""
        while (latest := self.latest) is not None:
            if time.monotonic() > latest:
                return stop(self.told, self.release, self.findings())
            time.sleep(min(PERIOD, GRACE))


def stop(message: str, release: Callable[[], object] | None = None, findings: Sequence[str] = ()) -> None:
    """End a pytest process that cannot be interrupted, and list its findings. Outside pytest, do nothing."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" (")[0]
    if not test:
        return
    if release is not None:
        release()  # or what is written here would be captured, and lost
    lines = [
        f"{message}: what runs in jax had not ended {GRACE:.0f} s later",
        "  look for: a loop whose condition stays true where a leaf or an argument is large, small, zero or NaN; or sizes that are large for a test",
        f"  the other tests: pytest --deselect {test}",
        *(["found before it:"] if findings else []),
        *(f"  {finding}" for finding in findings),
    ]
    os.write(2, ("\n" + "\n".join(lines) + "\n").encode())
    os._exit(70)
