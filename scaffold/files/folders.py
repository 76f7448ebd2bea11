"""Folders that are copied as a whole into a project, with a list of digests by which an older copy is known.

Nobody edits a library in the folder that it was copied to, or else is told so: the copy has a list of what was in its files,
in the form that `sha256sum --check` reads. While the files are as listed, another version takes their place; where one is not,
the folder is left as it is, which is a conflict, and nothing else waits for it.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath

from scaffold.files.fileset import Action, File, Plan, Step
from scaffold.files.places import read_below

DIGESTS = "digests.txt"


@dataclass(frozen=True)
class Folder:
    """A folder that is to hold the texts of `files`, by path below it."""

    path: PurePosixPath
    files: Mapping[str, str]

    @property
    def listed(self) -> dict[str, bytes]:
        """The bytes of its files, the list of digests among them."""
        contents = {name: text.encode() for name, text in sorted(self.files.items())}
        lines = (f"{_digest(content)}  {name}\n" for name, content in contents.items())
        return {**contents, DIGESTS: "".join(lines).encode()}


def with_folder(plan: Plan, folder: Folder, *, force: bool = False) -> Plan:
    """The plan that copies the folder too. Raises `ScaffoldError` where something is in its way."""
    steps = _steps(Path(os.path.realpath(plan.root)), folder, force=force)
    return replace(plan, steps=tuple(sorted([*plan.steps, *steps], key=lambda step: step.path)))


def removal(root: Path, path: PurePosixPath) -> Iterator[Step]:
    """The steps that remove a copy, `root` being a real path; none where there is none, or somebody has edited it."""
    listed = _listed(read_below(root, path / DIGESTS))
    there = {name: read_below(root, path / name) for name in (*listed, DIGESTS)}
    edited = [name for name, digest in listed.items() if _digest(_plain(there[name] or b"")) != digest]
    if listed and not edited:
        for name, before in there.items():
            yield Step(path / name, Action.REMOVE, before, None, folder=path)


def _steps(root: Path, folder: Folder, *, force: bool) -> Iterator[Step]:
    wanted = folder.listed
    listed = _listed(read_below(root, folder.path / DIGESTS))
    there = {name: read_below(root, folder.path / name) for name in sorted({*wanted, *listed})}
    is_ours = force or not any(_is_edited(name, there[name], wanted, listed) for name in there)
    for name, before in there.items():
        action = _action(before, wanted.get(name)) if is_ours else _kept(name, before, wanted, listed)
        if action is not None:
            path, after = folder.path / name, wanted.get(name)
            # By which the step is made anew under the lock: another run may have copied the same meanwhile.
            asked = (
                (File(path, after.decode()),) if after is not None and action is not Action.CONFLICT else ()
            )
            forced = is_ours and before is not None and _is_edited(name, before, wanted, listed)
            yield Step(path, action, before, after, asked, folder=folder.path, forced=forced)


def _action(before: bytes | None, after: bytes | None) -> Action | None:
    if before is None:
        return Action.CREATE if after is not None else None
    if after is None:
        return Action.REMOVE
    return Action.IDENTICAL if _plain(before) == after else Action.UPDATE


def _kept(
    name: str, before: bytes | None, wanted: Mapping[str, bytes], listed: Mapping[str, str]
) -> Action | None:
    """What is said of a file where the folder stays as it is."""
    return Action.CONFLICT if _is_edited(name, before, wanted, listed) else None


def _is_edited(
    name: str, before: bytes | None, wanted: Mapping[str, bytes], listed: Mapping[str, str]
) -> bool:
    """Whether a file is neither what is wanted, nor what the copy once was, nor missing from the first."""
    if before is None:
        return name in listed
    if name == DIGESTS or _plain(before) == wanted.get(name):
        return False
    return _digest(_plain(before)) != listed.get(name)


def _listed(content: bytes | None) -> dict[str, str]:
    """Digest by name, as the list in a copy has them; lines that are none, or lead out of the folder, are left out."""
    lines = (content or b"").decode(errors="replace").splitlines()
    pairs = [(name, digest) for digest, _, name in (line.partition("  ") for line in lines)]
    return {name: digest for name, digest in pairs if len(digest) == 64 and _is_inside(name)}


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and "\\" not in name


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _plain(content: bytes) -> bytes:
    """As it was before git wrote it with the line ends of Windows."""
    return content.replace(b"\r\n", b"\n")
