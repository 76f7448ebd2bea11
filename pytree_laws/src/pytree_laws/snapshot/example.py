"""Record of the example itself, which tells a changed example apart from a changed class."""

import ast
import enum
import functools
import inspect
import re
import zlib
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import jax
import numpy as np

from ..inspect.arrays import is_array, is_inexact, is_key
from ..inspect.trees import is_node, path_name
from ..report import or_else
from .format import NOT_RECORDED, Entry, Record, differences, entries, section_of

EXAMPLE = "its example"
INSTANCE, CALL, OTHER = "__init__", "call", "other"
_WITH_OTHER = " with another "


def of_example(suite: Any) -> dict[str, Entry]:
    """Return entries of the inputs of the constructor, and of the arguments of the call and each method.

    Floats are recorded as numbers, since another machine may round them. All else is recorded as a checksum.
    """
    given = {INSTANCE: (suite.inputs(0), code_text(type(suite).build)), OTHER: suite.other or {}}
    given |= {method.name: (method.arguments(0), code_text(method.call)) for method in suite.methods}
    given |= {CALL: suite.arguments(0)} if suite.called() else {}
    return entries({name: v for pair in given.items() for name, v in _numbers(*pair)})


def _numbers(name: str, tree: Any) -> Iterator[tuple[str, Any]]:
    leaves = [
        (path_name(path), leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree, is_leaf=_is_whole)
    ]
    yield f"`{name}` in form", np.uint32(zlib.crc32(repr([(n, _form(v)) for n, v in leaves]).encode()))
    floats = [np.ravel(v) for _, v in leaves if is_inexact(v) or type(v) in (float, complex)]
    if floats:
        numbers = np.concatenate(floats)
        yield f"`{name}`", numbers.astype(np.complex64 if np.iscomplexobj(numbers) else np.float32)


def _is_whole(value: Any) -> bool:
    """Whether a value is an instance, whose numbers may follow from another class than the tested one."""
    return not isinstance(value, dict | list | tuple | None) and is_node(value)


def _form(value: Any) -> Any:
    """Return what is the same on each machine: the dtype and shape of floats, and other values themselves."""
    if is_key(value):
        value = jax.random.key_data(value)
    if is_array(value):
        return str(value.dtype), value.shape, () if is_inexact(value) else np.asarray(value).tolist()
    if isinstance(value, bool | int | str | enum.Enum):
        return repr(value)
    shapes = [np.shape(leaf) for leaf in jax.tree.leaves(value)] if _is_whole(value) else []
    return getattr(value, "__qualname__", type(value).__qualname__), shapes


@or_else("")  # there is no source
def code_text(function: Any) -> str:
    """Return a function or a lambda as text, which another layout of the source leaves alone."""
    code, module = function.__code__, inspect.getmodule(function)
    nodes = _functions_by_line(inspect.getsource(module)) if module else {}
    names = list(code.co_varnames[: code.co_argcount])
    alike = (n for n in nodes.get(code.co_firstlineno, ()) if [each.arg for each in n.args.args] == names)
    return "\n".join(map(ast.unparse, alike))


@functools.lru_cache(maxsize=8)
def _functions_by_line(source: str) -> dict[int, list[ast.Lambda | ast.FunctionDef]]:
    by_line: dict[int, list[ast.Lambda | ast.FunctionDef]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Lambda | ast.FunctionDef):
            by_line.setdefault(node.lineno, []).append(node)
    return by_line


def changed_example(suite: Any, record: Record) -> set[str]:
    """Return the parts of the example that differ from the recorded ones: `__init__`, `call`, `step`.

    A record without an example was written before examples were recorded.
    """
    was = record.get(section_of(type(suite), EXAMPLE))
    pairs = differences(was, of_example(suite), None) if was is not None else ()
    return {name.split("`")[1] for name, told in pairs if told != NOT_RECORDED}


def of_changed_example(suite: Any, changed: Collection[str], lines: Iterable[str]) -> list[str]:
    """Return the lines of differences that follow from the changed parts of an example."""
    return [
        line for line in lines if INSTANCE in changed or any(part in changed for part in _parts(suite, line))
    ]


def _parts(suite: Any, line: str) -> Iterator[str]:
    """Yield the parts of an example on which a recorded number may depend, besides the instance."""
    names = [method.name for method in suite.methods if is_of(line, [method.name])]
    yield from names or [CALL] * (is_of(line, [CALL]) or line.startswith("gradient of "))
    yield from [OTHER] * (_WITH_OTHER in line)


def is_of(place: str, methods: Collection[str]) -> bool:
    """Whether a finding or an entry is of one of the methods: `step`, `step.0`, `gradient of step by x`."""
    return any(re.match(rf"(gradient of |.*\bafter )?{re.escape(name)}(?!\w)", place) for name in methods)
