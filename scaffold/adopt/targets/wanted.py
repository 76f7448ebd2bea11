"""Options of `scaffold adopt`."""

import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.processes.memory import GIB, share_of_machine

USUAL_MEMORY = 2 * GIB
"""Default memory limit of a process, in bytes."""
MOST_PROCESSES = 4
"""Default maximum number of processes, on a machine that has as many cores."""
WORTH_A_PROCESS = 4
"""Classes per further process, whose imports of jax and the library take as long as these classes."""


class Wanted(Struct, frozen=True):
    """Targets and options of `scaffold adopt`."""

    targets: tuple[str, ...]
    python: str | None = None
    build: str = ""
    call: str = ""
    said: Mapping[str, str] = field(default_factory=dict[str, str])
    baseline: bool = False
    processes: int = 0
    """Number of processes that look at classes, 0 for the default."""
    seconds: float = 60.0
    """Time limit for the search of each class, and for each of its tests."""
    force: bool = False
    records: bool = True
    """True to record the numbers that adopted classes compute."""
    memory: float = 0.0
    """Limit of each process in GiB, 0 for 2 GiB or for the process's share of a smaller machine."""
    resume: bool = False
    """True to go on with an interrupted run."""
    imports: tuple[str, ...] = ()
    """Import statements for the expressions of `build`, `call` and `said`."""

    @property
    def memory_in_bytes(self) -> int:
        """Memory limit of each process in bytes, 0 for none."""
        return int(self.memory * GIB) or min(
            USUAL_MEMORY, share_of_machine(self.processes or usual_processes())
        )

    def processes_for(self, classes: int) -> int:
        """Return the number of processes to share so many classes among."""
        return self.processes or min(usual_processes(), 1 + classes // WORTH_A_PROCESS)

    def identity(self) -> dict[str, Any]:
        """Return the options that a resumed run must repeat: the targets, and the expressions for them."""
        return {
            "targets": self.targets,
            "build": self.build,
            "call": self.call,
            "set": dict(self.said),
            "with": self.imports,
        }


def usual_processes() -> int:
    """Return the default maximum number of processes on this machine."""
    return min(os.cpu_count() or 1, MOST_PROCESSES)
