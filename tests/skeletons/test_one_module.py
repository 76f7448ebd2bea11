"""A skeleton with several classes: one module with all its contents in order, and one test file."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from scaffold import ScaffoldError
from scaffold.cli import main
from scaffold.generate import load_specs, plan_modules, shown_files
from scaffold.in_project.layout import find_layout
from scaffold.spec.files import read_spec_file
from tests.skeletons.several import (
    BETWEEN,
    HEAD,
    LEFT,
    MODULE,
    PLAIN,
    RIGHT,
    SIDES,
    TESTS,
    THIRD,
    order,
    shown,
    sides,
)
from tests.support.forking import forked_pytest
from tests.support.library import Library
from tests.support.projects import passed
from tests.support.trees import read_tree, write_tree

# -- what is written ---------------------------------------------------------------------------------------------------


def test_one_module_holds_all_in_order_and_one_file_the_tests(tmp_path: Path) -> None:
    module, tests = shown(
        tmp_path, f'"""Two sides."""\n\nimport math\n\nAT = math.pi  # once around\n{SIDES}'
    )
    assert order(module) == ["AT", "Left", "FACTOR", "scaled", "Right", "both"]
    assert module.startswith('"""Two sides."""\n\nimport math\n\nimport equinox as eqx\nimport jax\n')
    assert "AT = math.pi  # once around\n" in module and "import Left" not in module
    assert order(tests) == ["TestLeft", "TestRight"]
    assert tests.startswith('"""Tests of `Left` and `Right`."""\n')
    assert tests.count("from sides import") == 1 and "from sides import Left, Right\n" in tests


def test_one_class_is_a_module_of_its_own_under_its_name(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/sides.py": HEAD + PLAIN + "\n\nclass Plain:\n    pass\n"})
    files = shown_files(str(tmp_path / "specs/sides.py"), find_layout(tmp_path))
    assert [str(file.path) for file in files] == ["right.py", "tests/test_right.py"]


def test_what_comes_below_is_quoted_where_it_is_not_there_yet(tmp_path: Path) -> None:
    early = '''

@test(values={"inner": lambda: Right.create(3), "many": lambda: [Right.create(3)], "side": lambda: [Right.create(3)]})
class Early(Module):
    inner: Right | None
    many: list[Right]

    def take(self, x: Float[Array, " n"], side: list[Right]) -> Right | Float[Array, " n"]:
        """The first."""
        return side[0] if side else x
'''
    text = HEAD.replace("param", "param, test") + LEFT.replace('"Right"', "Right") + BETWEEN + early + RIGHT
    module, _ = shown(tmp_path, text)
    assert 'def turned(self) -> "Right":' in module
    assert '    inner: "Right | None"\n' in module and '    many: tuple["Right", ...]\n' in module
    assert 'side: list["Right"]' in module and 'many: Sequence["Right"]' in module
    assert "-> \"Right | Float[Array, ' n']\":" in module
    assert "def held(self) -> Left:" in module


def test_annotations_that_are_read_late_stay_as_they_are(tmp_path: Path) -> None:
    late = LEFT.replace('"Right"', "Right").replace("def turned(self)", "def turned(self, *rest)")
    module, _ = shown(tmp_path, "from __future__ import annotations\n" + HEAD + late + BETWEEN + RIGHT)
    assert module.startswith("from __future__ import annotations\n\nimport equinox")
    assert "def turned(self, *rest) -> Right:" in module


@pytest.mark.parametrize("makes_one", [False, True])
def test_functions_that_copy_take_a_dtype_where_a_class_of_the_module_passes_one(
    makes_one: bool, tmp_path: Path
) -> None:
    given = 'class NAME(Module):\n    points: Float[Array, " n"] = data()\n'
    made = '    weight: Float[Array, " m"] = param("normal")\n' if makes_one else ""
    head = HEAD.replace("Module", "Module, data")
    text = "\n\n".join([head, given.replace("NAME", "One"), given.replace("NAME", "Two") + made])
    module, _ = shown(tmp_path, text)
    assert ("dtype: DTypeLike | None = None) -> Array:" in module) == makes_one
    assert module.count("def _real(") == 1


LAYER = PLAIN.replace("Right", "Layer")
KINDS = {
    "Pytree": 'class NAME(Pytree):\n    weight: Float[Array, " n"] = param("ones")\n',
    "Closure": (
        'class NAME(Closure):\n    theta: Float[Array, " n"] = param("ones")\n\n'
        '    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:\n        return self.theta * x\n'
    ),
    "Nnx": (
        'class NAME(Nnx):\n    weight: Float[Array, " n"] = param("ones")\n'
        '    seen: Float[Array, " n"] = buffer("zeros", variable="Seen")\n'
    ),
    "TrainState": "class NAME(TrainState, ema=0.9):\n    model: Layer\n",
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_kind_brings_stands_once_or_says_whose_it_is(kind: str, tmp_path: Path) -> None:
    head = HEAD.replace("Module", f"{kind}, Module, buffer") + (LAYER if kind == "TrainState" else "")
    text = "\n\n".join([head, KINDS[kind].replace("NAME", "One"), KINDS[kind].replace("NAME", "Two")])
    module, _ = shown(tmp_path, text)
    names = order(module)
    assert len(names) == len(set(names)) and names.index("One") < names.index("Two")
    if kind == "Pytree":
        assert {"_one_flatten", "_two_unflatten"} <= set(names) and "_flatten" not in names


@pytest.mark.slow  # the decoder of generated_examples is a module of several classes
def test_the_suites_of_all_classes_pass(tmp_path: Path) -> None:
    every = (
        "from abc import abstractmethod\n"
        + HEAD.replace("Module", "Abstract, Module, Pytree")
        + (
            '\n\nclass AbstractMap(Abstract):\n    @abstractmethod\n    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]: ...\n'
            '\n\nclass Table(Pytree):\n    rows: Float[Array, " n"] = param("ones")\n'
            '\n    def banked(self) -> "Bank":\n        """A bank of it."""\n        return Bank(self.rows, self)\n'
            '\n\nclass Bank(Pytree):\n    rows: Float[Array, " n"] = param("ones")\n    table: Table\n'
            '\n\nclass Gain(AbstractMap):\n    gain: Float[Array, " n"] = param("ones")\n'
            '\n    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:\n        return self.gain * x\n'
        )
    )
    library = sides(tmp_path, every)
    assert order(library.read(TESTS)) == ["TestAbstractMap", "TestTable", "TestBank", "TestGain"]
    assert passed(forked_pytest(tmp_path)) > 200


def test_other_specs_import_from_the_module(tmp_path: Path) -> None:
    user = HEAD + (
        "from .sides import Right\n\n\nclass User(Module):\n    right: Right\n\n"
        '    def again(self) -> Right:\n        """Anew."""\n        return Right.create(2)\n'
    )
    toml = (
        'name = "Holder"\n[fields]\nright = "Right"\nmore = { type = "Right", init = "=Right.create(2)" }\n'
    )
    library = sides(tmp_path)
    reader = 'name = "Reader"\n[fields]\nw = { type = "f[2]", init = "=Right.create(2).scale" }\n'
    write_tree(tmp_path, {"specs/user.py": user, "specs/holder.toml": toml, "specs/reader.toml": reader})
    library.new("specs/user.py", "specs/holder.toml", "specs/reader.toml")
    for path in ("lib/user.py", "lib/holder.py", "lib/reader.py", "tests/test_user.py"):
        assert "from lib.sides import Right\n" in library.read(path)


def test_the_package_imports_each_class_from_the_module(tmp_path: Path) -> None:
    library = sides(tmp_path)
    assert "from .sides import Left as Left\nfrom .sides import Right as Right\n" in library.read(
        "lib/__init__.py"
    )
    (tmp_path / "specs/sides.py").write_text(SIDES.replace("Right", "Wrong"))
    library.update()
    assert "Right" not in library.read("lib/__init__.py")


def test_the_commands_name_the_module_and_its_files(tmp_path: Path) -> None:
    library = Library.at(tmp_path)
    library.write("specs/sides.py", SIDES)
    place = ["--folder", str(tmp_path)]
    made = CliRunner().invoke(main, ["new-module", "--spec", str(tmp_path / "specs/sides.py"), *place])
    assert made.exit_code == 0 and f"create     {MODULE}\n" in made.output
    assert re.search(r"next: .*pytest \S*tests/test_sides\.py$", made.output.rstrip()), made.output
    for name in ("Left", "sides"):
        told = CliRunner().invoke(main, ["show", name, "--code", *place]).output
        assert f"# --- {MODULE}\n" in told and f"# --- {TESTS}\n" in told
        assert told.count("class Left(") == told.count("class TestRight(") == 1
    contexts = json.loads(CliRunner().invoke(main, ["show", "sides", "--context", *place]).output)
    assert [*contexts["classes"]] == ["Left", "Right"]
    again = json.loads(CliRunner().invoke(main, ["update", "sides", "--json", *place]).output)
    assert {MODULE, TESTS} <= {one["path"] for one in again["files"]}
    checked = CliRunner().invoke(main, ["adopt", "--check", "lib.sides", *place])
    assert "2 classes: 0 without a suite" in checked.output, checked.output


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("my-sides", "", "", "my-sides.py:1:1: `my-sides` is no name of a module"),
        ("sides", "Right(Module)", 'Right(Module, file="right")', "are one module, `sides.py`"),
        ("sides", "class Left(Module)", "class Left(Right)", "`Right` stands below `Left`, and is not there yet"),
        ("sides", "weight: Float[", "other: Right\n    weight: Float[", "need each other in a circle"),
        ("sides", "def scaled", "def Left", "`Left` hides what else has that name"),
        ("sides", "Right", "Left", "describes `Left`, as specs/sides.py: Left does"),
        ("sides", "FACTOR * x", "FACTOR * y", "the name `y` is not known here"),
        ("serialisation", "", "", "`serialisation.py` is where `save` and `load` do their work"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_told_where_it_stands(
    name: str, old: str, new: str, told: str, tmp_path: Path
) -> None:
    text = SIDES.replace(old, new) if old else SIDES
    if "circle" in told:
        text = text.replace("scale: Float[", "other: Left\n    scale: Float[")
    write_tree(tmp_path, {".git/": "", f"specs/{name}.py": text})
    before = read_tree(tmp_path)
    result = CliRunner().invoke(
        main, ["new-module", "--spec", str(tmp_path / f"specs/{name}.py"), "--folder", str(tmp_path)]
    )
    assert result.exit_code == 2 and told.replace("specs/", f"{tmp_path}/specs/") in result.output, (
        result.output
    )
    assert read_tree(tmp_path) == before


def test_a_class_alone_is_no_module(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/sides.py": SIDES})
    alone = read_spec_file(tmp_path / "specs/sides.py", "specs/sides.py", "Left")
    with pytest.raises(ScaffoldError, match="is one module with `Right`, which are not planned with it"):
        plan_modules([alone], find_layout(tmp_path))


def test_modules_that_import_each_other_are_refused(tmp_path: Path) -> None:
    other = HEAD + "from .sides import Right\n" + THIRD.replace("shift:", "side: Right\n    shift:")
    mine = (
        HEAD
        + "from .others import Fourth\n"
        + PLAIN
        + THIRD.replace("Third", "Fifth").replace("shift:", "fourth: Fourth\n    shift:")
    )
    files = {"specs/others.py": other + THIRD.replace("Third", "Fourth"), "specs/sides.py": mine, ".git/": ""}
    write_tree(tmp_path, files)
    told = (
        r"files need each other in a circle: `.*specs/others.py` -> `.*specs/sides.py` -> `.*specs/others.py`"
    )
    for specs in (["others"], ["sides", "others"]):
        with pytest.raises(ScaffoldError, match=told):
            plan_modules(load_specs([tmp_path / f"specs/{name}.py" for name in specs]), find_layout(tmp_path))


def test_two_suites_of_one_name_are_refused(tmp_path: Path) -> None:
    cased = PLAIN.replace("class Right", '@test(cases=[{"name": "other", "sizes": {"n": 3}}])\nclass Right')
    text = HEAD.replace("param", "param, test") + cased + THIRD.replace("Third", "RightOther")
    with pytest.raises(ScaffoldError, match=r"specs/sides\.py: two suites are called `TestRightOther`"):
        shown(tmp_path, text)


def test_two_specs_of_one_class_are_refused(tmp_path: Path) -> None:
    library = sides(tmp_path)
    with pytest.raises(ScaffoldError, match=r"describes `Right`, as specs/sides\.py does"):
        library.typed({"name": "Right", "fields": {"weight": "f[n]=ones"}})
    write_tree(tmp_path, {"specs/mine.py": HEAD + PLAIN + THIRD})
    with pytest.raises(ScaffoldError, match=r"specs/mine\.py: describes `Right`, as specs/sides\.py does"):
        library.new("specs/mine.py")


def test_two_parts_of_a_module_cannot_bind_one_name(tmp_path: Path) -> None:
    text = HEAD.replace("Module", "Module, Pytree") + LEFT + BETWEEN + RIGHT.replace("Module", "Pytree")
    with pytest.raises(ScaffoldError, match="`_right_flatten` is a name that the module uses itself"):
        shown(tmp_path, text + "\n\ndef _right_flatten() -> None: ...\n")


def test_toml_holds_one_class_with_what_stands_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path, {".git/": "", "specs/sides.py": SIDES, "specs/out/": ""})
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(main, ["convert", "specs/sides.py", "specs/out"])
    assert refused.exit_code == 2
    assert "Left: reads `scaled`, which stands beside another class" in " ".join(refused.output.split())
    assert "need each other in a circle" in refused.output
    write_tree(tmp_path, {"specs/sides.py": f'"""Two."""\n{HEAD}{PLAIN}{THIRD}'})
    done = CliRunner().invoke(main, ["convert", "specs/sides.py", "specs/out"])
    assert done.exit_code == 0, done.output
    assert "`sides.py` was one module: of TOML, each class becomes a module of its own" in done.output
    assert "the docstring of specs/sides.py has no place there" in done.output
    assert [spec.stem for spec in load_specs(sorted((tmp_path / "specs/out").glob("*.toml")))] == [
        *("right", "third")
    ]


def test_own_templates_lay_out_the_classes_of_a_module(tmp_path: Path) -> None:
    folder = "templates/mine/{{ source_folder }}"
    template = (
        "{% for line in imports %}\n{{ line }}\n{% endfor %}\n{{ helpers }}\n\nclass {{ name }}(eqx.Module):\n"
        "    {% for field in fields %}\n    {{ field }}\n    {% endfor %}\n"
    )
    settings = '[tool.scaffold.templates]\nmine = "templates/mine"\n'
    write_tree(
        tmp_path,
        {
            "pyproject.toml": settings,
            f"{folder}/{{{{ stem }}}}.py.jinja": template,
            f"{folder}/{{{{ name }}}}.md.jinja": "# {{ name }}\n",
        },
    )
    text = f"{HEAD}{PLAIN}{THIRD.replace('Module', 'Module, template=' + repr('mine'))}"
    write_tree(tmp_path, {"specs/sides.py": text})
    files = {str(file.path): file.text for file in shown_files("sides", find_layout(tmp_path))}
    assert files.keys() == {"sides.py", "tests/test_sides.py", "Third.md"}
    assert order(files["sides.py"]) == ["Right", "Third"] and "def trainable" not in files["sides.py"]
    assert "import equinox as eqx" in files["sides.py"].partition("class Right")[0]
