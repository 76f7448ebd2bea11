"""Compiled functions, and the settings that all laws run under."""

import contextlib
from collections.abc import Callable, Generator, Sequence
from typing import Any

import jax

from ..inspect.trees import avals, combine, partition
from ..patches.fast_compile import quick_compilation, quick_options
from ..report import ANY_ERROR


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
    """As `at_once`, for several arguments of the same shapes and dtypes: it is compiled once."""

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


def result_or_error(run: Callable[..., Any], *arguments: Any) -> Any:
    """What a function gives, or the error that it raises."""
    try:
        return run(*arguments)
    except ANY_ERROR as error:
        return error


def result_or_raise(result: Any) -> Any:
    """One of the results of `at_once`; raises where it is an error."""
    if isinstance(result, Exception):
        raise result
    return result


def jit_split(function: Callable[..., Any]) -> Any:
    """`jax.jit` of a function of an instance that it takes in the two parts of `split`."""

    def merged(static: Any, arrays: Any, *arguments: Any) -> Any:
        return function(combine(static, arrays), *arguments)

    return compiled(merged, static_argnums=0)


class Compiled:
    """`jax.jit` of a function of an instance and arguments, which notes its traces.

    Leaves that are no arrays are held static where `mixed` says that an instance has such.
    """

    def __init__(self, function: Callable[..., Any], mixed: Callable[[Any], bool], name: str = "jax.jit"):
        def traced(instance: Any, *arguments: Any) -> Any:
            self.traces.append(avals(arguments))
            return function(instance, *arguments)

        self.name, self.mixed, self.traces = name, mixed, list[Any]()
        self.plain, self.split = compiled(traced), jit_split(traced)

    def __call__(self, instance: Any, *arguments: Any) -> Any:
        if self.mixed(instance):
            return self.split(*partition(instance), *arguments)
        return self.plain(instance, *arguments)

    def shapes(self, instance: Any, *arguments: Any) -> Any:
        """The result of a call as shapes and dtypes, from the same traces."""
        if self.mixed(instance):
            return self.split.eval_shape(*partition(instance), *arguments)
        return self.plain.eval_shape(instance, *arguments)

    def traces_of(self, arguments: Any) -> int:
        """How often it was traced for arguments of these shapes and dtypes."""
        return self.traces.count(avals(jax.eval_shape(lambda: arguments)))
