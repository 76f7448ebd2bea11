"""The merge of three texts is what a merge has to be, and gives what git gives where git finds no conflict."""

import ast
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scaffold import ScaffoldError
from scaffold.files.texts import Text, has_markers, lines_of
from scaffold.history.merge import merge
from scaffold.history.states import merge_python
from tests.support.draws import share
from tests.support.library import Library

LINE = st.sampled_from([*(f"{letter}\n" for letter in "abcdefgh"), "\n", "    x\n"])
TEXT = st.lists(LINE, max_size=14).map("".join)


@st.composite
def edited(draw, base: str) -> str:
    """The text after a few edits."""
    lines = lines_of(base)
    for _ in range(draw(st.integers(0, 3))):
        at, gone = draw(st.integers(0, len(lines))), draw(st.integers(0, 2))
        lines[at : at + gone] = draw(st.lists(st.sampled_from(["new\n", "other\n", "a\n"]), max_size=2))
    return "".join(lines)


THREE = TEXT.flatmap(lambda base: st.tuples(st.just(base), edited(base), edited(base)))


@given(THREE)
def test_what_one_side_or_both_alike_changed_is_taken(texts):
    base, mine, new = texts
    for one, other, expected in ((mine, base, mine), (base, new, new), (mine, mine, mine)):
        merged = merge(base, one, other)
        assert (merged.text, merged.collisions) == (expected, 0)


@given(THREE)
def test_every_new_line_of_either_side_is_there(texts):
    base, mine, new = texts
    merged = lines_of(merge(base, mine, new).text)
    for side in (mine, new):
        assert set(lines_of(side)) - set(lines_of(base)) <= set(merged)


@pytest.mark.slow
@given(THREE)
def test_collisions_are_counted_and_marked(texts):
    merged = merge(*texts)
    assert (
        merged.text.count("<<<<<<< yours\n") == merged.text.count(">>>>>>> generated\n") == merged.collisions
    )
    assert has_markers(merged.text) == bool(merged.collisions)


@pytest.mark.slow
@given(THREE)
def test_the_sides_are_alike_to_it(texts):
    base, mine, new = texts
    one, other = merge(base, mine, new), merge(base, new, mine)
    assert one.collisions == other.collisions
    if not one.collisions:
        assert one.text == other.text


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("git"), reason="beside git, where it is there")
@settings(max_examples=share(60))
@given(texts=THREE)
def test_where_git_and_it_find_no_conflict_they_give_the_same(
    texts, tmp_path_factory: pytest.TempPathFactory
):
    folder = tmp_path_factory.mktemp("merge")
    unlike = [text.replace("a\n", "first\n").replace("    x\n", "sixth\n") for text in numbered(*texts)]
    for name, text in zip(("base", "mine", "new"), unlike, strict=True):
        (folder / name).write_text(text)
    command = ["git", "merge-file", "-p", "mine", "base", "new"]
    git = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    ours = merge(*unlike)
    if git.returncode == 0 and not ours.collisions:
        assert ours.text == git.stdout
    else:  # git calls two changes that touch a conflict, and so does this
        assert git.returncode > 0 and ours.collisions


def numbered(base: str, mine: str, new: str) -> tuple[str, str, str]:
    """The texts with a number in each line of the base, so that there is one way to compare them."""
    from difflib import SequenceMatcher

    def side(text: str) -> str:
        lines, own = lines_of(text), lines_of(base)
        found = {
            j + n: i + n
            for i, j, size in SequenceMatcher(None, own, lines, autojunk=False).get_matching_blocks()
            for n in range(size)
        }
        return "".join(f"{found[n]} {line}" if n in found else line for n, line in enumerate(lines))

    return side(base), side(mine), side(new)


BASE = "import a\nimport b\nfrom c import D, e\n\n\nx = a, b, D, e\n\n\ndef f():\n    pass\n"


@pytest.mark.parametrize(
    ("mine", "new", "expected"),
    [
        (
            {"import a": "import a\nimport z"},
            {"import b\n": "", "a, b,": "a,"},
            "import a\nimport z\nfrom c import D, e\n",
        ),
        (
            {"import D, e": "import D, e, f"},
            {"import D, e": "import D, e, g"},
            "import a\nimport b\nfrom c import D, e, f, g\n",
        ),
        (
            {"pass": "return b"},
            {"import b\n": "", "a, b,": "a,"},
            "import a\nimport b\nfrom c import D, e\n",
        ),
        (
            {"import a\n": "", "a, b": "b"},
            {"import b": "import b as b2"},
            "import b\nimport b as b2\nfrom c import D, e\n",
        ),
        (
            {"import b": "# mine\nimport b"},
            {"import b": "import b\nimport q"},
            "import a\n# mine\nimport b\nfrom c import D, e\nimport q\n",
        ),
    ],
)
def test_imports_are_merged_as_a_set(mine: dict[str, str], new: dict[str, str], expected: str):
    merged = merge_python(BASE, changed(mine), changed(new))
    assert merged.collisions == 0
    assert merged.text.partition("\n\n\n")[0] + "\n" == expected
    ast.parse(merged.text)


def changed(replacements: dict[str, str]) -> str:
    text = BASE
    for old, now in replacements.items():
        assert text.count(old) == 1
        text = text.replace(old, now)
    return text


@pytest.mark.parametrize(
    "content", [b"", b"a\n", b"a\r\nb\r\n", b"\xef\xbb\xbfa\n", b"a", b"\x0c\n\x85\n".replace(b"\x85", b"x")]
)
def test_a_text_is_written_as_it_was_read(content: bytes):
    text = Text.of(content)
    assert text is not None and text.content == content


@pytest.mark.parametrize("content", [b"\xff", b"a\r\nb\n"])
def test_what_cannot_be_written_back_is_no_text(content: bytes):
    assert Text.of(content) is None


def test_a_merge_goes_on_in_a_file_that_does_not_parse():
    merged = merge_python(BASE, BASE + "def (\n", BASE.replace("x =", "y ="))
    assert (merged.collisions, "y =" in merged.text) == (0, True)


@pytest.mark.parametrize("form", ["toml", "py"])
def test_a_spec_with_the_markers_of_a_merge_says_so(tmp_path: Path, form: str) -> None:
    library = Library.at(tmp_path)
    line = 'doc = "{}."\n' if form == "toml" else '"""{}."""\n'
    sides = f"<<<<<<< HEAD\n{line.format('Ours')}=======\n{line.format('Theirs')}>>>>>>> theirs\n"
    library.write(f"specs/dense.{form}", ("name = 'Dense'\n" if form == "toml" else "import jax\n") + sides)
    told = rf"specs/dense\.{form}:2:1: has the markers of a merge \(`<<<<<<<`\)\n  fix: take one side of each"
    with pytest.raises(ScaffoldError, match=told):
        library.new(f"specs/dense.{form}")
