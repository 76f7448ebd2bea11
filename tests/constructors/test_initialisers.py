"""Named initialisers: what each becomes in the constructor, and what the tests are told of its draws."""

import math
import re
from pathlib import Path

import pytest

from scaffold import find_layout
from scaffold.generate import module_files
from scaffold.spec import read_spec

# How the field is written, its value in `create`, and what follows the shape in its `Leaf`.
ROWS = [
    ("f[n]", "full(0.5)", "jnp.full((n,), 0.5, dtype)", ", value=0.5"),
    ("i32[n]", "full(n)", "jnp.full((n,), n, jnp.int32)", ', "int32"'),
    ("f[n]", "normal(0.02)", "0.02 * jax.random.normal(key, (n,), dtype)", ", std=0.02"),
    ("f[n]", "normal", "jax.random.normal(key, (n,), dtype)", ", std=1.0"),
    ("f[n]", "normal(1.0)", "jax.random.normal(key, (n,), dtype)", ", std=1.0"),
    ("f[n]", "uniform(limit)", "limit * jax.random.uniform(key, (n,), dtype, -1.0, 1.0)", ""),
    ("f[]", "uniform(3)", "3 * jax.random.uniform(key, (), dtype, -1.0, 1.0)", f", std={math.sqrt(3):.4g}"),
    ("f[n]", "uniform(n - 1)", "(n - 1) * jax.random.uniform(key, (n,), dtype, -1.0, 1.0)", ", std=0.5774"),
    ("f[n]", "truncated_normal(2)", "2 * jax.random.truncated_normal(key, -2.0, 2.0, (n,), dtype)", ", std=1.759"),
    ("f32[m,n]", "orthogonal(limit)", "jax.nn.initializers.orthogonal(limit)(key, (m, n), jnp.float32)", ', "float32"'),
    ("c64[n]", "uniform(0.1)", "0.1 * jax.lax.complex(*jax.random.uniform(key, (2, n), jnp.float32, -1.0, 1.0))", ', "complex64"'),
    ("c64[*s]", "uniform(0.1)", "0.1 * jax.lax.complex(*jax.random.uniform(key, (2, *s), jnp.float32, -1.0, 1.0))", ', "complex64"'),
    ("inexact[n]", "uniform(limit)", "uniform(key, (n,), limit)", ""),
]  # fmt: skip


LEAF = re.compile(r"Leaf\(.w., .\w+., \([^)]*\)(.*?)\),?$", re.MULTILINE)


def emitted(folder: Path, **field: str) -> tuple[str, str]:
    """The class, and what its tests are told of the field after its shape."""
    sizes = {
        name: size for name, size in {"n": 2, "s": [2, 3]}.items() if name in field["type"].split("[")[1]
    }
    raw = {"name": "Held", "fields": {"w": field}, "test": {"sizes": sizes}}
    raw |= {"arguments": ["limit: float"]} if "limit" in field["init"] else {}
    files = module_files(read_spec(raw, "held.toml"), find_layout(folder), {})
    texts = {file.path.name: file.text for file in files}
    [told] = LEAF.findall(texts["test_held.py"])
    return texts["held.py"], told


@pytest.mark.parametrize(("kind", "init", "value", "told"), ROWS, ids=str)
def test_what_a_name_becomes(kind: str, init: str, value: str, told: str, tmp_path: Path) -> None:
    code, found = emitted(tmp_path, type=kind, init=init)
    assert f"w={value}," in code
    assert found == told


def test_a_deviation_that_is_declared_is_told(tmp_path: Path) -> None:
    init = "=limit * jax.random.normal(key, (n,), dtype)"
    assert (
        emitted(tmp_path, type="f[n]", init=init, std="1 / sqrt(4 * n)")[1] == f", std={1 / math.sqrt(8):.4g}"
    )


def test_the_draw_of_either_is_made_once_and_takes_no_name_of_the_author(tmp_path: Path) -> None:
    raw = {
        "name": "Held",
        "arguments": ["uniform: float"],
        "fields": {name: {"type": "inexact[n]", "init": "uniform(uniform)"} for name in ("a", "b")},
    }
    spec = read_spec(raw, "held.toml")
    [code] = [one.text for one in module_files(spec, find_layout(tmp_path), {}) if one.path.name == "held.py"]
    assert code.count("def uniform_(key") == 1 and "a=uniform_(a_key, (n,), uniform)" in " ".join(
        code.split()
    )
