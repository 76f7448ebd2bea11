"""Template files of the tool and of projects."""

from functools import cache
from pathlib import Path

from scaffold.errors import ScaffoldError
from scaffold.files.places import read_regular

SUFFIX = ".jinja"
CLASS_FILE = "{{ stem }}.py" + SUFFIX


@cache
def templates_folder() -> Path:
    """Return the folder of templates: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    packaged = package / "templates"
    return packaged if packaged.is_dir() else package.parent / "templates"


@cache
def our_sources(name: str) -> tuple[tuple[str, str], ...]:
    """Return path and text of the tool's templates called `name`, and cache them."""
    return read_sources(templates_folder() / name)


def read_sources(folder: Path) -> tuple[tuple[str, str], ...]:
    """Return path and text of each template in a folder, sorted by path."""
    paths = sorted(folder.rglob(f"*{SUFFIX}"))
    return tuple((path.relative_to(folder).as_posix(), read_text(path, path.name)) for path in paths)


def read_text(path: Path, where: str) -> str:
    """Return the text of a template. Raises `ScaffoldError` for anything but a small file in UTF-8."""
    try:
        return read_regular(path).decode()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ScaffoldError("is not UTF-8", where=f"{where}:{line}", fix="save it as UTF-8") from None
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise ScaffoldError(message, where=where, fix="put a text file there") from None
