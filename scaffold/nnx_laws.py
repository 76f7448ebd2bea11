"""The laws of NNX modules: what every `flax.nnx.Module` must hold, as tests.

Subclass `NnxLaws` in a test file, declare the Variables, and say how to build and call the
module; pytest then runs every law on it:

    class TestCounter(NnxLaws):
        variables = (
            Var("scale", nnx.Param, (3,)),
            Var("calls", nnx.BatchStat, (), "int32"),
        )
        updates = ("calls",)

        def inputs(self, seed):
            return {"size": 3, "rngs": nnx.Rngs(seed)}

        def build(self, **inputs):
            return Counter(**inputs)

        def arguments(self, seed):
            return (sample(seed, (3,)),)

        def call(self, counter, *arguments):
            return counter(*arguments)

The laws have the numbers of `pytree_laws.py`, which lies beside this file. P4 is about key
paths, which Flax makes for its modules, and is left out.
"""

import contextlib
import copy
import dataclasses
import functools
import math
import pickle
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax.core import Tracer
from jax.flatten_util import ravel_pytree
from pytree_laws import (
    ANY_ERROR,
    NEEDS_VALUES,
    Fault,
    Laws,
    adamw,
    alternatives,
    another,
    arrays_of,
    attributes,
    aval,
    can_pickle,
    check,
    check_caches_hold_no_tracer,
    check_damage_is_refused,
    check_flow,
    check_keys,
    check_overflow,
    check_rows_differ,
    check_slopes,
    class_attributes,
    clear_caches,
    clone_as,
    close,
    compiled,
    constant_draws,
    doing,
    edit,
    flatten,
    frozen,
    generic,
    generic_indices,
    guard,
    has_dtype,
    host,
    is_array,
    is_fixed_inexact,
    is_floating,
    is_inexact,
    is_key,
    is_of_library,
    lacks_dtype,
    look_up,
    merge,
    moved,
    mutables,
    named_leaves,
    new_carry,
    nodes,
    on_device,
    one_level,
    path_name,
    reachable,
    real_dtype,
    same_bits,
    second_class,
    split,
    stack_leaves,
    static_fault,
    thaw,
    under,
    weighted,
)

# law -> (name, statement, usual mistake, fix)
LAWS = {
    "P1": (
        "construct",
        "The constructor builds the same module from the same inputs, draws from its `rngs` alone, refuses invalid inputs, works under jit, and neither changes nor keeps what it is given.",
        "A dict, list or array of the caller is changed or stored as it is, a check is missing or needs the values of arrays, or a draw has a constant key.",
        "Copy on the way in (`jnp.array(x)`) and check there; draw from `rngs` alone, once per consumer.",
    ),
    "P2": (
        "manifest",
        "The state is exactly the declared Variables, each of its type, and no array is held outside of a Variable.",
        "A weight is a plain array, or Variables are kept in a plain list that was empty when it was assigned: no gradient and no optimiser ever reaches them.",
        "Write `nnx.Param(array)`, or another Variable type for what is not trained, and `nnx.List` where there are several.",
    ),
    "P3": (
        "round trip",
        "nnx.split and nnx.merge, and flatten and unflatten of jax, keep the type, every attribute and every Variable.",
        "A method that Flax flattens or rebuilds modules with is replaced, or `__setattr__` keeps values elsewhere.",
        "Keep every value as an attribute of the module, and leave flattening to Flax.",
    ),
    "P5": (
        "static",
        "The other attributes are immutable, hashable and equal by value; the graph definition depends on the configuration alone; the call follows its static values; no value is weakly typed.",
        "A dict, list, NaN, lambda, partial or bound method is an attribute, a constant stands where an attribute belongs, or an array was made without a dtype.",
        "Keep int, bool, str, flat tuples and module-level functions as attributes, and give every array a dtype.",
    ),
    "P6": (
        "one trace",
        "One trace serves all modules of a configuration, also after a call and a training step; another configuration is traced anew.",
        "A static attribute is new in each module or changes in the call, or an update changes a dtype.",
        "Keep what changes in Variables, and assign with `self.variable[...] = value`, which keeps shape and dtype.",
    ),
    "P7": (
        "jit equals eager",
        "The call gives the same values and dtypes, and leaves the same state, in Python, under nnx.jit, and under jax.jit through split and merge; arguments whose elements are equal give no NaN, and large ones overflow nowhere on the way.",
        "The call branches on values, mixes dtypes, or updates a Variable inside of a jax.jit of its own, which loses the update.",
        "Use nnx.jit, or return the state: `return y, nnx.state(module)`; make arrays with `dtype=x.dtype`.",
    ),
    "P8": (
        "never stale",
        "After an update of any Variable, in place too, the compiled and the eager call see the new value; an update of a parameter changes the output.",
        "A value derived from a Variable was stored at construction or is cached by the module, or a compiled function closes over the module.",
        "Derive in a property or in the call, and make the module an argument of the compiled function.",
    ),
    "P9": (
        "gradient and step",
        "nnx.grad gives a gradient to every element of every Param, at the start or elsewhere, to nothing else, and no NaN where the output is finite; a step of AdamW with weight decay moves the Params alone.",
        "A weight is no Param, a buffer is one, or a parameter, or a part of it, is not used by the call.",
        "Hold what is trained in nnx.Param and nothing else, and apply stop_gradient to buffers where they are used.",
    ),
    "P10": (
        "vmap equals loop",
        "The call and the constructor give under vmap, through split and merge, what a loop gives, outputs and states.",
        "An attribute that should be a Variable is static, or the call uses Python control flow on values.",
        "Keep arrays in Variables, and use jnp.where and lax.cond.",
    ),
    "P11": (
        "carry",
        "A call keeps the structure, shapes and dtypes of the state, and of the carry that is declared, so that lax.scan can carry it; the carry advances, and gradients pass through it.",
        "An update assigns a new Variable, promotes the dtype or drops an axis; or stop_gradient stands on the carry.",
        "Update with `self.variable[...] = value`, in the dtype of the Variable.",
    ),
    "P12": (
        "purity",
        "A call updates the declared Variables and nothing else, in place, leaves no tracer behind, prints nothing, and draws from a key that it is given.",
        "The call stores a value as an attribute or in the module, or appends to a list; a Variable that should be updated is updated on a copy, as inside of jax.jit; or a constant key is left over.",
        "Update through Variables, return what else has to be remembered, and draw from `rngs` or from an argument.",
    ),
    "P13": (
        "edit",
        "An update of one Variable leaves everything else alone; == has a truth value and tells modules apart; a module is true; its hash stays; a copy keeps the value or is refused.",
        "`__eq__` compares arrays, or static values alone, `__len__` is 0, or modules share a Variable that was made on the class.",
        "Leave == and hash to identity, as nnx.Module does, and make each Variable in `__init__`.",
    ),
    "P14": (
        "save and load",
        "deepcopy, pickle, and saving by path into a fresh module, give back the same configuration and state, and share nothing with the module; a state with other paths, types or shapes, and a damaged file, are refused.",
        "`__getstate__` or `__deepcopy__` leaves something out; or the state is loaded with nnx.update, which adds unknown paths to the module, or with nnx.merge, which goes by position.",
        "Leave copying to Flax, and compare paths, types and shapes before `nnx.update(module, state)`.",
    ),
    "P15": (
        "ownership",
        "A snapshot does not follow the module, nor the module its snapshot; no two Variables share a buffer, no Variable is held twice unless it is meant so, and each random draw, and each of its rows, has its own key.",
        "nnx.state and nnx.split return the Variables of the module itself, so that training on overwrites what was to be kept; or one key serves two draws.",
        "Make new Variables, `jax.tree.map(lambda x: x, nnx.state(module))`, and draw with `rngs.params()` once per consumer.",
    ),
    "P16": (
        "helpers",
        "`map_variables` maps the values of the Variables of a type, and leaves the others, the module and its state alone; keys give different draws.",
        "`is_leaf` is missing: jax.tree.map then goes past the Variables, and an isinstance test in the function is never true.",
        "Write `is_leaf=lambda node: isinstance(node, nnx.Variable)`, and `node.replace(function(node.get_value()))`.",
    ),
    "P17": (
        "identity",
        "The treedef differs from that of a twin class with the same attributes.",
        "The class was registered by hand in a way that does not record it.",
        "Subclass nnx.Module and let Flax register it.",
    ),
    "P18": (
        "backend",
        "The tests run on the platform that was asked for and on no other; the module commits nothing to a device; the call and its gradient lower for every platform in `lower_for`.",
        "jax fell back to the CPU, an array was put on a device by name, or the call uses a primitive that a platform lacks.",
        "Let the caller place the state (no `device_put` in the module), and use primitives that every target has.",
    ),
}


@dataclasses.dataclass(frozen=True)
class Var:
    """A declared Variable: its path, written as `layers.0.kernel`, type, shape and dtype.

    The type `nnx.Module` declares a sub-module, which decides itself what it holds; with
    `below` any number of Variables of the type lie under the path. A shape of None is not
    checked; the dtype `float` is the default float dtype. `value` is what each element holds
    after construction, `std` the standard deviation with which the constructor draws them.
    `unused` says that the example call does not depend on all of its elements, `flows` that
    gradients flow through it, though it is no parameter: data, and what the call updates.
    """

    path: str
    type: type
    shape: tuple[int, ...] | None = None
    dtype: str = "float"
    below: bool = False
    value: complex | None = None
    std: float | None = None
    unused: bool = False
    flows: bool = False

    @property
    def is_tree(self) -> bool:
        return self.below or self.type is nnx.Module


# --- Variables -----------------------------------------------------------------------------


def variables_of(tree: Any) -> dict[str, Any]:
    """The Variables of a module or a state by path; a plain array stands for itself."""
    state = nnx.state(tree) if isinstance(tree, nnx.Module) else tree
    return {".".join(map(str, path)): leaf for path, leaf in nnx.to_flat_state(state)}


def value_of(variable: Any) -> Any:
    return variable.get_value() if isinstance(variable, nnx.Variable) else variable


def values_of(tree: Any) -> dict[str, Any]:
    return {path: value_of(one) for path, one in variables_of(tree).items()}


def bits_of(tree: Any) -> dict[str, Any]:
    """Type and value of each Variable, to compare with ==."""
    found = variables_of(tree).items()
    return {path: (type(one), frozen(value_of(one))) for path, one in found}


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    paths = {**before, **after}
    return [path for path in paths if before.get(path) != after.get(path)]


def copy_of(module: Any) -> Any:
    return nnx.merge(*nnx.split(module), copy=True)


def put(module: Any, path: str, value: Any) -> Any:
    """A copy of the module with one value replaced."""
    edited = copy_of(module)
    variables_of(edited)[path].set_value(value)
    return edited


def is_variable(node: Any) -> bool:
    return isinstance(node, nnx.Variable)


def is_float(variable: Any) -> bool:
    return is_floating(value_of(variable))


def is_of_nnx(value: Any) -> bool:
    held = value if isinstance(value, list | tuple) else [value]
    return any(isinstance(one, nnx.Pytree | nnx.Variable) for one in held)


def is_differentiable(_: Any, variable: Any) -> bool:
    return is_inexact(value_of(variable))


def own_nodes(module: Any) -> Iterator[tuple[str, Any]]:
    """The module and the modules, lists and dicts in it, without the modules of Flax."""
    for path, node in nnx.iter_graph(module):
        ours = not is_of_library(type(node)) or isinstance(node, nnx.List | nnx.Dict)
        if isinstance(node, nnx.Pytree) and ours:
            yield ".".join(map(str, path)), node


def settings_of(node: Any) -> dict[str, Any]:
    """The attributes of a module that are static: part of its graph definition."""
    data = {id(child) for child in (one_level(node) or ((), ()))[0]}
    own = "_" if is_of_library(type(node)) else "_pytree__"  # what Flax notes there
    return {
        name: value
        for name, value in attributes(node).items()
        if not (name.startswith(own) or id(value) in data or is_of_nnx(value))
    }


def all_settings(module: Any) -> dict[str, Any]:
    """The static attributes of the module and of what it holds, by path."""
    return {
        f"{place}.{name}".lstrip("."): value
        for place, node in own_nodes(module)
        for name, value in settings_of(node).items()
    }


def with_setting(module: Any, path: str, value: Any) -> Any:
    """A copy of the module with another value of a static attribute."""
    edited = copy_of(module)
    above, _, name = path.rpartition(".")
    setattr(look_up(edited, above) if above else edited, name, value)
    return edited


def functions_of(module: Any) -> list[Any]:
    """The functions that the module and all that it holds have as attributes."""
    held = (node for _, node in nnx.iter_graph(module) if isinstance(node, nnx.Pytree))
    values = (one for node in held for one in attributes(node).values())
    return [one for one in values if callable(one) and not is_of_nnx(one)]


def frozen_settings(module: Any, functions: bool) -> dict[str, Any]:
    """The static attributes, to compare with ==; without `functions` these by type."""
    found = all_settings(module).items()
    plain = type if not functions else frozen
    return {path: (plain if callable(v) else frozen)(v) for path, v in found}


def check_copy(
    module: Any, copied: Any, what: str, hint: str = "", functions: bool = True
) -> None:
    """A copy has the type, attributes, graph definition and Variables of the module.

    Without `functions` those that it holds may have been copied too.
    """
    name = type(module).__name__
    same = type(copied) is type(module)
    check(same, name, f"{what} gave a {type(copied).__name__}", hint)
    settings = (frozen_settings(one, functions) for one in (module, copied))
    wrong = changed(*settings)
    check(not wrong, ", ".join(wrong), f"{what} lost or changed this attribute", hint)
    wrong = changed(bits_of(module), bits_of(copied))
    check(not wrong, ", ".join(wrong), f"{what} changed it", hint)
    same = not functions or nnx.graphdef(copied) == nnx.graphdef(module)
    check(same, name, f"{what} changed the graph definition", hint)


def closes(left: Any, right: Any, slack: float = 1.0) -> bool:
    """Close outputs, and close states."""
    return close(left[0], right[0], slack) and close(left[1], right[1], slack)


def shapes_of(state: Any) -> dict[str, Any]:
    return {path: aval(value) for path, value in values_of(state).items()}


# --- The laws ------------------------------------------------------------------------------


class NnxSuite(Laws):
    """What suites of NNX modules declare besides, and what their laws share."""

    laws: ClassVar[Mapping[str, Any]] = LAWS
    variables: ClassVar[Sequence[Var]] = ()
    updates: ClassVar[Sequence[str]] = ()  # paths of the Variables that a call updates
    map_variables: ClassVar[Callable[..., Any] | None] = None  # the module's own helper
    takes_dtype: ClassVar[bool] = False  # True: `dtype` is an input of the constructor
    tied: ClassVar[Sequence[str]] = ()  # paths of the Variables that are held twice

    def inputs(self, seed: int) -> dict[str, Any]:
        """Fresh keyword arguments of the constructor."""
        return {"rngs": nnx.Rngs(seed)}

    def plain_inputs(self, seed: int) -> dict[str, Any]:
        return {name: v for name, v in self.inputs(seed).items() if not is_of_nnx(v)}

    def named(self, instance: Any) -> dict[str, Any]:
        return values_of(instance)

    def fixed_values(self) -> dict[str, Any]:
        return {one.path: one.value for one in self.variables if one.value is not None}

    def snapshot_of(self, instance: Any) -> Any:
        return bits_of(instance)

    def apply(self, instance: Any, *arguments: Any) -> Any:
        return self.call(copy_of(instance), *arguments)

    def traced_call(self) -> Any:
        return self.trace_of(*self.example())

    def trace_of(self, instance: Any, arguments: Any) -> Any:
        """The jaxpr of the call on the state of a module and the arguments."""
        step = functools.partial(self.step_of_state, nnx.graphdef(instance))
        return jax.make_jaxpr(step)(nnx.state(instance), *arguments)

    def trace_text(self, instance: Any, arguments: Any) -> str:
        """What the call computes, as text, or the error that it raises."""
        try:
            return str(self.trace_of(instance, arguments))
        except ANY_ERROR as error:
            return f"{type(error)}"

    def traceable_build(self) -> tuple[Callable[..., Any], list[Any]]:
        """The constructor as a function of the arrays that it is given, and those.

        The arrays of `rngs` and of modules among the inputs are taken too.
        """
        leaves, treedef = flatten(self.inputs(0))
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

        def build(values: Sequence[Any], **changes: Any) -> Any:
            given = dict(zip(places, values))
            filled = [given.get(i, leaf) for i, leaf in enumerate(leaves)]
            return self.build(**{**treedef.unflatten(filled), **changes})

        return build, [leaves[i] for i in places]

    def snapshot(self, instance: Any) -> Any:
        """A copy of the state, by the module's own `snapshot`."""
        if not hasattr(instance, "snapshot"):
            pytest.skip("the module has no snapshot")
        return instance.snapshot()

    def restore(self, instance: Any, state: Any) -> None:
        """Takes over a state, by the module's own `restore`."""
        if not hasattr(instance, "restore"):
            pytest.skip("the module has no restore")
        instance.restore(state)

    # What the laws share.

    def is_unused(self, path: str) -> bool:
        one = self.declared(path)
        return one is not None and one.unused

    def declared(self, path: str) -> Var | None:
        for one in self.variables:
            if path == one.path or one.is_tree and under(path, one.path):
                return one
        return None

    def is_param(self, path: str) -> bool:
        """Whether the path is declared as a parameter, and not left to a sub-module."""
        one = self.declared(path)
        return one is not None and issubclass(one.type, nnx.Param)

    def may_update(self, path: str, variable: Any) -> bool:
        """Whether a call may update the Variable; sub-modules decide for themselves."""
        one = self.declared(path)
        inner = one is not None and one.type is nnx.Module
        return path in self.updates or inner and not isinstance(variable, nnx.Param)

    def run(self, instance: Any, *arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Output and state of an eager call on a copy."""
        module = copy_of(instance)
        return self.call(module, *arguments), values_of(module)

    def by_nnx_jit(self) -> Callable[..., Any]:
        laws: Any = type(self)
        self.example()
        return compiled_call(laws).run

    def step_of_state(self, graphdef: Any, state: Any, *arguments: Any) -> Any:
        """The call as a function of the state: its output, and the state after it."""
        module = nnx.merge(graphdef, state, copy=True)
        return self.call(module, *arguments), nnx.state(module)

    def by_jax_jit(self) -> Callable[..., Any]:
        laws: Any = type(self)
        self.example()
        return compiled_step_of_state(laws).run

    def loss(self, instance: Any, arguments: Any) -> Any:
        outputs = jax.tree.leaves(self.call(instance, *arguments))
        return sum(weighted(y) for y in outputs if is_inexact(y))

    def examples(self) -> tuple[Any, ...]:
        return self.arguments(0), self.arguments(1)

    def slopes(self, instance: Any, arguments: Any) -> dict[str, Any]:
        """Gradients of the loss for all inexact Variables, by path; the call updates them."""
        parts: Any = nnx.split(copy_of(instance), is_differentiable, ...)
        selected = nnx.DiffState(0, is_differentiable)
        try:
            return values_of(nnx.grad(self.loss, argnums=selected)(instance, arguments))
        except ValueError as error:
            if "Reverse-mode differentiation" not in str(error):
                raise

        def loss(values: Any) -> Any:  # a while_loop has a forward mode alone
            return self.loss(
                nnx.merge(parts[0], values, parts[2], copy=True), arguments
            )

        return values_of(jax.jacfwd(loss)(parts[1]))

    def training_example(self) -> Any:
        """A module; skips where nothing is trained or can be differentiated."""
        instance, arguments = self.example()
        result = jax.eval_shape(
            lambda state: self.step_of_state(nnx.graphdef(instance), state, *arguments),
            nnx.state(instance),
        )[0]
        real = [jnp.issubdtype(y.dtype, jnp.inexact) for y in jax.tree.leaves(result)]
        if not any(real):
            pytest.skip("the call returns nothing to differentiate")
        if not any(self.is_param(path) for path in variables_of(instance)):
            pytest.skip("no parameters are declared")
        return instance

    def start(self, instance: Any) -> tuple[Any, Any]:
        """The first moments of the optimiser, of all Params in one array."""
        params = values_of(nnx.state(instance, nnx.Param)).values()
        dtypes = [param.dtype for param in params]  # all at once, two of 16 bits clash
        wide = functools.reduce(np.promote_types, dtypes, np.dtype(np.float32))
        zeros = np.zeros(sum(param.size for param in params), wide)
        return on_device(zeros), on_device(np.real(zeros))

    def train(self, instance: Any, steps: int) -> Any:
        """A copy of the module after some steps of AdamW."""
        laws: Any = type(self)
        module, step = copy_of(instance), compiled_step(laws)
        moments, examples = self.start(instance), self.examples()
        with doing(type(instance).__name__, "a training step"):
            for count in range(1, steps + 1):
                given = examples[count % 2], moments, np.asarray(count, np.int32)
                _, state, moments = step(*nnx.split(module), *given)
                nnx.update(module, state)
        return module

    def _overwrite(self, instance: Any) -> None:
        for variable in variables_of(instance).values():
            variable.set_value(edit(value_of(variable)))


@guard
class StructureLaws(NnxSuite):
    """P1 to P5: what the module is built of."""

    # P1 construct

    def test_p01_keeps_no_stream_of_its_rngs(self):
        inputs = self.inputs(0)
        given = [one for one in inputs.values() if isinstance(one, nnx.Rngs)]
        if not given:
            pytest.skip("the constructor takes no rngs")
        streams = {
            id(v) for rngs in given for v in variables_of(nnx.state(rngs)).values()
        }
        for path, variable in variables_of(self.build(**inputs)).items():
            told = "it is a stream of the `rngs` that the constructor was given"
            hint = "two modules that share it draw each other's keys: `rngs.fork()`"
            check(id(variable) not in streams, path, told, hint)

    def test_p01_builds_under_jit_without_leaking(self):
        strays: list[str] = []
        build, given = self.traceable_build()

        def looked_at(values: Sequence[Any]) -> Any:
            # Inside the trace: kept until it is over, a module would be a leak itself.
            built = build(values)
            strays.extend(tracers_beside_the_state(built))
            return nnx.state(built)

        try:
            state = jax.eval_shape(looked_at, given)
        except NEEDS_VALUES as error:
            told = f"under jit the constructor needs values: {str(error)[:200]}"
            hint = "a check on the values of arrays: make it where they are no tracers"
            raise Fault("build", told, hint) from error
        for place in strays:
            told = "built under jit it holds a tracer outside of its Variables"
            hint = "a value computed from arrays that is kept as an attribute"
            raise Fault(place, told, hint)
        instance = self.make(0)
        got, wanted = shapes_of(state), shapes_of(instance)
        told = f"built under jit its state is {got}, and otherwise {wanted}"
        check(got == wanted, type(instance).__name__, told)

    def test_p01_draws_have_the_declared_spread(self):
        declared = self.spreads()
        if not declared or not self._takes_keys():
            pytest.skip("no standard deviations are declared")
        for path, drawn in self.drawn_values().items():
            values, std = drawn.astype(np.complex128), declared[path]
            spread = float(np.sqrt(np.mean(np.abs(values) ** 2)))
            told = f"its standard deviation is {spread:.3g}, declared is {std:.3g}"
            slack = max(0.02, 4 / math.sqrt(2 * values.size))
            hint = "another initialiser, or one with fan-in and fan-out exchanged"
            check(abs(spread / std - 1) < slack, path, told, hint)
            centred = abs(values.mean()) / std < 5 / math.sqrt(values.size)
            check(centred, path, f"its mean is {values.mean():.3g}, and not 0", hint)

    def spreads(self) -> dict[str, float]:
        return {one.path: one.std for one in self.variables if one.std}

    def drawn_values(self) -> dict[str, np.ndarray]:
        """What is declared with a spread, drawn from many keys: each with a leading axis."""
        laws: Any = type(self)
        try:
            return drawn_values(laws)
        except NEEDS_VALUES:
            pytest.skip("the constructor decides by the values of arrays")

    def _takes_keys(self) -> bool:
        _, given = self.traceable_build()
        return any(is_key(value) and value.shape == () for value in given)

    def test_p01_every_draw_uses_its_rngs(self):
        build, given = self.traceable_build()
        if not any(map(is_key, given)):
            pytest.skip("the constructor takes no rngs")
        jaxpr = jax.make_jaxpr(lambda values: nnx.state(build(values)))(given).jaxpr
        wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
        told = f"{len(wrong)} of its draws do not depend on the `rngs` that it is given"
        hint = "a constant key, as `jax.random.key(0)` or `nnx.Rngs(0)`, for a Variable"
        check(not wrong, "build", told, hint)

    # P2 manifest

    def test_p02_the_state_is_the_declared_variables(self):
        found = variables_of(self.make(0))
        for one in self.variables:
            if one.is_tree and not any(under(path, one.path) for path in found):
                continue  # a sub-module without Variables
            told = f"declared as {one.type.__name__}, but not in the state: {[*found]}"
            hint = "a plain attribute, or Variables in a plain list"
            there = any(self.declared(path) == one for path in found)
            check(there, one.path, told, hint)
        for path, variable in found.items():
            told = f"in the state, but not declared: {type(variable).__name__}"
            check(self.declared(path) is not None, path, told)

    def test_p02_variables_are_as_declared(self):
        for path, variable in variables_of(self.make(0)).items():
            one = self.declared(path)
            told = f"a plain {type(variable).__name__}, in no Variable"
            check(is_variable(variable), path, told)
            if one is None or one.type is nnx.Module:
                continue
            kind, value = type(variable).__name__, value_of(variable)
            told = f"it is a {kind}, declared is {one.type.__name__}"
            check(type(variable) is one.type, path, told)
            told = f"it holds {value!r:.200}, and no jax.Array"
            check(isinstance(value, jax.Array), path, told)
            if not one.below:
                told = f"the shape is {value.shape}, declared is {one.shape}"
                check(one.shape is None or value.shape == one.shape, path, told)
                told = f"the dtype is {value.dtype}, declared is {one.dtype}"
                check(has_dtype(value, one.dtype), path, told)

    def test_p02_the_dtype_reaches_every_float_variable(self):
        if not self.takes_dtype:
            pytest.skip("the constructor takes no dtype")
        build, given = self.traceable_build()
        try:
            state = jax.eval_shape(
                lambda values: nnx.state(build(values, dtype=jnp.bfloat16)), given
            )
        except NEEDS_VALUES:
            pytest.skip("the constructor decides by the values of arrays")
        hint = "an array that is made without `dtype`"
        for path, value in values_of(state).items():
            one = self.declared(path)
            if one is None or one.is_tree:
                continue
            if one.dtype == "float" and jnp.issubdtype(value.dtype, jnp.inexact):
                told = f"built with dtype bfloat16, it is {value.dtype}"
                check(value.dtype == jnp.bfloat16, path, told, hint)

    def test_p02_no_array_hides_elsewhere(self):
        self._check_hidden(self.make(0))
        if self.called():
            instance, arguments = self.example()
            self.call(instance, *arguments)
            self._check_hidden(instance)

    def _check_hidden(self, instance: Any) -> None:
        name, held = type(instance).__name__, [*variables_of(instance).values()]
        hint = "a plain list that was empty when it was assigned: use nnx.List"
        for place, value in [
            *reachable(instance, name, held),
            *class_attributes(instance),
        ]:
            told = f"a {type(value).__name__} that is not part of the state"
            check(not is_variable(value), place, told, hint)
            told = f"an array of shape {getattr(value, 'shape', ())} in no Variable"
            check(not is_array(value), place, told)

    # P3 round trip

    def test_p03_split_and_merge_keep_everything(self):
        instance = self.make(0)
        hint = "a method of one's own that Flax flattens or rebuilds modules with"
        check_copy(instance, copy_of(instance), "nnx.split and nnx.merge", hint)
        leaves = len(jax.tree.leaves(instance)), len(values_of(instance))
        # Else it was made with pytree=False, or holds a Variable twice.
        if one_level(instance) is not None and leaves[0] == leaves[1]:
            rebuilt = jax.tree.map(lambda leaf: leaf, instance)
            check_copy(instance, rebuilt, "flatten and unflatten", hint)

    # P5 static

    def test_p05_attributes_are_immutable_and_hashable(self):
        for where, value in all_settings(self.make(0)).items():
            fault = static_fault(value)
            check(fault is None, where, f"static is {value!r:.200}, {fault}")
            with doing(where, "hash of a static attribute"):
                hash(value)

    def test_p05_graphdef_depends_on_the_configuration_alone(self):
        instance = self.make(0)
        name, first = type(instance).__name__, nnx.graphdef(instance)
        hash(first)
        second = self.make(1)
        settings = all_settings(instance), all_settings(second)
        for where in {**settings[0], **settings[1]}:
            one, other = settings[0].get(where), settings[1].get(where)
            told = (
                f"two modules of one configuration have {one!r:.100} and {other!r:.100}"
            )
            check(bool(one == other), where, told, "a value that is new in each module")
        told = "two modules of one configuration have different graph definitions"
        check(nnx.graphdef(second) == first, name, told)
        for path in self.static:
            value = another(look_up(instance, path))
            if value is not None:
                edited = with_setting(instance, path, value)
                told = "the graph definition does not depend on this static value"
                check(nnx.graphdef(edited) != first, path, told)

    def test_p05_static_values_are_the_declared_ones(self):
        if not self.static:
            pytest.skip("no static configuration is declared")
        instance = self.make(0)
        for path, value in self.static.items():
            got = look_up(instance, path)
            told = f"the static value is {got!r}, declared is {value!r}"
            check(type(got) is type(value) and bool(got == value), path, told)

    def test_p05_the_call_follows_its_static_values(self):
        if not self.used or not self.called():
            pytest.skip("no static values are declared on which the call depends")
        instance, arguments = self.example()
        held = variables_of(instance)
        for path in (path for path in self.used if path not in held):
            value = look_up(instance, path)
            others = [one for one in alternatives(value) if one is not None]
            edits = [with_setting(instance, path, other) for other in others]
            before = self.trace_text(instance, arguments)
            seen = any(self.trace_text(one, arguments) != before for one in edits)
            told = f"declared as used by the call, which is the same for {others}"
            hint = f"a constant where `self.{path}` belongs"
            check(seen or not others, path, told, hint)

    def test_p05_no_value_is_weakly_typed(self):
        hint = "an array made from a Python number without a dtype"
        for path, value in values_of(self.make(0)).items():
            weak = getattr(value, "weak_type", False)
            told = "it is weakly typed: its dtype changes on the first update"
            check(not weak, path, told, hint)


@guard
class CallLaws(StructureLaws):
    """P6 to P8: the call, compiled and not, before and after updates."""

    # P6 one trace

    def test_p06_one_trace_serves_all_modules(self):
        first, arguments = self.example()
        laws: Any = type(self)
        for jitted in (compiled_call(laws), compiled_step_of_state(laws)):
            jitted.run(first, *arguments)
            before = len(jitted.traces)
            for what, module in self._modules_of_one_configuration():
                jitted.run(module, *arguments)
                told = f"under {jitted.name} {what} was traced anew"
                check(len(jitted.traces) == before, type(first).__name__, told)

    def _modules_of_one_configuration(self) -> Iterator[tuple[str, Any]]:
        yield "a second module", self.make(1)
        called, arguments = self.example()
        self.call(called, *arguments)
        yield "a module after a call", called
        try:
            trained = self.train(self.training_example(), 1)
        except pytest.skip.Exception:
            return
        yield "a module after a training step", trained

    def test_p06_another_configuration_is_traced_anew(self):
        other, (instance, arguments) = self.make_other(), self.example()
        name = f"{type(instance).__name__} with {self.other}"
        same = nnx.graphdef(other) == nnx.graphdef(instance)
        same = same and shapes_of(other) == shapes_of(instance)
        told = "neither graph definition nor state tell it from the first configuration"
        check(not same, name, told, "a setting that is not stored")
        compiled = self.by_nnx_jit()
        compiled(instance, *arguments)
        try:
            eager = self.run(other, *arguments)
        except ANY_ERROR:
            return  # the example arguments do not fit the other configuration
        got = compiled(other, *arguments)
        told = f"compiled it gives {got}, eager {eager}"
        check(closes(got, eager), name, told)

    # P7 jit equals eager

    def test_p07_nnx_jit_equals_eager(self):
        self._check_compiled(self.by_nnx_jit(), "nnx.jit")

    def test_p07_jax_jit_through_split_and_merge_equals_eager(self):
        self._check_compiled(self.by_jax_jit(), "jax.jit")

    def _check_compiled(self, compiled: Callable[..., Any], what: str) -> None:
        self.example()
        for seed in (0, 1):
            instance = self.make(seed)
            eager = self.run(instance, *self.arguments(seed))
            with doing("call", f"the call under {what}"):
                got = compiled(instance, *self.arguments(seed))
            told = f"{what} gives {got[0]}, eager {eager[0]}"
            check(close(got[0], eager[0]), "call", told)
            for path, value in eager[1].items():
                told = f"after {what} it is {got[1][path]}, after an eager call {value}"
                check(close(got[1][path], value), path, told)

    def _abstract(self, instance: Any, arguments: Any) -> Any:
        step = functools.partial(self.step_of_state, nnx.graphdef(instance))
        return jax.eval_shape(step, nnx.state(instance), *arguments)

    def test_p07_mixes_no_precisions(self):
        instance, arguments = self.example()
        if not self.strict:
            pytest.skip("the call may promote dtypes and ranks")
        hint = "operands of two dtypes or ranks: cast or broadcast them explicitly"
        promotion = jax.numpy_dtype_promotion("strict")
        with doing("call", "the call under strict promotion", hint), promotion:
            try:
                self._abstract(instance, arguments)
            except jax.dtypes.TypePromotionError as error:  # an int may meet a float
                if not any(kind in str(error) for kind in ("int", "bool")):
                    raise

    def test_p07_broadcasts_no_ranks(self):
        instance, arguments = self.example()
        if self.broadcasts:
            pytest.skip("the call may broadcast ranks")
        hint = "operands of two ranks: write `x[None]`, or `broadcasts = True`"
        with doing("call", "the call", hint), jax.numpy_rank_promotion("raise"):
            self._abstract(instance, arguments)

    def test_p07_bfloat16_in_bfloat16_out(self):
        instance, arguments = self.example()
        if not self._computes_in_one_dtype(instance, arguments):
            pytest.skip("the module fixes a dtype")
        small, given = jax.tree.map(
            lambda v: (
                jax.ShapeDtypeStruct(v.shape, jnp.bfloat16) if is_floating(v) else v
            ),
            (nnx.state(instance), arguments),
        )
        step = functools.partial(self.step_of_state, nnx.graphdef(instance))
        with doing("call", "the call in bfloat16"):
            try:
                output, state = jax.eval_shape(step, small, *given)
            except ANY_ERROR as error:
                if lacks_dtype(error) or is_of_a_layer(error):
                    pytest.skip(f"jax has no such operation in bfloat16: {error}")
                raise
        for i, out in enumerate(jax.tree.leaves(output)):
            wrong = jnp.issubdtype(out.dtype, jnp.floating) and out.dtype != "bfloat16"
            told = f"with bfloat16 Variables and arguments it is {out.dtype}"
            check(not wrong, f"output {i}", told, "an array with a fixed dtype")
        told = "the call changed a dtype of the state"
        check(shapes_of(state) == shapes_of(small), "state", told)

    def _computes_in_one_dtype(self, instance: Any, arguments: Any) -> bool:
        declared = [one.dtype for one in self.variables if not one.is_tree]
        fixed = [*declared, *(str(output.dtype) for output in self.returns)]
        held = [*values_of(instance).values(), *jax.tree.leaves(arguments)]
        others = [v for v in held if is_inexact(v) and v.dtype != real_dtype("float")]
        layers = (node for _, node in nnx.iter_modules(instance))
        told = [one for one in layers if getattr(one, "dtype", None) is not None]
        return not (any(map(is_fixed_inexact, fixed)) or others or told)

    def test_p07_equal_arguments_give_no_nan(self):
        instance, arguments = self.example()
        hint = "a division by a deviation or a norm that can be 0: add an epsilon"
        for fill in (0, 1):
            try:
                given = self.filled(arguments, fill)
                results, _ = self.by_nnx_jit()(instance, *given)
            except ANY_ERROR:
                continue  # a check in the call refuses these values
            told = f"with each element of the arguments {fill} it has NaN"
            for i, result in enumerate(arrays_of(results)):
                check(not has_nan(result), f"output {i}", told, hint)

    def test_p07_large_arguments_do_not_overflow_on_the_way(self):
        instance, arguments = self.example()
        graphdef, state = nnx.split(instance)
        for fill in (100, -100, 300, -300):
            large = self.filled(arguments, fill)
            try:
                found, _ = self.by_nnx_jit()(instance, *large)
            except ANY_ERROR:
                continue  # a check in the call refuses these values
            told = f"with each element of the arguments {fill}"
            static, arrays = split((state, large))
            run = functools.partial(self._output_of, graphdef, static)
            check_overflow(told, arrays_of(found), run, arrays)

    def _output_of(self, graphdef: Any, static: Any, arrays: Any) -> list[Any]:
        state, arguments = merge(static, arrays)
        return arrays_of(self.step_of_state(graphdef, state, *arguments)[0])

    def filled(self, arguments: Sequence[Any], fill: int) -> list[Any]:
        """The arguments with one value in those that are arrays, except for the carry."""
        return [
            on_device(np.full_like(v, fill)) if is_inexact(v) and i != self.carry else v
            for i, v in enumerate(arguments)
        ]

    # P8 never stale

    def test_p08_compiled_calls_see_every_update(self):
        instance, arguments = self.example()
        compiled = self.by_nnx_jit()
        compiled(instance, *arguments)
        for path, value in values_of(instance).items():
            edited = put(instance, path, edit(value))
            got, eager = compiled(edited, *arguments), self.run(edited, *arguments)
            told = f"after an update the compiled call gives {got}, eager {eager}"
            check(closes(got, eager), path, told)

    def test_p08_updates_in_place_are_seen(self):
        instance, arguments = self.example()
        self.call(instance, *arguments)  # what it caches is cached now
        for path, variable in variables_of(instance).items():
            variable.set_value(edit(value_of(variable)))
            fresh = copy_of(instance)
            wanted = self.call(fresh, *arguments), values_of(fresh)
            got = self.call(instance, *arguments), values_of(instance)
            told = f"after an update in place the call gives {got}, a copy {wanted}"
            hint = (
                "a method compiled with a static self, or a cache keyed by the module"
            )
            check(closes(got, wanted), path, told, hint)

    def test_p08_every_parameter_changes_the_output(self):
        instance, _ = self.example()
        for path in variables_of(instance):
            needed = self.is_param(path) and not self.is_unused(path)
            if needed or path in self.used:
                seen = any(self._changes_output(path, seed) for seed in range(4))
                what = "parameter" if needed else "Variable, declared as used,"
                told = f"an update of this {what} changes no output"
                hint = "a Variable that is not used, or a stored value derived from it"
                check(seen, path, told, hint)

    def _changes_output(self, path: str, seed: int) -> bool:
        """Whether an update shows: at the start, or at a generic point."""
        run = self.by_nnx_jit()
        instance, examples = self.at_point(seed)
        value = values_of(instance)[path]
        before = [run(instance, *each)[0] for each in examples]
        edits = [put(instance, path, edit(value, sign)) for sign in (1, -1)]
        after = ([run(one, *each)[0] for each in examples] for one in edits)
        return any(not close(before, one) for one in after)

    def at_point(self, seed: int) -> tuple[Any, Any]:
        """A module and arguments: the example, or random floats for another seed."""
        instance = self.make(seed if self._draws() else 0)
        if not seed:
            return instance, self.examples()
        graphdef, state = nnx.split(instance)
        moved = self.arguments(2 * seed), self.arguments(2 * seed + 1)
        sizes = [size for v in values_of(state).values() for size in v.shape]
        state, moved = generic((state, moved), seed)
        moved = generic_indices(moved, seed, max(sizes, default=2))
        return nnx.merge(graphdef, state, copy=True), moved

    def _draws(self) -> bool:
        """Whether modules hold keys, so that each seed must have its own."""
        return any(map(is_key, values_of(self.make(0)).values()))


@guard
class TransformationLaws(CallLaws):
    """P9 to P11: under grad, vmap and scan."""

    # P9 gradient and step

    def test_p09_gradients_reach_the_params_and_nothing_else(self):
        held, (start, every) = variables_of(self.training_example()), self._all_slopes()
        for path in filter(self.is_param, held):
            told = "declared as a parameter, and nnx.grad gives it no gradient"
            is_param = isinstance(held[path], nnx.Param)
            check(is_param, path, told, "a weight that is no nnx.Param")
            told = f"the gradient is not finite: {start[path]}"
            check(bool(np.all(np.isfinite(start[path]))), path, told)
            used = self.is_unused(path) or bool(np.any(every[path]))
            hint = "stop_gradient on it, or no use"
            check(used, path, "the gradient is zero everywhere", hint)
        for path, variable in held.items():
            told = "declared as no parameter, and nnx.grad gives it a gradient"
            one = self.declared(path)
            inner = one is not None and one.type is nnx.Module
            free = inner or self.is_param(path) or not isinstance(variable, nnx.Param)
            check(free, path, told, "a buffer that is an nnx.Param")

    def test_p09_every_element_of_a_parameter_has_a_gradient(self):
        _, every = self._all_slopes()
        for path, slope in every.items():
            if self.is_param(path) and not self.is_unused(path) and np.any(slope):
                wrong = np.argwhere(slope == 0)
                told = (
                    f"{len(wrong)} of its {slope.size} elements never have a gradient"
                )
                if len(wrong):
                    told += f", the first at {tuple(map(int, wrong[0]))}"
                hint = (
                    "a part of the parameter that the call does not use; "
                    "`Var(..., unused=True)` says that this is so on purpose"
                )
                check(not len(wrong), path, told, hint)

    def test_p09_every_sub_module_has_a_gradient(self):
        roots = [one for one in self.variables if one.type is nnx.Module]
        if not roots:
            pytest.skip("no sub-modules are declared")
        held, (_, every) = variables_of(self.training_example()), self._all_slopes()
        params = [path for path, one in held.items() if isinstance(one, nnx.Param)]
        for root in roots:
            below = [path for path in params if under(path, root.path)]
            used = not below or any(np.any(every[path]) for path in below)
            told = "no parameter of this sub-module has a gradient"
            hint = "a sub-module that the call does not use"
            check(used or root.unused, root.path, told, hint)

    def test_p09_no_gradient_comes_from_a_buffer(self):
        held, (_, every) = variables_of(self.training_example()), self._all_slopes()
        for path, slope in every.items():
            one = self.declared(path)
            inner = one is not None and (one.type is nnx.Module or one.flows)
            is_param = isinstance(held[path], nnx.Param)
            told = f"declared as a buffer, but the call has the gradient {slope}"
            hint = "`jax.lax.stop_gradient` is missing where the buffer is used"
            check(inner or is_param or not np.any(slope), path, told, hint)

    def test_p09_gradients_flow_through_data_and_state(self):
        instance, arguments = self.example()
        if not any(one.flows for one in self.variables):
            pytest.skip("nothing is declared that has a gradient and is no parameter")
        graphdef, state = nnx.split(instance)
        flat = nnx.to_flat_state(state)
        free = [self.flows(".".join(map(str, path)), one) for path, one in flat]
        places = [i for i, (_, v) in enumerate(flat) if free[i] and is_float(v)]
        given, treedef = flatten(arguments)
        floats = [i for i, leaf in enumerate(given) if is_floating(leaf)]

        def run(values: list[Any]) -> Any:
            moved = zip(places, values)
            changed = {i: (flat[i][0], flat[i][1].replace(value)) for i, value in moved}
            pairs = [changed.get(i, pair) for i, pair in enumerate(flat)]
            rest = dict(zip(floats, values[len(places) :]))
            passed = [rest.get(i, leaf) for i, leaf in enumerate(given)]
            placed = nnx.from_flat_state(pairs)
            return self.step_of_state(graphdef, placed, *treedef.unflatten(passed))

        values = [value_of(flat[i][1]) for i in places] + [given[i] for i in floats]
        hint = "`jax.lax.stop_gradient` on data, or on what the call updates"
        check_flow("call", run, values, hint)

    def flows(self, path: str, variable: Any) -> bool:
        """Whether gradients flow through a Variable."""
        one = self.declared(path)
        return isinstance(variable, nnx.Param) or (one is not None and one.flows)

    def _all_slopes(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The slopes at the start, and their greatest sizes at the start and elsewhere."""
        laws: Any = type(self)
        self.training_example()
        return all_slopes(laws)

    def slopes_at(self, seed: int) -> dict[str, np.ndarray]:
        """The sizes of the slopes, of both examples together."""
        laws: Any = type(self)
        instance, examples = self.at_point(seed)
        start, step = self.start(instance), compiled_step(laws)
        found: dict[str, Any] = {}
        for given in examples:
            with doing("call", "nnx.grad of the call"):
                count = np.asarray(1, np.int32)
                slopes, *_ = step(*nnx.split(instance), given, start, count)
            for path, slope in slopes.items():
                found[path] = found.get(path, 0) + np.abs(np.asarray(slope))
        return found

    def test_p09_no_gradient_is_nan_where_the_output_is_finite(self):
        start = self.training_example()
        flat = [self.filled(arguments, 0) for arguments in self.examples()]
        points = [("arguments of zeros", start, flat)]
        points += [("random values", *self.at_point(seed)) for seed in (1, 2)]
        hint = (
            "`jnp.where` hides a NaN of the value, and not that of its gradient: make what "
            "goes in safe, `jnp.where(x > 0, x, 1)`; a root needs an epsilon inside"
        )
        for what, instance, examples in points:
            for given in examples:
                wrong = self._nan_slopes(instance, given)
                told = f"with {what} the output is finite, and the gradient is NaN"
                check(not wrong, ", ".join(wrong), told, hint)

    def _nan_slopes(self, instance: Any, given: Any) -> list[str]:
        """The parameters whose gradient has NaN, though the outputs are finite."""
        laws: Any = type(self)
        rest = self.start(instance), np.asarray(1, np.int32)
        try:
            outputs, _ = self.by_nnx_jit()(instance, *given)
            step = compiled_step(laws)
            slopes, *_ = step(*nnx.split(instance), tuple(given), *rest)
        except ANY_ERROR:
            return []  # a check in the call refuses the values
        floats = (y for y in arrays_of(outputs) if is_inexact(y))
        if not all(bool(np.all(np.isfinite(np.asarray(y)))) for y in floats):
            return []
        return [n for n, slope in slopes.items() if self.is_param(n) and has_nan(slope)]

    def test_p09_a_step_moves_the_parameters_alone(self):
        starts = [self.training_example(), self.at_point(2)[0]]
        ran = [(values_of(one), values_of(self.train(one, 1))) for one in starts]
        for path, variable in variables_of(starts[0]).items():
            pairs = [(old[path], new[path]) for old, new in ran]
            made = [new for old, new in pairs if not same_bits(old, new)]
            told = "a training step did not move it"
            check(not self.is_param(path) or bool(made), path, told)
            if not isinstance(variable, nnx.Param):
                told = (
                    f"declared as no parameter, a training step made it {made!r:.200}"
                )
                check(self.may_update(path, variable) or not made, path, told)

    def test_p09_steps_keep_the_structure(self):
        instance = self.training_example()
        after, name = self.train(instance, 2), type(instance).__name__
        same = nnx.graphdef(after) == nnx.graphdef(instance)
        check(same, name, "two training steps changed the graph definition")
        told = f"two steps made {shapes_of(after)} of {shapes_of(instance)}"
        check(shapes_of(after) == shapes_of(instance), name, told)

    # P10 vmap equals loop

    def test_p10_stacked_states(self):
        self.example()
        modules = [self.make(seed) for seed in range(3)]
        arguments = [self.arguments(seed) for seed in range(3)]
        states = [nnx.state(module) for module in modules]
        step = functools.partial(self.step_of_state, nnx.graphdef(modules[0]))
        stacked = jax.tree.map(stack_leaves, *states)
        output, state = compiled(jax.vmap(step))(
            stacked, *jax.tree.map(stack_leaves, *arguments)
        )
        loop = [self.run(one, *given) for one, given in zip(modules, arguments)]
        wanted = jax.tree.map(stack_leaves, *loop)
        got = output, values_of(state)
        told = f"vmap gives {got}, a loop {wanted}"
        check(closes(got, wanted, 16), type(modules[0]).__name__, told)

    def test_p10_vmapped_constructor(self):
        build = functools.partial(built_with_key, self)
        if not self._takes_keys():
            pytest.skip("the constructor takes no key")

        def built(seeds: Any) -> Any:
            keys = jax.vmap(jax.random.key)(seeds)
            return jax.vmap(lambda key: nnx.state(build(key)))(keys)

        with doing("build", "the constructor under vmap"):
            try:
                state = jax.eval_shape(built, np.arange(2, dtype=np.uint32))
            except NEEDS_VALUES:
                pytest.skip("the constructor decides by the values of arrays")
        wanted = [values_of(build(jax.random.key(seed))) for seed in (0, 1)]
        for path, value in values_of(state).items():
            shape = (2, *wanted[0][path].shape)
            told = f"vmap gives the shape {value.shape}, a loop {shape}"
            check(value.shape == shape, path, told)
        drawn = self.drawn_values() if self.spreads() else {}
        for path, values in drawn.items():
            for got, one in zip(values, wanted):
                told = f"vmap gives {got}, a loop {one[path]}"
                check(close(got, np.asarray(one[path]), 16), path, told)

    # P11 carry

    def test_p11_scan_carries_the_state(self):
        instance, arguments = self.example()
        graphdef, state = nnx.split(copy_of(instance))
        name = type(instance).__name__

        def body(carry: Any, _: None) -> tuple[Any, Any]:
            output, after = self.step_of_state(graphdef, carry, *arguments)
            return after, output

        with doing(name, "lax.scan over the state"):  # its values are those of P7
            jax.eval_shape(lambda first: jax.lax.scan(body, first, length=2), state)

    def advance(self, instance: Any, arguments: Any, carry: Any) -> Any:
        """The new carry, by a call on a copy."""
        at = self.carry
        given = [carry if i == at else one for i, one in enumerate(arguments)]
        return new_carry(self.apply(instance, *given), carry)

    def test_p11_the_carry_is_a_fixed_point(self):
        if self.carry is None:
            pytest.skip("no carry is declared")
        instance, arguments = self.example()
        first, at = arguments[self.carry], f"argument {self.carry}"
        advance = functools.partial(self.advance, instance, arguments)
        after = jax.eval_shape(advance, first)
        same = jax.tree.structure(after) == jax.tree.structure(first)
        check(same, at, "its new value has another structure")
        wanted = [aval(leaf) for leaf in jax.tree.leaves(first)]
        got = [aval(leaf) for leaf in jax.tree.leaves(after)]
        check(got == wanted, at, f"its new value is {got}, it was {wanted}")

    def test_p11_the_carry_advances(self):
        if self.carry is None:
            pytest.skip("no carry is declared")
        instance, arguments = self.example()
        advance = functools.partial(self.advance, instance, arguments)
        jaxpr = jax.make_jaxpr(advance)(arguments[self.carry]).jaxpr
        same = [new is old for new, old in zip(jaxpr.outvars, jaxpr.invars)]
        told = "the new carry is the old one, whatever the arguments are"
        hint = "the call returns what it was given, and not what it computed"
        check(not same or not all(same), f"argument {self.carry}", told, hint)

    def test_p11_gradients_pass_through_the_carry(self):
        if self.carry is None:
            pytest.skip("no carry is declared")
        instance, arguments = self.example()
        carry = arguments[self.carry]
        if list(nodes(carry)):
            pytest.skip("the carry is an object, whose state may be held fixed")

        def advance(value: Any) -> list[Any]:
            return arrays_of(self.advance(instance, arguments, value))

        for i, (name, leaf) in enumerate(named_leaves(carry)):
            if is_floating(leaf):
                move = functools.partial(moved, advance, carry, i)
                check_slopes(f"argument {self.carry}.{name}".rstrip("."), move, leaf)


@guard
class ValueLaws(TransformationLaws):
    """P12 to P14: nothing changes but what is meant to, in memory and in files."""

    # P12 purity

    def test_p12_a_call_updates_what_is_declared_and_nothing_else(self):
        instance, arguments = self.example()
        graphdef, before = nnx.graphdef(instance), bits_of(instance)
        self.call(instance, *arguments)
        moved = changed(before, bits_of(instance))
        here = variables_of(instance)
        for path in moved:
            free = path in here and self.may_update(path, here[path])
            check(free, path, "the call updated it, and it is not among `updates`")
        for path in self.updates:
            told = "declared among `updates`, and the call left it as it was"
            hint = "an update on a copy: inside of jax.jit, or of a merged module"
            check(any(under(one, path) for one in moved), path, told, hint)
        told = "the call changed the graph definition: it stored an attribute"
        same = nnx.graphdef(instance) == graphdef
        check(same, type(instance).__name__, told)

    def test_p12_a_call_keeps_its_variables(self):
        instance, arguments = self.example()
        before = variables_of(instance)
        self.call(instance, *arguments)
        after = variables_of(instance)
        for path in before.keys() & after.keys():
            told = "the call put another Variable in its place"
            hint = (
                "`self.variable[...] = value`: who holds the first one sees no update"
            )
            check(after[path] is before[path], path, told, hint)

    def test_p12_a_cold_call_leaves_no_tracer_behind(self):
        laws: Any = type(self)
        self.example()
        for place in compiled_call(laws).left:
            told = "a tracer was left behind by a call under nnx.jit"
            raise Fault(place, told, "a value of the call that was kept")
        instance, arguments = self.example()
        clear_caches(instance)  # which the first eager call has filled
        self.trace_of(instance, arguments)
        with doing("call", "the eager call after one under jit"):
            self.call(instance, *arguments)

    def test_p12_a_cold_call_leaves_no_tracer_in_globals(self):
        instance, arguments = self.example()
        fresh = twin_class(type(instance))
        with contextlib.suppress(Exception):  # other laws fail on it
            # Before any call, no cache of the module holds anything.
            self.trace_of(clone_as(fresh, instance), arguments)
        functions = (one for one in vars(fresh).values() if hasattr(one, "__globals__"))
        held: dict[str, Any] = next((one.__globals__ for one in functions), {})
        check_caches_hold_no_tracer([*held.items(), *vars(fresh).items()])

    def test_p12_reading_properties_changes_nothing(self):
        instance = self.make(0)
        before = (
            bits_of(instance),
            nnx.graphdef(instance),
            frozen(all_settings(instance)),
        )
        for place, node in own_nodes(instance):
            for name in own_properties(type(node)):
                with contextlib.suppress(Exception), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    getattr(node, name)
                told = "reading this property changed what the module holds"
                hint = "functools.cached_property: write `property`"
                after = bits_of(instance), nnx.graphdef(instance)
                same = (*after, frozen(all_settings(instance))) == before
                check(same, f"{place}.{name}".lstrip("."), told, hint)

    def test_p12_draws_use_a_key_that_is_given(self):
        instance, arguments = self.example()
        jaxpr = self.traced_call().jaxpr
        wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
        if wrong and self._follows_an_int(instance, arguments):
            pytest.skip("a static value may be the seed")
        told = f"{len(wrong)} of its draws depend on nothing that it is given"
        hint = "a constant key, as `jax.random.key(0)`: the same noise in every call"
        check(not wrong, "call", told, hint)

    def _follows_an_int(self, instance: Any, arguments: Any) -> bool:
        """Whether a static integer decides what the call computes, as a seed does."""
        before = self.trace_text(instance, arguments)
        settings = all_settings(instance).items()
        return any(
            self.trace_text(with_setting(instance, path, value + 1), arguments)
            != before
            for path, value in settings
            if type(value) is int
        )

    def test_p12_equal_states_give_equal_calls(self):
        instance, arguments = self.example()
        held = [value for _, value in mutables(arguments)]
        before = [frozen(value, identity=True) for value in held]
        first = self.run(instance, *arguments)
        same = [frozen(value, identity=True) for value in held] == before
        check(same, "call", "the call changed its arguments in place")
        self.run(instance, *self.arguments(1))
        self.run(self.make(1), *self.arguments(1))
        again = self.run(instance, *self.arguments(0))
        told = f"the same call on the same state gave {first}, and later {again}"
        check(closes(first, again), "call", told)

    # P13 edit

    def changed_module(self) -> Any:
        """A module of which no value is that of a new one, as after training."""
        instance = self.make(0)
        self._overwrite(instance)
        return instance

    def test_p13_an_update_leaves_the_rest_alone(self):
        instance, other = self.make(0), self.make(1)
        before, apart = nnx.graphdef(instance), bits_of(other)
        for path, variable in variables_of(instance).items():
            bits = bits_of(instance)
            variable.set_value(edit(value_of(variable)))
            wrong = [one for one in changed(bits, bits_of(instance)) if one != path]
            check(not wrong, path, f"an update of it changed {', '.join(wrong)}")
            wrong = changed(apart, bits_of(other))
            told = f"an update of it changed {', '.join(wrong)} of another module"
            hint = "a Variable that was made on the class, or once for all modules"
            check(not wrong, path, told, hint)
            same = nnx.graphdef(instance) == before
            check(same, path, "an update of it changed the graph definition")

    def test_p13_equality_has_a_truth_value(self):
        instance, other = self.make(0), self.make(1)
        name, moved = type(instance).__name__, copy_of(instance)
        self._overwrite(moved)
        rights = {
            "itself": instance,
            "another": other,
            "an update": moved,
            "None": None,
        }
        hint = "`__eq__` that compares arrays: `==` on them has no truth value"
        for what, right in rights.items():
            with doing(name, f"bool(x == {what})", hint):
                same = bool(instance == right)
            check(same or right is not instance, name, "x == x is not true")
            told = "two modules with other Variables are equal"
            apart = not same or right is not moved or not values_of(moved)
            check(apart, name, told, "`__eq__` compares the static values alone")
        self._check_statics_tell_apart(instance)
        graphdef, state = nnx.split(instance)
        with doing(name, "x == y inside jit", hint):
            jax.eval_shape(lambda s: (self._equal(graphdef, s), ())[1], state)

    def _equal(self, graphdef: Any, state: Any) -> bool:
        left, right = (nnx.merge(graphdef, state, copy=True) for _ in range(2))
        return bool(left == right)

    def _check_statics_tell_apart(self, instance: Any) -> None:
        for path in self.static:
            value = another(look_up(instance, path))
            if value is not None:
                edited = with_setting(instance, path, value)
                told = "two modules with other values of it are equal"
                hint = "`__eq__` compares the Variables alone"
                check(not bool(instance == edited), path, told, hint)

    def test_p13_a_module_is_true(self):
        instance = self.make(0)
        with doing(type(instance).__name__, "bool(x)"):
            true = bool(instance)
        told = "a module is false, so that `if module:` takes it for none"
        check(true, type(instance).__name__, told, "`__len__` or `__bool__`")

    def test_p13_hashes_are_equal_and_stay(self):
        instance = self.make(0)
        name, copied = type(instance).__name__, copy_of(instance)
        try:
            first, second = hash(instance), hash(copied)
        except TypeError:
            pytest.skip("modules have no hash")
        same = first == second or not bool(instance == copied)
        check(same, name, "equal modules have different hashes")
        self._overwrite(instance)
        told = "an update of its Variables changed its hash: a dict loses it"
        check(hash(instance) == first, name, told, "`__hash__` goes by values")

    def test_p13_a_shallow_copy_keeps_the_value(self):
        instance = self.changed_module()
        try:
            copied = copy.copy(instance)
        except ANY_ERROR:
            return  # refused
        check_copy(instance, copied, "copy.copy", STATE_METHODS)

    # P14 save and load

    def test_p14_deepcopy(self):
        instance = self.changed_module()
        held = functions_of(instance)  # some of jax's own are copied with it
        functions = all(copy.deepcopy(one) is one for one in held)
        with doing(type(instance).__name__, "copy.deepcopy", STATE_METHODS):
            copied = copy.deepcopy(instance)
        check_copy(instance, copied, "copy.deepcopy", STATE_METHODS, functions)
        before = bits_of(instance)
        self._overwrite(copied)
        wrong = changed(before, bits_of(instance))
        told = "an update of what copy.deepcopy gave changed the module"
        check(not wrong, ", ".join(wrong), told, STATE_METHODS)

    def test_p14_pickle(self):
        instance = self.changed_module()
        cls = type(instance)
        if getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is not cls:
            pytest.skip("the class is not at the top of a module")
        if any(map(is_key, values_of(instance).values())):
            pytest.skip("it holds typed keys, which jax does not pickle")
        if not all(map(can_pickle, functions_of(instance))):
            pytest.skip("a function that it holds cannot be pickled")
        with doing(cls.__name__, "pickle", STATE_METHODS):
            copied = pickle.loads(pickle.dumps(instance))
        check_copy(instance, copied, "pickle", STATE_METHODS)

    def test_p14_save_and_load_into_a_fresh_module(self, tmp_path):
        instance, fresh = self.changed_module(), self.make(1)
        hosts: dict[str, Any] = {p: host(v) for p, v in values_of(instance).items()}
        np.savez(tmp_path / "saved.npz", **hosts)
        state = self.snapshot(fresh)
        with np.load(tmp_path / "saved.npz") as file:
            for path, variable in variables_of(state).items():
                variable.set_value(thaw(file[path], value_of(variable)))
        self.restore(fresh, state)
        wrong = changed(bits_of(instance), bits_of(fresh))
        check(not wrong, ", ".join(wrong), "save and load changed it")

    def test_p14_other_paths_types_and_shapes_are_refused(self):
        instance = self.make(0)
        flat = dict(nnx.to_flat_state(self.snapshot(instance)))
        *_, (path, one) = flat.items()  # the last, so that others come first
        less = {p: v for p, v in flat.items() if p != path}
        other = type("Other", (nnx.Variable,), {})
        wrong = {
            "a path left out": less,
            "an unknown path": {**flat, ("unknown",): one},
            "a renamed path": {**less, (*path[:-1], "unknown"): one},
            "another shape": {**flat, path: one.replace(jnp.zeros((7, 7, 7)))},
            "another type": {**flat, path: other(value_of(one))},
        }
        for what, state in wrong.items():
            self._check_refused(nnx.from_flat_state(state), what)

    def test_p14_another_configuration_is_refused(self):
        other, instance = self.make_other(), self.make(0)
        if shapes_of(other) == shapes_of(instance):
            pytest.skip("the other configuration has the same state")
        self._check_refused(self.snapshot(other), f"the state with {self.other}")

    def _check_refused(self, state: Any, what: str) -> None:
        instance = self.changed_module()
        before = bits_of(instance)
        try:
            self.restore(instance, state)
        except ANY_ERROR:
            wrong = changed(before, bits_of(instance))
            told = f"{what} was refused after a part of it was taken over"
            check(not wrong, ", ".join(wrong), told)
            return
        raise Fault("restore", f"{what} was accepted", "a load that compares nothing")

    def saved(self, path: Any) -> Any:
        """A module that its own `save` has saved; skips where it has none."""
        instance = self.changed_module()
        if not hasattr(instance, "load"):
            pytest.skip("the module has no load")
        instance.save(path)
        return instance

    def test_p14_own_save_and_load(self, tmp_path):
        instance, like = self.saved(tmp_path / "saved"), self.make(1)
        loaded = type(instance).load(tmp_path / "saved", like)
        wrong = changed(bits_of(instance), bits_of(loaded))
        check(not wrong, ", ".join(wrong), "save and load changed it")
        told = "save and load changed the graph definition"
        same = nnx.graphdef(loaded) == nnx.graphdef(instance)
        check(same, type(instance).__name__, told)

    def test_p14_load_shares_nothing_with_its_skeleton(self, tmp_path):
        instance, like = self.saved(tmp_path / "saved"), self.make(1)
        before = bits_of(like)
        loaded = type(instance).load(tmp_path / "saved", like)
        wrong = changed(before, bits_of(like))
        check(not wrong, ", ".join(wrong), "load changed the skeleton")
        self._overwrite(loaded)
        wrong = changed(before, bits_of(like))
        told = "the skeleton changed with what was loaded: they hold the same Variable"
        check(not wrong, ", ".join(wrong), told)

    def test_p14_a_file_of_another_configuration_is_refused(self, tmp_path):
        instance, other = self.saved(tmp_path / "saved"), self.make_other()
        try:
            type(instance).load(tmp_path / "saved", other)
        except ANY_ERROR:
            return
        told = f"a file of one configuration was loaded into another, {self.other}"
        raise Fault(type(instance).__name__, told, "")

    def test_p14_a_damaged_file_is_refused(self, tmp_path):
        path = tmp_path / "saved"
        instance = self.saved(path)
        load = functools.partial(type(instance).load, path, instance)
        check_damage_is_refused(path, load, type(instance).__name__)


@guard
class UseLaws(ValueLaws):
    """P15 to P18: Variables and keys, helpers, the graphdef, and the platforms."""

    # P15 ownership

    def test_p15_snapshots_do_not_follow_the_module(self):
        instance = self.make(0)
        state = self.snapshot(instance)
        before = bits_of(state)
        wrong = changed(before, bits_of(instance))
        check(not wrong, ", ".join(wrong), "the snapshot is not the state")
        self._overwrite(instance)
        wrong = changed(before, bits_of(state))
        told = "the snapshot changed with the module: they hold the same Variable"
        check(not wrong, ", ".join(wrong), told)
        self.restore(instance, state)
        wrong = changed(before, bits_of(instance))
        check(not wrong, ", ".join(wrong), "restore did not bring it back")
        self._overwrite(instance)
        wrong = changed(before, bits_of(state))
        told = "after restore the snapshot changed with the module"
        check(not wrong, ", ".join(wrong), told)

    def test_p15_rows_of_a_draw_differ(self):
        if not self._takes_keys():
            pytest.skip("the constructor takes no key")
        first, second = (
            values_of(built_with_key(self, jax.random.key(seed))) for seed in (0, 1)
        )
        check_rows_differ(first, second)

    def test_p15_no_variable_is_held_twice(self):
        instance = self.make(0)
        if one_level(instance) is None:
            pytest.skip("the class is no pytree")
        owners: dict[int, str] = {}
        for name, variable in placed_variables(instance):
            owner = owners.setdefault(id(variable), name)
            free = owner == name or {owner, name} & {*self.tied}
            told = f"it is the same Variable as `{owner}`: one is trained, and not two"
            hint = "`[layer] * depth` holds one layer; `tied` names what is held twice"
            check(bool(free), name, told, hint)

    def test_p15_each_key_is_used_once(self):
        build, given = self.traceable_build()
        check_keys("build", lambda values: nnx.state(build(values)), given)
        if self.called():
            instance, arguments = self.example()
            step = functools.partial(self.step_of_state, nnx.graphdef(instance))
            given = nnx.state(instance), arguments
            check_keys("call", lambda both: step(both[0], *both[1]), given)

    # P16 helpers

    def mapped(self, functions: Mapping[Any, Any], tree: Any) -> dict[str, Any]:
        helper = type(self).map_variables
        if helper is None:
            pytest.skip("no `map_variables` is declared")
        with doing("map_variables", f"a map over a {type(tree).__name__}"):
            state = helper(functions, tree)
        told = f"it gave a {type(state).__name__} and no nnx.State"
        check(isinstance(state, nnx.State), "map_variables", told)
        return variables_of(state)

    def test_p16_map_variables_dispatches_by_type(self):
        instance = self.make(0)
        held = variables_of(instance)
        kinds = {type(one) for one in held.values() if is_variable(one)} | {nnx.Param}
        for kind in sorted(kinds, key=lambda kind: kind.__name__):
            for tree in (instance, nnx.state(instance)):
                before = bits_of(instance)
                got = self.mapped({kind: edit}, tree)
                wrong = changed(before, bits_of(instance))
                told = "map_variables edited it in place"
                check(not wrong, ", ".join(wrong), told)
                self._check_mapped(held, got, kind)

    def _check_mapped(self, held: Any, got: Any, kind: type) -> None:
        check(list(got) == list(held), "map_variables", f"it gave the paths {[*got]}")
        for path, one in held.items():
            hit = isinstance(one, kind)
            wanted = edit(value_of(one)) if hit else value_of(one)
            same = type(got[path]) is type(one) and same_bits(
                value_of(got[path]), wanted
            )
            did = "did not apply the function" if hit else "did not leave it alone"
            told = f"a map over {kind.__name__} {did}: {got[path]}"
            check(same, path, told)
            told = "the new state holds the Variable of the module"
            check(got[path] is not one, path, told)

    def test_p16_map_variables_prefers_the_nearest_type(self):
        instance = self.make(0)
        functions = {nnx.Variable: lambda v: v, nnx.Param: edit}
        got = self.mapped(functions, instance)
        for path, one in variables_of(instance).items():
            same = same_bits(value_of(got[path]), value_of(one))
            is_param = isinstance(one, nnx.Param)
            told = "the function of a base class was applied, or none"
            check(same is not is_param, path, told)

    def test_p16_keys_give_different_draws(self):
        instance, arguments = self.example()
        leaves, treedef = jax.tree.flatten(arguments)
        keys = [i for i, leaf in enumerate(leaves) if is_key(leaf)]
        if not keys or self.ignores_key:
            pytest.skip("the call takes no key, or says that it ignores it")
        compiled = self.by_nnx_jit()

        def draw(seed: int) -> Any:
            drawn = [
                jax.random.fold_in(leaf, seed) if i in keys else leaf
                for i, leaf in enumerate(leaves)
            ]
            return compiled(instance, *treedef.unflatten(drawn))[0]

        first = draw(0)
        varies = any(not close(first, draw(seed)) for seed in range(1, 8))
        check(varies, "call", "eight keys give the same output", "an unused key")

    # P17 identity

    def test_p17_the_treedef_names_the_class(self):
        instance = self.make(0)
        if one_level(instance) is None:
            pytest.skip("the class is no pytree")
        cls = type(instance)
        twin = clone_as(twin_class(cls), instance)
        told = "a twin class with the same attributes has an equal treedef"
        same = jax.tree.structure(twin) == jax.tree.structure(instance)
        check(not same, cls.__name__, told)

    # P18 backend

    def call_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        instance, arguments = self.example()
        graphdef, state = nnx.split(instance)
        program = functools.partial(self.step_of_state, graphdef)
        return program, (state, *arguments)

    def gradient_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        parts: Any = nnx.split(self.training_example(), nnx.Param, ...)
        graphdef, params, rest = parts

        def loss(params: Any, rest: Any) -> Any:
            module = nnx.merge(graphdef, params, rest, copy=True)
            return self.loss(module, self.arguments(0))

        return jax.grad(loss), (params, rest)


class NnxLaws(UseLaws):
    """Subclass it with a name that starts with `Test`; see the head of this file."""


STATE_METHODS = "`__getstate__`, `__setstate__`, `__copy__` or `__deepcopy__`"
DRAWS, POINTS = 512, 12


def placed_variables(module: Any) -> list[tuple[str, Any]]:
    """Every Variable under each of its paths, where `nnx.state` has it under one."""
    pairs = jax.tree_util.tree_leaves_with_path(module, is_leaf=is_variable)
    return [(path_name(path), one) for path, one in pairs if is_variable(one)]


def has_nan(value: Any) -> bool:
    return is_inexact(value) and bool(np.isnan(np.asarray(value)).any())


def own_properties(cls: type) -> list[str]:
    """The properties of a class, without those that a library brings."""
    kinds = property | functools.cached_property
    owners = [owner for owner in cls.__mro__ if not is_of_library(owner)]
    return [n for one in owners for n, v in vars(one).items() if isinstance(v, kinds)]


def is_of_a_layer(error: Exception) -> bool:
    """Whether a layer of Flax raised it, which chooses dtypes by itself."""
    frames = traceback.extract_tb(error.__traceback__)
    return any("flax/nnx/nn/" in one.filename.replace("\\", "/") for one in frames)


def twin_class(cls: type) -> type:
    """The class from a second run of its module; skips where there is none."""
    module = sys.modules.get(cls.__module__, types.ModuleType("none"))
    source = getattr(module, "__file__", None)
    if not source or "<locals>" in cls.__qualname__:
        pytest.skip("the class is not at the top of a module")
    try:
        return second_class(cls, source)
    except ANY_ERROR:
        pytest.skip("the module cannot be run twice")


def tracers_beside_the_state(module: Any) -> list[str]:
    """The places of the tracers that a module holds outside of its Variables."""
    stop = [*variables_of(module).values()]
    for _, node in nnx.iter_graph(module):
        stop.append(getattr(node, "_pytree__state", None))  # it knows its own trace
    parts = reachable(module, type(module).__name__, stop)
    return [place for place, value in parts if isinstance(value, Tracer)]


# What one suite compiles, once for the laws that need it.


@dataclasses.dataclass(frozen=True)
class Compiled:
    """The compiled call: `run` gives its output and the state after it."""

    name: str
    run: Callable[..., tuple[Any, dict[str, Any]]]
    traces: list[None]
    left: Sequence[str] = ()  # places of the tracers that the first call left behind


@functools.cache
def compiled_call(laws: Any) -> Compiled:
    """The call under nnx.jit, after a first one on a module that was never called."""
    suite = laws()
    traces: list[None] = []

    def counted(module: Any, *given: Any) -> Any:
        traces.append(None)
        return suite.call(module, *given)

    jitted = nnx.jit(counted)

    def run(instance: Any, *arguments: Any) -> tuple[Any, dict[str, Any]]:
        module = copy_of(instance)
        return jitted(module, *arguments), values_of(module)

    cold, arguments = suite.make(0), suite.arguments(0)
    with doing("call", "the call under nnx.jit"):
        jitted(cold, *arguments)
    return Compiled("nnx.jit", run, traces, tracers_beside_the_state(cold))


@functools.cache
def compiled_step_of_state(laws: Any) -> Compiled:
    """The call under jax.jit, as a function of the state."""
    suite = laws()
    traces: list[None] = []

    def counted(graphdef: Any, state: Any, *given: Any) -> Any:
        traces.append(None)
        return suite.step_of_state(graphdef, state, *given)

    jitted = compiled(counted, static_argnums=0)

    def run(instance: Any, *arguments: Any) -> tuple[Any, dict[str, Any]]:
        output, state = jitted(*nnx.split(instance), *arguments)
        return output, values_of(state)

    return Compiled("jax.jit", run, traces)


@functools.cache
def compiled_step(laws: Any) -> Callable[..., Any]:
    """The slopes of all inexact Variables; then a step of AdamW on the Params."""
    suite = laws()

    def step(graphdef: Any, state: Any, given: Any, moments: Any, count: Any) -> Any:
        module = nnx.merge(graphdef, state, copy=True)
        slopes = suite.slopes(module, given)
        params = variables_of(nnx.state(module, nnx.Param))
        if params:
            # One array: each operation on each of many takes its time to compile.
            values, back = ravel_pytree(
                {path: value_of(params[path]) for path in params}
            )
            slope, _ = ravel_pytree({path: slopes[path] for path in params})
            values, moments = adamw(values, slope, moments, count)
            for path, value in back(values).items():
                params[path][...] = value
        return slopes, nnx.state(module), moments

    return compiled(step, static_argnums=0)


@functools.cache
def all_slopes(laws: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The slopes at the start, and the greatest size of each where it is finite."""
    suite = laws()
    start = suite.slopes_at(0)
    found: dict[str, Any] = {}
    for seed in range(POINTS):
        for path, slope in (suite.slopes_at(seed) if seed else start).items():
            size = np.where(np.isfinite(slope), slope, 0)
            found[path] = np.maximum(found.get(path, 0 * size), size)
        params = (slope for path, slope in found.items() if suite.is_param(path))
        if seed > 1 and all(map(np.all, params)):
            break  # nothing is left to be found, and what buffers give was seen
    return start, found


def built_with_key(suite: Any, key: Any) -> Any:
    """A module of the example inputs, with this key for each of theirs."""
    build, given = suite.traceable_build()
    return build([key if is_key(v) and v.shape == () else v for v in given])


@functools.cache
def drawn_values(laws: Any) -> dict[str, np.ndarray]:
    """What `DRAWS` modules drew, the first of them with the keys of the seeds 0 and 1."""
    suite = laws()

    def drawn(key: Any) -> dict[str, Any]:
        found = values_of(built_with_key(suite, key))
        return {path: found[path] for path in suite.spreads() if path in found}

    seeds = np.arange(DRAWS, dtype=np.uint32)
    values = compiled(jax.vmap(lambda seed: drawn(jax.random.key(seed))))(seeds)
    return {path: np.asarray(value) for path, value in values.items()}
