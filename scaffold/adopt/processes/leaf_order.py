"""Order of leaves in a second process, where strings hash differently and sets have another order."""

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from scaffold.adopt.processes.process import Child, NoAnswerError

HASH_SEED = "PYTHONHASHSEED"
SEEDS = "0", "1"
"""Hash seeds of the processes that look at classes, and of the process that compares the order."""
SECONDS = 60.0


class OtherProcess:
    """A process with another hash seed, started for the first class that needs it."""

    def __init__(self, start: Callable[[], Child]) -> None:
        self._start = start
        self._lock = Lock()
        self._child: Child | None = None

    def leaves(self, request: Mapping[str, Any]) -> list[str] | None:
        """Return the paths of the leaves in that process, or None if the process gives no answer."""
        with self._lock:
            try:
                self._child = self._child or self._start()
                return leaves_in(self._child, request)
            except NoAnswerError:
                self._child = None
                return None


def leaves_in(child: Child, request: Mapping[str, Any]) -> list[str] | None:
    """Return the leaf paths of the instance that a test file builds, or None if it builds none."""
    return child.ask({**request, "do": "order"}, SECONDS).get("leaves")
