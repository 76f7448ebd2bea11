import warnings

import pytest

from scaffold.errors import ScaffoldError
from scaffold.registration.edits import register, unregister


def registered(source: str, *names: str, stem: str = "affine") -> str:
    return register(source.encode(), stem, names or ["Affine"]).decode()


# -- where the import goes ---------------------------------------------------------------------------------------------


LINE = "from .affine import Affine as Affine\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("", LINE, id="empty"),
        pytest.param("x = 1\n", LINE + "\nx = 1\n", id="code alone"),
        pytest.param('"""Doc."""\n', '"""Doc."""\n\n' + LINE, id="docstring"),
        pytest.param('"""Doc."""\n\nx = 1\n', '"""Doc."""\n\n' + LINE + "\nx = 1\n", id="docstring and code"),
        pytest.param("# Licence\n\nx = 1\n", "# Licence\n\n" + LINE + "\nx = 1\n", id="licence"),
        pytest.param(
            "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\nx = 1\n",
            "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n" + LINE + "\nx = 1\n",
            id="shebang and encoding",
        ),
        pytest.param(
            "\n# coding: latin-1\nx = 1\n",
            "\n# coding: latin-1\n" + LINE + "\nx = 1\n",
            id="encoding in line 2",
        ),
        pytest.param(
            '"""Doc."""\nfrom __future__ import annotations\nx = 1\n"""Of x."""\n',
            '"""Doc."""\nfrom __future__ import annotations\n\n' + LINE + 'x = 1\n"""Of x."""\n',
            id="future import",
        ),
        pytest.param(
            "import os\nimport re\n\nx = 1\n", "import os\nimport re\n\n" + LINE + "\nx = 1\n", id="imports"
        ),
        pytest.param(
            "import os\nfrom os import (\n    path,\n)\nx = 1\n",
            "import os\nfrom os import (\n    path,\n)\n\n" + LINE + "x = 1\n",
            id="import of several lines",
        ),
        pytest.param("import os; x = 1\ny = 2\n", "import os; x = 1\n\n" + LINE + "y = 2\n", id="semicolon"),
        pytest.param(
            "import os; x = \\\n  1\ny = 2\n", "import os; x = \\\n  1\n\n" + LINE + "y = 2\n", id="backslash"
        ),
        pytest.param(
            "try:\n    import os\nexcept ImportError:\n    os = None\n",
            LINE + "\ntry:\n    import os\nexcept ImportError:\n    os = None\n",
            id="import inside try",
        ),
        pytest.param(
            "from .a import A as A\nfrom .z import Z as Z\n",
            "from .a import A as A\n" + LINE + "from .z import Z as Z\n",
            id="sorted",
        ),
        pytest.param("from .z import Z\n", LINE + "from .z import Z\n", id="before all"),
        pytest.param(
            "from .a import A\n\nx = 1\n", "from .a import A\n" + LINE + "\nx = 1\n", id="after all"
        ),
        pytest.param(
            "from .. import up\nfrom . import b\n", "from .. import up\nfrom . import b\n" + LINE, id="levels"
        ),
        pytest.param(
            "from .a import A\n# Last in the alphabet.\nfrom .z import Z\n",
            "from .a import A\n" + LINE + "# Last in the alphabet.\nfrom .z import Z\n",
            id="comment stays with its import",
        ),
        pytest.param(
            "# Licence\nfrom .z import Z\n",
            "# Licence\n" + LINE + "from .z import Z\n",
            id="licence stays on top",
        ),
        pytest.param(
            "from .a import A; \\\nfrom .z import Z\n",
            "from .a import A; \\\nfrom .z import Z\n" + LINE,
            id="glued",
        ),
        pytest.param(
            "x = '''\n# no comment'''\nfrom .z import Z\n",
            "x = '''\n# no comment'''\n" + LINE + "from .z import Z\n",
            id="text is no comment",
        ),
        pytest.param("\\\nfrom .z import Z\n", LINE + "\\\nfrom .z import Z\n", id="backslash above"),
        pytest.param(
            "from .a import A; \\\n\nx = 1\n",
            "from .a import A; \\\n\n" + LINE + "x = 1\n",
            id="backslash below",
        ),
        pytest.param(
            "from .a import A  # \\\n", LINE + "from .a import A  # \\\n", id="backslash at the end"
        ),
    ],
)
def test_register_places_the_import(source: str, expected: str):
    assert registered(source) == expected


def test_modules_and_names_are_sorted_as_ruff_sorts_them():
    source = ""
    for stem, name in [("layer10", "b"), ("layer2", "B"), ("layer10", "A"), ("Zoo", "Z"), ("layer10", "MAX")]:
        source = registered(source, name, stem=stem)
    assert source == (
        "from .layer2 import B as B\n"
        "from .layer10 import MAX as MAX\n"
        "from .layer10 import A as A\n"
        "from .layer10 import b as b\n"
        "from .Zoo import Z as Z\n"
    )


# -- what counts as registered -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "from .affine import Affine\n",
        "from .affine import Affine as Mapping\n",
        "from .affine import Affine as Affine  # noqa\n",
        "from .affine import (\n    Other,\n    Affine,\n)\n",
        "from pkg.affine import Affine\n",
        "from .affine import *\n",
        "x = 1; from .affine import Affine\n",
        "from .affine import Affine\n__all__ = []\n",
    ],
)
def test_a_name_imported_in_any_form_changes_nothing(source: str):
    assert registered(source) == source


@pytest.mark.parametrize(
    "source",
    [
        "from .affine import Other\n",
        "from ..affine import Affine as A\n",
        "from .b import affine\n",
        "# from .affine import Affine\n",
    ],
)
def test_other_imports_do_not_count(source: str):
    assert LINE in registered(source)


def test_an_absolute_import_counts_for_the_named_package_alone():
    source = b"from other.affine import Affine as A\n"
    assert register(source, "affine", ["Affine"], package="other") == source
    assert LINE.encode() in register(source, "affine", ["Affine"], package="pkg")


# -- __all__ -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[]", '["Affine"]'),
        ("()", '("Affine",)'),
        ('["B"]', '["Affine", "B"]'),
        ("['B']", "['Affine', 'B']"),
        ('["A"]', '["A", "Affine"]'),
        ('("A",)', '("A", "Affine",)'),
        ('"A", "B"', '"A", "Affine", "B"'),
        ('["Z", "B"]', '["Z", "B", "Affine"]'),
        ('["alpha", "Beta"]', '["Affine", "alpha", "Beta"]'),
        ('["AB", "Aa", "CONST", "b"]', '["AB", "Aa", "Affine", "CONST", "b"]'),
        ('["AB", "Aa", "b"]', '["AB", "Aa", "Affine", "b"]'),
        ('[\n    "A",\n    "B",\n]', '[\n    "A",\n    "Affine",\n    "B",\n]'),
        ('[\n    "A",  # first\n]', '[\n    "A",  # first\n    "Affine",\n]'),
        ('[\n    "A"  # first\n]', '[\n    "A",  # first\n    "Affine"\n]'),
        ('[\n    "A"]', '[\n    "A",\n    "Affine"]'),
        ('["A",\n "B"]', '["A",\n "Affine",\n "B"]'),
        ('["A", "Aa",\n]', '["A", "Aa", "Affine",\n]'),
        ("[\n]", '["Affine"\n]'),
    ],
)
def test_a_literal_all_gets_the_name_in_its_own_style(before: str, after: str):
    source = f"from .a import A\n\n__all__ = {before}\n"
    expected = f"from .a import A\nfrom .affine import Affine\n\n__all__ = {after}\n"
    assert registered(source) == expected
    assert unregister(expected.encode(), "affine", ["Affine"]).decode() == source


def test_an_annotated_all_with_text_beyond_ascii_before_the_place():
    source = "# coding: latin-1\n__all__: list[str] = ['\u00e9', 'z']\n".encode("latin-1")
    after = register(source, "affine", ["Affine"])
    assert after.decode("latin-1") == (
        "# coding: latin-1\nfrom .affine import Affine\n\n__all__: list[str] = ['\u00e9', 'z', 'Affine']\n"
    )
    assert unregister(after, "affine", ["Affine"]) == source


@pytest.mark.parametrize("value", ["[] + a.__all__", "[name]", "sorted(globals())"])
def test_an_all_that_is_no_literal_is_left_alone(value: str):
    assert registered(f"__all__ = {value}\n") == f"{LINE}\n__all__ = {value}\n"


def test_a_name_listed_already_is_imported_with_its_alias_and_stays_listed():
    source = '__all__ = ["Affine"]\n'
    assert registered(source) == LINE + "\n" + source
    assert unregister(registered(source).encode(), "affine", ["Affine"]).decode() == source


def test_names_of_one_module_share_an_import_where_all_lists_them():
    after = registered("__all__ = []\n", "affine_map", "Affine", "MAX")
    assert (
        after == 'from .affine import MAX, Affine, affine_map\n\n__all__ = ["MAX", "Affine", "affine_map"]\n'
    )
    assert unregister(after.encode(), "affine", ["Affine"]).decode() == (
        'from .affine import MAX, affine_map\n\n__all__ = ["MAX", "affine_map"]\n'
    )


# -- taking it out -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "from .affine import Affine as Affine  # mine\n",
        "from .affine import Affine\n",
        "from .affine import Affine as Affine, Other as Other\n",
        "from .affine import (\n    Affine as Affine,\n)\n",
        "x = 1; from .affine import Affine as Affine\n",
        "from .other import Affine as Affine\n",
        "",
    ],
)
def test_unregister_leaves_what_others_wrote(source: str):
    assert unregister(source.encode(), "affine", ["Affine"]).decode() == source


def test_unregister_after_the_user_has_edited_around_it():
    source = '"""Doc."""\nimport os\nfrom .affine import Affine as Affine\nx = 1\n'
    assert unregister(source.encode(), "affine", ["Affine"]).decode() == '"""Doc."""\nimport os\nx = 1\n'
    source = 'from .affine import Affine\n__all__ = ["Affine", *other]\n__all__ = [\n    "B",\n  "Affine",  # mine\n]\n'
    assert unregister(source.encode(), "affine", ["Affine"]).decode() == (
        '__all__ = ["Affine", *other]\n__all__ = [\n    "B",\n]\n'
    )


def test_two_modules_come_and_go_in_any_order():
    source = '"""Doc."""\n'
    both = registered(registered(source), "Bias", stem="bias").encode()
    for first, second in [
        (("affine", ["Affine"]), ("bias", ["Bias"])),
        (("bias", ["Bias"]), ("affine", ["Affine"])),
    ]:
        assert unregister(unregister(both, *first), *second).decode() == source


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edit", [register, unregister])
def test_a_file_that_does_not_parse_is_refused(edit):
    with pytest.raises(ScaffoldError) as caught:
        edit(b"import os\nx = (\n", "affine", ["Affine"], where="pkg/__init__.py")
    assert str(caught.value) == (
        "pkg/__init__.py:2: does not parse as Python: '(' was never closed\n  fix: mend it, then run the command again"
    )
    assert caught.value.exit_code == 1


@pytest.mark.parametrize(
    "source", [b"\0", b"# coding: nonsense\n", b"x = '\xe9'\n", b"# coding: rot13\n", b"(" * 10000]
)
def test_bytes_that_are_no_python_are_refused(source: bytes):
    with pytest.raises(ScaffoldError, match="does not parse as Python"):
        register(source, "affine", ["Affine"])


@pytest.mark.parametrize(
    "source",
    [
        "from .old import Affine",
        "import Affine",
        "class Affine: ...",
        "def Affine(): ...",
        "Affine = 1",
        "Affine: int = 1",
    ],
)
def test_a_name_that_means_something_else_is_refused(source: str):
    with pytest.raises(ScaffoldError) as caught:
        registered(f"import os\n{source}\n", "Affine", "Fine")
    assert str(caught.value) == (
        "__init__.py:2: `Affine` means something else there, and would now come from `.affine`\n"
        "  fix: rename one of the two, or leave this one unregistered (`--no-register`)"
    )


def test_all_names_that_mean_something_else_come_in_one_report():
    with pytest.raises(ScaffoldError) as caught:
        registered("A = B = 1\nfrom .old import C\n", "A", "B", "C", "D")
    assert [(fault.where, fault.what[:3]) for fault in caught.value.faults] == [
        ("__init__.py:1", "`A`"),
        ("__init__.py:1", "`B`"),
        ("__init__.py:2", "`C`"),
    ]


def test_a_name_beyond_the_encoding_of_the_file_is_refused():
    with pytest.raises(ScaffoldError) as caught:
        register(b"# coding: ascii\n", "affine", ["Caf\u00e9"])
    assert "cannot be written in ascii" in str(caught.value)
    assert "save the file as UTF-8" in str(caught.value)


def test_an_all_that_cannot_be_edited_is_refused_whole():
    with pytest.raises(ScaffoldError, match=r'cannot be edited safely(.|\n)*add "Affine" to it by hand'):
        registered('__all__ = [("B")]\n')


def test_an_invalid_escape_in_the_file_is_not_our_business():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert registered('"""A \\d."""\n') == '"""A \\d."""\n\n' + LINE
