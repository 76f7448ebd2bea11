"""Keeps the bytecode of a wheel on the path: `zipimport` compiles each module anew in each run, and twice.

The code of all modules is one file in the `__pycache__` beside the wheel, as Python keeps that of a file: not with
`PYTHONDONTWRITEBYTECODE`, and under `PYTHONPYCACHEPREFIX` where that is set. It holds for one place and one content.
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
"""What reading a file raises that is not there, not whole, or of another Python."""


def keep_bytecode(loader: object) -> None:
    """Import the modules below a package from kept bytecode, if its loader is that of an archive."""
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
    """An importer of one folder of an archive, which does not compile: the code of each module is there by its path."""

    def __init__(self, path: str, codes: Mapping[str, CodeType]) -> None:
        super().__init__(path)
        self.codes = codes

    def get_filename(self, fullname: str) -> str:
        """The path of a module, archive included."""
        module = os.path.join(self.archive, self.prefix + fullname.rpartition(".")[2])
        return os.path.join(module, "__init__.py") if self.is_package(fullname) else f"{module}.py"

    def get_code(self, fullname: str) -> CodeType:
        return self.codes[self.get_filename(fullname)]


def _codes(archive: str) -> Mapping[str, CodeType]:
    """The code of each module by its path, kept from an earlier run or for later ones."""
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
    """Write a file at once, since other runs may read it; none where the folder cannot be written to."""
    scratch = path.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_bytes(content)
        os.replace(scratch, path)
