"""Cache of bytecode for a wheel on the path, whose modules `zipimport` compiles anew in each run.

A file in the `__pycache__` beside the wheel holds the code of all modules. As for other modules,
`PYTHONDONTWRITEBYTECODE` and `PYTHONPYCACHEPREFIX` apply. The file is valid for one path and one content of
the wheel.
"""

import contextlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import CodeType
from zipimport import zipimporter

DAMAGED = (OSError, EOFError, ValueError, TypeError)
"""Errors of reading a file that is missing, damaged or from another Python."""


def keep_bytecode(loader: object) -> None:
    """Import the modules of a package from cached bytecode, if its loader reads an archive."""
    if not isinstance(loader, zipimporter):
        return
    archive = loader.archive
    codes = _codes(archive)

    def import_kept(path: str) -> "KeptImporter":
        if not path.startswith(archive + os.sep):
            raise ImportError(path)
        return KeptImporter(path, codes)

    sys.path_hooks.insert(0, import_kept)
    for path in [path for path in sys.path_importer_cache if path.startswith(archive + os.sep)]:
        del sys.path_importer_cache[path]  # which imported this module


class KeptImporter(zipimporter):
    """An importer for one folder of an archive, with the compiled code of each module by path."""

    def __init__(self, path: str, codes: Mapping[str, CodeType]) -> None:
        super().__init__(path)
        self.codes = codes

    def get_filename(self, fullname: str) -> str:
        """Return the path of a module, including the path of the archive."""
        module = os.path.join(self.archive, self.prefix + fullname.rpartition(".")[2])
        return os.path.join(module, "__init__.py") if self.is_package(fullname) else f"{module}.py"

    def get_code(self, fullname: str) -> CodeType:
        return self.codes[self.get_filename(fullname)]


def _codes(archive: str) -> Mapping[str, CodeType]:
    """Return the code of each module by path, from the cache or compiled for it."""
    from zipfile import ZipFile  # here, because the laws are no archive where they are installed

    kept = Path(importlib.util.cache_from_source(f"{Path(archive).with_suffix('.py')}"))
    with ZipFile(archive) as members:
        crcs = [(info.filename, info.CRC) for info in members.infolist()]
        key = repr((archive, crcs, sys.version)).encode()
        with contextlib.suppress(*DAMAGED):
            stored_key, codes = marshal.loads(kept.read_bytes())
            if stored_key == key:
                return codes
        names = [name for name, _ in crcs if name.endswith(".py")]
        paths = {name: os.path.join(archive, *name.split("/")) for name in names}
        codes = {path: compile(members.read(name), path, "exec") for name, path in paths.items()}
    if not sys.dont_write_bytecode:
        _write(kept, marshal.dumps((key, codes)))
    return codes


def _write(path: Path, content: bytes) -> None:
    """Write a file atomically, since other runs may read it. Ignore a folder that is not writable."""
    scratch = path.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_bytes(content)
        os.replace(scratch, path)
