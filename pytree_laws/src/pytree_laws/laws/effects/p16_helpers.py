"""P16: filter specs, lax and keys."""

import itertools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...engine.applicability import TAKES_DTYPE, declares, has_helper_named, need, of_leaves
from ...engine.registry import Checks
from ...inspect.arrays import copied, is_inexact, on_device, same_bits
from ...inspect.classes import has_helper
from ...inspect.files import is_refused
from ...inspect.trees import (
    changed,
    flatten,
    is_under,
    look_up,
    map_arrays,
    named_leaves,
    path_name,
    under_any,
    with_attribute,
)
from ...kinds.mutable import MutableSuite
from ...kinds.pytree import PytreeSuite
from ...report import ADVICE, FAULT, Law, check, doing
from ...trace.programs import shapes_of, with_static_modules
from ...values.comparison import check_same_tree
from ...values.optimisation import has_spec, trained_names
from ...values.randomize import perturb_leaf

LAW = Law(
    number="P16",
    name="helpers",
    statement="Filter specs select exactly the declared leaves, sub-modules by their own, on copies, with tied leaves and under jit; `decayed()` selects what is trained but for the declared; partitions are these parts, and `combine` undoes them; the call passes through lax; keys give different draws, and a call that ignores its key draws nothing.",
    protects="Filter specs, as a method `trainable()` of the class returns, that select other leaves than those that the suite declares as parameters, so that `eqx.partition` and the optimiser silently train or freeze the wrong arrays.",
    mistake="A spec compares leaves by identity or value, the class has buffers and no `trainable()`, or the call ignores its key.",
    fix="Build specs from leaf paths alone, and use the key that is given.",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p05_aux"),
)
CHECKS = Checks(LAW)

SELECT, PARTITION = "select_", "partition_"
"""Prefixes of the method that returns a filter spec, and of the method that splits by that spec."""
MAPS = declares("map_variables", "no `map_variables` is declared")


@CHECKS.register()
def test_p16_filter_specs_select_the_declared_leaves(subject: PytreeSuite) -> None:
    instance = subject.cached_instance()
    _check_specs(subject, instance, "a fresh instance")
    _check_specs(subject, map_arrays(copied, instance), "a copy")
    _check_specs(subject, map_arrays(perturb_leaf, instance), "an updated instance")
    scalar = on_device(np.float32(1))
    tied = map_arrays(lambda leaf: scalar if is_inexact(leaf) else leaf, instance)
    _check_specs(subject, tied, "an instance with tied leaves")
    value, back = subject.to_arrays(instance)
    jax.eval_shape(lambda v: _check_specs(subject, back(v), "an instance in jit"), value)


def _check_specs(subject: PytreeSuite, instance: Any, label: str) -> None:
    names = subject.leaf_names(instance)
    selected = {names[i] for i in subject.trained(instance)}
    wanted = subject.expected_to_train(instance)
    says_so = has_spec(instance)
    hint = "" if says_so else "declared data, buffers and frozen parts need a `trainable()`"
    # A class without one may leave the choice to who trains it, and one of its author's own may train less of its parts.
    of_parts = [leaf.path for leaf in subject.manifest() if leaf.role == "module"]
    is_less = selected < wanted and all(under_any(name, of_parts) for name in wanted - selected)
    severity = ADVICE if not says_so or (subject.severity == FAULT and is_less) else FAULT
    check_selected("trainable", f"on {label} it selects", selected, wanted, hint, severity=severity)
    for method, paths in subject.filters.items():
        selected = marked(instance, getattr(instance, method)())
        wanted = {name for name in names if under_any(name, paths)}
        check_selected(method, f"on {label} it selects", selected, wanted)


def check_selected(
    where: str, what: str, got: set[str], wanted: set[str], hint: str = "", *, severity: str = ""
) -> None:
    """Check that the selected paths are the declared ones."""
    check(
        got == wanted, where, f"{what} {sorted(got)}, declared is {sorted(wanted)}", hint, severity=severity
    )


@CHECKS.register(TAKES_DTYPE, has_helper_named("trainable", "the class has no trainable"))
def test_p16_complex_leaves_are_trained_as_real_ones_are(subject: PytreeSuite) -> None:
    usual, inputs = subject.cached_instance(), {**subject.inputs(0), "dtype": jnp.complex64}
    need(not is_refused(lambda: subject.built_abstractly(inputs)), "the class is not built in complex64")
    instance = subject.built_abstractly(inputs)
    leaves = subject.named(instance).items()
    trained = {name for name, v in leaves if v.dtype == jnp.complex64} & subject.trained_paths(usual)
    missing = sorted(trained - subject.trained_paths(instance))
    hint = "`jnp.floating` in a filter, which no complex dtype is: ask for `jnp.inexact`"
    check(not missing, ", ".join(missing), "built in complex64, it is not trained", hint)


@CHECKS.register(declares("undecayed", "nothing is declared that does not decay"))
def test_p16_decay_moves_all_that_is_trained_but_the_declared(subject: PytreeSuite) -> None:
    fresh = subject.cached_instance()
    for label, instance in (
        ("a fresh instance", fresh),
        ("a copy", map_arrays(copied, fresh)),
        ("its trained leaves alone", weights_of(subject, fresh)),
    ):
        with doing("decayed", f"on {label} it"):
            decayed = marked(instance, instance.decayed())
        decaying = subject.expected_to_train(fresh) - denied_below(fresh)
        wanted = {name for name in decaying if not under_any(name, subject.undecayed)}
        message = f"on {label} it selects {sorted(decayed)}, wanted is {sorted(wanted)}"
        hint = "all that `trainable()` selects, without `undecayed` and what sub-modules leave out"
        check(decayed == wanted, "decayed", message, hint)


@CHECKS.register(declares("decay_mask", "no mask for weight decay is declared"))
def test_p16_the_mask_of_decay_asks_each_module(subject: PytreeSuite) -> None:
    weights, mask = weights_of(subject, subject.cached_instance()), subject.decay_mask
    loose = np.zeros(2, np.float32)
    wanted = marked(weights, weights.decayed())
    trees = {"itself": weights, "a tree that holds it": {"model": [weights], "loose": loose}}
    for label, tree in trees.items():
        with doing("decay_mask", f"of {label} it"):
            moved = marked(tree, mask(tree)) if mask else set()
        prefix = "model.0." if tree is not weights else ""
        asked = {f"{prefix}{name}" for name in wanted} | ({"loose"} if prefix else set())
        message = f"of {label} it selects {sorted(moved)}, wanted is {sorted(asked)}"
        hint = "`jax.tree.map` that stops at what has a `decayed()` of its own: `is_leaf`"
        check(moved == asked, "decay_mask", message, hint)


def weights_of(subject: PytreeSuite, instance: Any) -> Any:
    """Return the instance as an optimiser has it, with None in place of what is not trained."""
    leaves, treedef = flatten(instance)
    kept = subject.trained(instance)
    return treedef.unflatten([leaf if i in kept else None for i, leaf in enumerate(leaves)])


@CHECKS.register(declares("filters", "no filters are declared"))
def test_p16_partitions_are_the_declared_parts(subject: PytreeSuite) -> None:
    parted = {m: PARTITION + m.removeprefix(SELECT) for m in subject.filters if m.startswith(SELECT)}
    instance = subject.cached_instance()
    parts = {name: p for name, p in parted.items() if hasattr(instance, p)}
    need(parts, "the class has no method that gives the parts of a filter")
    for method, partition in parts.items():
        _check_parts(subject, instance, partition, subject.filters[method])


def _check_parts(subject: PytreeSuite, instance: Any, partition: str, paths: Sequence[str]) -> None:
    """Check that the first part has the leaves below these paths, and the second all others.

    The method `combine` must join both to the instance.
    """
    first, second = getattr(instance, partition)()
    names = subject.leaf_names(instance)
    chosen = {name for name in names if under_any(name, paths)}
    hint = "the chosen leaves come first, and then the rest"
    for label, part, wanted in (("first", first, chosen), ("second", second, set(names) - chosen)):
        got = {name for name, _ in named_leaves(part)}
        check_selected(partition, f"its {label} part has", got, wanted, hint)
    if hasattr(instance, "combine"):
        with doing("combine", f"of the parts of `{partition}` it"):
            whole = first.combine(second)
        check_same_tree(instance, whole, f"`combine` of `{partition}`")


@CHECKS.register(
    of_leaves("no flag is declared that freezes a part", lambda leaf: isinstance(leaf.frozen, str))
)
def test_p16_a_flag_freezes_and_thaws(subject: PytreeSuite) -> None:
    flagged = [leaf for leaf in subject.manifest() if isinstance(leaf.frozen, str)]
    for leaf, value in itertools.product(flagged, (True, False)):
        path, flag = leaf.path, str(leaf.frozen)
        instance = with_attribute(subject.cached_instance(), flag, value)
        names = [name for name, _ in named_leaves(instance)]
        trained = {names[i] for i in subject.trained(instance) if is_under(names[i], path)}
        paths = {f"{path}.{name}".rstrip(".") for name in trained_names(look_up(instance, path))}
        wanted = set() if value else paths
        message = f"with `{flag} = {value}` it trains {sorted(trained)} of {sorted(paths)}"
        hint = "a `trainable()` that does not ask the flag, or asks it the wrong way"
        check(trained == wanted, path, message, hint)


@CHECKS.register()
def test_p16_the_call_passes_through_lax(subject: PytreeSuite) -> None:
    instance, arguments = subject.cached_example()
    value, back = subject.to_arrays(instance)

    def through(value: Any, arguments: Any) -> Any:
        run, arguments = with_static_modules(lambda *a: subject.apply(back(value), *a), arguments)
        function = jax.checkpoint(run)
        first = function(*arguments)
        once = jax.lax.cond(True, lambda: first, lambda: function(*arguments))
        loop = jax.lax.while_loop(
            lambda state: state[0] < 1, lambda state: (state[0] + 1, function(*arguments)), (0, once)
        )
        return jax.lax.scan(lambda c, _: (c, function(*arguments)), loop, length=2)

    with doing("call", "cond, while_loop, scan or checkpoint over the call"):
        shapes_of(lambda value, *arguments: through(value, arguments), arguments, value)


@CHECKS.register(has_helper_named("as_function", "the class has no as_function"))
def test_p16_as_function_passes_through_lax(subject: PytreeSuite) -> None:
    value, back = subject.to_arrays(subject.cached_instance())

    def through(value: Any, arguments: Any) -> Any:
        function = back(value).as_function()
        hash(function)
        return jax.checkpoint(function)(*arguments), jax.lax.cond(True, function, function, *arguments)

    with doing("as_function", "checkpoint or cond over the function"):
        jax.eval_shape(through, value, subject.arguments(0))


@CHECKS.register(MAPS)
def test_p16_map_variables_dispatches_by_type(subject: MutableSuite) -> None:
    instance = subject.make(0)
    parts = subject.parts_of(instance)
    for kind in dict.fromkeys((*subject.variable_types(parts), subject.variable_type)):
        for tree in (instance, subject.state_of(instance)):
            before = subject.snapshot_of(instance)
            got = subject.mapped({kind: perturb_leaf}, tree)
            wrong = changed(before, subject.snapshot_of(instance))
            check(not wrong, ", ".join(wrong), "map_variables edited it in place")
            check_mapped(subject, parts, got, kind)


def check_mapped(subject: MutableSuite, variables: Any, got: Any, kind: type) -> None:
    check(list(got) == list(variables), "map_variables", f"it gave the paths {[*got]}")
    for path, variable in variables.items():
        hit, value = isinstance(variable, kind), subject.value_of(variable)
        wanted = perturb_leaf(value) if hit else value
        same = type(got[path]) is type(variable) and same_bits(subject.value_of(got[path]), wanted)
        did = "did not apply the function" if hit else "did not leave it alone"
        check(same, path, f"a map over {kind.__name__} {did}: {got[path]}")
        check(got[path] is not variable, path, "the new state holds the Variable of the module")


@CHECKS.register(MAPS)
def test_p16_map_variables_prefers_the_nearest_type(subject: MutableSuite) -> None:
    instance, param = subject.make(0), subject.param_type
    got = subject.mapped({subject.variable_type: lambda v: v, param: perturb_leaf}, instance)
    for path, variable in subject.parts_of(instance).items():
        same = same_bits(subject.value_of(got[path]), subject.value_of(variable))
        message = "the function of a base class was applied, or none"
        check(same is not isinstance(variable, param), path, message)


def marked(instance: Any, spec: Any) -> set[str]:
    """Return the paths of the leaves at which a filter spec is True."""
    return {name for (name, _), mark in zip(named_leaves(instance), jax.tree.leaves(spec)) if mark is True}


def denied_below(instance: Any) -> set[str]:
    """Return the paths that sub-modules with a `decayed()` of their own leave out."""
    parts = jax.tree_util.tree_flatten_with_path(
        instance, is_leaf=lambda node: node is not instance and has_helper(type(node), "decayed")
    )[0]
    return {
        f"{path_name(path)}.{name}"
        for path, part in parts
        if has_helper(type(part), "decayed")
        for name, _ in named_leaves(part)
        if name not in marked(part, part.decayed())
    }
