"""Compiled functions, and the settings under which all laws run."""

import contextlib
from collections.abc import Callable, Generator, Sequence
from typing import Any

import jax

from ..inspect.classes import is_equinox
from ..inspect.trees import arrays_of, avals, combine, is_node, partition
from ..patches.fast_compile import quick_compilation, quick_options
from ..report import ANY_ERROR, result_or_error


@contextlib.contextmanager
def settings() -> Generator[None, None, None]:
    """Run with the settings of all laws: quick compilation, and matrix products in full precision.

    Most programs run once or twice. By default, a GPU or a TPU rounds the factors of a product. It may do so
    differently in `jit` and in eager calls.
    """
    name = "jax_disable_most_optimizations"
    before = jax.config.values[name]
    jax.config.update(name, True)
    try:
        with jax.default_matmul_precision("highest"), quick_compilation():
            yield
    finally:
        jax.config.update(name, before)


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Apply `jax.jit` with quick compilation, since most programs run once or twice."""
    return jax.jit(function, compiler_options=quick_options(), **options)


def run_batched(programs: Sequence[tuple[Callable[..., Any], Sequence[Any]]]) -> list[Any]:
    """Run several functions in one jitted program, because each compilation is costly.

    If the program raises, each function runs alone, and an error takes the place of its result.
    """
    return jit_all([run for run, _ in programs])([arguments for _, arguments in programs])


def jit_all(runs: Sequence[Callable[..., Any]]) -> Callable[[Sequence[Sequence[Any]]], list[Any]]:
    """Return a function that works as `run_batched` for several inputs of the same shapes, compiled once."""

    @compiled
    def all_of_them(inputs: Sequence[Sequence[Any]]) -> list[Any]:
        return [run(*arguments) for run, arguments in zip(runs, inputs)]

    alone = [compiled(run) for run in runs]

    def results(inputs: Sequence[Sequence[Any]]) -> list[Any]:
        if len(runs) > 1:
            with contextlib.suppress(*ANY_ERROR):
                return all_of_them(inputs)
        return [result_or_error(run, *arguments) for run, arguments in zip(alone, inputs)]

    return results


class Compiled:
    """`jax.jit` of a function of an instance and arguments, which records its traces.

    If `mixed` holds for an instance, its leaves other than arrays are static. As in `eqx.filter_jit`, such
    leaves of Equinox modules among the arguments are static too.
    """

    def __init__(self, function: Callable[..., Any], mixed: Callable[[Any], bool], name: str = "jax.jit"):
        def traced(instance: Any, *arguments: Any) -> Any:
            self.traces.append(avals(split_modules(arguments)[1]))
            return function(instance, *arguments)

        def merged(static: Any, held: Any, instance: Any, given: Sequence[Any]) -> Any:
            return traced(combine(static, instance) if static else instance, *join_modules(held, given))

        self.name, self.mixed, self.traces = name, mixed, list[Any]()
        self.plain, self.split = compiled(traced), compiled(merged, static_argnums=(0, 1))

    def __call__(self, instance: Any, *arguments: Any) -> Any:
        program, parts = self.parts(instance, arguments)
        return program(*parts)

    def shapes(self, instance: Any, *arguments: Any) -> Any:
        """Return shapes and dtypes of the result, from the traces of calls."""
        program, parts = self.parts(instance, arguments)
        return program.eval_shape(*parts)

    def parts(self, instance: Any, arguments: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
        """Return the program for an instance and arguments, and the parts to call it with."""
        held, given = split_modules(arguments)
        is_mixed = self.mixed(instance)
        if not is_mixed and held is None:
            return self.plain, (instance, *arguments)
        static, traced = partition(instance) if is_mixed else (None, instance)
        return self.split, (static, held, traced, given)

    def traces_of(self, arguments: Any) -> int:
        """Return the number of traces for arguments of these shapes and dtypes."""
        return self.traces.count(avals(jax.eval_shape(lambda: split_modules(arguments)[1])))


def with_static_modules(
    function: Callable[..., Any], arguments: Sequence[Any]
) -> tuple[Callable[..., Any], Sequence[Any]]:
    """Return a function and its last arguments for a trace, with static parts of modules kept static."""
    held, given = split_modules(arguments)
    if held is None:
        return function, given

    def run(*values: Any) -> Any:
        first = len(values) - len(given)
        return function(*values[:first], *join_modules(held, values[first:]))

    return run, given


def shapes_of(function: Callable[..., Any], arguments: Sequence[Any], *first: Any) -> Any:
    """Return the shapes and dtypes of a result, with static parts of modules kept static."""
    run, given = with_static_modules(function, arguments)
    return jax.eval_shape(run, *first, *given)


def split_modules(arguments: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
    """Split arguments into the static parts of their modules, or None, and the rest."""
    nodes, treedef = jax.tree.flatten(tuple(arguments), is_leaf=is_partly_static)
    modules = [node for node in nodes if is_partly_static(node)]
    if all(len(arrays_of(module)) == len(jax.tree.leaves(module)) for module in modules):
        return None, tuple(arguments)
    parts = [partition(node) if is_partly_static(node) else (None, node) for node in nodes]
    return (treedef, tuple(static for static, _ in parts)), [given for _, given in parts]


def join_modules(held: Any, given: Sequence[Any]) -> Sequence[Any]:
    """Join the results of `split_modules` into arguments."""
    if held is None:
        return given
    treedef, statics = held
    pairs = zip(statics, given)
    return treedef.unflatten([part if static is None else combine(static, part) for static, part in pairs])


def is_partly_static(node: Any) -> bool:
    """Whether a node is an Equinox module, or has functions among its leaves, which `jit` does not accept."""
    if isinstance(node, dict | list | tuple) or not is_node(node):
        return False
    return is_equinox(type(node)) or any(map(callable, jax.tree.leaves(node)))
