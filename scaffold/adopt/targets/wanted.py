"""What the user asks `scaffold adopt` for."""

import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.processes.memory import GIB, share_of_machine

USUAL_MEMORY = 2 * GIB
"""What a process may take where nothing else is said, in bytes."""
MOST_PROCESSES = 4
"""How many processes there are where nobody says how many, on a machine with as many cores."""
WORTH_A_PROCESS = 4
"""For how many classes one more process is started: as long as they take, it imports jax and the library."""


class Wanted(Struct, frozen=True):
    """What the user asks for."""

    targets: tuple[str, ...]
    python: str | None = None
    build: str = ""
    call: str = ""
    said: Mapping[str, str] = field(default_factory=dict[str, str])
    baseline: bool = False
    processes: int = 0
    """How many processes look at classes; 0 where nobody says."""
    seconds: float = 60.0
    """The limit for each class, to find it, and for each of its tests."""
    force: bool = False
    records: bool = True
    """Whether the numbers of what is adopted are recorded."""
    memory: float = 0.0
    """The limit for each process, in GiB; 0 for 2, or for its share of a machine that has less."""
    resume: bool = False
    """Whether a run that was ended is to go on."""
    imports: tuple[str, ...] = ()
    """Import statements for what is said of the classes."""

    @property
    def memory_in_bytes(self) -> int:
        """The limit for each process, in bytes; 0 for none."""
        return int(self.memory * GIB) or min(
            USUAL_MEMORY, share_of_machine(self.processes or usual_processes())
        )

    def processes_for(self, classes: int) -> int:
        """How many processes look at so many classes."""
        return self.processes or min(usual_processes(), 1 + classes // WORTH_A_PROCESS)

    def identity(self) -> dict[str, Any]:
        """What makes two runs the same: the targets, and what is said of them."""
        return {
            "targets": self.targets,
            "build": self.build,
            "call": self.call,
            "set": dict(self.said),
            "with": self.imports,
        }


def usual_processes() -> int:
    """The most processes that are started where nobody says how many."""
    return min(os.cpu_count() or 1, MOST_PROCESSES)
