"""Files of former versions of a class: five specs in four versions each, and differences that no version had."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.projects import run, scaffold
from tests.support import write_tree

DENSE = """
name = "Dense"
migrate = true

[fields]
{fields}

[call]
args = "x: f[in_size]"
returns = "f[out_size]"
body = "return {body}"
"""
WEIGHT = '{} = {{ type = "f[out_size,in_size]", init = "lecun_normal" }}\n'
SCALE, BIAS = 'scale = { type = "f[]", init = "ones" }\n', 'bias = { type = "f[out_size]", init = "zeros" }\n'
TOWER = """
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, param, static

from dense import Dense


class Tower(Module, migrate=True):
    {first}: Dense
{more}

    def __init__(self, size: int, dtype: DTypeLike | None = None, *, key: PRNGKeyArray):
        self.{first} = Dense.create(size, size, dtype, key=key)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.{first}(x){use}
"""
GAIN = '    gain: Float[Array, " size"] = param("ones")\n'
TABLE = """
kind = "pytree"
name = "Table"
migrate = true

[fields]
{fields}

[call]
args = "x: f[]"
returns = "f[]"
body = "return {body}"
"""
PAIR = """
from jaxtyping import Array, Float, Int32
from scaffold.skeleton import Namedtuple, data, param


class Pair(Namedtuple, migrate=True):
{fields}
"""
NORM = """
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Affine(Module):
    scale: Float[Array, " size"] = param("ones")
    offset: Float[Array, " size"] = param("zeros")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return x * self.scale + self.offset


class {name}(Module, migrate=True):
{fields}

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return {body}
"""


def of_size(name: str, init: str) -> str:
    return f'    {name}: Float[Array, " size"] = param("{init}")\n'


NUMBERS = 'type = "f[4]", init = "normal"'


def table(*fields: str) -> str:
    types = {"count": 'type = "i32[]", init = "zeros", role = "data"'}
    rows = [f"{one} = {{ {types.get(one, NUMBERS)} }}\n" for one in fields]
    floats = [name for name in fields if name != "count"]
    return TABLE.format(
        fields="".join(rows), body="x + " + " + ".join(f"jnp.sum(self.{one})" for one in floats)
    )


def pair(*fields: str) -> str:
    rows = (f'    {name}: Float[Array, "2"] = param("normal")\n' for name in fields)
    return PAIR.format(fields="".join(rows))


VERSIONS: list[tuple[dict[str, str], list[str]]] = [
    (
        {
            "specs/dense.toml": DENSE.format(
                fields=WEIGHT.format("weight") + SCALE, body="self.weight @ x * self.scale"
            ),
            "specs/tower.py": TOWER.format(first="first", more="", use=""),
            "specs/table.toml": table("keys", "values_"),
            "specs/pair.py": pair("left", "right"),
            "specs/norm.py": NORM.format(name="Norm", fields=of_size("scale", "ones"), body="x * self.scale"),
        },
        [],
    ),
    (
        {
            "specs/dense.toml": DENSE.format(
                fields=WEIGHT.format("weight") + SCALE + BIAS,
                body="self.weight @ x * self.scale + self.bias",
            ),
            "specs/tower.py": TOWER.format(first="first", more=GAIN, use=" * self.gain"),
            "specs/table.toml": table("keys", "entries"),
            "specs/pair.py": pair("right", "left"),
            "specs/norm.py": NORM.format(
                name="LayerNorm", fields=of_size("scale", "ones"), body="x * self.scale"
            ),
        },
        ["Table.values_=entries", "Norm=LayerNorm"],
    ),
    (
        {
            "specs/dense.toml": DENSE.format(
                fields=WEIGHT.format("kernel") + SCALE + BIAS,
                body="self.kernel @ x * self.scale + self.bias",
            ),
            "specs/tower.py": TOWER.format(first="encoder", more=GAIN, use=" * self.gain"),
            "specs/table.toml": table("keys", "entries", "count"),
            "specs/pair.py": pair("right", "left", "middle"),
            "specs/norm.py": NORM.format(
                name="LayerNorm",
                fields=of_size("scale", "ones") + of_size("shift", "zeros"),
                body="x * self.scale + self.shift",
            ),
        },
        ["Dense.weight=kernel", "Tower.first=encoder"],
    ),
    (
        {
            "specs/dense.toml": DENSE.format(
                fields=WEIGHT.format("kernel") + BIAS, body="self.kernel @ x + self.bias"
            ),
            "specs/tower.py": TOWER.format(
                first="encoder", more=f"{GAIN}    steps: int = static(2)\n", use=" * self.gain * self.steps"
            ),
            "specs/table.toml": table("entries", "count"),
            "specs/pair.py": pair("top", "left", "middle"),
            "specs/norm.py": NORM.format(
                name="LayerNorm",
                fields="    inner: Affine\n" + of_size("shift", "zeros"),
                body="self.inner(x) + self.shift",
            ),
        },
        ["LayerNorm.scale=inner.scale", "Pair.right=top"],
    ),
]
"""The specs of each version, and what is said of renames."""
BUILT = """
import sys

import jax

import norm
from dense import Dense
from pair import Pair
from table import Table
from tower import Tower


def built(seed):
    key = jax.random.key(seed)
    Norm = getattr(norm, "LayerNorm", None) or norm.Norm
    inner = {"inner": norm.Affine.create(3)} if hasattr(norm, "LayerNorm") and "inner" in Norm.__annotations__ else {}
    return {
        "dense": Dense.create(3, 2, key=key),
        "tower": Tower(3, key=key),
        "table": Table.create(key=key),
        "pair": Pair.create(key=key),
        "norm": Norm.create(*inner.values(), 3) if inner else Norm.create(3),
    }
"""
SAVES = """
from built import built

for name, instance in built({seed}).items():
    instance.save(f"{{name}}_{version}.safetensors")
"""
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


def write_version(root: Path, files: Mapping[str, str], renames: list[str]) -> None:
    write_tree(root, dict(files))
    is_new = not (root / "dense.py").exists()
    said = [part for one in renames for part in ("--rename", one)]
    command = (
        ["new-module", *(part for name in sorted(files) for part in ("--spec", name))]
        if is_new
        else ["update", *said]
    )
    ran = scaffold(root, *command)
    assert ran.returncode == 0, ran.stdout + ran.stderr


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


def test_fifteen_files_of_former_versions_load_into_the_newest_class(root: Path) -> None:
    ran = run([sys.executable, "loads.py"], root)
    assert ran.stdout == LOADED, ran.stdout + ran.stderr
