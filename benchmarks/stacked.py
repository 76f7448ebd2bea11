"""Compiling a decoder of 2, 8 and 32 blocks: stacked layers and a scan, beside a tuple of layers and a loop."""

import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from benchmarks._timing import Budget, Measured, Table, interleave, main
from scaffold import find_layout, plan
from scaffold.generate import load_specs
from scaffold.publish import publish

SPEC = Path(__file__).resolve().parents[1] / "generated_examples/specs/decoder.py"
DEPTHS = (2, 8, 32)
SIZES = {"vocabulary": 24, "length": 7, "size": 5, "heads": 8, "head_size": 2, "hidden_size": 16}
STACKED, TUPLE = "stacked", "tuple"


def measure(runs: int) -> Measured:
    """The seconds to compile the loss and its gradients, by form and depth."""
    with TemporaryDirectory() as folder:
        modules = {form: decoder(Path(folder), form) for form in (STACKED, TUPLE)}
        cases = {
            (f"{depth} blocks", form): partial(compile_seconds, modules[form], depth)
            for depth in DEPTHS
            for form in modules
        }
        medians = interleave(cases, runs)
    measures = {
        f"{depth} blocks": {form: medians[f"{depth} blocks", form] for form in (TUPLE, STACKED)}
        for depth in DEPTHS
    }
    first, last = f"{DEPTHS[0]} blocks", f"{DEPTHS[-1]} blocks"
    table = Table("Compile the loss and its gradients", measures, [(one, TUPLE) for one in measures], "s")
    own = {STACKED: {name: medians[name, STACKED] for name in measures}}
    by_depth = Table("The same of stacked layers by depth", own, [(STACKED, first)], "s")
    return [table, by_depth], [
        Budget("32 stacked blocks / 2 stacked blocks", by_depth.ratio(STACKED, last, first), 1.3),
        Budget("32 blocks, stacked / tuple", table.ratio(last, STACKED, TUPLE), 0.5),
    ]


def decoder(folder: Path, form: str) -> ModuleType:
    """The module of the decoder's spec, in which the blocks are stacked or a tuple."""
    source = SPEC.read_text(encoding="utf-8").replace("import Module, ", "import Module, module, ")
    if form == STACKED:
        source = source.replace("list[DecoderBlock]", "list[DecoderBlock] = module(stacked=True)")
    own = folder / form
    path = own / "specs" / f"decoder_{form}.py"
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    publish(plan(load_specs([path]), find_layout(own)))
    sys.path.insert(0, str(own))
    return import_module(path.stem)


def compile_seconds(module: ModuleType, depth: int) -> float:
    """The seconds to trace and compile the loss of a decoder with this many blocks, and its gradients."""
    program, arguments = loss_and_grads(module, depth)
    start = time.perf_counter()
    program.lower(*arguments).compile()
    return time.perf_counter() - start


def loss_and_grads(module: ModuleType, depth: int) -> tuple[Any, tuple[Any, ...]]:
    """A new jitted function, and its arguments."""
    model = module.LanguageModel(**SIZES, depth=depth, key=jax.random.key(0))
    arrays, static = eqx.partition(model, eqx.is_inexact_array)
    loss: Callable[..., Any] = lambda arrays, tokens: jnp.sum(eqx.combine(arrays, static)(tokens) ** 2)  # noqa: E731
    return jax.jit(jax.value_and_grad(loss)), (arrays, jnp.arange(SIZES["length"]))


if __name__ == "__main__":
    main("stacked", __doc__, 5, ("jax", "equinox"), measure)
