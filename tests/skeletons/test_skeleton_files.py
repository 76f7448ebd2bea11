"""Skeletons as files: where faults stand, several classes, what is kept word for word, `convert`, and type checkers."""

import re
import tomllib
from pathlib import Path
from typing import get_type_hints

import pytest
from click.testing import CliRunner

from scaffold import ScaffoldError, find_layout, plan, skeleton
from scaffold.cli import main
from scaffold.generate import load_specs, shown_files
from scaffold.kind import NAMES, kind_of
from scaffold.spec.files import read_spec_file
from scaffold.spec.skeletons.classes.class_statements import KINDS
from scaffold.spec.skeletons.classes.fields import WORDS
from scaffold.spec.skeletons.read import skeletons_of
from scaffold.spec.tables.keys import CALL_KEYS, FIELD_KEYS, SPEC_KEYS, TEST_KEYS
from tests.support.projects import EXAMPLES
from tests.support.trees import read_tree, write_tree

HEAD = """\
import equinox as eqx
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float

from scaffold.skeleton import Module, call, derived, field, groups, param, static, test

"""
AFFINE = (
    HEAD
    + '''
class Affine(Module):
    """An affine map."""

    weight: Float[Array, "out_size in_size"] = param("lecun_normal")

    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
        return self.weight @ x
'''
)


def faults_of(text: str, tmp_path: Path) -> list[str]:
    path = tmp_path / "x.py"
    path.write_text(text)
    with pytest.raises(ScaffoldError) as caught:
        read_spec_file(path, "x.py")
    return [f"{fault.place}: {fault.what} -> {fault.fix}" for fault in caught.value.faults]


def test_the_last_of_two_annotations_of_a_field_is_meant_as_python_takes_it() -> None:
    [raw] = skeletons_of(HEAD + "class A(Module):\n    w: 'f[]'\n    b: 'f[]'\n    w: 'f[n]'\n", "a.py")
    assert [(name, table["type"]) for name, table in raw.tables["fields"].items()] == [
        ("w", "f[n]"),
        ("b", "f[]"),
    ]


def test_all_faults_are_told_at_once_each_where_it_stands(tmp_path: Path) -> None:
    text = """
class Affine(Module, rebild="static"):
    weight: Float[Array, "out_size in_size"] = param("lecun_norml", optoinal="x")
    depth = 3
    scale: float = static(1.0, check=lambda scale: scal > 0)

    # it waits
    async def size(self) -> int:
        return 3

    def __call__(self, x: Float[Array, " in_size"], *rest) -> Float[Array, " out_size"]:
        y = self.weight @ x
        return y + self.bias
"""
    found = faults_of(HEAD + text, tmp_path)
    assert found == [
        "x.py:9:29: unknown key `rebild` -> did you mean `rebuild`?",
        "x.py:10:54: fields.weight.init: there is no initialiser `lecun_norml` -> did you mean `lecun_normal`?",
        "x.py:10:78: fields.weight: unknown key `optoinal` -> did you mean `optional`?",
        "x.py:12:52: fields.scale.check: the name `scal` is not known here -> did you mean `scale`?",
        "x.py:20:20: call.body: `self.bias` is no field -> declare it as a field",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("class A(Module):\n", "x.py:1:17: is not Python: expected an indented block after class definition on line 1 -> mend the line"),
        ("x = 3\n", "x.py:1:1: there is no class in it -> write `class Affine(Module):`, with `from scaffold.skeleton import Module`"),
        ("class A:\n    w: 'f[]' = param('zeros')\n", "x.py:2:16: fields.w: `param` is not imported -> write `from scaffold.skeleton import param`"),
        (HEAD + "class A(Module):\n    w: 'f[]' = test(3)\n", "x.py:9:16: fields.w: `test` makes no field -> write a word that does"),
        (HEAD + "class A(Module):\n    w = static(3)\n", "x.py:9:5: fields.w: has no annotation, and so is no field -> write its type, such as `w: int = static(3)`"),
        (HEAD + "class A(Module, nnx.Module):\n    w: 'f[]'\n", "x.py:8:17: kind: a class is of one kind -> remove `nnx.Module`"),
        (HEAD + "class A(Module):\n    w: 'f[]'\n    def __init__(self, w):\n        self.v = w + 1\n", "x.py:11:18: fields.v: `self.v` is no field -> declare it in the class, with one `init`"),
    ],
)  # fmt: skip
def test_what_a_skeleton_cannot_say_is_a_fault(text: str, told: str, tmp_path: Path) -> None:
    assert any(fault.startswith(told) for fault in faults_of(text, tmp_path)), faults_of(text, tmp_path)


def test_a_body_is_kept_word_for_word(tmp_path: Path) -> None:
    text = '''
class A(Module):
    w: Float[Array, ""]

    def __call__(
        self, x: Float[Array, ""]
    ) -> Float[Array, ""]:
        """Say it."""
        # before

        y = self.w * x  # beside
        text = """
  not moved
        """

        # between
        return y   +   len(text)
        # after

    # of the class
'''
    (found,) = skeletons_of(HEAD + text, "x.py")
    assert found.tables["call"]["body"] == (
        '# before\n\ny = self.w * x  # beside\ntext = """\n  not moved\n        """\n\n# between\n'
        "return y   +   len(text)\n# after"
    )
    assert found.tables["call"]["doc"] == "Say it."
    (one_line,) = skeletons_of("class A:\n    def __call__(self, x: 'f[]'): return x  # as it is\n", "x.py")
    assert one_line.tables["call"]["body"] == "return x  # as it is"


def test_values_are_those_of_toml(tmp_path: Path) -> None:
    text = """
@test(
    values={"a": 1, "b": -2.5, "c": "text", "d": None, "e": (1, [2, True]), "f": "=odd", "g": {"x": 1e-5}},
    other={"a": lambda seed: g(seed), "b": g(1), "c": [g(1)], "d": ...},
    rejected=[{"a": -1}, {"b": lambda: g(2)}],
)
class A(Module):
    w: int
"""
    (found,) = skeletons_of(HEAD + text, "x.py")
    assert found.tables["test"] == {
        "values": {
            "a": 1,
            "b": -2.5,
            "c": "text",
            "d": "=None",
            "e": [1, [2, True]],
            "f": "='=odd'",
            "g": {"x": 1e-5},
        },
        "other": {"a": "=g(seed)", "b": "=g(1)", "c": "=[g(1)]", "d": "=..."},
        "rejected": [{"a": -1}, {"b": "=g(2)"}],
    }


def test_names_stand_for_what_they_import(tmp_path: Path) -> None:
    text = """
import equinox
import jaxtyping as jt
from equinox.nn import Linear as Lin, MLP
from jaxtyping import Float as F
from .affine import Affine
from typing import Optional, Literal
import scaffold.skeleton as words
from mypkg.tools import helper

class A(words.Pytree, save=True):
    a: equinox.nn.Linear
    b: list[MLP]
    c: Affine | None
    d: F[jt.Array, " n"]
    e: Optional[jt.Float32[jt.Array, "n 3"]]
    f: "Literal['MLP', 'Affine']"

    def __call__(self, x: "Affine") -> tuple[MLP, "A"]:
        return helper(x)
"""
    (found,) = skeletons_of(text, "x.py")
    assert {name: table["type"] for name, table in found.tables["fields"].items()} == {
        "a": "equinox.nn:Linear",
        "b": "list[equinox.nn:MLP]",
        "c": "Affine | None",
        "d": 'Float[jaxtyping.Array, " n"]',
        "e": 'Optional[jaxtyping.Float32[jaxtyping.Array, "n 3"]]',
        "f": "Literal['MLP', 'Affine']",
    }
    assert found.tables["call"]["args"] == "x: Affine"
    assert found.tables["call"]["returns"] == "equinox.nn:MLP, A"
    assert (found.tables["kind"], found.tables["save"]) == ("pytree", True)
    assert found.tables["imports"][-1] == "from mypkg.tools import helper"
    assert "from equinox.nn import MLP" not in found.tables["imports"]


def test_nothing_of_a_skeleton_is_run(tmp_path: Path) -> None:
    text = f"open({str(tmp_path / 'ran')!r}, 'w')\n{AFFINE}"
    (tmp_path / "x.py").write_text(text)
    assert "open(" in read_spec_file(tmp_path / "x.py", "x.py").helpers
    assert not (tmp_path / "ran").exists()


def test_a_file_may_describe_several_classes(tmp_path: Path) -> None:
    text = (
        AFFINE
        + '\n\nclass Twice(Module):\n    first: Affine\n\n    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " in_size"]:\n        return self.first(x)\n'
    )
    write_tree(tmp_path, {".git/": "", "specs/maps.py": text})
    specs = load_specs([tmp_path / "specs/maps.py"])
    assert [spec.name for spec in specs] == ["Affine", "Twice"]
    layout = find_layout(tmp_path)
    wanted = {str(step.path) for step in plan(specs, layout).writes}
    assert {"maps.py", "tests/test_maps.py"} <= wanted and not {"affine.py", "twice.py"} & wanted
    for name in ("Twice", "maps"):
        assert [str(file.path) for file in shown_files(name, layout)] == ["maps.py", "tests/test_maps.py"]
    with pytest.raises(ScaffoldError, match="describes 2 classes"):
        read_spec_file(tmp_path / "specs/maps.py", "specs/maps.py")
    (tmp_path / "specs/maps.py").write_text(text.replace("self.first(x)", "self.second(x)"))
    with pytest.raises(ScaffoldError) as caught:
        load_specs([tmp_path / "specs/maps.py"])
    (fault,) = caught.value.faults
    assert re.search(r"specs/maps.py:22:16: Twice: call.body: `self.second` is no field", str(fault))


def test_a_skeleton_is_found_by_the_class_that_it_describes(tmp_path: Path) -> None:
    stack = 'name = "Outer"\n[fields]\ninner = "Affine"\n'
    write_tree(tmp_path, {".git/": "", "specs/some.py": AFFINE, "specs/outer.toml": stack})
    specs = load_specs([tmp_path / "specs/outer.toml"])
    assert "outer.py" in {str(step.path) for step in plan(specs, find_layout(tmp_path)).writes}


def test_new_module_takes_a_skeleton(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tree(tmp_path, {".git/": "", "specs/affine.py": AFFINE})
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["new-module", "--spec", "specs/affine.py"])
    assert result.exit_code == 0, result.output
    assert "class Affine(eqx.Module):" in (tmp_path / "affine.py").read_text()


# -- convert -----------------------------------------------------------------------------------------------------------


def test_convert_writes_the_other_form_and_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toml = (EXAMPLES / "specs/affine.toml").read_text()
    write_tree(tmp_path, {".git/": "", "specs/affine.toml": f"{toml}# a comment\n"})
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["convert", "specs/affine.toml", "specs/affine.py"])
    assert result.exit_code == 0, result.output
    assert "the comment in line 16 has no place there: # a comment" in result.output
    assert (
        (tmp_path / "specs/affine.py")
        .read_text()
        .endswith("        y = self.weight @ x\n        return y if self.bias is None else y + self.bias\n")
    )
    back = CliRunner().invoke(main, ["convert", "specs/affine.py", "specs/again.toml"])
    assert back.exit_code == 0, back.output
    again = tomllib.loads((tmp_path / "specs/again.toml").read_text())
    assert again["fields"] == tomllib.loads(toml)["fields"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("specs/affine.py", "b.py"), "a .py file is converted to a .toml file"),
        (("specs/affine.py", "b.txt"), "a .py file is converted to a .toml file"),
        (("README.md", "b.py"), "is no spec"),
        (("specs/none.toml", "b.py"), "cannot be read"),
        (("specs/maps.py", "b.toml"), "describes 2 classes, and a TOML file holds one"),
        (("specs/wrong.py", "b.toml"), "there is no class in it"),
    ],
)
def test_what_cannot_be_converted_is_refused_and_nothing_written(
    arguments: tuple[str, str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = AFFINE + "\n\nclass Other(Module):\n    w: Float[Array, '']\n"
    files = {
        "specs/affine.py": AFFINE,
        "specs/maps.py": two,
        "specs/wrong.py": "",
        "README.md": "",
        ".git/": "",
    }
    before = read_tree(write_tree(tmp_path, files))
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["convert", *arguments])
    assert (result.exit_code, told in result.output) == (2, True), result.output
    assert read_tree(tmp_path) == before


def test_convert_writes_each_class_into_a_folder_and_overwrites_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = AFFINE + "\n\nclass Other(Module):\n    w: Float[Array, '']\n"
    write_tree(tmp_path, {".git/": "", "specs/maps.py": two, "specs/other.toml": "mine"})
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["convert", "specs/maps.py", "specs"])
    assert result.exit_code == 1, result.output
    assert not (tmp_path / "specs/affine.toml").exists()
    forced = CliRunner().invoke(main, ["convert", "specs/maps.py", "specs", "--force"])
    assert forced.exit_code == 0, forced.output
    assert tomllib.loads((tmp_path / "specs/affine.toml").read_text())["name"] == "Affine"


# -- the vocabulary ----------------------------------------------------------------------------------------------------


def test_the_vocabulary_has_every_kind_and_every_key() -> None:
    assert set(KINDS) <= set(skeleton.__all__)
    assert set(skeleton.__all__) == {*KINDS, *WORDS, "as_written", "call", "groups", "test"}
    options = {key for name in NAMES for key in kind_of(name).options}
    elsewhere = {
        "kind",
        "constructors",
        "methods",
        "bases",
        "comment",
        "generic",
        "decorators",
        "keywords",
        "arguments",
        "setup",
        "constructor_doc",
        "imports",
        "module_comment",
        "module_doc",
        "helpers",
        "below",
        "source",
        "laws",
        "fields",
        "options",
        "groups",
        "call",
        "test",
    }
    assert set(get_type_hints(skeleton.ClassKeys)) == {*SPEC_KEYS, *options} - elsewhere
    assert set(get_type_hints(skeleton.FieldKeys)) == set(FIELD_KEYS) - {"type", "role"}
    assert set(get_type_hints(skeleton.CallKeys)) == set(CALL_KEYS) - {"args", "returns", "body", "source"}
    assert set(get_type_hints(skeleton.TestKeys)) == set(TEST_KEYS)
