"""Classes shared out among processes, where a process that ends or hangs costs only its current class."""

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from scaffold.adopt.processes.process import Child, NoAnswerError
from scaffold.errors import ScaffoldError

One = TypeVar("One")
Result = TypeVar("Result")
SERVES = 16
"""Classes per process, since the caches of jax and of a library grow with each class."""
_MALFORMED = (LookupError, TypeError, ValueError, AttributeError, AssertionError, ScaffoldError)
"""Errors that a malformed answer causes, which count as a fault of the class alone."""


def each(
    classes: Sequence[One],
    work: Callable[[Child, One], Result],
    lost: Callable[[One, str], Result],
    label: Callable[[One], str],
    spare: list[Child],
    start: Callable[[], Child],
    processes: int,
    progress: Callable[[int, int, str], None],
    done: Callable[[Result], None] = lambda _: None,
) -> list[Result]:
    """Apply `work` to each class in parallel processes, and return the results in order.

    Processes in `spare` are used before others start. `lost` makes the result of a class whose process ended
    or whose answer is malformed. `done` takes each result as soon as it is ready, never two at a time.
    """
    results: dict[int, Result] = {}
    waiting = list(enumerate(classes))[::-1]
    lock = threading.Lock()
    errors: list[BaseException] = []

    def take() -> tuple[int, One] | None:
        with lock:
            if not waiting or errors:
                return None
            progress(len(classes) - len(waiting), len(classes), label(waiting[-1][1]))
            return waiting.pop()

    def keep(place: int, result: Result) -> None:
        with lock:
            results[place] = result
            done(result)

    def run() -> None:
        server = _Server(spare, start)
        try:
            while (task := take()) is not None:
                keep(task[0], server.result(work, task[1], lost))
        except BaseException as error:  # raised again after the threads have joined
            errors.append(error)

    threads = [threading.Thread(target=run, daemon=True) for _ in range(max(1, min(processes, len(classes))))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return [results[index] for index in range(len(classes))]


class _Server:
    """A sequence of processes, each of which serves a few classes."""

    def __init__(self, spare: list[Child], start: Callable[[], Child]) -> None:
        self.spare, self.start = spare, start
        self.child: Child | None = None
        self.served = 0

    def result(
        self, work: Callable[[Child, One], Result], cls: One, lost: Callable[[One, str], Result]
    ) -> Result:
        """Return `work(child, cls)`, or `lost(...)` if the process ends or the answer is malformed."""
        child = self.next_child()
        try:
            return work(child, cls)
        except NoAnswerError as error:
            self.child = None
            return lost(cls, str(error))
        except _MALFORMED as error:
            return lost(cls, f"what is known of it cannot be used: {type(error).__name__}: {error}")

    def next_child(self) -> Child:
        """Return the process for the next class, after a replacement if it has ended or served enough."""
        if self.child is not None and (self.served >= SERVES or self.child.has_ended):
            self.child.close()
            self.child = None
        if self.child is None:
            self.child, self.served = (self.spare.pop() if self.spare else self.start()), 0
        self.served += 1
        return self.child
