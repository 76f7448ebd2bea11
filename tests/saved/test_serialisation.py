"""The files of `save` and `load`: what survives, what is refused and how."""

import importlib
import math
import os
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import safetensors
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.draws import share
from tests.support.projects import EXAMPLES
from tests.support.systems import NEEDS_LINKS

DTYPES = (
    *("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "bfloat16", "float32"),
    *("complex64", "int4", "uint4", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float4_e2m1fn"),
)


@dataclass(frozen=True)
class Files:
    """The two functions."""

    save: Callable[..., None]
    load: Callable[..., Any]


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Files:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    module = importlib.import_module("serialisation")
    return Files(module.save_tree, module.load_tree)


def bits(leaf: Any) -> Any:
    """What makes a leaf what it is, NaNs and signs of zeros included."""
    if not hasattr(leaf, "dtype"):
        return type(leaf), repr(leaf)
    is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    data = np.asarray(jax.random.key_data(leaf) if is_key else leaf)
    return str(leaf.dtype), leaf.shape, getattr(leaf, "weak_type", False), data.tobytes()


def same(tree: Any, other: Any) -> bool:
    return jax.tree.structure(tree) == jax.tree.structure(other) and [
        bits(leaf) for leaf in jax.tree.leaves(tree)
    ] == [bits(leaf) for leaf in jax.tree.leaves(other)]


def shapes_of(tree: Any) -> Any:
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), tree)


def refusal(files: Files, path: Path, like: Any) -> str:
    with pytest.raises(ValueError) as caught:
        files.load(path, like)
    return str(caught.value).replace(str(path), path.name)


def small_tree() -> dict[str, Any]:
    return {
        "weight": jnp.arange(6, dtype=jnp.float32).reshape(2, 3),
        "half": jnp.asarray([1.5, -2.0], jnp.bfloat16),
        "key": jax.random.key(3),
        "nothing": None,
        "steps": 7,
    }


@st.composite
def arrays(draw: st.DrawFn) -> jax.Array:
    dtype = np.dtype(jnp.dtype(draw(st.sampled_from(DTYPES))))
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=3)))
    raw = draw(st.binary(min_size=dtype.itemsize * math.prod(shape)))
    data = np.frombuffer(raw[: dtype.itemsize * math.prod(shape)], np.uint8)
    if dtype.name == "bool":
        data = data & 1
    return jnp.asarray(np.ndarray(shape, dtype, data.tobytes()))


keys = st.builds(jax.random.key, st.integers(0, 9), impl=st.sampled_from(["threefry2x32", "rbg"]))
numbers = st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.complex_numbers())
leaves = st.one_of(arrays(), keys, numbers, st.none(), arrays().map(np.asarray))
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3), st.tuples(inner)
    ),
    max_leaves=6,
)


@given(tree=trees)
@settings(
    max_examples=share(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    database=None,
)
def test_any_tree_survives(files: Files, tmp_path: Path, tree: Any) -> None:
    path = tmp_path / "saved"
    files.save(path, tree)
    assert same(files.load(path, tree), tree)


def test_shapes_and_dtypes_are_skeleton_enough(files: Files, tmp_path: Path) -> None:
    tree = {name: jnp.ones((2, 3), name) for name in DTYPES} | {"key": jax.random.key(1, impl="rbg")}
    files.save(tmp_path / "saved", tree)
    assert same(files.load(tmp_path / "saved", shapes_of(tree)), tree)


def test_a_leaf_comes_back_as_what_it_is_in_the_skeleton(files: Files, tmp_path: Path) -> None:
    tree = {
        "numpy": np.arange(3.0),
        "big endian": np.arange(3, dtype=">i4"),
        "fortran": np.asfortranarray(np.ones((2, 3), np.float32)),
        "scalar": np.float32(2.5),
        "weak": jnp.asarray(1.5),
        "function": jnp.tanh,
        "text": "abc",
    }
    files.save(str(tmp_path / "saved"), tree)
    loaded = files.load(tmp_path / "saved", tree)
    assert same(loaded, tree)
    assert loaded["numpy"].flags.writeable and isinstance(loaded["scalar"], np.float32)
    assert loaded["numpy"] is not tree["numpy"]


def test_any_reader_of_safetensors_finds_the_leaves_in_their_own_dtypes(files: Files, tmp_path: Path) -> None:
    files.save(tmp_path / "saved", small_tree())
    with safetensors.safe_open(tmp_path / "saved", "np") as file:
        assert {name: file.get_slice(name).get_dtype() for name in file.keys()} == {  # noqa: SIM118
            "['half']": "BF16",
            "['key']": "U32",
            "['steps']": "I64",
            "['weight']": "F32",
        }
        np.testing.assert_array_equal(file.get_tensor("['weight']"), small_tree()["weight"])


# What is refused


def test_one_error_names_all_that_differs(files: Files, tmp_path: Path) -> None:
    path = tmp_path / "saved"
    files.save(path, {"a": jnp.ones(3), "b": jnp.ones(2), "c": eqx.nn.Linear(2, 3, key=jax.random.key(0))})
    like = {
        "a": jnp.ones(3, jnp.bfloat16),
        "b": None,
        "c": eqx.nn.Linear(2, 4, key=jax.random.key(0)),
        "d": 1,
    }
    assert refusal(files, path, like).splitlines()[0].endswith("saved` does not fit `like`:")
    assert sorted(refusal(files, path, like).splitlines()[1:]) == [
        "- ['a']: float32[3] in the file, bfloat16[3] in `like`",
        "- ['b']: float32[2] in the file, NoneType in `like`",
        "- ['c'].bias: float32[3] in the file, float32[4] in `like`",
        "- ['c'].out_features: 3 in the file, 4 in `like`",
        "- ['c'].weight: float32[3, 2] in the file, float32[4, 2] in `like`",
        "- ['d']: nothing in the file, int[] in `like`",
    ]


@pytest.mark.parametrize(
    ("saved", "like", "told"),
    [
        ((True,), (1,), "- [0]: bool[] in the file, int[] in `like`"),
        ([1], (1,), "- the whole: list in the file, tuple in `like`"),
        (jnp.tanh, jnp.sin, "- the whole: jax.numpy.tanh in the file, jax.numpy.sin in `like`"),
        (
            jax.random.key(0),
            jax.random.key(0, impl="rbg"),
            "- the whole: key<fry>[] in the file, key<rbg>[] in `like`",
        ),
    ],
)
def test_what_differs_is_told(files: Files, tmp_path: Path, saved: Any, like: Any, told: str) -> None:
    files.save(tmp_path / "saved", saved)
    assert refusal(files, tmp_path / "saved", like).splitlines()[1:] == [told]


def damages(data: bytes) -> Iterator[bytes]:
    yield from (data[:size] for size in range(len(data)))
    yield from (data + more for more in (b"\0", b"\n", data))
    for place in range(len(data)):
        yield data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]


def test_every_damaged_byte_and_every_cut_is_refused(files: Files, tmp_path: Path) -> None:
    path, tree = tmp_path / "saved", {"a": jnp.ones(2), "b": (jnp.zeros((), jnp.int4), None)}
    files.save(path, tree)
    for data in damages(path.read_bytes()):
        path.write_bytes(data)
        with pytest.raises(ValueError):
            files.load(path, tree)


class Trap:
    def __reduce__(self) -> Any:
        return os.mkdir, ("unpickled",)


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"[" * 10_000, b"{}\n", b"[1]\n", b"null\n", bytes(range(256)) * 4, pickle.dumps(Trap())],
    ids=["empty", "a line", "deep", "object", "array", "null", "bytes", "pickle"],
)
def test_a_foreign_file_is_refused(
    files: Files, tmp_path: Path, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saved").write_bytes(data)
    assert "`saved` is damaged" in refusal(files, tmp_path / "saved", small_tree())
    assert [one.name for one in tmp_path.iterdir()] == ["saved"]


def test_64_bits_are_kept_or_refused_and_never_cut(files: Files, tmp_path: Path) -> None:
    path = tmp_path / "saved"
    with jax.enable_x64(True):
        tree = {"f": jnp.full(3, 0.1, jnp.float64), "i": jnp.asarray(2**40), "c": jnp.ones(1, complex)}
        files.save(path, tree)
        assert same(files.load(path, tree), tree)
        wide = shapes_of(tree)
    narrow = {"f": jnp.ones(3), "i": jnp.asarray(1), "c": jnp.ones(1, jnp.complex64)}
    assert (
        "- ['f']: float64[3] in the file, float32[3] in `like`" in refusal(files, path, narrow).splitlines()
    )
    enable = 'jax.config.update("jax_enable_x64", True)'
    assert refusal(files, path, wide) == f"jax would cut complex128[1] to 32 bits: `{enable}`"


@pytest.mark.parametrize(
    ("tree", "error", "told"),
    [
        ({"a": np.array([object()])}, ValueError, r"`\['a'\]` holds Python objects, which cannot be saved"),
        ({"a": 2**70}, OverflowError, "too large"),
    ],
)
def test_what_cannot_be_saved_is_told_and_nothing_is_written(
    files: Files, tmp_path: Path, tree: Any, error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        files.save(tmp_path / "saved", tree)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "saved"
    files.save(path, small_tree())
    before = path.read_bytes()

    def fail(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        files.save(path, {"a": jnp.ones(3)})
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["saved"]


@NEEDS_LINKS
def test_a_symbolic_link_stays_one(files: Files, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "latest").symlink_to("runs/3")
    files.save(tmp_path / "latest", small_tree())
    assert (tmp_path / "latest").is_symlink() and (tmp_path / "runs/3").is_file()
