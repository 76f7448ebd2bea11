"""Compiled functions, and the settings that all laws run under."""

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
    """What all laws run under: quick compilation, and products in full precision.

    What they compile runs once or twice. By default a GPU or a TPU rounds what goes into
    a product, as `jit` and eager calls need not do alike.
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
    """`jax.jit` that compiles faster, where that can be: most programs run once or twice."""
    return jax.jit(function, compiler_options=quick_options(), **options)


def run_batched(programs: Sequence[tuple[Callable[..., Any], Sequence[Any]]]) -> list[Any]:
    """What functions give of their arguments, from one program: alone, each has its price.

    Where one raises, that is not known of which, and each has its own; an error is in the place of its result.
    """
    return jit_all([run for run, _ in programs])([arguments for _, arguments in programs])


def jit_all(runs: Sequence[Callable[..., Any]]) -> Callable[[Sequence[Sequence[Any]]], list[Any]]:
    """As `run_batched`, for several arguments of the same shapes and dtypes: it is compiled once."""

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
    """`jax.jit` of a function of an instance and arguments, which notes its traces.

    Leaves that are no arrays are held static where `mixed` says that an instance has such, and so are those of
    modules of Equinox among the arguments, as `eqx.filter_jit` does.
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
        """The result of a call as shapes and dtypes, from the same traces."""
        program, parts = self.parts(instance, arguments)
        return program.eval_shape(*parts)

    def parts(self, instance: Any, arguments: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
        """The program for an instance and arguments, and what it takes of them."""
        held, given = split_modules(arguments)
        is_mixed = self.mixed(instance)
        if not is_mixed and held is None:
            return self.plain, (instance, *arguments)
        static, traced = partition(instance) if is_mixed else (None, instance)
        return self.split, (static, held, traced, given)

    def traces_of(self, arguments: Any) -> int:
        """How often it was traced for arguments of these shapes and dtypes."""
        return self.traces.count(avals(jax.eval_shape(lambda: split_modules(arguments)[1])))


def with_static_modules(
    function: Callable[..., Any], arguments: Sequence[Any]
) -> tuple[Callable[..., Any], Sequence[Any]]:
    """A function and its last arguments, for a trace in which what is static of modules among them stays so."""
    held, given = split_modules(arguments)
    if held is None:
        return function, given

    def run(*values: Any) -> Any:
        first = len(values) - len(given)
        return function(*values[:first], *join_modules(held, values[first:]))

    return run, given


def shapes_of(function: Callable[..., Any], arguments: Sequence[Any], *first: Any) -> Any:
    """The result as shapes and dtypes, for what comes first and for arguments whose modules stay static where they are so."""
    run, given = with_static_modules(function, arguments)
    return jax.eval_shape(run, *first, *given)


def split_modules(arguments: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
    """What is static of the modules among arguments, None where there is nothing, and the rest."""
    nodes, treedef = jax.tree.flatten(tuple(arguments), is_leaf=is_partly_static)
    modules = [node for node in nodes if is_partly_static(node)]
    if all(len(arrays_of(module)) == len(jax.tree.leaves(module)) for module in modules):
        return None, tuple(arguments)
    parts = [partition(node) if is_partly_static(node) else (None, node) for node in nodes]
    return (treedef, tuple(static for static, _ in parts)), [given for _, given in parts]


def join_modules(held: Any, given: Sequence[Any]) -> Sequence[Any]:
    """The arguments of which these are the parts."""
    if held is None:
        return given
    treedef, statics = held
    pairs = zip(statics, given)
    return treedef.unflatten([part if static is None else combine(static, part) for static, part in pairs])


def is_partly_static(node: Any) -> bool:
    """Whether it is a Module of Equinox, or another node with functions among its leaves, which no compiled call takes."""
    if isinstance(node, dict | list | tuple) or not is_node(node):
        return False
    return is_equinox(type(node)) or any(map(callable, jax.tree.leaves(node)))
