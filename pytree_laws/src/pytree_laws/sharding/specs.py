"""Traces of a call on sharded arrays, on an abstract mesh with explicit axes and without devices."""

import dataclasses
import math
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec

from ..inspect.arrays import is_array, is_floating
from ..inspect.classes import LIBRARIES
from ..inspect.trees import combine, flatten, partition
from ..report import result_or_error
from ..values.optimisation import weighted
from .dims import Dims, dims_of_call, dims_of_leaves, own_dims

Axes = str | tuple[str, ...] | None
Rules = Mapping[str, Axes]
Spec = tuple[Axes, ...]
_LIBRARIES = (*LIBRARIES, "jaxtyping", "pytree_laws", "contextlib", "functools", "unittest")


@dataclasses.dataclass(frozen=True)
class Example:
    """An instance and arguments of a call, with the names of their dims."""

    tree: Any
    """Arrays of the instance as a pytree."""
    back: Callable[[Any], Any]
    """Function from such a tree to an instance."""
    call: Callable[..., Any]
    """Function of an instance and the arguments."""
    arguments: tuple[Any, ...]
    names: Sequence[str]
    """Paths of the arrays in the tree, in order."""
    dims: Mapping[str, Dims]
    """Names of dims by path."""
    given: Sequence[Dims | None]
    """Names of dims of the arrays among the arguments, in order."""
    results: Sequence[Dims | None]
    """Names of dims of the results."""

    def arrays(self) -> list[Any]:
        return [*partition(self.tree)[1], *partition(self.arguments)[1]]

    def all_dims(self) -> list[Dims | None]:
        """Return the names of dims of `arrays()`."""
        return [*(self.dims.get(name) for name in self.names), *self.given]

    def sizes(self) -> dict[str, int]:
        """Map each name to the greatest common divisor of the dims of that name."""
        divisors: dict[str, int] = {}
        for array, dims in zip(self.arrays(), self.all_dims()):
            for name, size in zip(dims or (), array.shape):
                divisors[name] = math.gcd(size, divisors.get(name, 0))
        return divisors

    def own_sizes(self) -> dict[str, int]:
        """Return `sizes` of the dims that the class or its call names, and not only a sub-module."""
        named = own_dims(self.back(self.tree)).values()
        names = {dim for dims in (*named, *self.given, *self.results) for dim in dims or ()}
        return {name: size for name, size in self.sizes().items() if name in names}


def example_of(
    instance: Any,
    call: Callable[..., Any],
    arguments: tuple[Any, ...],
    apart: Callable[[Any], Any],
    names: Sequence[str],
) -> Example:
    """Return the example call with the names of dims.

    An argument without an annotation takes the name that all dims of the same size share.
    """
    tree, back = apart(instance)
    dims = dims_of_leaves(instance)
    method: Any = getattr(type(instance), "__call__", None)  # noqa: B004
    named, results = dims_of_call(method, (instance, *arguments))
    bare = Example(tree, back, call, arguments, names, dims, (), results)
    by_size: dict[int, set[str]] = {}
    for name, size in bare.sizes().items():
        by_size.setdefault(size, set()).add(name)
    only_name = {size: min(names) for size, names in by_size.items() if len(names) == 1}
    argument_dims: list[Dims | None] = []
    for argument, named_dims in zip(arguments, named[1:]):
        for array in partition(argument)[1]:
            array_dims = named_dims if named_dims is not None and array is argument else None
            argument_dims.append(array_dims or tuple(only_name.get(n, "") for n in array.shape))
    return dataclasses.replace(bare, given=argument_dims)


def spec_of(dims: Dims | None, rules: Rules) -> Spec:
    """Return the mesh axes of each dim. `4*hidden` uses the rule of `hidden` if it has no rule itself."""
    factors = ((dim, *dim.split("*")) for dim in dims or ())
    return tuple(next((rules[name] for name in names if name in rules), None) for names in factors)


def axes_in(axes: Axes) -> tuple[str, ...]:
    return axes if isinstance(axes, tuple) else (axes,) if axes else ()


def abstract_mesh(example: Example, specs: Sequence[Spec]) -> AbstractMesh:
    """Return a mesh with the axes of the specs, each as long as the common divisor of its dims."""
    lengths: dict[str, int] = {}
    several: set[str] = set()
    for array, spec in zip(example.arrays(), specs):
        for size, axes in zip(array.shape, spec):
            several |= {*axes_in(axes)} if len(axes_in(axes)) > 1 else set()
            for axis in axes_in(axes):
                lengths[axis] = math.gcd(size, lengths.get(axis, 0))
    names = tuple(sorted(lengths))
    shape = tuple(1 if name in several else lengths[name] for name in names)
    return AbstractMesh(shape, names, axis_types=(AxisType.Explicit,) * len(names))


def specs_under(example: Example, rules: Rules) -> list[Spec]:
    """Return the spec of each array of the example, in which no mesh axis occurs twice."""
    return [_once(spec_of(dims, rules)) for dims in example.all_dims()]


def is_spec(node: Any) -> bool:
    return isinstance(node, PartitionSpec)


def _once(spec: Spec) -> Spec:
    seen: set[str] = set()
    kept: list[Axes] = []
    for axes in spec:
        kept.append(None if seen & {*axes_in(axes)} else axes)
        seen |= {*axes_in(axes)}
    return tuple(kept)


def trace(example: Example, function: Callable[..., Any], specs: Sequence[Spec], mesh: Any) -> Any:
    """Trace a function of tree and arguments on sharded arrays, and return shapes and shardings."""
    (static, leaves), (rest, inputs) = partition(example.tree), partition(example.arguments)
    places = [NamedSharding(mesh, PartitionSpec(*spec)) for spec in specs]
    pairs = zip([*leaves, *inputs], places)
    structs = [jax.ShapeDtypeStruct(array.shape, array.dtype, sharding=place) for array, place in pairs]

    def run(values: Sequence[Any]) -> Any:
        tree, arguments = (combine(static, values[: len(leaves)]), combine(rest, values[len(leaves) :]))
        return [leaf for leaf in jax.tree.leaves(function(tree, arguments)) if is_array(leaf)]

    with jax.sharding.use_abstract_mesh(mesh):
        return jax.eval_shape(run, structs)


def call_of(example: Example) -> Callable[[Any, Any], Any]:
    return lambda tree, arguments: example.call(example.back(tree), *arguments)


def step_of(example: Example, trained: Collection[str]) -> Callable[[Any, Any], Any]:
    """Return a step of gradient descent with momentum, which gives outputs, momenta and new leaves."""
    call = call_of(example)

    def step(tree: Any, arguments: Any) -> Any:
        static, values = partition(tree)

        def outputs_of(arrays: Sequence[Any]) -> list[Any]:
            return flatten(call(combine(static, arrays), arguments))[0]

        outputs, _, momenta, new = descend(outputs_of, values, moved_places(example, values, trained))
        return [[output for output in outputs if is_array(output)], momenta, new]

    return step


def moved_places(example: Example, arrays: Sequence[Any], trained: Collection[str]) -> list[int]:
    """List the positions of the arrays of an instance that a step moves."""
    pairs = zip(example.names, arrays)
    return [i for i, (name, array) in enumerate(pairs) if name in trained and is_floating(array)]


def descend(
    outputs_of: Callable[[Sequence[Any]], list[Any]], arrays: Sequence[Any], moved: Sequence[int]
) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Compute outputs, and a descent step for the moved arrays: gradients, momenta and new arrays."""

    def loss(some: Sequence[Any]) -> Any:
        filled = dict(zip(moved, some))
        outputs = outputs_of([filled.get(i, array) for i, array in enumerate(arrays)])
        return sum((weighted(out) for out in outputs if is_floating(out)), jnp.zeros(())), outputs

    before = [arrays[i] for i in moved]
    slopes, outputs = jax.grad(loss, has_aux=True)(before)
    momenta = [0.9 * jnp.zeros_like(v) + g for v, g in zip(before, slopes)]
    return outputs, slopes, momenta, [v - 0.1 * m for v, m in zip(before, momenta)]


def blocked(error: BaseException) -> str:
    """Describe the error of a trace by the line of the class and the message of jax."""
    return f"{_own_line(error)}{' '.join(str(error).split())[:300]}"


def _own_line(error: BaseException) -> str:
    modules = {getattr(module, "__file__", None): name for name, module in [*sys.modules.items()]}
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        package = modules.get(frame.filename, "").partition(".")[0]
        if not frame.filename.startswith("<") and package not in _LIBRARIES:
            name = frame.filename.replace("\\", "/").rpartition("/")[2]
            return f"`{name}`, line {frame.lineno}, `{frame.line}`: "
    return ""


def dims_alone(example: Example, names: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
    """Yield each dim on its own mesh axis, with the error that stops the call, or an empty string.

    By default, these are dims that the class itself names. Suites of sub-modules try the others.
    """
    for name in filter(str.isidentifier, example.own_sizes() if names is None else names):
        specs = specs_under(example, {name: name})
        result = result_or_error(trace, example, call_of(example), specs, abstract_mesh(example, specs))
        yield name, (blocked(result) or type(result).__name__) if isinstance(result, Exception) else ""
