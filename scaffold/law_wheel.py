"""The wheel of `pytree-laws` that this package carries: it is written beside tests and read for its texts, and never imported."""

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
"""Where `hatch_build.py` builds the wheel."""
_NAME = rf"{PACKAGE}-(\d+(?:\.\d+)*)-py3-none-any\.whl"
_REQUIRED = r"(?m)^Requires-Dist: ([\w.-]+)"

_DAMAGED = (ValueError, KeyError, OSError, EOFError, RuntimeError, NotImplementedError)
"""What reading a damaged archive raises."""


class LawWheel(Struct, frozen=True, dict=True):
    """A wheel of the laws, by its file name and its bytes."""

    name: str
    content: bytes

    @cached_property
    def version(self) -> tuple[int, ...]:
        """The version in the file name. Raises `ValueError` for a name that is no wheel of the laws."""
        return version_of(self.name)

    @cached_property
    def requires(self) -> tuple[str, ...]:
        """The distributions that the laws declare to need."""
        return tuple(re.findall(_REQUIRED, self._member("METADATA").decode()))

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The text of each file of the package, by its path in the package."""
        with self._open() as archive:
            paths = sorted(path for path in archive.namelist() if path.startswith(f"{PACKAGE}/"))
            return {path.removeprefix(f"{PACKAGE}/"): archive.read(path).decode() for path in paths}

    @cached_property
    def record(self) -> bytes:
        """The list of its files with their digests. Raises `ValueError` where there is none."""
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
        """Whether the files have the digests of its own list, so that a build and not a person wrote them."""
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
    """The digest of a file, as RECORD writes it."""
    import base64  # here, because only a wheel with other bytes needs it

    return f"sha256={base64.urlsafe_b64encode(sha256(content).digest()).decode().rstrip('=')}"


def is_law_wheel(name: str) -> bool:
    """Whether a file of this name is a wheel of the laws."""
    return re.fullmatch(_NAME, name) is not None


def version_of(name: str) -> tuple[int, ...]:
    """The version in the file name of a wheel. Raises `ValueError` for another name."""
    matched = re.fullmatch(_NAME, name)
    if matched is None:
        raise ValueError(f"{name!r} is no wheel of {DISTRIBUTION}")
    return tuple(map(int, matched[1].split(".")))


@cache
def law_wheel() -> LawWheel:
    """The wheel that belongs to this version of the tool. Raises `ScaffoldError` (exit code 1) where it was not built."""
    path = wheel_path()
    return LawWheel(path.name, path.read_bytes())


def wheel_path() -> Path:
    """The file of that wheel. Raises `ScaffoldError` (exit code 1) where it was not built."""
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
    """The files of one suite: `closure.py` or the folder `step`, and the laws that it has besides."""
    rooms = (
        f"{name}.py",
        f"{name}/",
        f"laws/of_kinds/{name}.py",
        f"laws/of_kinds/{name}/",
        f"kinds/{name}/texts.py",
    )
    return {path: text for path, text in law_wheel().texts.items() if path.startswith(rooms)}
