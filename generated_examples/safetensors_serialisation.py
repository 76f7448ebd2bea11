"""Pytrees to safetensors files and back: `save_safetensors` and `load_safetensors`.

Each leaf is a tensor under its path. The metadata has the path, dtype and shape of each
leaf, and the static configuration of each node, as the files of `save_leaves` have.

What the format does not have is stored as something that it has: complex numbers as pairs
of floats, integers of 4 bits as bytes, typed PRNG keys as their data.
"""

import json
import math
import os
import zlib
from collections.abc import Mapping
from os import PathLike
from typing import Any, TypeVar

import numpy as np
import safetensors
import safetensors.numpy

from serialisation import (
    VERSION,
    compare,
    damaged,
    describe,
    host_form,
    rebuild,
    to_host,
    told_of,
    whole_file,
)

FORMAT = "pytree leaves, safetensors"

_Tree = TypeVar("_Tree")
_NAMES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "bfloat16", "float8_e4m3fn", "float8_e5m2"),
)


def save_safetensors(
    path: str | PathLike[str], tree: Any, static: Mapping[str, Any] | None = None
) -> None:
    """Write the leaves of `tree` to a file, which appears whole or not at all.

    **Arguments:**

    - `path`: the file; one that is there is replaced.
    - `tree`: a pytree. Arrays and Python numbers are saved. Other leaves, such as
        functions, count as configuration.
    - `static`: configuration that `tree` does not show, by name.
    """
    configuration, leaves = describe(tree, static)
    tensors = {place: _tensor(to_host(place, leaf)) for place, leaf in leaves.items()}
    told = [
        {**told_of(place, leaf), "crc32": zlib.crc32(tensors[place].tobytes())}
        for place, leaf in leaves.items()
    ]
    header = {"static": configuration, "leaves": told}
    metadata = {
        "format": FORMAT,
        "version": str(VERSION),
        "header": json.dumps(header, separators=(",", ":")),
    }
    with whole_file(path) as name:
        safetensors.numpy.save_file(tensors, name, metadata)


def load_safetensors(
    path: str | PathLike[str], like: _Tree, static: Mapping[str, Any] | None = None
) -> _Tree:
    """Read what `save_safetensors` wrote.

    **Arguments:**

    - `path`: the file.
    - `like`: a tree of the same configuration, which stays as it is. Its leaves may be
        `jax.ShapeDtypeStruct`s.
    - `static`: as when the file was written.

    **Returns:**

    A tree with the structure of `like` and the leaves of the file, as jax arrays; where
    `like` has a NumPy array or a Python number, as such.

    **Raises:**

    - `ValueError` if the file is damaged, or was not written by `save_safetensors`.
    - `ValueError` if paths, dtypes, shapes or the configuration differ; it names all
        that differs.
    """
    configuration, leaves = describe(like, static)
    header, tensors = _read(path)
    listed = compare(path, header, configuration, leaves)
    if sorted(tensors) != sorted(leaves):
        raise damaged(path, "its tensors are not those that its metadata tells of")
    arrays = [
        _array(path, told, tensors[place], leaf)
        for told, (place, leaf) in zip(listed, leaves.items(), strict=True)
    ]
    return rebuild(path, like, arrays)


def _tensor(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array, or one of the same bytes that the format has."""
    array = np.ascontiguousarray(array).reshape(array.shape)
    if array.dtype.isnative and array.dtype.kind == "c":
        return array[..., None].view(array.real.dtype)
    if array.dtype.isnative and array.dtype.name in _NAMES:
        return array
    return array[..., None].view(np.uint8)


def _read(path: str | PathLike[str]) -> tuple[Any, dict[str, bytes]]:
    with open(path, "rb") as file:
        data = file.read()
    try:
        tensors = {
            name: bytes(one["data"]) for name, one in safetensors.deserialize(data)
        }
        size = int.from_bytes(data[:8], "little")
        metadata = json.loads(data[8 : 8 + size])["__metadata__"]
        header = json.loads(metadata["header"])
        is_ours = metadata["format"] == FORMAT
        version = metadata["version"]
    except (
        safetensors.SafetensorError,
        ValueError,
        KeyError,
        TypeError,
        RecursionError,
    ) as error:
        raise ValueError(
            f"`{os.fspath(path)}` is damaged, or was not written by "
            f"`save_safetensors`: {error}"
        ) from error
    if not is_ours or version != str(VERSION):
        raise ValueError(
            f"`{os.fspath(path)}` has version {version!r} of the format "
            f"{metadata['format']!r}; this code reads version {VERSION} of {FORMAT!r}"
        )
    return header, tensors


def _array(path: str | PathLike[str], told: Any, data: bytes, like: Any) -> Any:
    dtype, shape = host_form(like)
    if zlib.crc32(data) != told.get("crc32"):
        raise damaged(path, f"the checksum of `{told['path']}` is wrong")
    if len(data) != dtype.itemsize * math.prod(shape):
        raise damaged(path, f"`{told['path']}` has {len(data)} bytes")
    return np.ndarray(shape, dtype, data).copy()
