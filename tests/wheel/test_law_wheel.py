"""The wheel of the laws: the same bytes everywhere, the sources of this repository, and how it takes an older one's place."""

import os
import re
import shutil
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

import pytree_laws
from scaffold import ScaffoldError, find_layout, publish
from scaffold.generate import plan_new
from scaffold.law_wheel import LawWheel, law_wheel
from scaffold.lifecycle.check import check
from scaffold.lifecycle.update import plan_update
from tests.support.library import EMPTY, Library
from tests.support.projects import REPOSITORY, run
from tests.support.trees import write_tree

SOURCES = REPOSITORY / "pytree_laws"
OLDER = "tests/pytree_laws-0.0.9-py3-none-any.whl"
NEWER = "tests/pytree_laws-99.0-py3-none-any.whl"
PLACE = f"tests/{law_wheel().name}"
BRINGS_LAWS = {**EMPTY, "pyproject.toml": EMPTY["pyproject.toml"].replace("installed", "wheel")}
AFFINE = {"name": "Affine", "fields": {"weight": "f[size]=ones"}}


def rebuilt(*, level: int = 9, **changes: str) -> bytes:
    """The wheel with other texts, listed with their digests or not, compressed in another way."""
    buffer = BytesIO()
    with zipfile.ZipFile(BytesIO(law_wheel().content)) as archive, zipfile.ZipFile(buffer, "w") as copy:
        for info in archive.infolist():
            text = changes.get(info.filename, archive.read(info.filename).decode())
            copy.writestr(info, text, zipfile.ZIP_DEFLATED, level)
    return buffer.getvalue()


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.at(tmp_path, BRINGS_LAWS)


def test_the_wheel_that_the_tool_carries_holds_the_sources_as_they_are() -> None:
    sources = {
        path.relative_to(SOURCES / "src/pytree_laws").as_posix(): path.read_text(encoding="utf-8")
        for path in (SOURCES / "src/pytree_laws").rglob("*")
        if path.suffix in (".py", ".typed")
    }
    why = "the wheel is older than the laws: `uv sync` builds it anew"
    assert dict(law_wheel().texts) == sources, why
    assert law_wheel().is_intact()


def test_the_wheel_has_the_same_bytes_in_another_place_at_another_time(tmp_path: Path) -> None:
    copy = Path(
        shutil.copytree(SOURCES, tmp_path / "elsewhere", ignore=shutil.ignore_patterns("__pycache__"))
    )
    for path in copy.rglob("*.py"):
        path.chmod(0o640)
        os.utime(path, (1, 1_700_000_000))
    env = {"SOURCE_DATE_EPOCH": "1580601600", "LC_ALL": "C", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7"}
    built = run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)], copy, env=env
    )
    assert built.returncode == 0, built.stderr
    assert (tmp_path / law_wheel().name).read_bytes() == law_wheel().content


def test_a_new_class_brings_the_wheel_and_the_next_one_leaves_it(library: Library) -> None:
    library.typed(AFFINE)
    assert library.tree()[PLACE] == law_wheel().content
    plan = plan_new({**AFFINE, "name": "Other"}, find_layout(library.root))
    assert {str(step.path): step.action for step in plan.steps}[PLACE] == "identical"
    assert [row.state for row in check(find_layout(library.root)).rows if row.path == PLACE] == ["clean"]


def test_another_compression_is_no_difference(library: Library) -> None:
    library.typed(AFFINE)
    other = rebuilt(level=1)
    assert other != law_wheel().content
    (library.root / PLACE).write_bytes(other)
    plan = plan_update((), find_layout(library.root))
    assert not plan.writes and check(find_layout(library.root)).is_clean


def test_an_older_wheel_gives_way_and_pyproject_follows(library: Library) -> None:
    library.typed(AFFINE)
    (library.root / PLACE).rename(library.root / OLDER)
    source = f'\n[tool.uv.sources]\npytree-laws = {{ path = "{OLDER}" }}\n'
    library.append("pyproject.toml", source)
    states = {row.path: str(row.state) for row in check(find_layout(library.root)).rows}
    assert (states[OLDER], states[PLACE], states["pyproject.toml"]) == ("stale", "missing", "stale")
    publish(plan_update((), find_layout(library.root)))
    tree = library.tree()
    assert tree[PLACE] == law_wheel().content and OLDER not in tree
    assert library.read("pyproject.toml").endswith(source.replace(OLDER, PLACE))


def test_a_later_wheel_stays(library: Library) -> None:
    library.typed(AFFINE)
    (library.root / PLACE).rename(library.root / NEWER)
    plan = plan_update((), find_layout(library.root))
    assert not plan.writes
    assert f"{NEWER}: is later than the laws of this version of the tool, and stays" in plan.notes


@pytest.mark.parametrize("content", [b"", b"no wheel", rebuilt(**{"pytree_laws/py.typed": "mine"})])
def test_a_wheel_that_was_not_built_is_a_conflict_and_force_keeps_a_copy(
    content: bytes, library: Library
) -> None:
    library.typed(AFFINE)
    (library.root / PLACE).write_bytes(content)
    with pytest.raises(ScaffoldError, match=f"{re.escape(PLACE)}: exists, and differs from what would be"):
        publish(plan_update((), find_layout(library.root)))
    assert library.tree()[PLACE] == content
    library.typed(AFFINE, force=True)
    tree = library.tree()
    assert tree[PLACE] == law_wheel().content
    assert not content or content in [
        data for path, data in tree.items() if path.startswith(".scaffold/kept/")
    ]


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04", law_wheel().content[:-40], law_wheel().content[:9999]]
)
def test_what_is_damaged_is_not_intact(content: bytes) -> None:
    assert not LawWheel(law_wheel().name, content).is_intact()


# -- the folder into which former versions copied the laws -----------------------------------------------------------------


def former(library: Library) -> None:
    """What a former version left: the laws file by file, with their digests."""
    texts = {"__init__.py": "", "laws/p01.py": "one = 1\n"}
    from hashlib import sha256

    lines = [f"{sha256(text.encode()).hexdigest()}  {path}\n" for path, text in texts.items()]
    write_tree(
        library.root,
        {
            f"tests/pytree_laws/{path}": text
            for path, text in [*texts.items(), ("digests.txt", "".join(lines))]
        },
    )


def copied(library: Library) -> list[str]:
    return [path for path in library.tree() if path.startswith("tests/pytree_laws/")]


def test_a_former_copy_is_replaced_by_the_wheel_and_the_plan_says_so(library: Library) -> None:
    library.typed(AFFINE)
    (library.root / PLACE).unlink()
    former(library)
    plan = plan_update((), find_layout(library.root))
    assert "tests/pytree_laws/: the copy of the laws goes, and a wheel takes its place" in plan.notes
    assert "remove     tests/pytree_laws/" in plan.summary() and f"create     {PLACE}" in plan.summary()
    publish(plan)
    assert not copied(library) and library.tree()[PLACE] == law_wheel().content


def test_an_edited_copy_stays_and_holds_up_nothing(library: Library) -> None:
    former(library)
    library.append("tests/pytree_laws/laws/p01.py", "mine = 1\n")
    plan = plan_new(AFFINE, find_layout(library.root))
    edited = "tests/pytree_laws/: this copy of the laws was edited; it stays, and hides the wheel until you delete it"
    assert edited in plan.notes
    publish(plan)
    assert len(copied(library)) == 3 and PLACE in library.tree()


def test_digests_that_lead_elsewhere_are_not_followed(library: Library) -> None:
    former(library)
    library.append(
        "tests/pytree_laws/digests.txt", f"{'0' * 64}  ../../lib/__init__.py\n{'0' * 64}  /etc/hosts\nx\n"
    )
    publish(plan_new(AFFINE, find_layout(library.root)))
    assert not copied(library) and "lib/__init__.py" in library.tree()


def test_no_module_of_the_laws_has_a_name_that_the_package_gives_to_something_else() -> None:
    """Names are imported when they are used, and importing a module binds its name in the package."""
    names = {path.partition(".")[0].partition("/")[0] for path in law_wheel().texts}
    assert names.isdisjoint(pytree_laws.__all__)
    assert all(getattr(pytree_laws, name).__name__ == name for name in pytree_laws.__all__)
