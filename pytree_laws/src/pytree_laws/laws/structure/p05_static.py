"""P5: static values and the treedef."""

from typing import Any

import jax

from ...discover.inference import check_declared, same_value, with_other_statics
from ...discover.invocation import call_text, trace_of_call
from ...engine.applicability import STATICS_DECLARED, declares, need
from ...engine.registry import Checks
from ...inspect.classes import is_of_library
from ...inspect.mutations import may_change
from ...inspect.parameter_values import is_of_item
from ...inspect.references import parts_of
from ...inspect.static_values import (
    CAN_CHANGE,
    NEW,
    NOT_FROZEN,
    NUMPY,
    alternatives_at,
    are_functions_of_libraries,
    is_made_anew,
    is_unhashable,
    static_fault,
    with_slices_as_tuples,
)
from ...inspect.trees import attributes, is_node, look_up, nodes, structure, under_any
from ...kinds.pytree import PytreeSuite
from ...kinds.suite import Suite
from ...report import ADVICE, COST, FAULT, Law, check, check_each, doing, or_else
from ...session import once_per_session
from ...trace.program_texts import program_text
from ...values.comparison import check_treedef, hint_of_marks

LAW = Law(
    number="P5",
    name="static",
    statement="The static values are those that are declared; the aux data of every node is immutable, hashable and equal by value; the treedef depends on the configuration alone, not on the order of keywords, and survives calls; the call follows its static values; no leaf is weakly typed.",
    protects="Static fields that are not hashable (an error), change after construction (a stale compiled function), or differ between instances built alike (a compilation for each); and leaves of weak type, as `jnp.asarray(1.0)` gives, whose dtype changes on the first update.",
    mistake="A dict, list, array, NaN, lambda, partial or bound method is static, or an array was made without a dtype.",
    fix="Keep flat tuples of int, bool, str and module-level functions as static, arrays as leaves, and give every array a dtype.",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p05_aux", "test_p05_treedef_depends_on"),
)
CHECKS = Checks(LAW)


@CHECKS.register()
def test_p05_aux_is_hashable_and_free_of_arrays(subject: Suite) -> None:
    others = [
        value for _, value in subject.static_parts(subject.cached_instance(1))
    ]  # kept, as their ids are
    known = {id(part) for value in others for part in parts_of(value)}
    instance = subject.cached_instance()
    # Nodes of jax, Flax and other libraries answer for what is static in them.
    parts = ((place, node) for place, node, _ in nodes(instance) if node is not instance)
    of_libraries = [place for place, node in parts if is_of_library(type(node))]
    of_parts = statics_of_parts_given(subject)
    first, again = ([*subject.static_parts(instance)] for _ in range(2))

    def check_static(where: str, value: Any, later: Any) -> None:
        fault = static_fault(value)
        # What another instance holds as well, as a function that it is given, is not new.
        new = [part for part in parts_of(value) if (static_fault(part) or "").endswith(NEW)]
        is_known = (fault or "").endswith(NEW) and all(id(part) in known for part in new)
        severity = ADVICE if fault in (NUMPY, NOT_FROZEN) else FAULT
        if is_unhashable(value):
            may_be = fault is None or fault.endswith(CAN_CHANGE)  # jax asks no aux for its hash
            severity = severity_of_mutable(subject, where) if may_be else subject.severity_of_unhashable
        # A function that is new may be the caller's, who can give one to all; what a library keeps is its own.
        is_new = (fault or "").endswith(NEW)
        is_others = where in statics_given(subject) if is_new else under_any(where, of_libraries)
        is_others = is_others or where in of_parts or are_functions_of_libraries(value)
        severity = ADVICE if is_others or is_made_anew(value, later) else severity
        check(fault is None or is_known, where, f"static is {value!r:.200}, {fault}", severity=severity)
        with doing(where, "hash of a static value", severity=severity):
            hash(with_slices_as_tuples(value))

    check_each(check_static, ((*part, later) for part, (_, later) in zip(first, again)))


def severity_of_mutable(subject: Suite, where: str) -> str:
    """Return the severity of a static value that can change, and so make a compiled call stale.

    In an adopted class, only a change in place by its own code matters.
    """
    if subject.declares_arrays() and subject.severity != FAULT:
        return subject.severity_of_unhashable
    return subject.severity_of_unhashable if may_change(subject.cached_instance(), where) else ADVICE


@once_per_session
def statics_given(subject: Suite) -> set[str]:
    """Return the paths of static values that an instance was given, itself or in its parts."""
    inputs = subject.inputs(0)
    return places_of(subject, inputs, {id(value) for value in inputs.values()}) | statics_of_parts_given(
        subject
    )


@once_per_session
def statics_of_parts_given(subject: Suite) -> set[str]:
    """Return the paths of static values in given parts, whose own classes answer for them."""
    inputs = subject.inputs(0)
    parts = (value for value in inputs.values() if is_node(value))
    return places_of(
        subject, inputs, {id(part) for value in parts for _, part in subject.static_parts(value)}
    )


def places_of(subject: Suite, inputs: dict[str, Any], ids: set[int]) -> set[str]:
    """Return the paths at which an instance of these inputs holds static values with these ids."""
    return {place for place, part in subject.static_parts(subject.build(**inputs)) if id(part) in ids}


@CHECKS.register()
def test_p05_treedef_depends_on_the_configuration_alone(subject: Suite) -> None:
    instance, other = subject.cached_instance(), subject.cached_instance(1)
    first, second = (subject.form_of(each)[0] for each in (instance, other))
    if first != second:
        parts = dict(subject.static_parts(other))
        for where, value in subject.static_parts(instance):
            message = f"two {subject.instance_noun}s of one configuration have {value!r:.100} and {parts.get(where)!r:.100}"
            is_others = where in statics_given(subject) or are_functions_of_libraries(value)
            severity = ADVICE if is_others else FAULT
            hint = hint_of_marks(first, second) or "a value that is new in each"
            check(same_value(value, parts.get(where)), where, message, hint, severity=severity)
        _check_parts_of_libraries(subject, instance, other)
    message = f"two {subject.instance_noun}s of one configuration have {subject.structure_noun}s {first} and {second}"
    check(first == second, type(instance).__name__, message, hint_of_marks(first, second))
    for path, changed in with_other_statics(subject):
        message = f"the {subject.structure_noun} does not depend on this static value"
        check(subject.form_of(changed)[0] != first, path, message, "a value that is not stored as static")


def _check_parts_of_libraries(subject: Suite, instance: Any, other: Any) -> None:
    """Check that parts of Flax hold equal static values in two instances.

    An `nnx.Optimizer` holds the functions of its transformation.
    """
    parts = dict(subject.parts_of_libraries(other))
    for where, value in subject.parts_of_libraries(instance):
        message = f"two {subject.instance_noun}s of one configuration hold another `{type(value).__name__}` there, so that each is compiled anew"
        hint = "what a function makes anew in each constructor: make it once, and give it to all"
        check(same_value(value, parts.get(where)), where, message, hint, severity=ADVICE)


@CHECKS.register()
def test_p05_the_order_of_keywords_does_not_matter(subject: PytreeSuite) -> None:
    inputs = subject.inputs(0)  # for both: a function among them may be another one each time
    first = structure(subject.build(**inputs))
    need(structure(subject.build(**inputs)) == first, "each instance has a treedef of its own")
    second = structure(subject.build(**dict(reversed(inputs.items()))))
    hint = "attributes set in the order of `**kwargs`, and flattened in theirs"
    check_treedef(first, second, "build", "with keywords in another order the treedef is", hint)


# What nobody sets by hand comes in the order of the constructor.
@CHECKS.register(severity=ADVICE)
def test_p05_the_order_of_attributes_does_not_matter(subject: PytreeSuite) -> None:
    first = subject.cached_instance()
    attribute_values = attributes(first)
    need(not (isinstance(first, tuple) or len(attribute_values) < 2), "the class stores no two attributes")
    second: Any = object.__new__(type(first))
    for name, value in reversed(attribute_values.items()):
        object.__setattr__(second, name, value)
    leaves = [list(map(id, jax.tree.leaves(tree))) for tree in (first, second)]
    same = structure(first) == structure(second) and leaves[0] == leaves[1]
    message = "with its attributes stored in another order it has another treedef, or other leaves"
    hint = "`vars(self)` in flatten, which a branch of the constructor may fill in another order: name the attributes"
    check(same, type(first).__name__, message, hint)


@CHECKS.register(STATICS_DECLARED)
def test_p05_static_values_are_the_declared_ones(subject: Suite) -> None:
    instance = subject.cached_instance()
    parts = subject.parts_of(instance)
    for path, value in subject.static.items():
        check_declared(subject, path not in parts, path, f"declared as static, but it is a {subject.noun}")
        got = look_up(instance, path)
        same = value is ... or (bool(got == value) and isinstance(got, bool) is isinstance(value, bool))
        check_declared(subject, same, path, f"the static value is {got!r}, declared is {value!r}")


@CHECKS.register(STATICS_DECLARED)
def test_p05_static_values_are_all_declared(subject: Suite) -> None:
    others = dict(subject.statics_of(subject.cached_instance(1)))
    for path, value in subject.statics_of(subject.cached_instance()):
        is_absent = value is None  # in the place of an optional part
        is_new = not same_value(value, others.get(path))  # in each instance, which is told already
        known = is_absent or is_new or "." in path or path in (*subject.static, *subject.held_besides)
        hint = "a field that nobody knows of, or that the laws are not told of"
        check_declared(subject, known, path, f"a static value that is not declared: {value!r:.200}", hint)


@CHECKS.register(declares("tuples", "no tuples are declared"))
def test_p05_tuples_are_no_lists(subject: PytreeSuite) -> None:
    instance = subject.cached_instance()
    for path in subject.tuples:
        got = look_up(instance, path)
        hint = "who appends to a list changes the treedef behind compiled code"
        check(type(got) is tuple, path, f"declared as a tuple, it is a {type(got).__name__}", hint)


@CHECKS.register(declares("used", "no static values are declared on which the call depends"))
def test_p05_the_call_follows_its_static_values(subject: Suite) -> None:
    instance, arguments = subject.example()
    leaves = subject.named(instance)
    for path in (path for path in subject.used if path not in leaves):
        others = alternatives_at(instance, path)
        edits = [subject.with_static(instance, path, other) for other in others]
        before = program_text(trace_of_call(subject, instance, arguments))  # P7 tells what it raises
        seen = any(call_text(subject, edited, arguments) != before for edited in edits)
        message = f"declared as used by the call, which is the same for {others}"
        check(seen or not others, path, message, f"a constant where `self.{path}` belongs")


@CHECKS.register(rests_on=("test_p12_a_cold_call_inside",))
def test_p05_treedef_survives_calls(subject: PytreeSuite) -> None:
    instance = subject.make(0)
    name, before = type(instance).__name__, structure(instance)
    subject.use(instance, *subject.arguments(0))
    check_treedef(before, structure(instance), name, "a call changed the treedef: it is")
    value, back = subject.to_arrays(instance)
    after = structure(back(jax.eval_shape(lambda inside: inside, value)))
    message = "with shapes in the place of arrays, as `jax.eval_shape` gives it, its treedef is"
    by_type = "flatten asks what a value is at that moment: name the leaves"
    check_treedef(before, after, name, message, by_type if structure(back(value)) == before else "")


@CHECKS.register(severity=COST)
def test_p05_no_leaf_is_weakly_typed(subject: Suite) -> None:
    fixed = subject.weak_fixed_points()
    for name, part in subject.parts_of(subject.as_built()).items():
        declared, value = subject.declared(name), subject.value_of(part)
        is_alone = declared is not None and declared.path == name and jax.tree_util.all_leaves([value])
        is_of_several = getattr(declared, "below", False) and not is_alone
        is_inside = subject.role(name) in ("module", "tree", "python")
        is_fixed = subject.holds_fixed(name) and not isinstance(value, jax.Array)
        is_of_others = is_inside or is_of_item(subject.as_built(), name)
        if is_of_several or is_of_others or is_fixed or name in fixed:
            continue
        message = f"it is no jax.Array but {type(value).__name__} {value!r:.200}"
        check(isinstance(value, jax.Array), name, message)
        message = "it is weakly typed: its dtype changes on the first update"
        hint = "an array made from a Python number without a dtype"
        check(not is_weak(value) or name in weak_of_the_caller(subject), name, message, hint)


@once_per_session
@or_else(frozenset[str]())
def weak_of_the_caller(subject: Suite) -> frozenset[str]:
    """Return the weakly typed leaves that are the caller's own arrays, whose type is the caller's choice."""
    inputs = subject.inputs(0)
    parts = subject.parts_of(subject.build(**inputs))
    given = {id(leaf) for leaf in jax.tree.leaves(inputs) if is_weak(leaf)}
    return frozenset(name for name, part in parts.items() if id(subject.value_of(part)) in given)


def is_weak(value: Any) -> bool:
    return getattr(value, "weak_type", False)
