"""How much memory the processes that look at classes may take, and take."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

GIB = 2**30
_SHARE = 0.75
"""Of the machine's memory, for all processes of a run together."""
_EVERY = 0.25
"""Seconds between two looks: address space cannot be limited, since jax maps far more than it uses."""
_PROCESSES = Path("/proc")
_OF_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def share_of_machine(processes: int) -> int:
    """The bytes that each of so many processes may take where nothing is said; 0 where the machine does not tell."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 0
    with suppress(OSError, ValueError):  # no container, or one without a limit
        total = min(total, int(_OF_CONTAINER.read_text()))
    return int(total * _SHARE) // max(1, processes)


def watch(group: int, limit: int, ended: Event, exceed: Callable[[], None]) -> None:
    """Call `exceed` once the processes of a group take more than `limit` bytes; only on Linux."""
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
            # The name, in brackets, may hold anything; state, parent and group come behind it.
            if int((_PROCESSES / name / "stat").read_text().rpartition(")")[2].split()[2]) == group:
                yield name


def _bytes_of(process: str) -> int:
    """What a process has of its own, without what it shares with others."""
    with suppress(OSError, ValueError):
        _, resident, shared, *_ = map(int, (_PROCESSES / process / "statm").read_text().split())
        return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
    return 0
