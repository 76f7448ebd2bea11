"""Uses of the methods of a class: with the example, and with other values or instances."""

import enum
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import jax
import numpy as np

from ..declare.methods import Method
from ..inspect.call_recorder import EMPTY, Invocation, record_call
from ..inspect.parameter_values import other_values
from ..inspect.trees import (
    arrays_of,
    attributes,
    keys_as_data,
    named_numbers,
    named_results,
    output_name,
    structure,
)
from ..report import or_else
from ..trace.program_texts import live_text, program_text
from .configurations import (
    TracedConfiguration,
    accepted_configurations,
    changes_as_text,
    traced_configurations,
)
from .invocation import on_arrays

PLAIN = bool, int, float, complex


class Use(NamedTuple):
    """A single use of a method, with its name in messages and the function that makes it."""

    name: str
    run: Callable[..., Any]
    instance: Any
    given: Any
    is_plain: bool = False
    """Whether the use has the instance and arguments of the example."""
    flag: str = ""
    """Name of the flag that has another value."""
    changes: Mapping[str, Any] = {}
    """Values that differ from the example, in arguments of the method or of the constructor."""


OtherUses = Callable[[Method, Invocation, Any], Iterator[Use]]
"""Function that yields further uses of a method from an invocation on an instance."""


class Traced(NamedTuple):
    """The jaxpr of a use, the form of its result, and the plain values in it."""

    jaxpr: Any
    form: Any
    plain: dict[str, Any]
    inputs: Any
    treedef: Any = None
    """Treedef of the result, whose static values an option may set."""


def uses_of(suite: Any, method: Method) -> Iterator[Use]:
    """Yield uses of a method: on the example, with other options, and on other configurations."""
    plain = example_use(method, suite.elsewhere(suite.cached_instance()))._replace(is_plain=True)
    yield plain
    invocation = record_call(plain.instance, lambda: plain.run(plain.instance, plain.given), method.name)
    if invocation is not None:
        yield from at_other_values(method, invocation, plain.instance)
    every = (*traced_configurations(suite), *accepted_configurations(suite))
    yield from uses_of_instances(suite, method, filter(is_built_otherwise, every))


def uses_of_instances(suite: Any, method: Method, built: Iterable[TracedConfiguration]) -> Iterator[Use]:
    """Yield uses of a method with its example arguments, on instances of other configurations."""
    for traced in built:
        use = example_use(method, suite.elsewhere(traced.instance))
        configuration = traced.configuration
        yield use._replace(name=f"{method.name}{configuration.built_with}", changes=configuration.changes)


def example_use(method: Method, instance: Any) -> Use:
    """Return the use of a method of an instance with its example arguments."""
    return Use(
        method.name, lambda instance, rest: method.use(instance, *rest), instance, tuple(method.arguments(0))
    )


def invocation_of(method: Method, use: Use) -> Invocation | None:
    """Return the invocation by which a use calls its method, or None if it calls another method first."""
    invocation = record_call(use.instance, lambda: use.run(use.instance, use.given))
    return invocation if invocation is not None and invocation.name == method.name else None


def is_built_otherwise(traced: TracedConfiguration) -> bool:
    configuration = traced.configuration
    return (
        traced.instance is not None
        and not configuration.given
        and configuration.size == 1
        and configuration.changes_options_alone
    )


def at_other_values(method: Method, invocation: Invocation, instance: Any) -> Iterator[Use]:
    """Yield uses of a method at each other value of each of its flags and options."""
    annotations = invocation.annotations()
    for name, parameter in invocation.varied().items():
        annotation = annotations.get(name, EMPTY)
        for value in other_values(annotation, parameter.default, invocation.given[name]):
            if isinstance(value, np.ndarray) or name.startswith("_"):
                continue
            use = use_with(method, invocation, instance, name, value, flag=name if is_flag(value) else "")
            if arrays_of(value):  # given like the others, so that they are traced, and cast
                use = use._replace(run=bound_with(invocation, {}), given={**use.given, name: value})
            yield use


def use_with(
    method: Method, invocation: Invocation, instance: Any, name: str, value: Any, *, flag: str
) -> Use:
    """Return a use of a method in which one argument has another value, which is static."""
    changes = {name: value}
    rest = {key: argument for key, argument in invocation.given.items() if key != name}
    title = f"{method.name}({changes_as_text(changes)})"
    return Use(title, bound_with(invocation, changes), instance, rest, flag=flag, changes=changes)


def uses_by_flag(
    suite: Any, method: Method, others_of: OtherUses = at_other_values
) -> dict[str, list[list[Use]]]:
    """Map each flag or option to the uses that differ in it alone, with a list for each instance."""
    built = (traced.instance for traced in traced_configurations(suite)[1:] if is_built_otherwise(traced))
    plain = next(uses_of(suite, method))
    invocation = record_call(plain.instance, lambda: plain.run(plain.instance, plain.given), method.name)
    by_flag: dict[str, list[list[Use]]] = {}
    if invocation is None:
        return by_flag
    for instance in (plain.instance, *map(suite.elsewhere, built)):
        # By name, as the others: a jaxpr takes what lies in a dict in another order than a tuple.
        usual = Use(method.name, bound_with(invocation, {}), instance, dict(invocation.given))
        others = others_of(method, invocation, instance)
        for name, uses in itertools.groupby(others, lambda use: use.flag):
            if name:
                by_flag.setdefault(name, []).append([usual, *uses])
    return by_flag


def is_flag(value: Any) -> bool:
    """Whether a value is a bool, text, integer or enum member, and not an array, None or a tree."""
    return isinstance(value, bool | str | int | enum.Enum)


def bound_with(invocation: Invocation, changes: dict[str, Any]) -> Callable[..., Any]:
    """Return a method as a function of an instance and its other arguments."""
    return lambda instance, rest: invocation.call(instance, {**rest, **changes})


@or_else(None)
def trace_use(suite: Any, use: Use) -> Traced | None:
    """Trace a use of a method, or return None if it raises."""
    return traced_or_raise(suite, use)


def traced_or_raise(suite: Any, use: Use) -> Traced:
    """Trace a use of a method."""
    plain: dict[str, Any] = {}
    treedefs: list[Any] = []

    def use_again(instance: Any, given: Any) -> Any:
        result = use.run(instance, given)
        plain.clear()
        plain.update(plain_parts(use.name, result))
        treedefs[:] = [structure(result)]
        numbers = named_numbers(use.name, keys_as_data(result)).items()
        arrays = {path: v for path, v in numbers if not isinstance(v, PLAIN)}
        return arrays, suite.changed_in_place(instance)

    run, inputs = on_arrays(suite, use.instance, use.given, use_again)
    jaxpr, form = jax.make_jaxpr(run, return_shape=True)(*inputs)
    return Traced(jaxpr, form, plain, inputs, treedefs[0])


def updated_by(suite: Any, method: Method) -> list[str]:
    """List the paths of the arrays that a method assigns in its instance, even with an equal value."""
    updated: list[str] = []

    def use(instance: Any, arguments: Any) -> None:
        before = suite.changed_in_place(instance)
        method.use(instance, *arguments)
        after = suite.changed_in_place(instance)
        updated[:] = [path for path, array in after.items() if array is not before.get(path)]

    run, given = on_arrays(suite, suite.cached_instance(), tuple(method.arguments(0)), use)
    jax.eval_shape(run, *given)
    return updated


def output_of_use(suite: Any, use: Use, i: int) -> str:
    """Return the name of an array in the result of a use."""
    result = use.run(suite.copied(use.instance), use.given)
    return output_name([name for name, _ in named_results(result)], i)


def plain_parts(name: str, result: Any) -> dict[str, Any]:
    """Return the Python number that a result is, or the numbers in the attributes of an instance."""
    if isinstance(result, PLAIN):
        return {name: result}
    settings = {} if jax.tree_util.all_leaves([result]) else attributes(result)
    return {f"{name}.{key}": v for key, v in settings.items() if isinstance(v, PLAIN)}


def computed_text(trace: Traced) -> str:
    """Return as text the equations of a use that its result needs."""
    return f"{live_text(trace.jaxpr)} {list(trace.plain.values())}"


def trace_text(trace: Traced) -> str:
    """Return the whole trace of a use as text."""
    return f"{program_text(trace.jaxpr)} {list(trace.plain.values())}"


def gives_an_instance(suite: Any, method: Method, instance: Any, arguments: Any) -> bool:
    """Whether a method returns another instance of the class, such as an edited copy."""
    return isinstance(_abstract_result(suite, method, instance, arguments), type(instance))


def holds_an_instance(suite: Any, method: Method) -> bool:
    """Whether the result of a method contains an instance of the class, as the sum of two kernels does."""
    cls = type(suite.cached_instance())
    result = _abstract_result(suite, method, suite.cached_instance(), method.arguments(0))
    leaves = jax.tree.leaves(result, is_leaf=lambda node: isinstance(node, cls))
    return any(isinstance(leaf, cls) for leaf in leaves)


def _abstract_result(suite: Any, method: Method, instance: Any, arguments: Any) -> Any:
    result: list[Any] = []

    def run() -> Any:
        result[:] = [method.use(suite.copied(instance), *arguments)]
        return arrays_of(result)

    jax.eval_shape(run)
    return result[0]
