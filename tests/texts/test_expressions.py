"""Reading and rewriting Python that is never run."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scaffold.emit.members.members import guard
from scaffold.source.expressions import (
    assigned_names,
    count_name,
    dedented,
    draws_from,
    free_names,
    syntax_fault,
)
from scaffold.source.rewriting import rename

NAMES = st.sampled_from(["key", "size", "x", "self.w", "self.mean"])
PLAIN = st.sampled_from(["key", "size", "x"])


def _wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: f"({p[0]} + {p[1]})"),
        pair.map(lambda p: f"jnp.dot({p[0]}, {p[1]})"),
        pair.map(lambda p: f"({p[0]} if {p[1]} else 0)"),
        st.tuples(inner, PLAIN, inner, inner).map(lambda p: f"[{p[0]} for {p[1]} in {p[2]} if {p[3]}]"),
        st.tuples(PLAIN, inner, inner).map(lambda p: f"(lambda {p[0]}=({p[1]}): {p[2]})"),
        st.tuples(PLAIN, inner, inner).map(lambda p: f"(lambda *, {p[0]}: {p[1]})({p[2]})"),
        inner.map(lambda one: one if set(one) & {'"', "\n"} else f'f"ä {{({one})}} {{({one})!r:>9}}"'),
        st.tuples(inner, inner).map(lambda p: f"{{{p[0]}:\n  {p[1]}}}"),
    )


EXPRESSIONS = st.recursive(NAMES, _wider, max_leaves=8)


def same(left: str, right: str) -> bool:
    return ast.dump(ast.parse(left)) == ast.dump(ast.parse(right))


@given(EXPRESSIONS)
def test_renaming_replaces_all_free_reads_and_nothing_else(source: str) -> None:
    renamed = rename(source, {"key": "weight_key"})
    before, after = (set(free_names(text, expression=True)) for text in (source, renamed))
    assert after == {"weight_key" if name == "key" else name for name in before}
    assert count_name(renamed, "weight_key") == count_name(source, "key")
    assert same(rename(renamed, {"weight_key": "key"}), source)


@given(EXPRESSIONS)
def test_renaming_a_name_to_itself_changes_nothing(source: str) -> None:
    assert same(rename(source, {"key": "key", "size": "size", "x": "x"}), source)


def test_a_function_called_top_has_names_of_its_own() -> None:
    # symtable takes a function of this name for a module.
    source = "def top(user, k):\n    scores = table @ user\n    return sort(scores)[:k]\n"
    assert free_names(source, expression=False) == ("sort", "table")


@given(EXPRESSIONS)
def test_guarding_twice_is_guarding_once(source: str) -> None:
    reads = {"mean": "jax.lax.stop_gradient(self.mean)"}
    once = guard(source, reads)
    assert same(guard(once, reads), once)
    shown = ast.unparse(ast.parse(once))
    assert shown.count("self.mean") == shown.count("jax.lax.stop_gradient(self.mean)")


@pytest.mark.parametrize(
    ("source", "renamed"),
    [
        ("f(key)", "f(k2)"),
        ("[f(key) for key in split(key)]", "[f(key) for key in split(k2)]"),
        ("lambda key: key", "lambda key: key"),
        ("lambda: [key for key in key]", "lambda: [key for key in k2]"),
        ("lambda: (key := 1) + key", "lambda: (key := 1) + key"),
        ("lambda *key, size=key: (key, size)", "lambda *key, size=k2: (key, size)"),
        ("lambda a, /, *, key: key + a", "lambda a, /, *, key: key + a"),
        ("f'{key}{key!r:>{key}}'", "f'{k2}{k2!r:>{k2}}'"),
        ("'ä', key", "'ä', k2"),
        ("self.key + key", "self.key + k2"),
        ("f(key=key)", "f(key=k2)"),
        ("def f(key: T = key) -> key:\n    return key", "def f(key: T = k2) -> k2:\n    return key"),
        ("def f():\n    return key", "def f():\n    return k2"),
        ("def f():\n    key = 1\n    return key", "def f():\n    key = 1\n    return key"),
        ("class A(key):\n    key = 1\n    b = key", "class A(k2):\n    key = 1\n    b = key"),
        ("key, sub = split(key)\nb = f(key)", "k2, sub = split(k2)\nb = f(k2)"),
        ("def key():\n    pass\nb = key", "def key():\n    pass\nb = key"),
        ("import key\nb = key", "import key\nb = key"),
        ("try:\n    b = key\nexcept E as key:\n    pass", "try:\n    b = key\nexcept E as key:\n    pass"),
        ("match key:\n    case [*key]:\n        pass", "match key:\n    case [*key]:\n        pass"),
    ],
)  # fmt: skip
def test_renaming_by_scope(source: str, renamed: str) -> None:
    assert same(rename(source, {"key": "k2"}), renamed)


def test_a_name_that_the_source_assigns_is_not_made_an_attribute() -> None:
    assert rename("(depth := 3) + depth + size", {"depth": "self.depth", "size": "self.size"}) == (
        "(depth := 3) + depth + self.size"
    )


def test_layout_and_comments_survive() -> None:
    source = "# the key\nb = f(  key )  # key\nc = '''\n  key\n'''"
    assert rename(source, {"key": "k2"}) == "# the key\nb = f(  k2 )  # key\nc = '''\n  key\n'''"


def test_a_line_separator_in_a_string_does_not_shift_the_places() -> None:
    assert rename("'\u2028\x0c' + key", {"key": "k2"}) == "'\u2028\x0c' + k2"


@pytest.mark.parametrize(
    ("source", "draws"),
    [
        ("key is None", False),
        ("key", True),
        ("key if key is not None else None", True),
        ("f(key)", True),
        ("f(g)(a=[key])", True),
        ("[f(key) for key in keys]", False),
        ("(lambda key: f(key))(a)", False),
    ],
)
def test_drawing_is_handing_the_key_on(source: str, draws: bool) -> None:
    assert draws_from(source, "key") is draws


def test_names_that_a_block_binds() -> None:
    source = "import a.b\nfrom c import d as e\nf: int = 1\nfor g in h:\n    pass\ndef i(j):\n    k = 1"
    assert assigned_names(source) == ("a", "e", "f", "g", "i")
    assert assigned_names(" \n") == ()


@pytest.mark.parametrize(
    ("source", "expression", "fault"),
    [
        ("a +", True, "invalid syntax (line 1)"),
        ("a) + (b", True, "unmatched ')' (line 1)"),
        ("(await a)", True, "'await' outside async function (line 1)"),
        ("a\nb +", False, "invalid syntax (line 2)"),
        ("break", False, "'break' outside loop (line 1)"),
        ("x = 1\nnonlocal y", False, "no binding for nonlocal 'y' found (line 2)"),
        ("from a import *", False, "import * only allowed at module level (line 1)"),
        ("-" * 100_000 + "a", True, "nested too deeply"),
        ("+".join(["a"] * 200), True, "nested more than 100 levels deep"),
        ("a\0", True, "source code string cannot contain null bytes"),
        ("'\ud800'", True, "surrogates not allowed"),
    ],
)
def test_what_is_wrong_with_the_syntax(source: str, expression: bool, fault: str) -> None:
    assert fault in (syntax_fault(source, expression=expression) or "")


@pytest.mark.parametrize("source", ["return '\\d'", "return x is 3"])
def test_what_the_compiler_warns_of_stays_its_authors(source: str) -> None:
    assert syntax_fault(source, expression=False) is None


@pytest.mark.parametrize(
    ("source", "expression"),
    [
        ("a", True),
        ("a\n", True),
        ("(a,\n b)", True),
        ("return (b := a)", False),
        ("if a:\n\treturn b", False),
    ],
)
def test_good_syntax(source: str, expression: bool) -> None:
    assert syntax_fault(source, expression=expression) is None


@given(st.text(max_size=60), st.booleans())
def test_no_text_overruns_the_parser(source: str, expression: bool) -> None:
    what = syntax_fault(source, expression=expression)
    assert what is None or what


def test_an_indented_block_begins_at_the_margin_and_strings_of_others_stay() -> None:
    assert dedented("\n    a = 1\n    if a:\n        b\n") == "a = 1\nif a:\n    b"
    assert dedented("a = '''\n   \n  x'''\n") == "a = '''\n   \n  x'''"
