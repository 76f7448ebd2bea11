"""What the user asks `scaffold adopt` for."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.memory import GIB, share_of_machine

USUAL_MEMORY = 2 * GIB
"""What a process may take where nothing else is said, in bytes."""


class Wanted(Struct, frozen=True):
    """What the user asks for."""

    targets: tuple[str, ...]
    python: str | None = None
    build: str = ""
    call: str = ""
    said: Mapping[str, str] = field(default_factory=dict[str, str])
    baseline: bool = False
    processes: int = 1
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
        return int(self.memory * GIB) or min(USUAL_MEMORY, share_of_machine(self.processes))

    def identity(self) -> dict[str, Any]:
        """What makes two runs the same: the targets, and what is said of them."""
        return {
            "targets": self.targets,
            "build": self.build,
            "call": self.call,
            "set": dict(self.said),
            "with": self.imports,
        }
