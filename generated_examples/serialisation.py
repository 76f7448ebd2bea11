"""Pytrees to files and back: `save_leaves` and `load_leaves`.

A file is a line of JSON, and then each leaf as `numpy.save` writes it, so that NumPy alone
can read it:

    with open(path, "rb") as file:
        header = json.loads(file.readline())
        leaves = {leaf["path"]: numpy.load(file) for leaf in header["leaves"]}

The line of JSON has the path, dtype and shape of each leaf, and the static configuration
of each node. Loading compares them with those of a tree that is there already, and refuses
a file that differs. It never unpickles.

dtypes that NumPy does not have, such as bfloat16, are stored as unsigned integers of the
same bits; typed PRNG keys as their data.
"""

import contextlib
import dataclasses
import io
import json
import os
import re
import secrets
import zlib
from collections.abc import Iterator, Mapping
from itertools import takewhile
from os import PathLike
from typing import Any, BinaryIO, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import GetAttrKey, keystr

FORMAT, VERSION = "pytree leaves", 1

_Tree = TypeVar("_Tree")
_SCALARS: dict[type, Any] = {
    bool: np.bool_,
    int: np.int64,
    float: np.float64,
    complex: np.complex128,
}


def save_leaves(
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
    told = []
    for place, leaf in leaves.items():
        record = _record(place, leaf)
        checked = {"bytes": len(record), "crc32": zlib.crc32(record)}
        told.append({**told_of(place, leaf), **checked})
    header = {"format": FORMAT, "version": VERSION, "static": configuration}
    line = json.dumps({**header, "leaves": told}, separators=(",", ":"))
    with whole_file(path) as name, open(name, "xb") as file:
        file.write(f"{line}\n".encode())
        # Made anew, so that no more than one leaf is in memory twice.
        file.writelines(_record(place, leaf) for place, leaf in leaves.items())


def load_leaves(
    path: str | PathLike[str], like: _Tree, static: Mapping[str, Any] | None = None
) -> _Tree:
    """Read what `save_leaves` wrote.

    **Arguments:**

    - `path`: the file.
    - `like`: a tree of the same configuration, which stays as it is. Its leaves may be
        `jax.ShapeDtypeStruct`s.
    - `static`: as when the file was written.

    **Returns:**

    A tree with the structure of `like` and the leaves of the file, as jax arrays; where
    `like` has a NumPy array or a Python number, as such.

    **Raises:**

    - `ValueError` if the file is damaged, or was not written by `save_leaves`.
    - `ValueError` if paths, dtypes, shapes or the configuration differ; it names all
        that differs.
    """
    configuration, leaves = describe(like, static)
    with open(path, "rb") as file:
        header = _header(path, file)
        told = compare(path, header, configuration, leaves)
        sizes = _sizes(path, file, told)
        arrays = [
            _array(path, one, file.read(size))
            for one, size in zip(told, sizes, strict=True)
        ]
    return rebuild(path, like, arrays)


# What the file tells, and whether it fits


def describe(
    tree: Any, static: Mapping[str, Any] | None = None
) -> tuple[dict[str, str], dict[str, Any]]:
    """The configuration of `tree` as text, and the leaves to save, both by path."""
    configuration = {name: as_text(value) for name, value in (static or {}).items()}
    leaves: dict[str, Any] = {}
    for place, value, is_leaf in _walk(tree, ""):
        if place in configuration or place in leaves:
            raise ValueError(f"two parts of the tree have the path `{place}`")
        if is_leaf and _is_saved(value):
            leaves[place] = value
        else:
            configuration[place] = as_text(value)
    return configuration, leaves


def _walk(node: Any, place: str) -> Iterator[tuple[str, Any, bool]]:
    """Path and class of each node, and its static fields; path and value of each leaf."""
    children, treedef = jax.tree_util.tree_flatten_with_path(
        node, is_leaf=lambda below: below is not node
    )
    data = treedef.node_data()  # type: ignore[attr-defined]
    if data is None:
        yield place, node, True
        return
    kind, aux = data
    yield place, kind, False
    names = {key.name for (key,), _ in children if isinstance(key, GetAttrKey)}
    if dataclasses.is_dataclass(node):
        for field in dataclasses.fields(node):
            if field.name not in names:
                yield f"{place}.{field.name}", getattr(node, field.name, None), False
    elif kind not in (dict, list, tuple) and aux is not None:
        yield f"{place} (static)", aux, False
    for (key,), child in children:
        yield from _walk(child, place + keystr((key,)))


def as_text(value: Any) -> str:
    """A static value as text that is the same in every process."""
    if isinstance(value, jax.ShapeDtypeStruct):
        return _shown(told_of("", value))
    if type(value) in (tuple, list):
        return f"{type(value).__name__}({', '.join(map(as_text, value))})"
    if type(value) in (set, frozenset):
        return f"{type(value).__name__}({', '.join(sorted(map(as_text, value)))})"
    if isinstance(value, Mapping):
        pairs = sorted(f"{key!r}: {as_text(item)}" for key, item in value.items())
        return f"dict({', '.join(pairs)})"
    name = getattr(value, "__qualname__", None)
    if name is None:
        return re.sub(" at 0x[0-9a-fA-F]+", "", repr(value))
    # A private module may have another name in the next release.
    module = str(getattr(value, "__module__", None) or "").removeprefix("builtins")
    public = takewhile(lambda part: part and part[0] != "_", module.split("."))
    return ".".join((*public, name))


def told_of(place: str, leaf: Any) -> dict[str, Any]:
    """What a file tells of a leaf: its path, dtype and shape."""
    if type(leaf) in _SCALARS:
        return {"path": place, "dtype": type(leaf).__name__, "shape": []}
    dtype = f"key<{_key_impl(leaf)}>" if _is_key(leaf) else str(leaf.dtype)
    return {"path": place, "dtype": dtype, "shape": list(leaf.shape)}


def _shown(told: Mapping[str, Any]) -> str:
    return f"{told['dtype']}{told['shape']}"


def compare(
    path: str | PathLike[str],
    header: Any,
    configuration: Mapping[str, str],
    leaves: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """What the header of a file tells of its leaves.

    Raises one `ValueError` for all that differs between the file and a tree.
    """
    shown = {place: _shown(told_of(place, leaf)) for place, leaf in leaves.items()}
    here, there = {**configuration, **shown}, _entries(path, header)
    wrong = [
        f"{place or 'the whole'}: {there.get(place, 'nothing')} in the file, "
        f"{here.get(place, 'nothing')} in `like`"
        for place in {**there, **here}
        if there.get(place) != here.get(place)
    ]
    cut = [place for place, leaf in leaves.items() if _would_be_cut(leaf)]
    wrong += [f"{place}: jax would cut {shown[place]} to 32 bits" for place in cut]
    wide = [place for place in here if "64[" in there.get(place, here[place])]
    if cut or (_has_32_bits() and any("32[" in here[one] for one in wide)):
        wrong.append('64 bits need `jax.config.update("jax_enable_x64", True)`')
    if wrong:
        lines = "\n".join(f"- {line}" for line in wrong)
        raise ValueError(f"`{os.fspath(path)}` does not fit `like`:\n{lines}")
    told: list[dict[str, Any]] = header["leaves"]
    if [one["path"] for one in told] != list(leaves):
        raise damaged(path, "its leaves are in another order")
    return told


def _entries(path: str | PathLike[str], header: Any) -> dict[str, str]:
    """What a header tells of each node and leaf, by path."""
    try:
        static = {place: str(text) for place, text in header["static"].items()}
        return static | {told["path"]: _shown(told) for told in header["leaves"]}
    except (AttributeError, KeyError, TypeError) as error:
        raise damaged(path, f"its header is not whole ({error!r})") from error


def damaged(path: str | PathLike[str], what: str) -> ValueError:
    """The error to raise for a file that is not as it was written."""
    return ValueError(f"`{os.fspath(path)}` is damaged: {what}")


# Leaves


def to_host(place: str, leaf: Any) -> np.ndarray[Any, Any]:
    """A leaf as an array of NumPy, of the same bits."""
    if type(leaf) is int and not -(2**63) <= leaf < 2**63:
        what = "is an int of more than 64 bits, which cannot be saved"
        raise ValueError(f"`{place}` {what}")
    if type(leaf) in _SCALARS:
        return np.asarray(leaf, _SCALARS[type(leaf)])
    array = np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf)
    if array.dtype.hasobject:
        raise ValueError(f"`{place}` holds Python objects, which cannot be saved")
    return array


def rebuild(path: str | PathLike[str], like: _Tree, arrays: list[Any]) -> _Tree:
    """The tree `like` with `arrays` in the place of the leaves that are saved."""
    leaves, treedef = jax.tree.flatten(like)
    rest = iter(arrays)
    new = [
        _leaf(path, next(rest), leaf) if _is_saved(leaf) else leaf for leaf in leaves
    ]
    return jax.tree.unflatten(treedef, new)


def _leaf(path: str | PathLike[str], array: np.ndarray[Any, Any], like: Any) -> Any:
    """The array as what `like` is."""
    dtype, shape = host_form(like)
    if array.shape != shape or array.dtype not in (dtype, _stored(dtype)):
        raise damaged(path, f"{array.dtype}{array.shape} for {dtype}{shape}")
    array = array.view(dtype)
    if type(like) in _SCALARS:
        return array.item()
    if _is_key(like):
        data = jax.device_put(array)
        return jax.random.wrap_key_data(data, impl=_key_impl(like))
    if isinstance(like, np.generic | np.ndarray):
        return array[()] if isinstance(like, np.generic) else array
    if array.ndim == 0 and getattr(like, "weak_type", False):
        return jnp.asarray(array.item())  # weak again, or all is compiled anew
    return jax.device_put(array)  # which compiles nothing, as jnp.array would


def host_form(like: Any) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """dtype and shape of the array that `to_host` makes of such a leaf."""
    if type(like) in _SCALARS:
        return np.dtype(_SCALARS[type(like)]), ()
    data = jax.eval_shape(jax.random.key_data, like) if _is_key(like) else like
    return np.dtype(data.dtype), tuple(data.shape)


def _is_saved(leaf: Any) -> bool:
    is_array = hasattr(leaf, "shape") and hasattr(leaf, "dtype")
    return is_array or type(leaf) in _SCALARS


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _key_impl(leaf: Any) -> Any:
    """The implementation of a PRNG key, of which only shape and dtype may be known."""
    found: list[Any] = []
    jax.eval_shape(lambda key: found.append(jax.random.key_impl(key)), leaf)
    return found[0]


def _would_be_cut(leaf: Any) -> bool:
    """Whether jax cannot hold the leaf, since it has no arrays of 64 bits now."""
    if not isinstance(leaf, jax.Array | jax.ShapeDtypeStruct) or _is_key(leaf):
        return False
    return leaf.dtype.itemsize > 4 and _has_32_bits() and leaf.dtype != jnp.complex64


def _has_32_bits() -> bool:
    return jnp.result_type(float) == jnp.float32


# The file


@contextlib.contextmanager
def whole_file(path: str | PathLike[str]) -> Iterator[str]:
    """A name to write to. At the end the file takes the place of `path`; after an error
    it is removed.
    """
    target = os.path.realpath(path)
    temporary = f"{target}.{secrets.token_hex(4)}.tmp"
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise


def _stored(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in the file: one that NumPy has itself."""
    return np.dtype(f"u{dtype.itemsize}") if dtype.isbuiltin == 2 else dtype


def _record(place: str, leaf: Any) -> bytes:
    """A leaf as `numpy.save` writes it."""
    array = to_host(place, leaf)
    record = io.BytesIO()
    np.save(record, array.view(_stored(array.dtype)), allow_pickle=False)
    return record.getvalue()


def _header(path: str | PathLike[str], file: BinaryIO) -> dict[str, Any]:
    try:
        line = file.readline().decode()
        header = json.loads(line)
        is_ours = line.endswith("\n") and header["format"] == FORMAT
        version = header["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        is_ours, header, version = False, {}, None
    if not is_ours:
        what = "its first line is cut off, or `save_leaves` did not write it"
        raise damaged(path, what)
    if version != VERSION:
        raise ValueError(
            f"`{os.fspath(path)}` has version {version!r} of its format; this code "
            f"reads version {VERSION}"
        )
    return header


def _sizes(path: str | PathLike[str], file: BinaryIO, leaves: Any) -> list[int]:
    """How many bytes each leaf has, which must be all that there are."""
    sizes = [told.get("bytes") for told in leaves]
    if not all(type(size) is int and size >= 0 for size in sizes):
        raise damaged(path, "its header does not tell how many bytes each leaf has")
    here = os.fstat(file.fileno()).st_size - file.tell()
    if here != sum(sizes):
        what = "it is cut off" if here < sum(sizes) else "something follows the leaves"
        raise damaged(
            path, f"{what}: {here} bytes of leaves in the place of {sum(sizes)}"
        )
    return sizes


def _array(path: str | PathLike[str], told: Any, record: bytes) -> Any:
    if zlib.crc32(record) != told.get("crc32"):
        raise damaged(path, f"the checksum of `{told['path']}` is wrong")
    try:
        return np.lib.format.read_array(io.BytesIO(record), allow_pickle=False)
    except ValueError as error:
        raise damaged(path, f"`{told['path']}` is no array: {error}") from error
