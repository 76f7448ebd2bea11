"""What a project builds: wheel, sdist and documentation."""

import tarfile
import zipfile
from collections.abc import Sequence
from email.message import Message
from email.parser import Parser
from html.parser import HTMLParser
from pathlib import Path

from benchmarks._project_commands import PYTHON, Failure, command, in_project, pyproject, style

ROUND_QUOTES = str.maketrans({0x201C: '"', 0x201D: '"', 0x2018: "'", 0x2019: "'"})
_NO_PAGE = "\n[A page](that-nobody-wrote.md)\n"


def build(folder: Path) -> None:
    """Wheel and sdist, without a warning, with what belongs into each; the wheel can be installed alone."""
    printed = command(folder, "uv", "build")
    if "warning" in printed.lower():
        raise Failure(printed)
    [wheel], [sdist] = folder.glob("dist/*.whl"), folder.glob("dist/*.tar.gz")
    with zipfile.ZipFile(wheel) as archive, tarfile.open(sdist) as tree:
        in_wheel, in_sdist = archive.namelist(), tree.getnames()
        [metadata] = [name for name in in_wheel if name.endswith(".dist-info/METADATA")]
        _metadata(folder, Parser().parsestr(archive.read(metadata).decode()))
    _contains(in_wheel, ".dist-info/licenses/LICENSE", "/py.typed", "/__init__.py")
    _contains(in_sdist, "/LICENSE", "/tests/conftest.py", "/specs/scaffold.schema.json", "/CHANGELOG.md")
    if any("tests" in name.split("/")[0] for name in in_wheel):
        raise Failure("the wheel has the tests")
    _installs(folder, wheel)


def _metadata(folder: Path, metadata: Message) -> None:
    """The metadata says what pyproject.toml does, in all its letters."""
    project = pyproject(folder)["project"]
    wanted = [project["description"], project["license"], "LICENSE"]
    found = [str(metadata[key]) for key in ("Summary", "License-Expression", "License-File")]
    if found != wanted:
        raise Failure(f"the metadata has {found} for {wanted}")
    if metadata.get_payload() != (folder / "README.md").read_text(encoding="utf-8"):
        raise Failure("the metadata does not have README.md as its text")


def _contains(names: Sequence[str], *endings: str) -> None:
    missing = [ending for ending in endings if not any(name.endswith(ending) for name in names)]
    if missing:
        raise Failure(f"{missing} is missing among {names}")


def _installs(folder: Path, wheel: Path) -> None:
    """The wheel alone brings what the package imports."""
    package = pyproject(folder)["tool"]["scaffold"]["package"].rstrip("/").split("/")[-1]
    alone = ("uv", "run", "--quiet", "--isolated", "--no-project", "--python", PYTHON, f"--with={wheel}")
    program = f"import {package}; print({package}.__version__)"
    command(folder / "dist", *alone, "python", "-P", "-c", program)


def docs(folder: Path) -> None:
    """The documentation, with every warning an error, the description as it stands, and the classes in it."""
    site = _built(folder)
    described(folder, (site / "index.html").read_text(encoding="utf-8"))
    pages = "".join(path.read_text(encoding="utf-8") for path in site.glob("reference/*.html"))
    classes = [path.stem for path in (folder / "specs").glob("*.toml")]
    missing = [name for name in classes if f".{name}" not in pages]
    if missing:
        raise Failure(f"{missing} is not in the reference")


def _built(folder: Path) -> Path:
    """The folder of the pages."""
    if style(folder) == "kidger":
        in_project(folder, "mkdocs", "build", "--strict")  # with `--quiet` no warning counts
        return folder / "site"
    in_project(folder, "sphinx-build", "-W", "-q", "-b", "html", "docs", "docs/_build/html")
    return folder / "docs/_build/html"


class _Page(HTMLParser):
    """The text of a page, and what its head says of it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.description: str | None = None
        self.feed(page)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "meta" and dict(attrs).get("name") == "description":
            self.description = dict(attrs)["content"]


def described(folder: Path, page: str) -> None:
    """The first page has the description; Sphinx makes its quotes round."""
    description, read = pyproject(folder)["project"]["description"], _Page(page)
    straight = read.text.translate(ROUND_QUOTES)
    if description not in straight:
        raise Failure(f"the first page does not have {description!r}:\n{straight}")
    if style(folder) == "kidger" and read.description != description:
        raise Failure(f"the head of the first page has {read.description!r} for {description!r}")


def strict(folder: Path) -> None:
    """A link to a page that is not there fails the documentation."""
    index = folder / "docs/index.md"
    text = index.read_text(encoding="utf-8")
    index.write_text(text + _NO_PAGE, encoding="utf-8")
    try:
        _built(folder)
    except Failure as failure:
        if "that-nobody-wrote" not in str(failure):
            raise
    else:
        raise Failure("the documentation builds with a link to a page that is not there")
    finally:
        index.write_text(text, encoding="utf-8")
