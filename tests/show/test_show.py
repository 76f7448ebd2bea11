"""`scaffold show`: what is drawn of a class is true of it, in each format, at 80 columns, with and without colour."""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path

import pytest

from scaffold.adopt import Wanted
from scaffold.cli.commands.show import existing
from scaffold.generate import specs_of
from scaffold.in_project.layout import find_layout
from scaffold.in_project.spec_files import spec_files
from scaffold.show.compare import compare
from scaffold.show.html import html_of
from scaffold.show.mermaid import mermaid_of
from scaffold.show.of_class import tree_of, trees_of_class
from scaffold.show.of_spec import tree_of_spec
from scaffold.show.roles import MEANINGS
from scaffold.show.svg import svg_of
from scaffold.show.table import nbytes
from scaffold.show.text import text_of
from scaffold.show.tree import Dim, Part, Tree, element_bytes, triggers, walk
from scaffold.spec.reading.read import read_spec
from scaffold.spec.tables.key import ROLES
from tests.support.projects import EXAMPLES, scaffold
from tests.support.trees import write_tree

AFFINE = str(EXAMPLES / "specs/affine.toml")
PICTURE = """\
Affine (module) with out_size=4, in_size=3

part       type                      role   count  bytes
├─ weight  float[out_size, in_size]  param     12   48 B
└─ bias    float[out_size] or None   param      4   16 B
           16 numbers, 64 B

role    under jit   gradient   optimiser   save      vmap
───────────────────────────────────────────────────────────
param   traced      yes        moves it    written   mapped

compiles anew for (new values in traced arrays do not)
- the shape or dtype of an array: out_size, in_size
- the shape, dtype or weak type of an argument of the call
- None in the place of an array, or the reverse, in bias
"""


@cache
def trees_of_examples() -> list[Tree]:
    return [tree for path in spec_files(EXAMPLES / "specs") for tree in trees_in(path)]


def trees_in(file: Path) -> list[Tree]:
    specs, known = specs_of(str(file), find_layout(EXAMPLES))
    return [tree_of_spec(spec, known, {}) for spec in specs]


def test_a_picture_of_a_spec(tmp_path: Path) -> None:
    result = scaffold(tmp_path, "show", AFFINE, "--set", "out_size=4")
    assert (result.returncode, result.stdout, result.stderr) == (0, PICTURE, "")
    assert [*tmp_path.iterdir()] == []


def test_colours_are_asked_for_and_change_no_letter(tmp_path: Path) -> None:
    coloured = scaffold(tmp_path, "show", AFFINE, "--set", "out_size=4", env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[1;32mparam" in coloured

    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in plain.splitlines()] == PICTURE.splitlines()


@pytest.mark.spread(3)
@pytest.mark.parametrize("file", spec_files(EXAMPLES / "specs"), ids=lambda file: file.stem)
def test_every_example_fits_in_80_columns_and_draws_in_each_format(file: Path) -> None:
    for tree in trees_in(file):
        assert_drawn(tree)


def assert_drawn(tree: Tree) -> None:
    text = text_of([tree])
    assert max(map(len, text.splitlines())) <= 80
    names = [one.name for _, one in walk(tree.parts)]
    assert all(name in text for name in names)
    assert text_of([tree], plain=True).replace("─", "-").isascii()
    drawing = svg_of([tree])
    ElementTree.fromstring(drawing)
    outside = drawing.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "http" not in outside + html_of([tree]) and "prefers-color-scheme: dark" in drawing
    ElementTree.fromstring(f"<div>{html_of([tree])}</div>")
    assert all(line.count('"') in (0, 2) for line in mermaid_of([tree]).splitlines())
    assert json.loads(json.dumps(tree.to_json()))["count"] == tree.count


def test_every_role_of_a_spec_has_a_meaning() -> None:
    assert {*ROLES} - {"module"} <= {*MEANINGS}
    drawn = {one.role for tree in trees_of_examples() for _, one in walk(tree.parts)}
    assert drawn <= {*MEANINGS, "module", "items"} and len(drawn) > 8
    rows = (EXAMPLES.parent / "docs/show.md").read_text().partition("The roles:")[2].partition("\n\nA dim")[0]
    assert {*re.findall(r"\w+", rows)} >= {*MEANINGS}


def sharded() -> Tree:
    return next(one for one in trees_of_examples() if one.name == "Attention")


def test_a_dim_on_a_mesh_axis_says_so() -> None:
    assert "heads on model" in text_of([sharded()])
    [dim, *_] = sharded().to_json()["parts"][0]["dims"]
    assert (dim["name"], dim["axes"]) == ("heads", ("model",))


def test_a_parameter_without_decay_says_so() -> None:
    raw = {
        "name": "Net",
        "fields": {
            "weight": {"type": "f[3]", "init": "zeros"},
            "gain": {"type": "f[3]", "init": "ones", "decay": False},
            "tail": {"type": "Tail", "decay": False, "init": "=Tail.create()"},
        },
    }
    tail = read_spec({"name": "Tail", "fields": {"bias": {"type": "f[3]", "init": "zeros"}}}, "tail")
    tree = tree_of_spec(read_spec(raw, "net"), {"Tail": tail}, {})
    roles = {one.path: one.role for _, one in walk(tree.parts)}
    assert roles == {"weight": "param", "gain": "undecayed", "tail": "module", "tail.bias": "undecayed"}
    assert "undecayed   traced      yes        no decay" in text_of([tree])


def test_parts_that_no_spec_describes_are_named() -> None:
    fields = {
        "inner": {"type": "Inner", "init": "=Inner.create(key=key)"},
        "heads": {"type": "list[equinox.nn:Linear]", "init": "=[eqx.nn.Linear(3, 3, key=key)]"},
    }
    mlp = {"mlp": {"type": "equinox.nn:MLP", "init": "=eqx.nn.MLP(3, 3, 3, 1, key=key)"}}
    specs = {"Inner": read_spec({"name": "Inner", "fields": mlp}, "inner")}
    tree = tree_of_spec(read_spec({"name": "Net", "fields": fields}, "net"), specs, {})
    [note] = [note for note in tree.notes if "not counted" in note]
    assert note.startswith("inner.mlp and heads[i]: not counted, since no spec says")
    assert "`scaffold show PATH/net.py:Net`" in note


NODE = Tree(
    "Net",
    "module",
    (
        Part("weight", "param", "weight", "float32", (Dim(4096, "out"), Dim(1024, "in"))),
        Part("tied", "shared", "tied", "float32", (Dim(1024),), value="weight"),
        Part("half", "buffer", "half", "bfloat16", (Dim(3),)),
        Part("rate", "static", "rate", value="0.1"),
        Part("flag", "python", "flag", value="False"),
        Part("act", "callable", "act", value="relu"),
        Part("bias", "none", "bias", value="None"),
        Part(
            "layers", "items", "layers", class_name="tuple", parts=(Part("[0]", "data", "layers.0", "int8"),)
        ),
    ),
)


def test_counts_and_bytes_leave_shared_arrays_out() -> None:
    assert NODE.count == 4096 * 1024 + 3 + 1
    assert NODE.nbytes == 4 * 4096 * 1024 + 2 * 3 + 1
    assert [nbytes(size) for size in (0, 1023, 1024, 16 * 2**20)] == ["0 B", "1023 B", "1.0 KiB", "16.0 MiB"]
    assert [element_bytes(one) for one in ("float", "bool", "complex64", "uint8", "bfloat16", "key")] == [
        4, 1, 8, 1, 2, 8
    ]  # fmt: skip


def test_what_compiles_anew_is_said_of_each_sort() -> None:
    assert [*triggers(NODE)] == [
        "the shape or dtype of an array: out, in",
        "another value of rate",
        "another value of flag, which `eqx.filter_jit` holds fixed",
        "another function in act; a new lambda is another one each time",
        "None in the place of an array, or the reverse, in bias",
        "another number of items in layers",
    ]


def test_two_classes_side_by_side(tmp_path: Path) -> None:
    linear = str(EXAMPLES / "specs/linear.py")
    result = scaffold(tmp_path, "show", AFFINE, linear, "--compare")
    marks = [line.split()[:2] for line in result.stdout.splitlines() if line[:1] in "+-~" and line[:1]]
    assert marks == [
        ["~", "weight"],
        ["~", "bias"],
        ["+", "in_features"],
        ["+", "out_features"],
        ["+", "use_bias"],
    ]
    told = json.loads(scaffold(tmp_path, "show", linear, AFFINE, "--compare", "--json").stdout)
    assert [one["mark"] for one in told["parts"]] == ["~", "~", "-", "-", "-"]
    assert compare(NODE, NODE).sentences[-1] == "They have the same parts."


FAULTS = [
    (("--set", "rows=3"), "--set rows: no array has such a dim"),
    (("--set", "in_size=0"), "--set in_size: `0` is no size of a dim"),
    (("--set", "in_size"), "--set: `in_size` sets nothing"),
    (("--compare",), "--compare: compares two classes, and there are 1"),
]


@pytest.mark.parametrize(("arguments", "told"), FAULTS, ids=[" ".join(row[0]) for row in FAULTS])
def test_faults(arguments: tuple[str, ...], told: str, tmp_path: Path) -> None:
    result = scaffold(tmp_path, "show", AFFINE, *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert told in result.stderr and "fix: " in result.stderr


ANSWER = {
    "kind": "module",
    "build": "Net()",
    "calls": False,
    "marks": False,
    "sizes": {"width": 5, "depth": 2},
    "numbers": {"head.out": 2, "head.in": 5},
    "others": [
        {
            "sizes": {"width": 6, "depth": 2},
            "numbers": {"head.out": 2, "head.in": 6},
            "shapes": {"head.weight": [2, 6, 12], "first": [2, 6], "table": [5]},
        },
        {
            "sizes": {"width": 5, "depth": 3},
            "numbers": {"head.out": 3, "head.in": 5},
            "shapes": {"head.weight": [3, 5, 10], "first": [2, 5], "table": [5]},
        },
    ],
    "statics": [["head.out", "2"]],
    "absent": [],
    "nodes": {"head": "Linear"},
    "order": {"": ["first", "head"]},
    "leaves": [
        {"path": "head.weight", "role": "param", "shape": [2, 5, 10], "dtype": "float32", "dims": [], "owner": "head.weight"},
        {"path": "first", "role": "param", "shape": [2, 5], "dtype": "float32", "dims": [], "owner": "head.weight"},
        {"path": "table", "role": "buffer", "shape": [5], "dtype": "int32", "dims": [], "owner": "table"},
    ],
}  # fmt: skip


def test_dims_are_named_by_the_nearest_integer_that_they_follow() -> None:
    tree = tree_of("Net", ANSWER)
    types = {one.path: one.type_text for _, one in walk(tree.parts)}
    assert types["head.weight"] == "float32[out, in, 2*in]" and types["first"] == "float32[2, width]"
    assert types["table"] == "int32[5]"  # of the size of the width, which it does not follow
    assert [one.name for one in tree.parts] == ["first", "head", "table"]
    assert [(one.role, one.count) for one in tree.parts[:2]] == [("shared", 0), ("module", 100)]


EXISTING = ("equinox.nn:MLP", "equinox.nn:BatchNorm", "flax.nnx:BatchNorm")
ROLES_OF = {
    "MLP": {"param": 6, "callable": 2},
    "BatchNorm": {"param": 2, "state": 3, "python": 2, "none": 2},
    "nnx": {"param": 2, "updated": 2},
}


@pytest.mark.slow  # docs/show.md shows one of them, and the pages of the laws build others
def test_classes_of_libraries_are_built_and_drawn(tmp_path: Path) -> None:
    trees, faults = trees_of_class(Wanted(EXISTING), find_layout(tmp_path), tmp_path)
    assert faults == []
    for tree, roles in zip(trees, ROLES_OF.values(), strict=True):
        drawn = [one.role for _, one in walk(tree.parts)]
        assert {role: drawn.count(role) for role in roles} == roles
        assert max(map(len, text_of([tree]).splitlines())) <= 80
    assert trees[0].count == 3 * 7 + 7 + 7 * 7 + 7 + 7 * 5 + 5


@pytest.mark.slow
def test_a_class_that_cannot_be_built_says_what_to_say(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(
        "import equinox as eqx\n\n\nclass Odd(eqx.Module):\n    x: int\n\n    def __init__(self, thing):\n        self.x = thing.frob\n"
    )
    result = scaffold(tmp_path, "show", "odd.py:Odd")
    assert result.returncode == 2 and "odd:Odd: no instance was built" in result.stderr
    assert "fix: say it with --set thing=..." in result.stderr or "`--build`" in result.stderr
    # Beside a class that can be built, it is told, and the other is drawn.
    with (tmp_path / "odd.py").open("a") as file:
        file.write("\n\nclass Even(eqx.Module):\n    flag: bool = eqx.field(static=True, default=True)\n")
    result = scaffold(tmp_path, "show", "odd.py")
    assert result.returncode == 3 and "Even (module)" in result.stdout
    assert "odd:Odd: no instance was built" in result.stderr


TARGETS = {
    "equinox.nn:MLP": "equinox.nn:MLP",
    "equinox.nn.MLP": "equinox.nn:MLP",
    "equinox.nn": "equinox.nn",
    "layers.py": "layers.py",
    "specs/affine.toml": "",
    "skeleton.py": "",
    "Affine": "",
}


def test_a_target_is_taken_for_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "layers.py").write_text("import equinox as eqx\n")
    (tmp_path / "skeleton.py").write_text("from scaffold.skeleton import Module\n")
    assert {one: existing(one, tmp_path) for one in TARGETS} == TARGETS


WHOLE = ("Affine", "AffineInit", "GRUCell", "Embedding", "TiedEmbedding", "Coupling", "MaxNorm", "KeyCache")


@pytest.mark.slow  # an instance of each says the same as the declarations that are drawn of every spec
def test_a_spec_counts_what_an_instance_holds() -> None:
    layout = find_layout(EXAMPLES)
    drawn = {one.name: one for one in trees_of_examples()}
    for name in WHOLE:
        [[spec], _] = specs_of(name, layout)
        target = f"{EXAMPLES / spec.stem}.py:{name}"
        [[built], _] = trees_of_class(Wanted((target,)), layout, EXAMPLES)
        arrays = {one.path: len(one.dims) for _, one in walk(built.parts) if one.owns_array}
        declared = {one.path: len(one.dims) for _, one in walk(drawn[name].parts) if one.owns_array}
        assert arrays == declared, name


GENERATED = """
from jaxtyping import Array, Float
from scaffold.skeleton import Module, buffer


class Shift(Module):
    mean: Float[Array, " size"] = buffer()

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return x - self.mean
"""


@pytest.mark.slow
def test_a_generated_class_leads_to_its_spec_wherever_that_lies(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "drafts/shift.py": GENERATED})
    assert scaffold(tmp_path, "new-module", "--spec", "drafts/shift.py").returncode == 0
    by_name = scaffold(tmp_path, "show", "Shift").stdout
    assert by_name == scaffold(tmp_path, "show", "drafts/shift.py").stdout and "buffer" in by_name
    existing_class = scaffold(tmp_path, "show", "shift.py:Shift", "--python", sys.executable).stdout
    assert "- its spec says the roles: `scaffold show drafts/shift.py`" in existing_class
