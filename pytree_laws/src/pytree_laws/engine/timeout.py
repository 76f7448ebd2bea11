"""A limit of time for each law: a call that never ends is a finding, and no endless run."""

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
    """A law has used up its time; no `except Exception` of a class may swallow it."""

    is_of_example = False
    """Whether the example itself takes so long, alone."""


@contextlib.contextmanager
def time_limit(seconds: float, message: str, watch: "Watch | None" = None) -> Generator[None, None, None]:
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
    """A thread that ends what hears no signal: one for many laws, since to start one for each takes long."""

    def __init__(self) -> None:
        self.thread: threading.Thread | None = None
        self.latest: float | None = None
        self.told = ""
        self.release: Callable[[], object] | None = None
        """Has pytest give the standard streams back."""
        self.findings: Callable[[], Sequence[str]] = list
        """What the laws have found up to now, in lines: a process that is ended prints no summary."""

    def begin(self, seconds: float, message: str) -> None:
        self.told, self.latest = message, time.monotonic() + seconds
        if self.thread is None or not self.thread.is_alive():
            self.thread = threading.Thread(target=self.look, daemon=True)
            self.thread.start()

    def end(self) -> None:
        self.latest = None

    def look(self) -> None:
        """Looks now and then, until nothing runs."""
        while (latest := self.latest) is not None:
            if time.monotonic() > latest:
                return stop(self.told, self.release, self.findings())
            time.sleep(min(PERIOD, GRACE))


def stop(message: str, release: Callable[[], object] | None = None, findings: Sequence[str] = ()) -> None:
    """Ends a run of pytest that nothing else can end; a notebook is left to its owner."""
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
