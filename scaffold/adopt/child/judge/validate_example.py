"""Checks of an example's values, with a search for others if they are refused or say nothing."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pytree_laws.declare.methods import Method, is_property, names_without_arguments
from pytree_laws.errors import raises_deliberately
from pytree_laws.inspect.arrays import is_inexact
from pytree_laws.inspect.trees import combine, partition
from pytree_laws.trace.jaxprs import NEEDS_VALUES, own_rules
from pytree_laws.trace.programs import compiled

from ..building.budget import Budget
from ..building.built import Built, Failure, StateOf, raised_in
from ..building.cached_tracers import with_cold_caches
from ..calling.call import search
from ..calling.called import Called, Subject
from ..calling.invoke import invoke
from ..calling.trace import combine_instance, instead, may_be_of_trace, partition_instance, shape_in
from ..classes.methods import parameters_of_method
from ..values.annotations import EMPTY
from ..values.domains import DOMAINS, apart, within
from ..values.sources import Source

TRIES = 40
"""Tries for arguments that have defaults."""
DRAWS = 8
"""Number of seeds to evaluate, since a scalar of any sign is often positive."""
EAGER_DRAWS = 3
"""Number of seeds to evaluate without compilation."""
OF_JAX = re.compile(r"[\\/]jax[\\/]_src[\\/]|^<")
MOST = 2
"""Maximum number of optional arguments to try, each alone."""


@dataclass(frozen=True)
class Evaluation:
    """Result of evaluating a call."""

    works: bool
    """True if the call returns finite numbers, and raises nothing."""
    unmoved: int = 0
    """Number of inexact leaves of the instance that have no gradient."""
    refuses: bool = False
    """True if the call raises for its values."""
    at_edges: bool = True
    """True if arguments of zeros and of ones give finite numbers too."""


def validate_example(
    cls: type, built: Built, called: Called | None, said: Mapping[str, Source]
) -> tuple[Built, Called | None]:
    """Replace values that are refused, give no finite numbers, or leave parameters unused."""
    if called is None or built.positional < 0 or built.has_state:
        return built, called
    seen = evaluate(built, called)
    if not (seen.works and seen.at_edges):
        usual = built, None if seen.refuses else called
        evaluations = ((pair, evaluate(*pair)) for pair in in_other_domains(built, called))
        return next(
            (
                pair
                for pair, evaluation in evaluations
                if evaluation.works and (evaluation.at_edges or not seen.works)
            ),
            usual,
        )
    if seen.unmoved:
        alone = of_other_draws(built, called)
        others = [*alone, *of_higher_rank(built, called), *with_defaults(cls, built, called, said)]
        others = [(other, evaluate(built, other)) for other in others]
        better = [
            (evaluation.unmoved, other)
            for other, evaluation in others
            if evaluation.works and evaluation.unmoved < seen.unmoved
        ]
        called = min(better, key=lambda pair: pair[0])[1] if better else called
    return built, called


def validate_methods(built: Built, called: Called | None, methods: Sequence[Called]) -> Built:
    """Replace numbers of the instance by another domain, if a method returns no finite numbers."""
    others = (replace(built, arguments=within(domain, built.arguments)) for domain in DOMAINS)
    others = [other for other in others if other.arguments != built.arguments and built.positional >= 0]
    if not others or all_work(built, methods):
        return built
    every = [*([called] if called is not None else []), *methods]
    return next((other for other in others if all_work(other, every)), built)


def all_work(built: Built, calls: Sequence[Called]) -> bool:
    """Whether these calls return finite numbers. A single program computes them all."""
    runs = [program(built, call, 0)[0] for call in calls]

    def every(arrays: Any, arguments: Sequence[Any]) -> Sequence[Any]:
        return [part for run, values in zip(runs, arguments, strict=True) for part in run(arrays, values)]

    try:
        compute = compiled(every)
        drawn = [[program(built, call, seed)[1] for call in calls] for seed in range(3)]
        return all(
            gives_numbers(compute, pairs[0][0], [values for _, values in pairs]) for pairs in drawn if pairs
        )
    except NEEDS_VALUES:
        return True
    except Exception:
        return False


def in_other_domains(built: Built, called: Called) -> Iterator[tuple[Built, Called]]:
    """Yield the example with positive numbers or numbers below 1: in the instance, the call, or both."""
    for domain in DOMAINS:
        of_call = replace(called, arguments=within(domain, called.arguments))
        of_both = replace(built, arguments=within(domain, built.arguments))
        yield from ((of_both, called), (built, of_call), (of_both, of_call))


def of_other_draws(built: Built, called: Called) -> list[Called]:
    """Return the call with draws of its own, if it shares draws with the constructor.

    Between equal times, for example, no time has passed.
    """
    constructor_sources = {f"the constructor's {name}": source for name, source in built.arguments.items()}
    arguments = {
        name: source
        for name, source in apart({**constructor_sources, **called.arguments}).items()
        if name not in constructor_sources
    }
    return [replace(called, arguments=arguments)] if arguments != called.arguments else []


def of_higher_rank(built: Built, called: Called) -> Iterator[Called]:
    """Yield the call with one or two more axes, since a single point may show little."""
    subject = Subject(built.source.value(0), StateOf(built))
    for name in called.guesses:
        shape = shape_in(called.arguments[name])
        for more in ((5,), (5, 7)) if shape else ():
            for wider in ((*more, *(shape or ())), (*(shape or ()), *more)):
                other = called.arguments[name].but(f"sample(seed, {wider})")
                if (call := instead(subject, called, name, other)) is not None:
                    yield call


def with_defaults(cls: type, built: Built, called: Called, said: Mapping[str, Source]) -> Iterator[Called]:
    """Yield the call with a single optional argument added."""
    parameters = parameters_of_method(cls, called.method or "__call__") or []
    given_parameters = [parameter for parameter in parameters if parameter.name in called.arguments]
    spare = [
        parameter
        for parameter in parameters
        if parameter.default is not EMPTY and parameter.name not in called.arguments
    ]
    subject = Subject(built.source.value(0), StateOf(built))
    for spare_parameter in spare[:MOST]:
        needed = spare_parameter.replace(default=inspect.Parameter.empty)
        call = search(subject, called.method, [*given_parameters, needed], said, Budget(TRIES), Failure())
        if call is not None and call.is_full:
            yield call


def argumentless_methods(built: Built, called: Called | None) -> list[Called]:
    """Return the methods without arguments, if the call leaves parameters without a gradient."""
    if called is None or not evaluate(built, called).unmoved:
        return []
    instance = built.source.value(0)
    names = names_without_arguments(instance)
    calls = [Called(name, {}) for name in names if not is_property(type(instance), name)]
    return [call for call in calls if call.method != called.method and evaluate(built, call).works]


def presumed_functions(built: Built, calls: Sequence[Called]) -> list[str]:
    """Return guessed functions if a derivative rule of the class relies on them, as for an inverse."""
    guessed = [name for name, source in built.arguments.items() if source.helpers]
    return guessed if guessed and any(has_rule(built, call) for call in calls) else []


def has_rule(built: Built, called: Called) -> bool:
    """Whether a call goes through a derivative rule of a library other than jax."""
    try:
        run, arrays = program(built, called, 0)
        return bool(own_rules(jax.make_jaxpr(run)(*arrays).jaxpr, OF_JAX))
    except Exception:
        return False


def accept_call(built: Built, called: Called) -> Called | None:
    """Return the call, with numbers of another domain if a check refuses the first, or None."""
    others = (replace(called, arguments=within(domain, called.arguments)) for domain in DOMAINS)
    return next((call for call in (called, *others) if not is_refused(built, call)), None)


def is_refused(built: Built, called: Called) -> bool:
    """Whether the example fails a check of values, whose outcome no trace shows."""
    try:
        run, arrays = program(built, called, 0)
        has_check = "callback" in str(jax.make_jaxpr(run)(*arrays))
    except NEEDS_VALUES:
        has_check = True
    except Exception:
        return False
    return has_check and evaluate(built, called).refuses


def without_sizes(built: Built) -> list[str]:
    """Return methods and properties that jax refuses because of sizes.

    If no sizes were guessed, only members that work on square arrays count.
    """
    if built.positional < 0:  # the user has given `--build`
        return []
    instance = built.source.value(0)
    refused = [name for name in names_without_arguments(instance) if has_wrong_sizes(instance, name)]
    if built.guesses or not refused:
        return refused
    try:
        square = of_one_size(built).source.value(0)
    except Exception:
        return []
    return [name for name in refused if not has_wrong_sizes(square, name)]


def of_one_size(built: Built) -> Built:
    """Replace all numbers among the arguments by the same size."""
    numbers = {name: source for name, source in built.arguments.items() if source.text.isdigit()}
    return replace(built, arguments={**built.arguments, **dict.fromkeys(numbers, Source("3"))})


def without_a_way(built: Built) -> list[list[str]]:
    """Return methods that refuse the contents of the instance, with their errors.

    If the class has no call either, users may have to prepare an instance before they use it.
    """
    if built.positional < 0:  # the user has given `--build`
        return []
    instance = built.source.value(0)
    messages = ([name, _what_it_raises(instance, name)] for name in names_without_arguments(instance))
    return [[name, message] for name, message in messages if message]


def _what_it_raises(instance: Any, name: str) -> str:
    try:
        Method(name).use(instance)
    except (TypeError, ValueError, LookupError) as error:
        return "" if raises_deliberately(error, type(instance)) else f"{type(error).__name__}: {error!s:.100}"
    except Exception:
        return ""
    return ""


def has_wrong_sizes(instance: Any, name: str) -> bool:
    try:
        Method(name).use(instance)
    except (TypeError, ValueError, IndexError) as error:
        of_arrays = isinstance(error, IndexError) or is_of_jax(error)
        return of_arrays and not raises_deliberately(error, type(instance))
    except Exception:
        return False
    return False


def is_of_jax(error: BaseException) -> bool:
    """Whether jax or NumPy raised the error, and not the code of the class."""
    return raised_in(error) in ("jax", "jaxlib", "numpy")


def evaluate(built: Built, called: Called) -> Evaluation:
    """Evaluate a call with the example values of several seeds."""
    try:
        run, arrays = program(built, called, 0)
        compute = compiled(run)
        drawn = [program(built, called, seed)[1] for seed in range(DRAWS)]
        if not all([gives_numbers(compute, *pair) for pair in drawn]):  # a list: later draws may raise
            return Evaluation(False)
        at_edges = all(gives_numbers(compute, arrays[0], fill(arrays[1], edge)) for edge in (0, 1))
    except Exception as error:  # the laws report a call that cannot be traced
        return evaluate_eagerly(built, called) if may_be_of_trace(error) else Evaluation(False, refuses=True)
    return replace(evaluate_gradients(run, *arrays), at_edges=at_edges)


def evaluate_eagerly(built: Built, called: Called) -> Evaluation:
    """Evaluate a call that cannot be traced."""
    try:
        drawn = [program(built, called, seed) for seed in range(EAGER_DRAWS)]
        return Evaluation(all([gives_numbers(run, *arrays) for run, arrays in drawn]))
    except Exception:
        return Evaluation(False, refuses=True)


def gives_numbers(compute: Callable[..., Sequence[Any]], arrays: Any, arguments: Any) -> bool:
    """Whether all outputs are finite."""
    return all(np.isfinite(np.asarray(output)).all() for output in compute(arrays, arguments))


def fill(arguments: Any, value: int) -> Any:
    """Replace all floats among the arguments by a value."""
    return jax.tree.map(lambda leaf: jnp.full_like(leaf, value) if is_inexact(leaf) else leaf, arguments)


def program(built: Built, called: Called, seed: int) -> tuple[Callable[..., Sequence[Any]], tuple[Any, Any]]:
    """Return a function that computes the float outputs of a call, and its arrays and arguments."""
    static, instance_arrays = partition_instance(built.source.value(seed))
    kept, argument_arrays = partition(
        {name: source.value(seed, StateOf(built)) for name, source in called.arguments.items()}
    )

    def run(arrays: Any, values: Any) -> Sequence[Any]:
        node, every = combine_instance(static, arrays), combine(kept, values)
        every = {name: every[name] for name in called.arguments}  # jax has sorted the keys
        with with_cold_caches(type(node)):
            method = getattr(node, called.method) if called.method else node
            result = invoke(method, every, called.keywords, called.axis)
        return [leaf for leaf in jax.tree.leaves(result) if is_inexact(leaf)]

    return run, (instance_arrays, argument_arrays)


def evaluate_gradients(run: Callable[..., Sequence[Any]], arrays: Any, arguments: Any) -> Evaluation:
    """Count the leaves without a gradient, and check that all gradients are finite."""
    leaves, treedef = jax.tree.flatten(arrays)
    places = [place for place, leaf in enumerate(leaves) if is_inexact(leaf)]

    def total(values: Sequence[Any]) -> Any:
        every = dict(enumerate(leaves)) | dict(zip(places, values, strict=True))
        outputs = run(treedef.unflatten([every[place] for place in range(len(leaves))]), arguments)
        return sum((jnp.sum(jnp.abs(output)) for output in outputs), jnp.zeros(()))

    try:
        slopes = list(map(np.asarray, compiled(jax.grad(total))([leaves[place] for place in places])))
    except Exception:
        return Evaluation(True)
    return Evaluation(
        all(np.isfinite(slope).all() for slope in slopes), sum(not np.any(slope) for slope in slopes)
    )
