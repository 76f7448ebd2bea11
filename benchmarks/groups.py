"""A group's filter spec: what making it costs, what a cache by structure would save, and what a partition costs."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from benchmarks._timing import Measured, Table, interleave, main, repeated
from scaffold import find_layout, load_spec, plan
from scaffold.publish import publish

SIZES = (3, 30, 100)
MADE, CACHED = "made anew", "cached by treedef"


def measure(runs: int) -> Measured:
    """The seconds for a spec, and for a partition with it, of Modules with few and with many leaves."""
    tables = []
    with TemporaryDirectory(prefix="scaffold-benchmark-") as temporary:
        for size in SIZES:
            instance = _instance(Path(temporary), size)
            made: Callable[[Any], Any] = type(instance).select_half
            names = {"module": instance, "made": made, "cached": _cached(made), "partition": eqx.partition}
            specs = {MADE: repeated("made(module)", 50, names), CACHED: repeated("cached(module)", 50, names)}
            whole = {
                MADE: repeated("partition(module, made(module))", 20, names),
                CACHED: repeated("partition(module, cached(module))", 20, names),
            }
            measures = {"spec": interleave(specs, runs), "spec and partition": interleave(whole, runs)}
            ratios = [("spec", MADE), ("spec and partition", MADE)]
            tables.append(Table(f"{size} leaves", measures, ratios, "µs"))
    return tables, []


def _cached(made: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`made`, remembered by the structure of what it is given."""
    specs: dict[Any, Any] = {}

    def cached(module: Any) -> Any:
        treedef = jax.tree.structure(module)
        if treedef not in specs:
            specs[treedef] = made(module)
        return specs[treedef]

    return cached


def _instance(folder: Path, size: int) -> Any:
    """A generated Module with `size` fields, half of them in a group."""
    fields = [f"field{index}" for index in range(size)]
    lines = [f'name = "Many{size}"', "[fields]", *(f'{name} = "f[]@param"' for name in fields)]
    grouped = ", ".join(f'"{name}"' for name in fields[: size // 2 + 1])
    path = folder / f"many{size}.toml"
    path.write_text("\n".join([*lines, "[groups]", f"half = [{grouped}]", ""]), encoding="utf-8")
    publish(plan([load_spec(path)], find_layout(folder)))
    sys.path.insert(0, str(folder))
    cls = getattr(import_module(f"many{size}"), f"Many{size}")
    return cls.create(**{name: jnp.float32(index) for index, name in enumerate(fields)})


if __name__ == "__main__":
    main("groups", __doc__, 50, ("jax", "equinox"), measure)
