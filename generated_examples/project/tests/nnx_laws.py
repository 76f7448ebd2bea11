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

The laws have the numbers of `pytree_laws.py`, which lies beside this file. P3, P4 and P13
are about flattening, which Flax does for its modules, and are left out.
"""

import contextlib
import copy
import dataclasses
import functools
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax.core import Tracer
from pytree_laws import (
    ANY_ERROR,
    Fault,
    Laws,
    adamw,
    another,
    aval,
    check,
    check_damage_is_refused,
    class_attributes,
    clone_as,
    close,
    doing,
    edit,
    frozen,
    guard,
    has_dtype,
    host,
    is_array,
    is_fixed_inexact,
    is_floating,
    is_inexact,
    is_key,
    look_up,
    reachable,
    real_dtype,
    same_bits,
    second_class,
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
        "The constructor builds the same module from the same inputs, refuses invalid ones, and neither changes nor keeps what it is given.",
        "A dict, list or array of the caller is changed or stored as it is, or a check is missing.",
        "Copy on the way in (`jnp.array(x)`) and check there; draw from `rngs` alone.",
    ),
    "P2": (
        "manifest",
        "The state is exactly the declared Variables, each of its type, and no array is held outside of a Variable.",
        "A weight is a plain array, or Variables are kept in a plain list that was empty when it was assigned: no gradient and no optimiser ever reaches them.",
        "Write `nnx.Param(array)`, or another Variable type for what is not trained, and `nnx.List` where there are several.",
    ),
    "P5": (
        "static",
        "The other attributes are immutable, hashable and equal by value; the graph definition depends on the configuration alone; no value is weakly typed.",
        "A dict, list, NaN, lambda, partial or bound method is an attribute, or an array was made without a dtype.",
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
        "The call gives the same values and dtypes, and leaves the same state, in Python, under nnx.jit, and under jax.jit through split and merge.",
        "The call branches on values, mixes dtypes, or updates a Variable inside of a jax.jit of its own, which loses the update.",
        "Use nnx.jit, or return the state: `return y, nnx.state(module)`; make arrays with `dtype=x.dtype`.",
    ),
    "P8": (
        "never stale",
        "After an update of any Variable the compiled call equals the eager one; an update of a parameter changes the output.",
        "A value derived from a Variable was stored at construction, or a compiled function closes over the module.",
        "Derive in a property or in the call, and make the module an argument of the compiled function.",
    ),
    "P9": (
        "gradient and step",
        "nnx.grad gives a gradient to every Param and to nothing else; a step of AdamW with weight decay moves the Params alone.",
        "A weight is no Param, a buffer is one, or a parameter is not used by the call.",
        "Hold what is trained in nnx.Param and nothing else, and apply stop_gradient to buffers where they are used.",
    ),
    "P10": (
        "vmap equals loop",
        "The call gives under vmap, through split and merge, what a loop gives, outputs and states.",
        "An attribute that should be a Variable is static, or the call uses Python control flow on values.",
        "Keep arrays in Variables, and use jnp.where and lax.cond.",
    ),
    "P11": (
        "carry",
        "A call keeps the structure, shapes and dtypes of the state, so that lax.scan can carry it.",
        "An update assigns a new Variable, promotes the dtype or drops an axis.",
        "Update with `self.variable[...] = value`, in the dtype of the Variable.",
    ),
    "P12": (
        "purity",
        "A call updates the declared Variables and nothing else, and leaves no tracer behind.",
        "The call stores a value as an attribute, or appends to a list; or a Variable that should be updated is updated on a copy, as inside of jax.jit.",
        "Update through Variables, and return what else has to be remembered.",
    ),
    "P14": (
        "save and load",
        "deepcopy, and saving by path into a fresh module, give back the same state; a state with other paths, types or shapes, and a damaged file, are refused.",
        "The state is loaded with nnx.update, which adds unknown paths to the module, or with nnx.merge, which goes by position.",
        "Compare paths, types and shapes before `nnx.update(module, state)`.",
    ),
    "P15": (
        "ownership",
        "A snapshot does not follow the module, nor the module its snapshot; no two Variables share a buffer, and each random draw has its own key.",
        "nnx.state and nnx.split return the Variables of the module itself, so that training on overwrites what was to be kept; or one key serves two draws.",
        "Make new Variables, `jax.tree.map(lambda x: x, nnx.state(module))`, and draw with `rngs.params()` once per consumer.",
    ),
    "P16": (
        "helpers",
        "`map_variables` maps the values of the Variables of a type, and leaves the others, the module and its state alone.",
        "`is_leaf` is missing: jax.tree.map then goes past the Variables, and an isinstance test in the function is never true.",
        "Write `is_leaf=lambda node: isinstance(node, nnx.Variable)`, and `node.replace(function(node.get_value()))`.",
    ),
    "P17": (
        "identity",
        "The graph definition and the treedef differ from those of a twin class with the same attributes.",
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
    after construction.
    """

    path: str
    type: type
    shape: tuple[int, ...] | None = None
    dtype: str = "float"
    below: bool = False
    value: complex | None = None

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


def is_of_nnx(value: Any) -> bool:
    held = value if isinstance(value, list | tuple) else [value]
    return any(isinstance(one, nnx.Pytree | nnx.Variable) for one in held)


def own_modules(module: Any) -> Iterator[tuple[str, Any]]:
    """The module and its sub-modules, without those that Flax brings."""
    for path, node in nnx.iter_modules(module):
        if not type(node).__module__.startswith("flax."):
            yield ".".join(map(str, path)) or type(node).__name__, node


def closes(left: Any, right: Any, slack: float = 1.0) -> bool:
    """Close outputs, and close states."""
    return close(left[0], right[0], slack) and close(left[1], right[1], slack)


def shapes_of(state: Any) -> dict[str, Any]:
    return {path: aval(value) for path, value in values_of(state).items()}


# --- The laws ------------------------------------------------------------------------------


class NnxLaws(Laws):
    """Subclass it with a name that starts with `Test`; see the head of this file."""

    laws: ClassVar[Mapping[str, Any]] = LAWS
    variables: ClassVar[Sequence[Var]] = ()
    updates: ClassVar[Sequence[str]] = ()  # paths of the Variables that a call updates
    map_variables: ClassVar[Callable[..., Any] | None] = None  # the module's own helper

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
        instance, arguments = self.example()
        step = functools.partial(self.step_of_state, nnx.graphdef(instance))
        return jax.make_jaxpr(step)(nnx.state(instance), *arguments)

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
        compiled = nnx.jit(lambda module, *given: self.call(module, *given))

        def run(instance: Any, *arguments: Any) -> tuple[Any, dict[str, Any]]:
            module = copy_of(instance)
            return compiled(module, *arguments), values_of(module)

        return run

    def step_of_state(self, graphdef: Any, state: Any, *arguments: Any) -> Any:
        """The call as a function of the state: its output, and the state after it."""
        module = nnx.merge(graphdef, state, copy=True)
        return self.call(module, *arguments), nnx.state(module)

    def by_jax_jit(self) -> Callable[..., Any]:
        compiled = jax.jit(self.step_of_state, static_argnums=0)

        def run(instance: Any, *arguments: Any) -> tuple[Any, dict[str, Any]]:
            output, state = compiled(*nnx.split(instance), *arguments)
            return output, values_of(state)

        return run

    def loss(self, instance: Any) -> Any:
        outputs = [self.call(instance, *self.arguments(seed)) for seed in (0, 1)]
        return sum(weighted(y) for y in jax.tree.leaves(outputs) if is_inexact(y))

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

    def train(self, instance: Any, steps: int) -> Any:
        """A copy of the module after some steps of AdamW."""
        laws: Any = type(self)
        module, step = copy_of(instance), compiled_step(laws)
        params = values_of(nnx.state(module, nnx.Param))
        moments = {
            path: (jnp.zeros_like(v), jnp.zeros_like(v.real))
            for path, v in params.items()
        }
        with doing(type(instance).__name__, "a training step"):
            for count in range(1, steps + 1):
                moments = step(module, moments, jnp.asarray(count, jnp.int32))
        return module

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

    def test_p02_no_array_hides_elsewhere(self):
        instance, arguments = self.make(0), self.arguments(0)
        self._check_hidden(instance)
        if self.called():
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

    # P5 static

    def test_p05_attributes_are_immutable_and_hashable(self):
        for place, module in own_modules(self.make(0)):
            for name, value in vars(module).items():
                if name.startswith("_") or is_of_nnx(value):
                    continue
                fault, where = static_fault(value), f"{place}.{name}"
                check(fault is None, where, f"static is {value!r:.200}, {fault}")
                with doing(where, "hash of a static attribute"):
                    hash(value)

    def test_p05_graphdef_depends_on_the_configuration_alone(self):
        instance = self.make(0)
        name, first = type(instance).__name__, nnx.graphdef(instance)
        hash(first)
        told = "two modules of one configuration have different graph definitions"
        check(nnx.graphdef(self.make(1)) == first, name, told)
        for path in self.static:
            value = None if "." in path else another(getattr(instance, path))
            if value is not None:
                edited = copy_of(instance)
                setattr(edited, path, value)
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

    def test_p05_no_value_is_weakly_typed(self):
        hint = "an array made from a Python number without a dtype"
        for path, value in values_of(self.make(0)).items():
            weak = getattr(value, "weak_type", False)
            told = "it is weakly typed: its dtype changes on the first update"
            check(not weak, path, told, hint)

    # P6 one trace

    def test_p06_one_trace_serves_all_modules(self):
        first, arguments = self.example()
        for what, jit in (("nnx.jit", nnx.jit), ("jax.jit", self._split_jit)):
            traces: list[None] = []

            def counted(module: Any, *given: Any, marks: list[None] = traces) -> Any:
                marks.append(None)
                return self.call(module, *given)

            compiled, module = jit(counted), copy_of(first)
            for again in (module, module, self.make(1), copy_of(module)):
                compiled(again, *arguments)
            with contextlib.suppress(pytest.skip.Exception):
                compiled(self.train(self.training_example(), 1), *arguments)
            told = f"{len(traces)} traces under {what} for one configuration"
            check(len(traces) == 1, type(first).__name__, told)

    def _split_jit(self, function: Callable[..., Any]) -> Callable[..., Any]:
        compiled = jax.jit(
            lambda graphdef, state, *given: function(
                nnx.merge(graphdef, state), *given
            ),
            static_argnums=0,
        )
        return lambda module, *given: compiled(*nnx.split(module), *given)

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

    def test_p07_bfloat16_in_bfloat16_out(self):
        instance, arguments = self.example()
        declared = [one.dtype for one in self.variables if not one.is_tree]
        fixed = [*declared, *(str(output.dtype) for output in self.returns)]
        held = [*values_of(instance).values(), *jax.tree.leaves(arguments)]
        others = [v for v in held if is_inexact(v) and v.dtype != real_dtype("float")]
        if any(map(is_fixed_inexact, fixed)) or others:
            pytest.skip("the module fixes a dtype")
        small, arguments = jax.tree.map(
            lambda v: v.astype(jnp.bfloat16) if is_floating(v) else v,
            (nnx.state(instance), arguments),
        )
        with doing("call", "the call in bfloat16"):
            step = functools.partial(self.step_of_state, nnx.graphdef(instance))
            output, state = jax.eval_shape(step, small, *arguments)
        for i, out in enumerate(jax.tree.leaves(output)):
            wrong = jnp.issubdtype(out.dtype, jnp.floating) and out.dtype != "bfloat16"
            told = f"with bfloat16 Variables and arguments it is {out.dtype}"
            check(not wrong, f"output {i}", told, "an array with a fixed dtype")
        told = "the call changed a dtype of the state"
        check(shapes_of(state) == shapes_of(small), "state", told)

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

    def test_p08_every_parameter_changes_the_output(self):
        instance, _ = self.example()
        compiled = self.by_nnx_jit()
        arguments = [self.arguments(seed) for seed in (0, 1)]
        before = [compiled(instance, *each)[0] for each in arguments]
        for path, value in values_of(instance).items():
            if self.is_param(path):
                edits = [put(instance, path, edit(value, sign)) for sign in (1, -1)]
                after = [[compiled(one, *a)[0] for a in arguments] for one in edits]
                told = "an update of this parameter changes no output"
                hint = "a parameter that is not used, or a stored value derived from it"
                check(any(not close(before, one) for one in after), path, told, hint)

    # P9 gradient and step

    def test_p09_gradients_reach_the_params_and_nothing_else(self):
        instance = self.training_example()
        with doing("call", "nnx.grad of the call"):
            slopes = values_of(nnx.jit(nnx.grad(self.loss))(copy_of(instance)))
        params = [path for path in variables_of(instance) if self.is_param(path)]
        for path in params:
            told = "declared as a parameter, and nnx.grad gives it no gradient"
            check(path in slopes, path, told, "a weight that is no nnx.Param")
            told, hint = (
                "the gradient is zero everywhere",
                "stop_gradient on it, or no use",
            )
            check(bool(np.any(slopes[path])), path, told, hint)
        for path, slope in slopes.items():
            told = "declared as no parameter, and nnx.grad gives it a gradient"
            one = self.declared(path)
            inner = one is not None and one.type is nnx.Module
            check(inner or path in params, path, told, "a buffer that is an nnx.Param")
            told = f"the gradient is not finite: {slope}"
            check(bool(np.all(np.isfinite(slope))), path, told)

    def test_p09_no_gradient_comes_from_a_buffer(self):
        instance = self.training_example()

        def buffers(_: Any, variable: Any) -> bool:
            is_param = isinstance(variable, nnx.Param)
            return not is_param and is_inexact(value_of(variable))

        with doing("call", "the gradient for the buffers"):
            grad = nnx.grad(self.loss, argnums=nnx.DiffState(0, buffers))
            slopes = values_of(nnx.jit(grad)(copy_of(instance)))
        for path, slope in slopes.items():
            one = self.declared(path)
            inner = one is not None and one.type is nnx.Module
            told = f"declared as a buffer, but the call has the gradient {slope}"
            hint = "`jax.lax.stop_gradient` is missing where the buffer is used"
            check(inner or not np.any(slope), path, told, hint)

    def test_p09_a_step_moves_the_parameters_alone(self):
        instance = self.training_example()
        before, after = variables_of(instance), variables_of(self.train(instance, 1))
        for path, variable in before.items():
            old, new = value_of(variable), value_of(after[path])
            told = "a training step did not move it"
            check(not (self.is_param(path) and same_bits(old, new)), path, told)
            if not isinstance(variable, nnx.Param):
                told = f"declared as no parameter, a training step made it {new!r:.200}"
                free = self.may_update(path, variable) or same_bits(old, new)
                check(free, path, told)

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
        output, state = jax.jit(jax.vmap(step))(
            stacked, *jax.tree.map(stack_leaves, *arguments)
        )
        loop = [self.run(one, *given) for one, given in zip(modules, arguments)]
        wanted = jax.tree.map(stack_leaves, *loop)
        got = output, values_of(state)
        told = f"vmap gives {got}, a loop {wanted}"
        check(closes(got, wanted, 16), type(modules[0]).__name__, told)

    # P11 carry

    def test_p11_scan_carries_the_state(self):
        instance, arguments = self.example()
        graphdef, state = nnx.split(copy_of(instance))
        name = type(instance).__name__

        def body(carry: Any, _: None) -> tuple[Any, Any]:
            output, after = self.step_of_state(graphdef, carry, *arguments)
            return after, output

        with doing(name, "lax.scan over the state"):
            after, outputs = jax.lax.scan(body, state, length=2)
        module = copy_of(instance)
        wanted = [self.call(module, *arguments) for _ in range(2)]
        got = outputs, values_of(after)
        loop = jax.tree.map(stack_leaves, *wanted), values_of(module)
        told = f"scan gives {got}, a loop {loop}"
        check(closes(got, loop, 16), name, told)

    def test_p11_the_carry_is_a_fixed_point(self):
        if self.carry is None:
            pytest.skip("no carry is declared")
        instance, arguments = self.example()
        first, at = arguments[self.carry], f"argument {self.carry}"
        result, _ = self._abstract(instance, arguments)
        same = jax.tree.structure(result) == jax.tree.structure(first)
        after = result if same else result[0]
        wanted = [aval(leaf) for leaf in jax.tree.leaves(first)]
        got = [aval(leaf) for leaf in jax.tree.leaves(after)]
        check(got == wanted, at, f"its new value is {got}, it was {wanted}")

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

    def test_p12_a_cold_call_leaves_no_tracer_behind(self):
        for what, jit in (("nnx.jit", nnx.jit), ("jax.jit", self._split_jit)):
            instance, arguments = self.example()
            before = bits_of(instance)
            jit(lambda module, *given: self.call(module, *given))(instance, *arguments)
            for place, value in reachable(instance, type(instance).__name__):
                told = f"a tracer was left behind by a call under {what}"
                check(not isinstance(value, Tracer), place, told)
            if what == "jax.jit":
                told = "a call on a merged module changed the module that was split"
                wrong = changed(before, bits_of(instance))
                check(not wrong, ", ".join(wrong), told)
            with doing("call", f"the eager call after one under {what}"):
                self.call(instance, *arguments)

    def test_p12_equal_states_give_equal_calls(self):
        instance, arguments = self.example()
        first = self.run(instance, *arguments)
        self.run(instance, *self.arguments(1))
        self.run(self.make(1), *self.arguments(1))
        again = self.run(instance, *self.arguments(0))
        told = f"the same call on the same state gave {first}, and later {again}"
        check(closes(first, again), "call", told)

    # P14 save and load

    def test_p14_deepcopy(self):
        instance = self.make(0)
        wrong = changed(bits_of(instance), bits_of(copy.deepcopy(instance)))
        check(not wrong, ", ".join(wrong), "deepcopy changed it")

    def test_p14_save_and_load_into_a_fresh_module(self, tmp_path):
        instance, fresh = self.make(0), self.make(1)
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
        path, one = next(iter(flat.items()))
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
        instance = self.make(1)
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
        instance = self.make(0)
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

    def _overwrite(self, instance: Any) -> None:
        for variable in variables_of(instance).values():
            variable.set_value(edit(value_of(variable)))

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

    def test_p17_the_graphdef_names_the_class(self):
        instance = self.make(0)
        cls = type(instance)
        module = sys.modules.get(cls.__module__, types.ModuleType("none"))
        source = getattr(module, "__file__", None)
        if not source or "<locals>" in cls.__qualname__:
            pytest.skip("the class is not at the top of a module")
        try:
            twin = clone_as(second_class(cls, source), instance)
        except ANY_ERROR:
            pytest.skip("the module cannot be run twice")
        told = "a twin class with the same attributes has an equal graph definition"
        check(nnx.graphdef(twin) != nnx.graphdef(instance), cls.__name__, told)
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
            return self.loss(nnx.merge(graphdef, params, rest, copy=True))

        return jax.grad(loss), (params, rest)


@functools.cache
def compiled_step(laws: Any) -> Callable[..., Any]:
    """A step of AdamW, compiled once for the laws that need it."""
    suite = laws()

    def step(module: Any, moments: Any, count: Any) -> Any:
        slopes = values_of(nnx.grad(suite.loss)(module))
        after = {}
        for path, param in variables_of(nnx.state(module, nnx.Param)).items():
            value, slope = value_of(param), slopes[path]
            value, after[path] = adamw(value, slope, moments[path], count)
            param[...] = value
        return after

    return nnx.jit(step)


guard(NnxLaws)
