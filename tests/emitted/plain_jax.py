"""The author's body, run as plain jax with the arrays as arguments, beside the class that is emitted for it."""

import sys
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from scaffold import find_layout
from scaffold.emit.facts import facts
from scaffold.render_class import module_context
from scaffold.rendering.render import render_class
from scaffold.spec import ModuleSpec, read_spec
from scaffold.spec.states import is_stateful
from scaffold.suite.examples.examples import constructor_name
from scaffold.suite.examples.subject import Subject
from tests.support.projects import EXAMPLES

NAMESPACE = {"jax": jax, "jnp": jnp, "np": np, "eqx": eqx, "nnx": nnx}
Values = dict[str, Any]
"""The value of each stored field that holds arrays, by name."""


def sample(seed: int, shape: Sequence[int] = (), dtype: str = "float") -> jax.Array:
    """Well-spread example values, as the laws have them."""
    return jnp.asarray(np.random.default_rng(seed).uniform(0.2, 1.0, shape), jnp.result_type(float))


class Both:
    """An emitted class and its author's body, on the same values."""

    def __init__(self, raw: Mapping[str, Any], *arguments: Any, **inputs: Any):
        sizes = {} if inputs else {"test": {"sizes": {"n": 3}}}
        self.spec = read_spec({**sizes, **raw}, "drawn")
        self.body = str(raw["call"]["body"])
        self.names = executed(self.spec)
        build = eval(constructor_name(self.spec), self.names)
        given = inputs or example_inputs(self.spec, arguments)
        self.state: Any = None
        if is_stateful(self.spec):
            self.instance, self.state = eqx.nn.make_with_state(build)(**given)
        else:
            self.instance = build(**given)
        self.paths = facts(self.spec).paths

    @property
    def is_nnx(self) -> bool:
        return self.spec.kind == "nnx"

    def values(self) -> Values:
        """What the fields hold at the start."""
        return self._held(self.instance, self.state)

    def _held(self, instance: Any, state: Any) -> Values:
        if self.is_nnx:
            return nnx.to_pure_dict(nnx.state(instance))
        found = {one.name: look_up(instance, self.paths[one.name]) for one in self.spec.dynamic}
        index = {name: one for name, one in found.items() if isinstance(one, eqx.nn.StateIndex)}
        return {**found, **{name: state.get(one) for name, one in index.items()}}

    def emitted(self, values: Values, *arguments: Any) -> tuple[Any, Values]:
        """The result of the emitted call, and the next states."""
        if self.is_nnx:
            graphdef, state = nnx.split(self.instance)
            nnx.replace_by_pure_dict(state, values)
            module = nnx.merge(graphdef, state, copy=True)
            return module(*arguments), self._states(self._held(module, None))
        index = {name: look_up(self.instance, self.paths[name]) for name in values}
        states = {name for name, one in index.items() if isinstance(one, eqx.nn.StateIndex)}
        stored = {self.paths[name]: value for name, value in values.items() if name not in states}
        instance = placed(self.instance, stored)
        if self.state is None:
            return instance(*arguments), {}
        state = jax.tree.map(lambda leaf: leaf, self.state)
        for name in sorted(states):
            state = state.set(index[name], values[name])
        *result, state = instance(*arguments, state)
        return result[0], self._states(self._held(instance, state))

    def _states(self, values: Values) -> Values:
        return {one.name: values[one.name] for one in self.spec.fields if one.role == "state"}

    def plain(self, values: Values, *arguments: Any) -> tuple[Any, Values]:
        """The same of the author's body: fields are names of a namespace, and its statements assign them."""
        spec = self.spec
        static = {
            one.name: getattr(self.instance, one.name) for one in spec.static if one.name != "structure"
        }
        static |= {one.name: None for one in spec.dynamic if one.name not in values}
        properties = {one.name: _property(spec, one.expression or "") for one in spec.derived}
        held = type("Plain", (SimpleNamespace,), properties)(**values, **static)
        called = [one.name for one in spec.call.args if one.name != "state"] if spec.call is not None else []
        result = function(["self", *called], self.body)(held, *arguments)
        return result, self._states(vars(held))


def executed(spec: ModuleSpec) -> dict[str, Any]:
    """The names of the emitted module."""
    source = render_class(spec.kind, module_context(spec, find_layout(EXAMPLES), {}))
    names: dict[str, Any] = {"__name__": "drawn"}
    # The modules that emitted classes share lie beside the examples.
    with patch.object(sys, "path", [str(EXAMPLES), *sys.path]):
        exec(compile(source, "drawn", "exec", dont_inherit=True), names)
    return names


def example_inputs(spec: ModuleSpec, arguments: Sequence[Any]) -> dict[str, Any]:
    """The constructor's arguments in the example of the generated tests; a closure's are those of its call."""
    inputs = dict(Subject(spec, {}).inputs)
    names = {**NAMESPACE, "sample": sample, "seed": 0, "arguments": tuple(arguments)}
    inputs |= {"example": "arguments"} if "example" in inputs else {}
    return {name: eval(source, names) for name, source in inputs.items()}


def function(parameters: Sequence[str], body: str) -> Any:
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    names: dict[str, Any] = dict(NAMESPACE)
    source = f"def call({', '.join(parameters)}):\n{lines}"
    exec(compile(source, "plain", "exec", dont_inherit=True), names)
    return names["call"]


def look_up(tree: Any, path: str) -> Any:
    for part in path.split("."):
        tree = getattr(tree, part)
    return tree


def placed(instance: Any, values: Mapping[str, Any]) -> Any:
    """The instance with other values at some paths."""
    paths = [path for path, value in values.items() if value is not None]
    return eqx.tree_at(
        lambda tree: [look_up(tree, path) for path in paths], instance, [values[path] for path in paths]
    )


def _property(spec: ModuleSpec, source: str) -> property:
    def get(held: Any) -> Any:
        fields = {one.name: getattr(held, one.name) for one in spec.stored}
        return eval(source, {**NAMESPACE, "self": held, **fields})

    return property(get)


def weighted(tree: Any) -> Any:
    """A number on which each element of the arrays tells with a weight of its own."""
    leaves = [leaf for leaf in jax.tree.leaves(tree) if eqx.is_inexact_array(leaf)]
    weights = [np.cos(np.arange(leaf.size) + i).reshape(leaf.shape) for i, leaf in enumerate(leaves)]
    return sum(jnp.sum(leaf * jnp.asarray(w, leaf.dtype)) for leaf, w in zip(leaves, weights, strict=True))


def gradients(run: Any, values: Values, *arguments: Any) -> tuple[Any, Any]:
    """What `run` gives, and the gradient of all of it with respect to fields and arguments."""
    floats, rest = eqx.partition((values, arguments), eqx.is_inexact_array)

    def loss(floats: Any) -> tuple[Any, Any]:
        values, arguments = eqx.combine(floats, rest)
        made = run(values, *arguments)
        return weighted(made), made

    (_, made), slopes = jax.value_and_grad(loss, has_aux=True)(floats)
    return made, slopes


def assert_same(one: Any, other: Any, told: str) -> None:
    """Two trees of arrays, but for what rounding does."""
    pairs = list(zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))
    for i, (left, right) in enumerate(pairs):
        size = 1 + float(np.abs(right).max(initial=0))
        np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-5 * size, err_msg=f"{told}, leaf {i}")


def mapped(both: Both, run: Any) -> Any:
    """`run`, over a batch of the argument where the call averages over one."""
    axis = both.spec.call.axis_name if both.spec.call is not None else None
    return run if axis is None else jax.vmap(run, (None, 0), (0, None), axis_name=axis)


def over_steps(run: Any) -> Any:
    """From fields and several arguments to the results of a call for each, the states handed on."""

    def steps(values: Values, rows: Any) -> tuple[Any, Values]:
        results: list[Any] = []
        for row in rows:
            result, after = run(values, row)
            results.append(result)
            values = {**values, **after}
        return results, values

    return steps


def assert_same_gradients(run: Any, other: Any, values: Values, *arguments: Any, cut: frozenset[str]) -> None:
    """Two versions of a call give the same, and have the same gradients; the first has none where it is cut off."""
    made, (slopes, of_arguments) = gradients(run, values, *arguments)
    wanted, (plain, of_plain) = gradients(other, values, *arguments)
    assert_same(made, wanted, "the call")
    assert_same(of_arguments, of_plain, "the gradient of the arguments")
    for name in values:
        expected = jax.tree.map(jnp.zeros_like, plain[name]) if name in cut else plain[name]
        assert_same(slopes[name], expected, f"the gradient of `{name}`")


def check_gradients(raw: Mapping[str, Any], *arguments: Any, several: bool = False, **inputs: Any) -> Both:
    """Values, next states and gradients of the emitted class are those of plain jax; those of buffers are 0."""
    both = Both(raw, *arguments, **inputs)
    runs = [mapped(both, one) for one in (both.emitted, both.plain)]
    run, plain = map(over_steps, runs) if several else runs
    cut = frozenset(one.name for one in both.spec.fields if one.role == "buffer")
    assert_same_gradients(run, plain, both.values(), *arguments, cut=cut)
    return both
