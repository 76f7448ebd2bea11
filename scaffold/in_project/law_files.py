"""Source of the laws for a project's tests: its environment, or a wheel beside the tests.

An older wheel is replaced if its own digests prove that nobody has edited it. The same holds for the folder
`tests/pytree_laws`, into which former versions of the tool copied the laws.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from scaffold.files.fileset import Action, Blob, Edit, Plan, Step
from scaffold.files.places import read_below
from scaffold.in_project.environment import has_module
from scaffold.in_project.packages import table
from scaffold.in_project.requirements import depends_on
from scaffold.law_wheel import DISTRIBUTION, PACKAGE, LawWheel, is_law_wheel, law_wheel, version_of

INSTALLED, WHEEL = "installed", "wheel"
_DIGESTS = "digests.txt"
_IN_TEXT = rf"{PACKAGE}-\d[\w.]*-py3-none-any\.whl"
_PYPROJECT = PurePosixPath("pyproject.toml")


class LawFiles(Struct, frozen=True):
    """Laws beside the tests of a project. `root` is a real path, and `document` its `pyproject.toml`."""

    root: Path
    tests: PurePosixPath
    document: Mapping[str, object]

    def source(self) -> str:
        """Return `installed` if the project declares or has the laws, and `wheel` otherwise.

        A project keeps a wheel that lies there, so that all contributors get the same files.
        """
        if self._names() or self._has_folder or self.is_source_of_uv:
            return WHEEL
        is_there = depends_on(self.document, DISTRIBUTION) or has_module(PACKAGE, self.root, unknown=False)
        return INSTALLED if is_there else WHEEL

    @property
    def is_source_of_uv(self) -> bool:
        """Whether `pyproject.toml` tells uv to install the laws from a wheel."""
        path = table(self.document, "tool", "uv", "sources", DISTRIBUTION).get("path")
        return isinstance(path, str) and is_law_wheel(PurePosixPath(path).name)

    def _names(self) -> list[str]:
        """Return the names of wheels of the laws beside the tests, the oldest first."""
        try:
            names = filter(is_law_wheel, os.listdir(self.root / self.tests))
        except OSError:
            return []
        return sorted(names, key=lambda name: (version_of(name), name))

    def requests(self) -> Iterator[Blob | Edit]:
        """Yield the wheel, and an edit of its name in `pyproject.toml`, unless a later version lies there."""
        if self._later():
            return
        yield wheel_file(self.tests)
        if self.is_source_of_uv:
            yield Edit(
                _PYPROJECT, lambda source: re.sub(_IN_TEXT, law_wheel().name, source.decode()).encode()
            )

    def without_former(self, plan: Plan) -> Plan:
        """Return the plan with the removal of older wheels and of a copied folder, unless edited."""
        older = (name for name in self._names() if version_of(name) < law_wheel().version)
        steps = [*plan.steps, *self._removed(older), *self._folder_removal()]
        ordered = tuple(sorted(steps, key=lambda step: step.path))
        return replace(plan, steps=ordered, notes=(*plan.notes, *self._notes()))

    def removal(self) -> Iterator[Step]:
        """Yield steps that remove the laws from a project that no longer needs them, unless edited."""
        if not self.is_source_of_uv:
            yield from self._removed(self._names())
        yield from self._folder_removal()

    def _later(self) -> list[str]:
        return [name for name in self._names() if version_of(name) > law_wheel().version]

    def _removed(self, names: Iterable[str]) -> Iterator[Step]:
        """Yield the removal of each of these wheels that nobody has edited."""
        for name in names:
            content = read_below(self.root, self.tests / name)
            if LawWheel(name, content or b"").is_intact():
                yield Step(self.tests / name, Action.REMOVE, content, None)

    def _notes(self) -> Iterator[str]:
        for name in self._later():
            yield f"{self.tests / name}: is later than the laws of this version of the tool, and stays"
        if self._has_folder and [*self._folder_removal()]:
            yield f"{self.folder}/: the copy of the laws goes, and a wheel takes its place"
        elif self._has_folder:
            yield f"{self.folder}/: this copy of the laws was edited; it stays, and hides the wheel until you delete it"

    # -- the folder of former versions of the tool ---------------------------------------------------------------------

    @property
    def folder(self) -> PurePosixPath:
        """Folder into which former versions of the tool copied the laws."""
        return self.tests / PACKAGE

    @property
    def _has_folder(self) -> bool:
        return (self.root / self.folder / _DIGESTS).is_file()

    def _folder_removal(self) -> Iterator[Step]:
        """Yield steps that remove the copy, unless it is missing or edited."""
        listed = _listed(read_below(self.root, self.folder / _DIGESTS))
        contents = {name: read_below(self.root, self.folder / name) for name in (*listed, _DIGESTS)}
        if listed and all(_digest(contents[name]) == digest for name, digest in listed.items()):
            for name, before in contents.items():
                yield Step(self.folder / name, Action.REMOVE, before, None, folder=self.folder)


def wheel_file(tests: PurePosixPath) -> Blob:
    """Return the wheel of this version of the tool as a file beside the tests."""
    return Blob(tests / law_wheel().name, law_wheel().content, _replaces)


def _replaces(before: bytes, after: bytes) -> Action:
    """Return the action for a wheel with other bytes. A different compression counts as identical."""
    older, newer = LawWheel("", before), LawWheel("", after)
    if not older.is_intact():
        return Action.CONFLICT
    return Action.IDENTICAL if older.record == newer.record else Action.UPDATE


def _listed(content: bytes | None) -> dict[str, str]:
    """Parse a copy's list of digests by file name. Invalid lines and paths outside the folder are skipped."""
    lines = (content or b"").decode(errors="replace").splitlines()
    pairs = [(name, digest) for digest, _, name in (line.partition("  ") for line in lines)]
    return {name: digest for name, digest in pairs if len(digest) == 64 and _is_inside(name)}


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and "\\" not in name


def _digest(content: bytes | None) -> str:
    """Return the digest of a file with its line ends normalised, since git may have changed them."""
    return sha256((content or b"").replace(b"\r\n", b"\n")).hexdigest()
