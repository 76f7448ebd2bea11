"""Instances that hold nothing yet, such as an empty memory, and always return the same."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from pytree_laws.declare.methods import is_of_class
from pytree_laws.inspect.arrays import is_array, is_inexact
from pytree_laws.inspect.trees import arrays_of

from ..building.built import Built, Failure, builds, model_of
from ..building.sizes.allowed import with_allowed_values
from ..calling.called import Called
from ..values.annotations import parameters_of
from ..values.context import Context
from ..values.domains import apart, within
from ..values.plain import array
from ..values.sizes import axes_of, foreign_sizes
from ..values.sources import Source, literal, refer
from .validate_example import program

NUMBERS = ("0.5", "1.5")
"""Numbers to try in place of 0, if the call says nothing with 0."""


def more_telling(
    cls: type, built: Built, called: Called | None, call: Callable[[Built], Called | None]
) -> tuple[Built, Called | None]:
    """Replace a blank instance that a class method makes by an instance with drawn numbers."""
    is_constructor = built.positional < 0 or built.has_state or built.maker.text == refer(cls).text
    if is_constructor or not is_blank(built, called):
        return built, called
    for other in filled(cls, built):
        other_call = call(other)
        if other_call is not None and other_call.is_full and not gives_one_result(other, other_call):
            return other, other_call
    return built, called


def as_method(cls: type, made: Built) -> list[Called]:
    """Return the class method that made a blank instance as a further method, if the class has it."""
    name = made.maker.text.removeprefix(f"{refer(cls).text}.")
    is_own = name.isidentifier() and made.maker.text.endswith(f".{name}") and is_of_class(cls, name)
    return [Called(name, made.arguments, tuple(made.arguments)[made.positional :])] if is_own else []


def is_blank(built: Built, called: Called | None) -> bool:
    """Whether an array is empty, or is zero while the call returns the same for all arguments."""
    leaves = [leaf for leaf in arrays_of(model_of(built, 0)) if is_inexact(leaf)]
    if any(np.size(leaf) == 0 for leaf in leaves):
        return True
    if all(np.any(np.asarray(leaf)) for leaf in leaves):
        return False
    return called is None or gives_one_result(built, called)


def gives_one_result(built: Built, called: Called) -> bool:
    """Whether a call returns the same for several draws, or zeros if no argument is drawn."""
    try:
        if not any("seed" in source.text for source in called.arguments.values()):
            run, (arrays, arguments) = program(built, called, 0)
            return not any(map(np.any, run(arrays, arguments)))
        run, (arrays, _) = program(built, called, 0)
        results = [run(arrays, program(built, called, seed)[1][1]) for seed in range(3)]
    except Exception:
        return False
    return all(are_equal(results[0], result) for result in results[1:])


def are_equal(first: Sequence[Any], second: Sequence[Any]) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))


def filled(cls: type, built: Built) -> Iterator[Built]:
    """Yield instances of the constructor with drawn arrays, first with zero numbers, then with others."""
    made = model_of(built, 0)
    sizes = [size for leaf in arrays_of(made) for size in axes_of(leaf)]
    arguments = dict[str, Source]()
    for parameter in parameters_of(cls, cls):
        source = drawn_like(parameter.name, getattr(made, parameter.name, None), foreign_sizes(sizes)[0])
        if source is not None:
            arguments[parameter.name] = source
        elif parameter.default is inspect.Parameter.empty:
            return
    zeros = [name for name, source in arguments.items() if source.text == "0.0"]
    for number in ("0.0", *(NUMBERS if zeros else ())):
        other = Built(refer(cls), apart({**arguments, **dict.fromkeys(zeros, Source(number))}))
        if builds(cls, other, Failure()):
            yield with_allowed_values(other)


def drawn_like(name: str, value: Any, count: int) -> Source | None:
    """Return a drawn array like `value`, with `count` for empty axes, or any other value as a literal."""
    if is_array(value):
        shape = tuple(size or count for size in axes_of(value))
        source = array(name, shape, "float" if is_inexact(value) else "int", Context())
        return within("jnp.exp", {name: source})[name] if np.size(value) and np.all(value > 0) else source
    text = literal(value) if value is not None else "..."
    return Source(text) if text != "..." else None
