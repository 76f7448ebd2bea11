"""The files of the library `pytree_laws`, which lies beside this package: its texts are copied and read, and never imported."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "pytree_laws"


@cache
def law_texts() -> dict[str, str]:
    """The text of each file, by its path in the folder."""
    paths = sorted([*FOLDER.rglob("*.py"), FOLDER / "py.typed"])
    return {path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def texts_for(suites: Iterable[str]) -> tuple[str, ...]:
    """The texts of the files that tests import which use these suites and the pytree laws."""
    named = frozenset(suites)
    own = (text for path, text in law_texts().items() if _suite(path) in named)
    common = (text for path, text in law_texts().items() if _suite(path) not in _SUITES)
    return (*common, *own)


_SUITES = frozenset(["abstract", "closure", "nnx", "shared", "state", "train_state"])


def _suite(path: str) -> str:
    return path.split("/")[0].removesuffix(".py")


def suite_texts(name: str) -> dict[str, str]:
    """The files of one suite: `closure` is a file, `nnx` a folder."""
    return {path: text for path, text in law_texts().items() if _suite(path) == name}
