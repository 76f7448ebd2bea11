"""Pytrees to safetensors files and back: `save_tree` and `load_tree`.

Each leaf is a tensor under its path, which every reader of safetensors can read. The
metadata has the classes and static values of the nodes, and dtype and shape of each leaf;
loading refuses a file that differs in any of these from a tree that is there already.

What the format does not have is stored as something that it has: complex numbers as pairs
of floats, typed PRNG keys as their data, other small types as bytes.
"""

import contextlib
import dataclasses
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from os import PathLike
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
import safetensors
import safetensors.numpy
from jax.tree_util import GetAttrKey, keystr

_Tree = TypeVar("_Tree")
_NUMBERS = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
_STORED = {
    "bool": "BOOL",
    "bfloat16": "BF16",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    **{f"float{bits}": f"F{bits}" for bits in (16, 32, 64)},
    **{f"int{bits}": f"I{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"U{bits}" for bits in (8, 16, 32, 64)},
}


class Content(NamedTuple):
    """What a file holds, each by path."""

    tree: dict[str, str]
    """What it tells of each node, static value and leaf."""
    checksums: dict[str, Any]
    tensors: dict[str, tuple[str, bytes]]
    """Form and bytes of each leaf."""


def save_tree(
    path: str | PathLike[str], tree: Any, static: Mapping[str, Any] | None = None
) -> None:
    """Write the leaves of `tree` to a file, which appears whole or not at all.

    **Arguments:**

    - `path`: the file; one that is there is replaced.
    - `tree`: a pytree. Arrays and Python numbers are saved. Other leaves, such as
        functions, count as configuration.
    - `static`: configuration that `tree` does not show, by name.
    """
    told, leaves = describe(tree, static)
    tensors = {place: _tensor(place, leaf) for place, leaf in leaves.items()}
    sums = {place: zlib.crc32(tensor.tobytes()) for place, tensor in tensors.items()}
    metadata = {"tree": json.dumps(told), "checksums": json.dumps(sums)}
    with _whole_file(path) as name:
        safetensors.numpy.save_file(tensors, name, metadata)


def load_tree(
    path: str | PathLike[str],
    like: _Tree,
    static: Mapping[str, Any] | None = None,
    change: Callable[[Content], Content] | None = None,
) -> _Tree:
    """Read what `save_tree` wrote.

    **Arguments:**

    - `path`: the file.
    - `like`: a tree of the same configuration, which stays as it is. Its leaves may be
        `jax.ShapeDtypeStruct`s.
    - `static`: as when the file was written.
    - `change`: what the file would hold if it was written today; as it is without.

    **Returns:**

    A tree with the structure of `like` and the leaves of the file, as jax arrays; where
    `like` has a NumPy array or a Python number, as such.

    **Raises:**

    - `ValueError` if the file is damaged, or was not written by `save_tree`.
    - `ValueError` if paths, dtypes, shapes or the configuration differ; it names all
        that differs.
    """
    here, leaves = describe(like, static)
    content = _read(path)
    there, sums, tensors = content if change is None else change(content)
    wrong = [
        f"- {place or 'the whole'}: {there.get(place, 'nothing')} in the file, "
        f"{here.get(place, 'nothing')} in `like`"
        for place in {**there, **here}
        if there.get(place) != here.get(place)
    ]
    if wrong:
        raise ValueError("\n".join([f"`{path}` does not fit `like`:", *wrong]))
    for place in {**leaves, **tensors}:
        form, data = tensors.get(place, ("nothing", b""))
        fits = _form(leaves[place]) if place in leaves else "nothing"
        if form != fits:
            raise ValueError(
                f"`{path}` is damaged: `{place}` holds {form} and not {fits}"
            )
        if zlib.crc32(data) != sums.get(place):
            raise ValueError(f"`{path}` is damaged: the checksum of `{place}` is wrong")
    new = iter([_leaf(tensors[place][1], leaf) for place, leaf in leaves.items()])
    return jax.tree.map(lambda leaf: next(new) if _is_saved(leaf) else leaf, like)


def describe(
    tree: Any, static: Mapping[str, Any] | None = None
) -> tuple[dict[str, str], dict[str, Any]]:
    """What the file tells of each node and leaf, and the leaves to save, both by path."""
    told = {name: _as_text(value) for name, value in (static or {}).items()}
    leaves: dict[str, Any] = {}
    for place, value, is_leaf in walk(tree):
        if place in told:
            raise ValueError(f"two parts of the tree have the path `{place}`")
        if is_leaf and _is_saved(value):
            told[place], leaves[place] = _shown(value), value
        else:
            told[place] = _as_text(value)
    return told, leaves


def walk(node: Any, place: str = "") -> Iterator[tuple[str, Any, bool]]:
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
        held = getattr(node, "__dict__", {}).items()
        settings = {name: value for name, value in held if name not in names}
        if isinstance(aux, tuple) and [*map(id, aux)] == [*map(id, settings.values())]:
            for name, value in settings.items():
                yield f"{place}.{name}", value, False
        else:
            yield f"{place} (static)", aux, False
    for (key,), child in children:
        yield from walk(child, place + keystr((key,)))


def _as_text(value: Any) -> str:
    """A static value as text that is the same in every process."""
    if isinstance(value, jax.ShapeDtypeStruct):
        return _shown(value)
    if isinstance(value, Mapping):
        value = frozenset(value.items())
    if isinstance(value, tuple | list | set | frozenset):
        parts = [_as_text(one) for one in value]
        if isinstance(value, set | frozenset):
            parts.sort()
        return f"{type(value).__name__}({', '.join(parts)})"
    name = getattr(value, "__qualname__", None)
    if name is None:
        return re.sub(" at 0x[0-9a-fA-F]+", "", repr(value))
    # A private module may have another name in the next release.
    module = str(getattr(value, "__module__", None) or "").removeprefix("builtins")
    public = takewhile(lambda part: part and part[0] != "_", module.split("."))
    return ".".join((*public, name))


def _shown(leaf: Any) -> str:
    if type(leaf) in _NUMBERS:
        return f"{type(leaf).__name__}[]"
    return f"{leaf.dtype}{list(leaf.shape)}"


def _is_saved(leaf: Any) -> bool:
    return type(leaf) in _NUMBERS or (hasattr(leaf, "shape") and hasattr(leaf, "dtype"))


def _is_key(leaf: Any) -> bool:
    return hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _tensor(place: str, leaf: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """A leaf as an array that the format has."""
    data = jax.random.key_data(leaf) if _is_key(leaf) else leaf
    array = np.asarray(data, _NUMBERS.get(type(leaf)), order="C")
    if array.dtype.hasobject:
        raise ValueError(f"`{place}` holds Python objects, which cannot be saved")
    part = _part(array.dtype)
    return array if part == array.dtype else array[..., None].view(part)


def _part(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """A dtype where the format has it, or else that of the parts that it is stored in."""
    if dtype.isnative and dtype.name in _STORED:
        return dtype
    is_complex = dtype.isnative and dtype.kind == "c"
    return np.dtype(f"f{dtype.itemsize // 2}") if is_complex else np.dtype(np.uint8)


def _form(leaf: Any) -> str:
    """Dtype and shape of what `_tensor` stores, as the format names them."""
    data = jax.eval_shape(jax.random.key_data, leaf) if _is_key(leaf) else leaf
    dtype = np.dtype(_NUMBERS.get(type(leaf)) or data.dtype)
    part, shape = _part(dtype), list(getattr(data, "shape", ()))
    parts = [] if part == dtype else [dtype.itemsize // part.itemsize]
    return f"{_STORED[part.name]}{shape + parts}"


def _leaf(data: bytes, like: Any) -> Any:
    """What `_tensor` stored, as what `like` is."""
    form = jax.eval_shape(jax.random.key_data, like) if _is_key(like) else like
    if type(like) in _NUMBERS:
        return np.frombuffer(data, _NUMBERS[type(like)])[0].item()
    array = np.ndarray(form.shape, form.dtype, data).copy()
    if isinstance(like, np.generic | np.ndarray):
        return array[()] if isinstance(like, np.generic) else array
    if array.ndim == 0 and getattr(like, "weak_type", False):
        return jnp.asarray(array.item())  # weak again, or all is compiled anew
    new = jax.device_put(array)
    if new.dtype != array.dtype:
        enable = 'jax.config.update("jax_enable_x64", True)'
        raise ValueError(f"jax would cut {_shown(like)} to 32 bits: `{enable}`")
    return jax.random.wrap_key_data(new, impl=_key_impl(like)) if _is_key(like) else new


def _key_impl(like: Any) -> Any:
    """The implementation of a PRNG key, of which only shape and dtype may be known."""
    found: list[Any] = []
    jax.eval_shape(lambda key: found.append(jax.random.key_impl(key)), like)
    return found[0]


def stored(place: str, leaf: Any) -> tuple[str, bytes]:
    """Form and bytes of a leaf, as a file has them."""
    return _form(leaf), _tensor(place, leaf).tobytes()


def _read(path: str | PathLike[str]) -> Content:
    try:
        with open(path, "rb") as file:
            data = file.read()
        tensors = {
            name: (f"{one['dtype']}{one['shape']}", bytes(one["data"]))
            for name, one in safetensors.deserialize(data)
        }
        size = int.from_bytes(data[:8], "little")
        metadata = _parsed(data[8 : 8 + size])["__metadata__"]
        return Content(
            _parsed(metadata["tree"]), _parsed(metadata["checksums"]), tensors
        )
    except (
        safetensors.SafetensorError,
        ValueError,
        KeyError,
        TypeError,
        RecursionError,
    ) as error:
        told = f"`{path}` is damaged, or was not written by `save_tree`: {error}"
        raise ValueError(told) from error


def _parsed(text: str | bytes) -> dict[str, Any]:
    """A JSON object, in which no name is there twice."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise ValueError(f"`{name}` is there twice")
            found[name] = value
        return found

    return dict(json.loads(text, object_pairs_hook=unique))


@contextlib.contextmanager
def _whole_file(path: str | PathLike[str]) -> Iterator[str]:
    """A name to write to, which takes the place of `path` in the end."""
    target = os.path.realpath(path)
    temporary = f"{target}.{os.getpid()}.tmp"
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        with contextlib.suppress(OSError):
            os.remove(temporary)
