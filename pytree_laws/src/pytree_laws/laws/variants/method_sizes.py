"""P7, of methods at other sizes: their results have the dims that the annotations name."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax

from ...declare.methods import Method
from ...discover.method_programs import traced_methods
from ...discover.resize import of_other_sizes, resized
from ...engine.applicability import METHODS, need
from ...engine.registry import Checks
from ...inspect.arrays import is_array
from ...inspect.trees import look_up
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, FAULT, check
from ...sharding.dims import dims_of_call, own_dims

CHECKS = Checks()

OF_THE_EXAMPLE = "a number where a size of the instance belongs, as `self.weight.shape[0]`"


@CHECKS.register(METHODS, rests_on=("test_p07_methods_give_what_is_declared",))
def test_p07_methods_follow_the_sizes_of_the_instance(subject: Suite) -> None:
    methods = traced_methods(subject, declared=True)
    severity = FAULT if subject.declares_arrays() else ADVICE
    pairs = [(method, function_of(type(subject.cached_instance()), method.name)) for method in methods]
    named = [(method, function) for method, function in pairs if function is not None]
    need(named, "no annotation names a dim that a method gives")
    for sizes, instance in of_other_sizes(subject):
        known = sizes_by_dim(instance)
        for method, function in named:
            for place, dim, size in dims_given(subject, method, function, instance, sizes):
                wanted = known.get(dim, size)
                message = f"where `{dim}` is {wanted}, axis {place} of what it gives has {size}"
                check(size == wanted, method.name, message, OF_THE_EXAMPLE, severity=severity)


def function_of(cls: type, name: str) -> Callable[..., Any] | None:
    """Return the function behind a method or a property."""
    attribute = inspect.getattr_static(cls, name, None)
    for behind in ("fget", "func", "__func__"):
        attribute = getattr(attribute, behind, attribute)
    return attribute if inspect.isfunction(attribute) else None


def sizes_by_dim(instance: Any) -> dict[str, int]:
    """Return the sizes of the dims in the annotations of fields, unless two fields disagree on a dim."""
    found = dict[str, set[int]]()
    for path, dims in own_dims(instance).items():
        for dim, size in zip(dims, getattr(look_up(instance, path), "shape", ())):
            found.setdefault(dim, set()).add(size)
    return {dim: min(sizes) for dim, sizes in found.items() if len(sizes) == 1 and dim.isidentifier()}


def dims_given(
    subject: Suite, method: Method, function: Callable[..., Any], instance: Any, sizes: Mapping[int, int]
) -> Iterator[tuple[int, str, int]]:
    """Yield axis, dim and size of a method's results, or nothing for arguments that the method refuses."""
    value, back = subject.to_arrays(instance)
    arguments = resized(tuple(method.arguments(0)), sizes)
    try:
        result = jax.eval_shape(lambda value: method.use(back(value), *arguments), value)
    except ANY_ERROR:  # P7 and P8 tell of errors
        return
    _, named = dims_of_call(function, ())
    results = result if len(named) > 1 and isinstance(result, tuple) else (result,)
    for array, dims in zip(results, named):
        shape = array.shape if is_array(array) or isinstance(array, jax.ShapeDtypeStruct) else ()
        if dims is not None and len(dims) == len(shape):
            yield from ((axis, dim, size) for axis, (dim, size) in enumerate(zip(dims, shape)))
