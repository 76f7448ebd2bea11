"""The order of leaves in a second process: the hash of a text, and with it the order of a set, is another one there."""

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from scaffold.adopt.processes.process import Child, NoAnswerError

HASH_SEED = "PYTHONHASHSEED"
SEEDS = "0", "1"
"""Of the processes that look at classes, and of the one that looks at the order of leaves again."""
SECONDS = 60.0


class OtherProcess:
    """A process with another hash seed, which is started for the first class that wants it."""

    def __init__(self, start: Callable[[], Child]) -> None:
        self._start = start
        self._lock = Lock()
        self._child: Child | None = None

    def leaves(self, request: Mapping[str, Any]) -> list[str] | None:
        """The paths of the leaves there; None where the process gives no answer."""
        with self._lock:
            try:
                self._child = self._child or self._start()
                return leaves_in(self._child, request)
            except NoAnswerError:
                self._child = None
                return None


def leaves_in(child: Child, request: Mapping[str, Any]) -> list[str] | None:
    """The paths of the leaves of the instance that a test file builds; None where it builds none."""
    return child.ask({**request, "do": "order"}, SECONDS).get("leaves")
