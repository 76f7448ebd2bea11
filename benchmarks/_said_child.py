"""Runs in the interpreter of the libraries: each original class beside the one that its spec gives, on the same examples.

Reads rows of JSON from stdin, and answers each with a row: whether leaves, treedef, outputs and gradients are the same.
"""

import contextlib
import importlib
import importlib.util
import json
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Examples = Mapping[str, Callable[..., Any]]
SEED = 0
_PLACES = re.compile(r" at 0x[0-9a-f]+|0x[0-9a-f]+|\b[\w.]+\.(?=[A-Z])|\bid=\d+")
"""What the text of a treedef says of where things are, and not of what they are."""


def main() -> None:
    for line in sys.stdin:
        row = json.loads(line)
        with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
            warnings.simplefilter("ignore")
            answer = guarded(row)
        print(json.dumps(answer), flush=True)


def guarded(row: Mapping[str, Any]) -> dict[str, str]:
    try:
        return compared(row)
    except Exception as error:  # such as of an `__eq__` or a `__getattr__` of the class
        return {"differs": f"comparison: {type(error).__name__}: {error}"[:300]}


def compared(row: Mapping[str, Any]) -> dict[str, str]:
    """What differs, or nothing; `untested` where the original itself cannot be built."""
    try:
        original = getattr(importlib.import_module(row["module"]), row["shown"])
        tests = loaded(Path(row["tests"]))
    except Exception as error:
        return {"untested": f"{type(error).__name__}: {error}"[:300]}
    before = outcome(tests, row["name"], original)
    if "build" in before:
        return {"untested": before["build"]}
    try:
        emitted = getattr(loaded(Path(row["emitted"])), row["name"])
    except Exception as error:
        return {"differs": f"import: {type(error).__name__}: {error}"[:300]}
    after = outcome(tests, row["name"], emitted)
    differing = [name for name in before if not is_same(before[name], after.get(name))]
    return {"differs": f"{differing[0]}: {after.get(differing[0])!s}"[:300]} if differing else {}


def loaded(path: Path) -> ModuleType:
    """The module of a file, under a name of its own, with its folder on the path."""
    sys.path.insert(0, str(path.parent))
    try:
        spec = importlib.util.spec_from_file_location(f"{path.stem}_{abs(hash(str(path)))}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module.__name__] = module
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(path.parent))


def outcome(tests: ModuleType, name: str, cls: type) -> dict[str, Any]:
    """What a class is and gives in the example of the suite; an exception stands for itself."""
    vars(tests)[name] = cls
    suite = getattr(tests, f"Test{name}")()
    try:
        instance = suite.build(**suite.inputs(SEED))
    except Exception as error:
        return {"build": f"{type(error).__name__}: {error}"[:300]}
    leaves, treedef = taken_apart(instance)
    found: dict[str, Any] = {"leaves": leaves, "treedef": _PLACES.sub("", str(treedef))}
    if "call" in vars(type(suite)):
        found["call"] = tried(lambda: jax.tree.leaves(suite.call(instance, *suite.arguments(SEED))))
        fresh = suite.build(**suite.inputs(SEED))
        found["gradients"] = tried(lambda: gradients(suite, fresh))
    return found


def taken_apart(instance: Any) -> tuple[list[Any], Any]:
    nnx: Any = sys.modules.get("flax.nnx")
    if nnx is not None and isinstance(instance, nnx.Module):
        definition, state = nnx.split(instance)
        return jax.tree.leaves(state), definition
    return jax.tree.flatten(instance)


def tried(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except Exception as error:
        return type(error).__name__


def gradients(suite: Any, instance: Any) -> list[Any]:
    """Of the sum of what the call gives, with respect to each leaf that is an inexact array."""
    leaves, treedef = jax.tree.flatten(instance)
    moved = [place for place, leaf in enumerate(leaves) if is_inexact(leaf)]

    def loss(values: list[Any]) -> Any:
        filled = [*leaves]
        for place, value in zip(moved, values, strict=True):
            filled[place] = value
        given = suite.call(jax.tree.unflatten(treedef, filled), *suite.arguments(SEED))
        parts = [jnp.real(jnp.sum(one)) for one in jax.tree.leaves(given) if is_inexact(one)]
        return sum(parts, start=jnp.zeros(()))

    return jax.grad(loss)([leaves[place] for place in moved]) if moved else []


def is_inexact(value: Any) -> bool:
    return isinstance(value, jax.Array | np.ndarray) and jnp.issubdtype(value.dtype, jnp.inexact)


def is_same(before: Any, after: Any) -> bool:
    """Whether two values are equal: arrays in bits but for NaN, functions by name, all else by `==` or by type."""
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(is_same, before, after))
    if isinstance(before, jax.Array | np.ndarray) and isinstance(after, jax.Array | np.ndarray):
        if before.dtype != after.dtype or before.shape != after.shape:
            return False
        if jnp.issubdtype(before.dtype, jax.dtypes.prng_key):
            before, after = jax.random.key_data(before), jax.random.key_data(after)
        inexact = jnp.issubdtype(before.dtype, jnp.inexact)
        return bool(np.array_equal(np.asarray(before), np.asarray(after), equal_nan=bool(inexact)))
    if isinstance(before, float) and isinstance(after, float):
        return before == after or (before != before and after != after)
    if callable(before) and callable(after):
        return name_of(before) == name_of(after)
    with contextlib.suppress(Exception):
        if bool(before == after):
            return True
    return type(before).__name__ == type(after).__name__ and type(before).__eq__ is object.__eq__


def name_of(function: Any) -> str:
    return str(getattr(function, "__qualname__", type(function).__name__))


if __name__ == "__main__":
    main()
