"""Classes shared out among processes: one that ends or hangs costs its class, and no other."""

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from scaffold.adopt.process import Child, NoAnswerError
from scaffold.errors import ScaffoldError

One = TypeVar("One")
Result = TypeVar("Result")
_MALFORMED = (LookupError, TypeError, ValueError, AttributeError, AssertionError, ScaffoldError)
"""What using an answer raises that has not what an answer has: a fault of its class alone."""


def each(
    classes: Sequence[One],
    work: Callable[[Child, One], Result],
    lost: Callable[[One, str], Result],
    label: Callable[[One], str],
    spare: list[Child],
    start: Callable[[], Child],
    processes: int,
    progress: Callable[[int, int, str], None],
) -> list[Result]:
    """What becomes of each class, in their order. Processes of `spare` are used before others are started.

    `lost` says what became of a class whose process has ended, or whose answer cannot be used.
    """
    found: dict[int, Result] = {}
    waiting = list(enumerate(classes))[::-1]
    lock = threading.Lock()
    errors: list[BaseException] = []

    def take() -> tuple[int, One] | None:
        with lock:
            if not waiting or errors:
                return None
            progress(len(classes) - len(waiting), len(classes), label(waiting[-1][1]))
            return waiting.pop()

    def run() -> None:
        child: Child | None = None
        while (task := take()) is not None:
            try:
                child = child or (spare.pop() if spare else start())
                found[task[0]] = _worked(work, child, task[1], lost)
            except NoAnswerError as error:
                found[task[0]] = lost(task[1], str(error))
                child = None
            except BaseException as error:  # told where the others are waited for
                errors.append(error)

    threads = [threading.Thread(target=run, daemon=True) for _ in range(max(1, min(processes, len(classes))))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return [found[index] for index in range(len(classes))]


def _worked(
    work: Callable[[Child, One], Result], child: Child, one: One, lost: Callable[[One, str], Result]
) -> Result:
    try:
        return work(child, one)
    except _MALFORMED as error:
        return lost(one, f"what is known of it cannot be used: {type(error).__name__}: {error}")
