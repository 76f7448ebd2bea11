"""Memory limits of the processes that look at classes."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

GIB = 2**30
_SHARE = 0.75
"""Part of the machine's memory for all processes of a run together."""
_EVERY = 0.25
"""Seconds between two checks. A limit on address space is no use, since jax maps far more than it uses."""
_PROCESSES = Path("/proc")
_OF_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def share_of_machine(processes: int) -> int:
    """Return the default limit in bytes of each process, or 0 if the machine's memory is not known."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 0
    with suppress(OSError, ValueError):  # no container, or one without a limit
        total = min(total, int(_OF_CONTAINER.read_text()))
    return int(total * _SHARE) // max(1, processes)


def watch(group: int, limit: int, ended: Event, exceed: Callable[[], None]) -> None:
    """Call `exceed` once a process group takes more than `limit` bytes. Does nothing outside Linux."""
    if limit and _PROCESSES.is_dir():
        Thread(target=_watch, args=(group, limit, ended, exceed), daemon=True).start()


def _watch(group: int, limit: int, ended: Event, exceed: Callable[[], None]) -> None:
    while not ended.wait(_EVERY):
        if sum(map(_bytes_of, _members(group))) > limit:
            exceed()
            return


def _members(group: int) -> Iterator[str]:
    for name in filter(str.isdigit, os.listdir(_PROCESSES)):
        with suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
            # The name, in brackets, may hold any character. State, parent and group follow.
            if int((_PROCESSES / name / "stat").read_text().rpartition(")")[2].split()[2]) == group:
                yield name


def _bytes_of(process: str) -> int:
    """Return the resident memory of a process without shared pages, or 0 if it has ended."""
    with suppress(OSError, ValueError):
        _, resident, shared, *_ = map(int, (_PROCESSES / process / "statm").read_text().split())
        return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
    return 0
