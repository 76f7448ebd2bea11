"""Docstrings and blocks as source."""

import ast
import textwrap
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scaffold.source.text import WIDTH, block, docstring

# What the reader lets through: neither control characters nor lone surrogates.
WRITTEN = st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]) | st.sampled_from('\n\n\\"`{}% ')
TEXTS = st.text(WRITTEN, max_size=200) | st.lists(
    st.sampled_from(["a" * 30, '"""', "\\", "- point", "\n", "    code", "x" * 100, "'", '"', "{{x}}"])
).map(" ".join)


@given(TEXTS, st.sampled_from(["", "    ", " " * 8]))
def test_a_docstring_reads_as_the_text(text: str, indent: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an invalid escape would warn
        value = ast.literal_eval(docstring(text, indent) or '""')
    assert value.split() == text.split()
    assert bool(docstring(text, indent)) is bool(text.strip()), "of nothing there is no docstring"


@given(TEXTS, st.sampled_from(["    ", " " * 8]))
def test_a_docstring_fits_where_its_words_do(text: str, indent: str) -> None:
    longest = max(map(len, text.split()), default=0)
    lines = (indent + docstring(text, indent)).split("\n")
    extra = text.count('"') + text.count("\\")  # each may be escaped
    assert all(len(line) <= max(WIDTH, len(indent) + longest + 8) + extra for line in lines)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("One line.", '"""One line."""'),
        ('Ends in "quotes"', '"""Ends in "quotes\\""""'),
        ("x \\to y", 'r"""x \\to y"""'),
        ("ends in \\", '"""ends in \\\\"""'),
        ('\\ and """', '"""\\\\ and \\"\\"\\""""'),
        ("Two.\n\nParagraphs.", '"""Two.\n\n    Paragraphs.\n    """'),
    ],
)
def test_docstrings(text: str, source: str) -> None:
    assert docstring(text, "    ") == source


STATEMENTS = st.lists(
    st.sampled_from(
        [
            "x = 1",
            "if x:\n    y = 2\nelse:\n    y = 3",
            "s = '''a\n  b\n\n   \nc'''",
            's = f"""{x}\n {x!r}\n"""',
            "t = 'a\\\n  b'",
            "u = (1,\n2)",
            "# a comment\nv = 3  # and one more",
            "def f():\n    '''Doc\n    string.'''\n    return 1",
            "if x:\n\ty = 1",
            "\n\nz = 1",
            "r = r'\\d'",
            "w = '''\n\t\n'''",
        ]
    ),
    min_size=1,
).map("\n".join)


@given(STATEMENTS, st.sampled_from(["    ", " " * 8]))
def test_a_block_keeps_its_meaning(source: str, indent: str) -> None:
    wrapped = f"if 1:\n{block(source, indent)}\n"
    [statement] = ast.parse(wrapped).body
    assert isinstance(statement, ast.If)
    kept = ast.Module(statement.body, [])
    assert ast.dump(kept) == ast.dump(ast.parse(source))


@given(STATEMENTS)
def test_a_block_without_indent_is_the_source(source: str) -> None:
    assert block(source, "") == source.strip("\n").rstrip()


def test_an_indented_block_is_moved_as_a_whole() -> None:
    source = "\n    if x:\n        y = 1\n"
    assert block(source, "        ") == "        if x:\n            y = 1"
    assert textwrap.dedent(block(source, "        ")) == "if x:\n    y = 1"
