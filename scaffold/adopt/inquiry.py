"""Requests to the user's interpreter about each class of the targets.

Nothing is written, and no test runs.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from scaffold.adopt.check_targets import check_listed, left_out_of
from scaffold.adopt.flow import GRACE, Children, listed_by
from scaffold.adopt.processes.process import Child
from scaffold.adopt.processes.workers import each
from scaffold.adopt.report import LeftOut
from scaffold.adopt.targets.targets import folders_of, read_targets
from scaffold.adopt.targets.wanted import Wanted
from scaffold.in_project.layout import Layout
from scaffold.interpreter import find_python

Class = Mapping[str, Any]
"""A class as the interpreter lists it."""
Result = TypeVar("Result")
Progress = Callable[[int, int, str], None]


class Inquiry(Struct, frozen=True):
    """Settings that the requests about all classes share."""

    wanted: Wanted
    folders: tuple[str, ...]

    def ask(self, child: Child, do: str, cls: Class, **more: Any) -> dict[str, Any]:
        """Send a request about a class, and return the answer."""
        seconds = self.wanted.seconds
        request = {"do": do, "module": cls["module"], "name": cls["name"], "folders": [*self.folders]}
        return child.ask({**request, "seconds": seconds, **more}, seconds + GRACE)

    def ask_said(self, child: Child, do: str, cls: Class) -> dict[str, Any]:
        """Send a request together with the user's options on how to build and call the class."""
        wanted = self.wanted
        return self.ask(
            child,
            do,
            cls,
            build=wanted.build,
            call=wanted.call,
            said=dict(wanted.said),
            imports=wanted.imports,
        )


def each_class(
    wanted: Wanted,
    layout: Layout,
    here: Path,
    work: Callable[[Inquiry, Child, Class], Result],
    lost: Callable[[Class, str], Result],
    progress: Progress,
    *,
    prepared: Callable[[Class], dict[str, Any]] = dict,
) -> tuple[list[Result], tuple[LeftOut, ...]]:
    """Apply `work` to each class of the targets, and list the classes that are left out.

    `prepared` maps each listed class before the checks. Raises `ScaffoldError` with the faults of all
    unusable targets.
    """
    targets = read_targets(wanted.targets, here)
    command = find_python(wanted.python, layout.root)
    folders = (*folders_of(targets), str((layout.root / layout.import_root).resolve()))
    inquiry = Inquiry(wanted, folders)
    with Children(command, layout.root, wanted.memory_in_bytes, layout.pytest.checked_types) as children:
        child = children.start()
        listed = listed_by(child, targets, wanted, folders)
        listed = {**listed, "classes": [prepared(cls) for cls in listed["classes"]]}
        check_listed(listed, targets, wanted)
        classes = [cls for cls in listed["classes"] if not cls["why"]]
        results = each(
            classes,
            lambda child, cls: work(inquiry, child, cls),
            lost,
            label_of,
            [child],
            children.start,
            wanted.processes_for(len(classes)),
            progress,
        )
    return results, left_out_of(listed)


def label_of(cls: Class) -> str:
    """Return `pkg.mod:Class`."""
    return f"{cls['module']}:{cls['name']}"
