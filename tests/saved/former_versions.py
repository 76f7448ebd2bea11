"""Five specs in four versions each, and scripts that save files of each version."""

from collections.abc import Mapping
from pathlib import Path

from tests.support.projects import scaffold
from tests.support.trees import write_tree

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
