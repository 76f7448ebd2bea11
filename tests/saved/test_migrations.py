"""Files of former versions of a class: five specs in four versions each, and differences that no version had."""

import sys
from pathlib import Path

import pytest

from scaffold import ScaffoldError
from tests.saved.former_versions import BUILT, SAVES, VERSIONS, write_version
from tests.support.forking import forked_pytest
from tests.support.library import Library, spec
from tests.support.projects import copy_example, passed, pytest_command, run, scaffold
from tests.support.trees import replace_in, write_tree

LOADS = """
import warnings

import jax
import jax.numpy as jnp
from built import built

import safetensors.numpy
likes = built(9)
NOW = {
    "dense": {".weight": ".kernel", ".scale": None},
    "tower": {".first.weight": ".encoder.kernel", ".first.bias": ".encoder.bias", ".encoder.weight": ".encoder.kernel",
              ".first.scale": None, ".encoder.scale": None},
    "table": {".values_": ".entries", ".keys": None},
    "pair": {".right": ".top"},
    "norm": {".scale": ".inner.scale"},
}
for name, like in likes.items():
    for version in (1, 2, 3):
        path = f"{name}_{version}.safetensors"
        held = safetensors.numpy.load_file(path)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            got = type(like).load(path, like, migrate=True)
        flat = {jax.tree_util.keystr(path): leaf for path, leaf in jax.tree_util.tree_leaves_with_path(got)}
        wanted = {jax.tree_util.keystr(path): leaf for path, leaf in jax.tree_util.tree_leaves_with_path(like)}
        moved = {NOW[name].get(place, place): leaf for place, leaf in held.items()}
        dropped = [place for place in held if NOW[name].get(place, place) is None]
        for place, leaf in flat.items():
            assert jnp.array_equal(leaf, moved.get(place, wanted[place])), (path, place)
        told = [str(one.message) for one in caught]
        assert len(told) == bool(dropped) and all(place in told[0] for place in dropped), (path, told, dropped)
        assert caught == [] or caught[0].filename.endswith("loads.py"), caught[0].filename
        new = sorted(flat.keys() - moved.keys())
        print(path, "new:", *new, "| dropped:", *dropped)
"""
LOADED = """\
dense_1.safetensors new: .bias | dropped: .scale
dense_2.safetensors new: | dropped: .scale
dense_3.safetensors new: | dropped: .scale
tower_1.safetensors new: .encoder.bias .gain | dropped: .first.scale
tower_2.safetensors new: | dropped: .first.scale
tower_3.safetensors new: | dropped: .encoder.scale
table_1.safetensors new: .count | dropped: .keys
table_2.safetensors new: .count | dropped: .keys
table_3.safetensors new: | dropped: .keys
pair_1.safetensors new: .middle | dropped:
pair_2.safetensors new: .middle | dropped:
pair_3.safetensors new: | dropped:
norm_1.safetensors new: .inner.offset .shift | dropped:
norm_2.safetensors new: .inner.offset .shift | dropped:
norm_3.safetensors new: .inner.offset | dropped:
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in its newest version, with a file of each class in each version."""
    root = tmp_path_factory.mktemp("versions")
    write_tree(root, {"built.py": BUILT, "loads.py": LOADS})
    for number, (files, renames) in enumerate(VERSIONS, 1):
        write_version(root, files, renames)
        write_tree(root, {"saves.py": SAVES.format(seed=number, version=number)})
        ran = run([sys.executable, "saves.py"], root)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    return root


@pytest.mark.slow
def test_fifteen_files_of_former_versions_load_into_the_newest_class(root: Path) -> None:
    ran = run([sys.executable, "loads.py"], root)
    assert ran.stdout == LOADED, ran.stdout + ran.stderr


REFUSED = """
import json
import sys

import jax
import jax.numpy as jnp
import safetensors.numpy
from built import built
from serialisation import save_tree

likes = built(9)


def changed(name, version, change):
    \"\"\"A file of a former version with one difference, written as `save_tree` writes.\"\"\"
    with open(f"{name}_{version}.safetensors", "rb") as file:
        data = file.read()
    size = int.from_bytes(data[:8], "little")
    tree = json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["tree"])
    tensors = safetensors.numpy.load(data)
    change(tree, tensors)
    import zlib
    sums = {place: zlib.crc32(tensor.tobytes()) for place, tensor in tensors.items()}
    path = f"{name}_changed.safetensors"
    safetensors.numpy.save_file(tensors, path, {"tree": json.dumps(tree), "checksums": json.dumps(sums)})
    return path


def reshaped(place, shape):
    def change(tree, tensors):
        tensors[place] = jnp.zeros(shape, tensors[place].dtype).__array__()
        tree[place] = f"{tensors[place].dtype}{list(shape)}"
    return change


def of_dtype(place, dtype):
    def change(tree, tensors):
        tensors[place] = tensors[place].astype(dtype)
        tree[place] = f"{dtype}{list(tensors[place].shape)}"
    return change


def without(place):
    def change(tree, tensors):
        del tree[place], tensors[place]
    return change


def also(place):
    def change(tree, tensors):
        tensors[place] = jnp.zeros(2).__array__()
        tree[place] = "float32[2]"
    return change


def called(place, text):
    def change(tree, tensors):
        tree[place] = text
    return change


CHANGES = [
    ("dense", 1, reshaped(".weight", (2, 3)), ".kernel: float32[2, 3] in the file"),
    ("dense", 1, of_dtype(".weight", "float16"), ".kernel: float16[3, 2] in the file"),
    ("dense", 2, without(".weight"), ".kernel: nothing in the file"),
    ("dense", 2, also(".other"), ".other: float32[2] in the file"),
    ("dense", 3, reshaped(".bias", (5,)), ".bias: float32[5] in the file"),
    ("tower", 1, reshaped(".first.weight", (4, 4)), ".encoder.kernel: float32[4, 4] in the file"),
    ("tower", 2, called("", "elsewhere.Tower"), "the whole: elsewhere.Tower in the file"),
    ("tower", 3, called(".encoder", "other.Dense"), ".encoder: other.Dense in the file"),
    ("table", 1, of_dtype(".values_", "int32"), ".entries: int32[4] in the file"),
    ("norm", 1, called("", "norm.Other"), "the whole: norm.Other in the file"),
]
for name, version, change, words in CHANGES:
    like = likes[name]
    try:
        type(like).load(changed(name, version, change), like, migrate=True)
    except ValueError as error:
        assert words in str(error), (words, str(error))
        print("refused", words)
try:
    type(likes["dense"]).load("dense_1.safetensors", jax.eval_shape(lambda: likes["dense"]), migrate=True)
except ValueError as error:
    print(error)
"""


@pytest.mark.slow
def test_ten_files_with_other_differences_are_refused_by_leaf(root: Path) -> None:
    write_tree(root, {"refused.py": REFUSED})
    ran = run([sys.executable, "refused.py"], root)
    lines = ran.stdout.splitlines()
    assert len([line for line in lines if line.startswith("refused ")]) == 10, ran.stdout + ran.stderr
    assert lines[-1] == "`.bias` is new: `like` must be an instance, which has its value"


@pytest.mark.slow
def test_the_newest_class_lists_its_changes_and_nothing_is_stale(root: Path) -> None:
    assert """
    # What changed from version to version, the oldest first, for files of former ones.
    migrations = (
        Migration(added=("bias",)),
        Migration(renamed={"weight": "kernel"}),
        Migration(dropped=("scale",)),
    )
""" in (root / "dense.py").read_text()
    assert 'Migration(added=("inner",), renamed={"scale": "inner.scale"}),' in (root / "norm.py").read_text()
    assert 'Migration(former="norm.Norm"),' in (root / "norm.py").read_text()
    ran = scaffold(root, "check")
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.slow
def test_the_laws_hold_of_a_class_with_changes(root: Path) -> None:
    assert passed(forked_pytest(root, "tests", "-k", "p01 or p02 or p05 or p13 or p14")) > 40


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("Dense.wieght=kernel", "--rename: `Dense` had no field `wieght` that is gone"),
        ("Dense.bias=kernel", "--rename: `Dense` had no field `bias` that is gone"),
        ("Dense.a.b=kernel", "--rename: `Dense.a.b=kernel` is not OLD=NEW"),
        ("Dens.weight=kernel", "--rename: there is no class `Dens` that lists its changes"),
    ],
)
def test_a_rename_that_does_not_fit_is_refused(root: Path, said: str, message: str) -> None:
    ran = scaffold(root, "update", "--rename", said)
    assert (ran.returncode, message in ran.stderr) == (2, True), ran.stdout + ran.stderr


@pytest.mark.parametrize("now", ["kernel", "inner.kernel"])
def test_a_field_that_has_another_name_is_asked_for_and_may_be_said_later(tmp_path: Path, now: str) -> None:
    library, more = Library.at(tmp_path), 'bias = { type = "f[out_size]", init = "zeros" }\n'
    library.generate(dense=spec("Dense", more, top="migrate = true\nsave = true"))
    assert library.update().notes == ()
    renamed = library.read("specs/dense.toml").replace("weight", now.partition(".")[0]).replace(more, "")
    library.write("specs/dense.toml", renamed)
    [note] = library.update().notes
    first = f"Dense.weight={now.partition('.')[0]}"
    assert "`weight` and `bias` went" in note and f"`scaffold update --rename {first}`, now or later" in note
    library.update()
    with pytest.raises(
        ScaffoldError, match="had no field `bias` that is gone, or that went when `other` came"
    ):
        library.update(rename={"Dense.bias": "other"})
    library.update(rename={"Dense.weight": now})
    [row] = library.read("lib/dense.py").split("migrations = (")[1:]
    row = "".join(row.partition("@classmethod")[0].split())
    added = "" if "." not in now else 'added=("inner",),'
    assert row.startswith(f'Migration({added}dropped=("bias",),renamed={{"weight":"{now}"}}')
    assert row.count("Migration(") == 1
    assert library.update().notes == ()


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ('kind = "nnx"\nmigrate = true\n', "migrate: a class of kind `nnx` has no `migrate`"),
        ("migrate = true\nsave = false\n", "migrate: the class has no `load`"),
    ],
)
def test_a_class_that_cannot_list_its_changes_is_refused(tmp_path: Path, raw: str, message: str) -> None:
    write_tree(
        tmp_path, {"specs/a.toml": f'name = "A"\n{raw}[fields]\nw = {{ type = "f[]", role = "param" }}\n'}
    )
    ran = scaffold(tmp_path, "new-module", "--spec", "specs/a.toml")
    assert (ran.returncode, message in ran.stderr) == (2, True), ran.stdout + ran.stderr


@pytest.mark.slow
def test_the_laws_notice_that_a_damaged_file_is_loaded_by_its_changes(tmp_path: Path) -> None:
    folder = copy_example("random_features", tmp_path / "project")
    sums = "{now: content.checksums.get(was) for was, now in kept.items()}"
    replace_in(
        folder / "migrations.py",
        sums,
        "{now: zlib.crc32(content.tensors[was][1]) for was, now in kept.items() if was in content.tensors}",
    )
    ran = run(pytest_command("tests/test_random_features.py", "-k", "damaged"), folder)
    assert "at `load with migrate=True`: a file with another last byte was loaded" in ran.stdout


@pytest.mark.spread(4)
@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        (
            "texts[was] in {step.former for step in steps}",
            "texts[was] == steps[-1].former",
            "of_files.First in the file",
        ),
        ('in ("", ".", "[", " ")', 'in ("", "[", " ")', "at `load`: a file of a former version, First"),
        ("    _warn_of_dropped(", "    _ = (", "the warnings name nothing, and not the one field that went"),
        (
            'rest, f".{field}"',
            '(), f".{field}"',
            "look for: a file of a former version is read by the rows since",
        ),
    ],
)
def test_the_laws_notice_that_a_file_of_a_former_version_is_read_wrongly(
    tmp_path: Path, was: str, now: str, message: str
) -> None:
    folder = copy_example("random_features", tmp_path / "project")
    replace_in(folder / "migrations.py", was, now)
    ran = run(pytest_command("tests/test_random_features.py", "-k", "former_versions"), folder)
    assert message in ran.stdout, ran.stdout
