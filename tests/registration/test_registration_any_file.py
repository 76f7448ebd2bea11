"""Registration on drawn files: its inverse, and what it never touches."""

import ast
from codecs import BOM_UTF8

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from scaffold.registration.edits import register, unregister
from tests.support.draws import share

HEADERS = ["#!/usr/bin/env python", "# Licence", "# ends in a backslash \\", "", "# -*- caf\u00e9 -*-"]
DOCSTRINGS = ['"""Doc."""', '"""Doc.\n\nMore.\n"""', "'''D\u00e9j\u00e0 vu.'''  # said", '"""Doc."""; x = 1']
STATEMENTS = [
    "",
    "",
    "# A comment.",
    "# \u00c0 propos \\",
    "import os",
    "import os; import re",
    "import os.path as \\\n    path",
    "from os import (\n    path,  # (\n    sep,\n)",
    "from . import zeta",
    "from .. import up",
    "from .alpha import Alpha as Alpha",
    "from .beta import (\n    Beta,\n    Other as More,\n)",
    "from .gamma import *",
    "from .zulu import Zulu  # noqa",
    "from .eta import \\\n    Eta",
    "x = 1; \\\nfrom .theta import Theta",
    "from .iota import Iota; x = '''\nfrom .no import No\n'''",
    "from .kappa import Kappa;",
    "from .mu import Mu; \\\n",
    "try:\n    from .lam import Lam\nexcept ImportError:\n    Lam = None\n    # trailing",
    "if True:\n    from .affine import Affine",
    "@(lambda c: c)\nclass C:\n    from .nu import Nu\n\n    x = 'caf\u00e9'",
    "text = '''\n# coding: ascii\n\\\n'''",
    "x = 1  # \\",
    "\f",
    "\t# indented",
    "'a string'",
]
EXPORTS = [
    "[]", "()", "[\n]", '["Alpha"]', "['Alpha', 'beta']", '("Zulu",)', '"Alpha", "Zulu"', '["z\u00e9", "Alpha", "x"]',
    '[\n    "Alpha",\n    "Zulu",\n]', '[\n    "Alpha",  # one, two\n    "Zulu"  # three\n]', '[\n  "Alpha", "Beta",\n  "Zulu"]',
    '["Alpha",\n           "Zulu"]', '[  # all\n    "Alpha",\n\n    # of them\n    "Zulu",\n    # end\n]', "[x for x in ()]",
    '(\n    "Zulu",\n    "Alpha"\n)', '["Affine"]', '["MAX", "a" "b"]', '[\n    "Alpha"\n    ,\n]',
]  # fmt: skip


@st.composite
def init_files(draw: st.DrawFn) -> bytes:
    """A file that parses, from the pieces above, in some encoding, with some line endings."""
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "latin-1", "cp1252"]))
    pieces = [f"# -*- coding: {encoding} -*-"] if encoding in ("latin-1", "cp1252") else []
    pieces += draw(st.lists(st.sampled_from(HEADERS), max_size=2))
    pieces += draw(st.lists(st.sampled_from(DOCSTRINGS), max_size=1))
    pieces += draw(st.lists(st.just("from __future__ import annotations"), max_size=1))
    pieces += draw(st.lists(st.sampled_from(STATEMENTS), max_size=6))
    if draw(st.booleans()):
        pieces.insert(
            draw(st.integers(len(pieces) // 2, len(pieces))), f"__all__ = {draw(st.sampled_from(EXPORTS))}"
        )
    lines = "\n".join(pieces).split("\n") if pieces else []
    ends = draw(
        st.sampled_from([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n"], ["\n", "\r"], ["\n", "\r\n", "\r"]])
    )
    ended = [line + draw(st.sampled_from(ends)) for line in lines]
    if ended and draw(st.booleans()):
        ended[-1] = ended[-1].rstrip("\r\n")
    source = "".join(ended).encode(encoding)
    try:
        ast.parse(source)
    except SyntaxError:
        assume(False)
    return source


STEMS = st.sampled_from(["affine", "aa", "zz", "beta2"])
NAMES = st.lists(
    st.sampled_from(["Affine", "AffineState", "affine_map", "MAX"]), min_size=1, max_size=3, unique=True
)


def imported(source: bytes, stem: str) -> set[str]:
    nodes = (node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom))
    return {alias.name for node in nodes if node.module == stem and node.level == 1 for alias in node.names}


@settings(max_examples=share(200), deadline=None)
@given(init_files(), STEMS, NAMES)
@example(b'"""Doc."""\r\n', "affine", ["Affine"])
@example(b'"""Doc."""\r\n\n', "affine", ["Affine"])
@example(b"from .a import A  # \\", "affine", ["Affine", "MAX"])
@example(b"\xef\xbb\xbf", "affine", ["Affine", "MAX"])
@example(b"\xef\xbb\xbf__all__ = ['a']", "affine", ["Affine", "MAX"])
def test_unregister_undoes_register_byte_for_byte(source: bytes, stem: str, names: list[str]):
    after = register(source, stem, names)
    assert imported(after, stem) == set(names)
    assert unregister(after, stem, names) == source


@pytest.mark.slow
@settings(max_examples=share(200), deadline=None)
@given(init_files(), STEMS, NAMES)
def test_register_twice_is_register_once(source: bytes, stem: str, names: list[str]):
    once = register(source, stem, names)
    assert register(once, stem, names) == once
    assert register(once, stem, reversed(names)) == once


@settings(max_examples=share(200), deadline=None)
@given(init_files(), STEMS, NAMES)
def test_every_line_of_others_stays_as_it_is(source: bytes, stem: str, names: list[str]):
    assume(b"__all__" not in source)
    remaining = iter(register(source, stem, names).removeprefix(BOM_UTF8).splitlines())
    for line in source.removeprefix(BOM_UTF8).splitlines():
        assert line in remaining  # in order: `in` uses the iterator up to the match


@settings(max_examples=share(200), deadline=None)
@given(init_files(), STEMS, NAMES)
def test_only_the_imports_and_all_change_in_the_tree(source: bytes, stem: str, names: list[str]):
    def others(content: bytes) -> list[str]:
        kept = (
            node
            for node in ast.parse(content).body
            if not (isinstance(node, ast.ImportFrom) and node.module == stem)
        )
        return [ast.dump(node) for node in kept if "id='__all__'" not in ast.dump(node)]

    assert others(register(source, stem, names)) == others(source)
