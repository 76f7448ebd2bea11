"""Wheel of `pytree-laws` in this package, written beside tests and read for its texts, never imported."""

import re
from collections.abc import Mapping
from functools import cache, cached_property
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from scaffold.errors import ScaffoldError

if TYPE_CHECKING:
    from zipfile import ZipFile

PACKAGE, DISTRIBUTION = "pytree_laws", "pytree-laws"
WHEELS = Path(__file__).parent / "wheels"
"""Folder into which `hatch_build.py` builds the wheel."""
_NAME = rf"{PACKAGE}-(\d+(?:\.\d+)*)-py3-none-any\.whl"
_REQUIRED = r"(?m)^Requires-Dist: ([\w.-]+)"

_DAMAGED = (ValueError, KeyError, OSError, EOFError, RuntimeError, NotImplementedError)
"""Exceptions that a damaged archive raises."""


class LawWheel(Struct, frozen=True, dict=True):
    """File name and bytes of a wheel of the laws."""

    name: str
    content: bytes

    @cached_property
    def version(self) -> tuple[int, ...]:
        """The version in the file name. Raises `ValueError` for any other file."""
        return version_of(self.name)

    @cached_property
    def requires(self) -> tuple[str, ...]:
        """Names of the distributions that the laws depend on."""
        return tuple(re.findall(_REQUIRED, self._member("METADATA").decode()))

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Text of each file of the package, by its path in the package."""
        with self._open() as archive:
            paths = sorted(path for path in archive.namelist() if path.startswith(f"{PACKAGE}/"))
            return {path.removeprefix(f"{PACKAGE}/"): archive.read(path).decode() for path in paths}

    @cached_property
    def record(self) -> bytes:
        """The `RECORD` with the digest of each file. Raises `ValueError` if it is missing."""
        return self._member("RECORD")

    def _open(self) -> "ZipFile":
        from zipfile import (  # here, because most runs write the wheel and do not look into it
            BadZipFile,
            ZipFile,
        )

        try:
            return ZipFile(BytesIO(self.content))
        except BadZipFile as error:
            raise ValueError(str(error)) from error

    def is_intact(self) -> bool:
        """Whether the files match the digests in `RECORD`, so that nobody has edited them."""
        try:
            rows = [line.rsplit(",", 2) for line in self.record.decode().splitlines()]
            with self._open() as archive:
                listed = {path: digest for path, digest, _ in rows}
                return listed.keys() == set(archive.namelist()) and all(
                    digest == _digest(archive.read(path)) for path, digest in listed.items() if digest
                )
        except _DAMAGED:
            return False

    def _member(self, name: str) -> bytes:
        with self._open() as archive:
            paths = [path for path in archive.namelist() if path.endswith(f".dist-info/{name}")]
            if len(paths) != 1:
                raise ValueError(f"has {len(paths)} files {name}")
            return archive.read(paths[0])


def _digest(content: bytes) -> str:
    """Return the digest of a file in the format of `RECORD`."""
    import base64  # here, because only a wheel with other bytes needs it

    return f"sha256={base64.urlsafe_b64encode(sha256(content).digest()).decode().rstrip('=')}"


def is_law_wheel(name: str) -> bool:
    """Whether a file of this name is a wheel of the laws."""
    return re.fullmatch(_NAME, name) is not None


def version_of(name: str) -> tuple[int, ...]:
    """Return the version in the file name of a wheel. Raises `ValueError` for any other name."""
    matched = re.fullmatch(_NAME, name)
    if matched is None:
        raise ValueError(f"{name!r} is no wheel of {DISTRIBUTION}")
    return tuple(map(int, matched[1].split(".")))


@cache
def law_wheel() -> LawWheel:
    """Return the wheel of this version of the tool.

    Raises `ScaffoldError` (exit code 1) if the build left none.
    """
    path = wheel_path()
    return LawWheel(path.name, path.read_bytes())


def wheel_path() -> Path:
    """Return the path of that wheel. Raises `ScaffoldError` (exit code 1) if the build left none."""
    paths = sorted(WHEELS.glob(f"{PACKAGE}-*.whl"))
    if len(paths) != 1:
        fix = (
            "install the tool anew (in a clone: `uv sync --reinstall-package jax-scaffold`), which builds it"
        )
        raise ScaffoldError(
            f"there are {len(paths)} wheels of the laws", where=str(WHEELS), fix=fix, exit_code=1
        )
    return paths[0]


def suite_texts(name: str) -> dict[str, str]:
    """Return the files of a suite, such as `closure.py` or the folder `step`, and of its own laws."""
    rooms = (
        f"{name}.py",
        f"{name}/",
        f"laws/of_kinds/{name}.py",
        f"laws/of_kinds/{name}/",
        f"kinds/{name}/texts.py",
    )
    return {path: text for path, text in law_wheel().texts.items() if path.startswith(rooms)}
