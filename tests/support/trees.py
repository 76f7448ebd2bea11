"""Trees of files as dicts, for tests that say what is on disk in one glance."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write `{path: content}` below `root`, byte for byte; a path that ends in `/` is an empty folder."""
    for path, content in files.items():
        place = root / path
        if path.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def replace_in(path: Path, old: str, new: str) -> None:
    """Edit a module that may have run already, so that Python sees it: bytecode is told by size and whole seconds."""
    text = path.read_text()
    assert old in text, f"{path.name} has no {old!r}"
    later = path.stat().st_mtime + 2
    path.write_text(text.replace(old, new))
    os.utime(path, (later, later))


def read_tree(root: Path) -> dict[str, bytes]:
    """Every file below `root` with its bytes, and every empty folder, as `path/`, with none; no bytecode of Python's."""
    found: dict[str, bytes] = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != "__pycache__"]
        here = Path(folder).relative_to(root)
        found.update({(here / name).as_posix(): (root / here / name).read_bytes() for name in files})
        if here.parts and not folders and not files:
            found[f"{here.as_posix()}/"] = b""
    return found


def read_modes(root: Path) -> dict[str, int]:
    """The permission bits of everything below `root`, links not followed."""
    found = sorted(root.rglob("*"))
    return {path.relative_to(root).as_posix(): stat.S_IMODE(path.lstat().st_mode) for path in found}
