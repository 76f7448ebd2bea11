"""Files: damaged ones, which no `load` may take."""

import io
import os
import pickle
import warnings
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

from ..report import ANY_ERROR, check


def damages(data: bytes, place: Any) -> dict[str, bytes]:
    """Files that are not the one that was saved; the pickle makes a folder at `place`."""

    class Trap:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(place),)

    return {
        "a file without its last byte": data[:-1],
        "half of a file": data[: len(data) // 2],
        "an empty file": b"",
        "a file of other bytes": bytes(range(256)) * 8,
        "a pickle": pickle.dumps(Trap()),
    }


def shorter_archives(path: Any) -> Iterator[tuple[str, bytes]]:
    """For a file that is an archive, as those of np.savez are: it without one member."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    for dropped in members:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as shorter:
            for name in members.keys() - {dropped}:
                shorter.writestr(name, members[name])
        yield dropped, buffer.getvalue()


def check_damage_is_refused(path: Any, load: Callable[[], Any], name: str) -> None:
    """`load` reads the file at `path`, and nothing else that may be in its place."""
    place = path.with_name("unpickled")
    for what, data in damages(path.read_bytes(), place).items():
        path.write_bytes(data)
        refused = is_refused(load)
        check(not place.exists(), name, "load unpickles, which can run anything")
        hint = "the sizes of the leaves in the file, and allow_pickle=False"
        check(refused, name, f"{what} was loaded", hint)


def is_refused(load: Callable[[], Any]) -> bool:
    """Whether an error is raised; a reader that fails may leave its file open."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            load()
        except ANY_ERROR:
            return True
    return False
