"""P20: how the class shards, as jax decides during a trace on an abstract mesh."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from ...engine.applicability import Condition, need, not_applicable
from ...engine.registry import Checks
from ...inspect.arrays import is_array
from ...kinds.suite import Suite
from ...report import ANY_ERROR, Law, check, or_else
from ...session import once_per_session
from ...sharding.dims import own_dims
from ...sharding.specs import (
    Example,
    Rules,
    Spec,
    abstract_mesh,
    axes_in,
    blocked,
    call_of,
    dims_alone,
    example_of,
    spec_of,
    specs_under,
    step_of,
    trace,
)
from ...snapshot.format import Entry, NoRecord, entries, parse_record, section_of
from ...snapshot.mode import RECORDED, how_to_approve

LAW = Law(
    number="P20",
    since="0.2",
    name="sharding",
    statement="On an abstract mesh with explicit axes the call traces with each dim of `sharding` on its mesh axis, results are sharded as their dims say, `partition_specs` has the axes of the named dims, and a training step keeps the sharding of each leaf.",
    protects="Calls that raise `ShardingTypeError` on a mesh of `AxisType.Explicit`, and arrays replicated on every device although one of their dims is declared to be split over an axis of the mesh.",
    mistake="A product contracts a sharded dim and states no `out_sharding`, a spec is transposed or left out, or a constant takes the place of a sharded array.",
    fix="State `out_sharding` where a sharded dim is contracted, and let `partition_specs` name the dims in the order of the annotation.",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p07_outputs_are"),
)
CHECKS = Checks(LAW)
ALONE = "along each dim alone"
"""Section of a record that lists the dims along which a call shards."""
ABSTRACT = Condition(
    "this jax has no abstract meshes with explicit axes",
    lambda suite: hasattr(jax.sharding, "use_abstract_mesh"),
)
ASKS = Condition("no mesh axes are declared", lambda suite: suite.sharding is not None, "sharding")


@CHECKS.register(RECORDED, ASKS, ABSTRACT)
def test_p20_each_dim_shards_as_recorded(subject: Suite) -> None:
    text = subject.recorded() or ""
    need(text, "the numbers are not recorded yet")
    laws, example = type(subject), sharding_example(subject)
    with contextlib.suppress(NoRecord):  # as P19 says
        before = parse_record(text).get(section_of(laws, ALONE), {})
        mapped = [name for name in example.own_sizes() if name in (subject.sharding or {})]
        for name, error in dims_alone(example, mapped):
            shards = entries({name: np.bool_(True)})[name]
            message = f"sharded alone the call went through, and now needs an `out_sharding`: {error}"
            check(not error or before.get(name) != shards, name, message, how_to_approve(subject))


@CHECKS.register(ASKS, ABSTRACT)
def test_p20_the_call_shards(subject: Suite) -> None:
    example, specs, mesh = sharded_example(subject)
    try:
        outputs = outputs_of_step(subject) or trace(example, call_of(example), specs, mesh)
    except ANY_ERROR as error:
        check(False, "call", f"it does not shard on {told(mesh)}: {blocked(error)}")
    else:
        check_results(example, subject.sharding or {}, outputs)


@CHECKS.register(ASKS, ABSTRACT)
def test_p20_specs_have_the_axes_of_the_named_dims(subject: Suite) -> None:
    instance = subject.cached_instance()
    specs = subject.specs_of_leaves(instance)
    if specs is None:
        not_applicable("the class says nothing of where its arrays lie")
    names = [*subject.leaf_names(instance)]
    check(len(specs) == len(names), "partition_specs", "it has other leaves than the class")
    check_followers(dict(zip(names, specs)), subject.named(instance))
    dims_by_path = own_dims(instance)  # sub-modules answer for themselves
    for name, spec in zip(names, specs):
        if name in dims_by_path:
            wanted = without_trailing(spec_of(dims_by_path[name], subject.sharding or {}))
            message = f"its spec is {spec}, and its dims {dims_by_path[name]} ask for {wanted}"
            check(without_trailing(tuple(spec)) == wanted, name, message)


@CHECKS.register(ASKS, ABSTRACT)
def test_p20_a_step_keeps_the_sharding(subject: Suite) -> None:
    example, _, mesh = sharded_example(subject)
    need(set(example.names) & subject.trained_names(), "nothing is trained")
    try:
        traced_step(subject)  # jax types a gradient as its array, so a step that traces keeps each sharding
    except ANY_ERROR as error:
        check(False, "call", f"its gradient does not shard on {told(mesh)}: {blocked(error)}")


def check_followers(specs: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Check that the optimiser's state has the mesh axes of its parameters, whose paths end alike."""
    places = {(n.partition(".")[2], arrays[n].shape): n for n in specs if n in arrays and specs[n]}
    for name in [path for path in specs if path in arrays and not specs[path]]:
        parts = name.split(".")
        ends = [".".join(parts[at:]) for at in range(1, len(parts))]
        leader = next(filter(None, (places.get((end, arrays[name].shape)) for end in ends)), None)
        message = f"it is replicated, and `{leader}`, which it follows, is not"
        hint = "the state of an optimiser that lies elsewhere than its parameters"
        check(leader is None, name, message, hint)


def check_results(example: Example, rules: Rules, outputs: Sequence[Any]) -> None:
    """Check that each result with named dims lies on the mesh axes of those dims."""
    for number, (dims, array) in enumerate(zip(example.results, outputs)):
        if dims is None or len(dims) != array.ndim:
            continue
        spec = tuple(array.sharding.spec)
        got = (*spec, *[None] * (array.ndim - len(spec)))
        for dim, axes, specs in zip(dims, spec_of(dims, rules), got):
            message = f"its dim `{dim}` lies on {specs}, though the arrays that it comes from lie on {axes}"
            check(not axes or {*axes_in(axes)} <= {*axes_in(specs)}, f"result {number}", message)


def sharding_example(subject: Suite) -> Example:
    subject.need_call()
    example = named_example(subject)
    need(example.dims, "no dims of its arrays have names")
    return example


def sharded_example(subject: Suite) -> tuple[Example, Sequence[Spec], Any]:
    """Return the example, the spec of each of its arrays, and an abstract mesh for them."""
    example = sharding_example(subject)
    specs = specs_of(subject, example)
    return example, specs, abstract_mesh(example, specs)


def specs_of(subject: Suite, example: Example) -> list[Spec]:
    """Return the sharding specs of the arrays, as the class gives them or else by the rules.

    The specs of the arguments always follow the rules.
    """
    instance = example.back(example.tree)
    declared = subject.specs_of_leaves(instance)
    leaves = subject.named(instance)
    pairs = zip(subject.leaf_names(instance), declared or ())
    specs = declared and [tuple(spec) for name, spec in pairs if is_array(leaves[name])]
    by_rules = specs_under(example, subject.sharding or {})
    return by_rules if specs is None else [*specs, *by_rules[len(specs) :]]


def of_dims(suite: Any) -> dict[str, Entry]:
    """Return entries that record along which dims the call shards."""
    if not suite.called() or not ABSTRACT.is_met(suite):
        return {}
    return entries({name: np.bool_(not error) for name, error in dims_alone(named_example(suite))})


@once_per_session
def named_example(suite: Any) -> Example:
    """Return the example of a suite with the names of its dims."""
    instance, arguments = suite.cached_example()
    return example_of(instance, suite.call_with_state, arguments, suite.to_tree, [*suite.named(instance)])


@once_per_session
def traced_step(suite: Any) -> Sequence[Any]:
    """Trace a step on the abstract mesh, and return its outputs, momenta and new leaves."""
    example, specs, mesh = sharded_example(suite)
    return trace(example, step_of(example, suite.trained_names()), specs, mesh)


@or_else(())
def outputs_of_step(suite: Any) -> Sequence[Any]:
    """Return the outputs of the call in a step, or () if nothing is trained or the trace fails."""
    count = len(suite.trained_names())
    return traced_step(suite)[: -2 * count] if count else ()


def told(mesh: Any) -> str:
    shape: Mapping[str, int] = mesh.shape
    return ", ".join(f"`{name}`" for name in shape) or "a mesh without axes"


def without_trailing(spec: Spec) -> Spec:
    """Drop the replicated dims at the end of a spec."""
    while spec and spec[-1] is None:
        spec = spec[:-1]
    return spec
