"""Docstrings of the packages follow the rules of prose in CONTRIBUTING.md."""

import ast
import re
from collections.abc import Iterator

from tests.support.projects import REPOSITORY

FIRST_WORDS = tuple(
    ["What", "Those", "How", "One", "Where", "Which", "Has", "Have", "That", "Who", "When", "If"]
)
MOST_WORDS = 20
WIDEST_LINE = 110
PACKAGES = ("dev.py", "scaffold", "pytree_laws/src")


def docstrings(source: str) -> Iterator[ast.Constant]:
    """Strings that stand alone: below a definition, or below the attribute that they describe."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield text
            case _:
                pass


def faults(text: str) -> list[str]:
    """List the rules that a docstring breaks. A `code` span counts as one word."""
    plain = re.sub(r"```.*?```|`[^`]*`", "code", text, flags=re.DOTALL)
    sentences = re.split(r"(?<=[.!?])\s+|\n\s*\n", plain)
    longest = max(len(sentence.split()) for sentence in sentences)
    broken = {
        f"begins with {plain.split()[0]}": plain.split()[0] in FIRST_WORDS,
        f"a sentence of {longest} words": longest > MOST_WORDS,
        "a semicolon": ";" in plain,
    }
    return [fault for fault, is_broken in broken.items() if is_broken]


def test_docstrings_follow_the_rules_of_prose() -> None:
    roots = [REPOSITORY / package for package in PACKAGES]
    files = sorted(path for root in roots for path in ([root] if root.is_file() else root.rglob("*.py")))
    broken = {
        f"{path.relative_to(REPOSITORY)}:{text.lineno}": kinds
        for path in files
        for text in docstrings(path.read_text(encoding="utf-8"))
        if (kinds := faults(str(text.value)))
    }
    assert len(files) > 600 and broken == {}


def test_docstrings_are_no_wider_than_code() -> None:
    files = sorted(path for package in PACKAGES for path in (REPOSITORY / package).rglob("*.py"))
    wide: list[str] = []
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        for text in docstrings("\n".join(lines)):
            places = range(text.lineno, (text.end_lineno or text.lineno) + 1)
            wide += [f"{path}:{place}" for place in places if len(lines[place - 1]) > WIDEST_LINE]
    assert wide == []


def test_each_rule_can_be_broken() -> None:
    assert faults("What a class keeps; and more.") == ["begins with What", "a semicolon"]
    assert faults(f"Return {'a word ' * 10}.") == ["a sentence of 22 words"]
    assert faults("Return `a; b`, as in `x = f(y)`. Raises `TypeError`.") == []
