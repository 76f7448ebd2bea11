"""Files that a class saves and loads, and damaged files, which `load` must refuse."""

import contextlib
import errno
import functools
import importlib
import inspect
import io
import json
import os
import pickle
import re
import sys
import tempfile
import typing
import warnings
import zipfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import jax

from ..report import ADVICE, ANY_ERROR, check, or_else
from .classes import defaults_of
from .parameter_values import members
from .trees import arrays_of, path_name

_SUFFIX = re.compile(r"""(?<![\w)\]}])\.[a-z]\w{1,11}(?=["'`\s,;:)])""")
"""A file suffix in source code or in a docstring."""


def damages(data: bytes, place: Any) -> dict[str, bytes]:
    """Return damaged variants of a file, by description. The pickle would create a folder at `place`."""

    class Trap:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(place),)

    has_checksum = b"checksum" in data  # formats that have none cannot tell
    other_byte = data[:-1] + bytes([data[-1] ^ 1])
    return {
        **({"a file with another last byte": other_byte} if has_checksum else {}),
        "a file without its last byte": data[:-1],
        "half of a file": data[: len(data) // 2],
        "an empty file": b"",
        "a file of other bytes": bytes(range(256)) * 8,
        "a pickle": pickle.dumps(Trap()),
        **dict(_of_safetensors(data)),
    }


def _of_safetensors(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield a safetensors file without metadata, as other programs write it, and without a checksum."""
    end = 8 + int.from_bytes(data[:8], "little")
    with contextlib.suppress(ValueError, LookupError, TypeError):  # of another format
        header = json.loads(data[8:end])
        metadata = header.pop("__metadata__")
        yield "a file of another program", _with_header(header, data[end:])
        sums = json.loads(metadata["checksums"])
        sums.pop(next(iter(sums)))
        header["__metadata__"] = {**metadata, "checksums": json.dumps(sums)}
        yield "a file that has no checksum of a leaf", _with_header(header, data[end:])


def _with_header(header: dict[str, Any], tensors: bytes) -> bytes:
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + tensors


def shorter_archives(path: Any) -> Iterator[tuple[str, bytes]]:
    """Yield copies of a zip archive, such as a file of `np.savez`, each without one member."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    for dropped in members:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as shorter:
            for name in members.keys() - {dropped}:
                shorter.writestr(name, members[name])
        yield dropped, buffer.getvalue()


def check_damage_is_refused(path: Any, load: Callable[[], Any], name: str) -> None:
    """Check that `load` refuses each damaged variant of the file at `path` with an error about the file."""
    place = path.with_name("unpickled")
    for damage, data in damages(path.read_bytes(), place).items():
        path.write_bytes(data)
        refusal = refusal_of(load)
        check(not place.exists(), name, "load unpickles, which can run anything")
        hint = "the sizes of the leaves in the file, and allow_pickle=False"
        check(refusal is not None, name, f"{damage} was loaded", hint)
        kind, text = refusal or (Exception, "")
        message = f"{damage} is refused by {text}, which says nothing of the file"
        is_said = not issubclass(kind, LookupError | AttributeError | NameError)
        check(is_said, name, message, "`except` around what reads the file", severity=ADVICE)


@contextlib.contextmanager
def full_disk(size: int) -> Generator[None]:
    """Forbid files larger than a size in bytes, as a full disk would."""
    try:
        resource: Any = importlib.import_module("resource")
    except ImportError:  # on Windows
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def no_flush() -> Any:
    """Return a context in which `os.fsync` fails, as on a disk that is full only when it is flushed."""
    return mock.patch("os.fsync", side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))


def half_written() -> Any:
    """Return a context in which `safetensors.numpy.save_file` fails after half of its file.

    From version 0.8 on, safetensors writes beside the target itself. Older versions write in place.
    """
    writer: Any = sys.modules.get("safetensors.numpy")

    def save_file(tensors: Any, filename: Any, metadata: Any = None) -> None:
        data = writer.save(tensors, metadata)
        Path(filename).write_bytes(data[: len(data) // 2])
        raise OSError(errno.EINTR, os.strerror(errno.EINTR))

    return mock.patch.object(writer, "save_file", save_file) if writer else contextlib.nullcontext()


def smaller_trees(tree: Any) -> Iterator[tuple[str, Any]]:
    """Yield a path, and the tree in which the container there lacks a last entry that holds arrays."""
    flatten: Any = jax.tree_util.tree_flatten_with_path
    pairs, treedef = flatten(tree, is_leaf=_has_entries)
    for i, (path, container) in enumerate(pairs):
        if _has_entries(container):
            *kept, last = container.items() if isinstance(container, dict) else container
            leaves = [leaf for _, leaf in pairs]
            leaves[i] = dict(kept) if isinstance(container, dict) else container[:-1]
            if arrays_of(last):
                yield path_name(path), treedef.unflatten(leaves)


def _has_entries(value: Any) -> bool:
    return type(value) in (dict, list, tuple) and len(value) > 0


def is_refused(load: Callable[[], Any]) -> bool:
    """Whether `load` raises an error."""
    return refusal_of(load) is not None


def refusal_of(load: Callable[[], Any]) -> tuple[type[BaseException], str] | None:
    """Return type and text of the error of `load`, or None.

    The error itself is dropped, since it may keep a file open.
    """
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        try:
            load()
        except ANY_ERROR as error:
            return type(error), f"{error!r:.80}"
    return None


def has_files(instance: Any) -> bool:
    """Whether a class saves to a path, and loads from a path into a skeleton.

    A `__getattr__` may return anything under these names, so the signatures are checked.
    """
    save, load = getattr(instance, "save", None), getattr(type(instance), "load", None)
    has_both = callable(save) and callable(load) and takes(save, 1) and takes(load, 2)
    return has_both and takes_skeleton(load, type(instance))


@or_else(True)
def takes_skeleton(load: Any, cls: type) -> bool:
    """Whether the annotation of the second argument of `load` allows an instance, unlike a flag or a name."""
    _, second, *_ = inspect.signature(load).parameters.values()
    hint = typing.get_type_hints(load).get(second.name, Any)
    kinds = [kind for kind in map(_class_of, members(hint)) if kind is not type(None)]
    return any(kind is Any or not isinstance(kind, type) or issubclass(cls, kind) for kind in kinds)


def _class_of(annotation: Any) -> Any:
    """Return the class of an annotation, such as `Net` of `Net[int]`."""
    return typing.get_origin(annotation) or annotation


def suffix_of_files(instance: Any) -> str:
    """Return the suffix of a path that `save` accepts: added by the class, or named in its source."""
    texts = [function_source(getattr(type(instance), name, None)) for name in ("save", "load")]
    for suffix in ("", *dict.fromkeys(_SUFFIX.findall("".join(texts)))):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"saved{suffix}")
            if is_refused(functools.partial(instance.save, path_for(instance.save, path))):
                continue
            made = [other.name.removeprefix("saved") for other in Path(folder).iterdir()]
            return made[0] if len(made) == 1 else suffix
    return ""


@or_else("")
def function_source(function: Any) -> str:
    return inspect.getsource(inspect.unwrap(function))


@or_else(True, ValueError)  # it has no signature
@or_else(False, TypeError)
def takes(function: Any, count: int) -> bool:
    """Whether a function takes `count` positional arguments, according to its signature."""
    inspect.signature(function).bind(*range(count))
    return True


def path_for(function: Any, path: Any) -> Any:
    """Return a path as a string if the function's first parameter is annotated `str`."""
    with contextlib.suppress(TypeError, ValueError):
        first = next(iter(inspect.signature(function).parameters.values()))
        return str(path) if first.annotation in (str, "str") else path
    return path


def other_ways(function: Any) -> dict[str, bool]:
    """Return the flags of a function by name, with the opposite of their defaults."""
    return {name: not default for name, default in defaults_of(function) if isinstance(default, bool)}
