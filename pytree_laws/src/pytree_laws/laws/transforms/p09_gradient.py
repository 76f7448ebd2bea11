"""P9: gradients, and a training step."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from ...declare.leaf_spec import TRAINED
from ...discover.configuration_programs import is_cut_off, is_optional, severity_of_idle, stored_paths
from ...discover.copied_parts import is_copy_of_another
from ...discover.evaluation import on_purpose, severity_of_values
from ...discover.method_programs import (
    MEMBERS,
    compiled_grads_of_methods,
    traceable,
    traced_methods,
    traces_of,
)
from ...engine.applicability import CALLED, need, of_leaves
from ...engine.registry import Checks
from ...inspect.arrays import is_floating, same_bits
from ...inspect.trees import flatten, is_under, without_lost_weakness
from ...kinds.slopes import grads_at_start, greatest_grads, shows
from ...kinds.suite import Suite
from ...report import ADVICE, COST, FAULT, Law, check, doing
from ...trace.dependencies import undone_sums
from ...trace.jaxprs import line_of, own_rules
from ...trace.programs import compiled
from ...values.closeness import check_rule, close
from ..ties import TIES, check_ties, read_from, ties_of, untied

LAW = Law(
    number="P9",
    name="gradient and step",
    statement="Every element of every parameter, and every trained leaf of a sub-module, has a gradient, at the start or elsewhere, which is no NaN where the output is finite; gradients flow through data, and not through buffers; a derivative rule of its own agrees with small steps; a step of AdamW with weight decay moves the parameters alone and keeps structure, shapes and dtypes.",
    protects="Parameters that no optimiser step changes, since no gradient reaches them, and buffers that one does change, as weight decay changes running statistics: nothing says so. And calls of which `jax.grad` raises.",
    mistake="A parameter is not used by the call, or a buffer is among the trained arrays (weight decay moves what gradients skip).",
    fix="Use each parameter in the call; apply stop_gradient to buffers where they are used, and to nothing else; leave data and buffers out of `trainable()`.",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p05_aux", "test_p05_no_leaf"),
    rests_there_on=("test_p08_every_parameter_changes",),
)
CHECKS = Checks(LAW)
TOO_SMALL = "an example that is too small for it"
UNUSED = f"a sub-module that the call does not use, or {TOO_SMALL}"
CUT_OFF = "`stop_gradient` cuts it off, and weight decay moves it: `frozen=True` says that it is not trained"
TAKEN_AWAY = "`x + jax.lax.stop_gradient(y - x)` has the value of y and the gradient of x; in `x + (stop_gradient(y) - x)` that of x is gone. Where just y is meant, write `stop_gradient(y)`"
MOVED = "an array of floats, which an optimiser takes for a parameter, as weight decay does: a `trainable()` that leaves it out, or integers or flags where they say the same"


@CHECKS.register()
def test_p09_every_parameter_has_a_gradient(subject: Suite) -> None:
    start, every = grads_at_start(subject), greatest_grads(subject)
    instance = subject.cached_instance()
    trained = subject.trained_paths(instance)
    for name in subject.named(instance) if subject.is_mutable else ():  # of others P16 says so
        check_trained(name, subject.role(name), name in trained)
    for name, grad in start.items():
        role = subject.role(name)
        if role in TRAINED:
            is_right = bool(np.all(np.isfinite(grad))) or not gives_finite(subject)
            check(is_right, name, f"the gradient is not finite: {grad}", severity=severity_of_values(subject))
        if role == "param" and not subject.is_unused(name):
            hint = "a parameter that the call does not use"
            if not (has_gradient(subject, name, every[name]) or is_optional(subject, name, gradients=True)):
                severity = severity_of_idle(subject, [name], gradients=True)
                hint = CUT_OFF if is_cut_off(subject, [name]) else hint
                check(False, name, "the gradient is zero everywhere", hint, severity=severity)
        if role == "buffer":
            message = f"declared as buffer, but the call has the gradient {every[name]}"
            hint = "`jax.lax.stop_gradient` is missing where the buffer is used"
            check(not shows(subject, name), name, message, hint)


def check_trained(name: str, role: str, is_trained: bool) -> None:
    """Check that a Variable is trained if its role is to be trained, and only then."""
    message = f"declared as {role}, and training leaves it out"
    check(is_trained or role != "param", name, message, "a weight that is no nnx.Param")
    message = f"declared as {role}, and training moves it"
    check(not is_trained or role in ("module", "param"), name, message, "a buffer that is an nnx.Param")


@CHECKS.register(severity=ADVICE)
def test_p09_every_element_of_a_parameter_has_a_gradient(subject: Suite) -> None:
    for name, grad in greatest_grads(subject).items():
        if subject.role(name) == "param" and not subject.is_unused(name) and np.any(grad):
            still = grad == 0
            wrong = np.argwhere(still & ~felt_by_methods(subject, name, grad.shape) if still.any() else still)
            message = f"{len(wrong)} of its {grad.size} elements never have a gradient"
            message += f", the first at {tuple(map(int, wrong[0]))}" if len(wrong) else ""
            hint = f"a part of the parameter that the call does not use, or {TOO_SMALL}; "
            hint += how_to_leave_unused(subject.declared(name))
            check(not len(wrong), name, message, hint)


def how_to_leave_unused(declared: Any) -> str:
    return f"`{type(declared).__name__}(..., unused=True)` says that this is so on purpose"


@CHECKS.register(of_leaves("no sub-trees are declared", lambda leaf: leaf.role in ("module", "tree")))
def test_p09_every_trained_sub_tree_has_a_gradient(subject: Suite) -> None:
    grads, trained = greatest_grads(subject), subject.trained_paths(subject.cached_instance())
    for root in (leaf for leaf in subject.manifest() if leaf.role in ("module", "tree")):
        below = [n for n in trained if is_under(n, root.path) and not subject.is_empty(n)]
        used = not below or any(
            has_gradient(subject, name, grads[name]) or subject.is_unused(name) for name in below
        )
        if not (used or root.unused or _is_slow_copy(subject, below)):
            hint = CUT_OFF if is_cut_off(subject, below) else UNUSED
            message = f"no {subject.noun} of this sub-tree has a gradient"
            check(False, root.path, message, hint, severity=severity_of_idle(subject, below, gradients=True))


@CHECKS.register(of_leaves("no sub-modules are declared", lambda leaf: leaf.role == "module"))
def test_p09_every_leaf_of_a_sub_module_has_a_gradient(subject: Suite) -> None:
    trained = subject.trained_paths(subject.cached_instance())
    for name, grad in greatest_grads(subject).items():
        if subject.role(name) == "module" and name in trained and not subject.is_unused(name):
            hint = f"a layer that is built and never used, or {TOO_SMALL}; beside the sub-module {how_to_leave_unused(subject.declared(name))}"
            hint = CUT_OFF if is_cut_off(subject, [name]) else hint
            severity = FAULT if np.any(grad) else severity_of_idle(subject, [name], gradients=True)
            message = f"a {subject.noun} of a sub-module never has a gradient"
            is_right = has_gradient(subject, name, grad) or _is_slow_copy(subject, _beside(subject, name))
            check(is_right, name, message, hint, severity=severity)


@CHECKS.register(CALLED)
def test_p09_derivative_rules_of_its_own_are_right(subject: Suite) -> None:
    rules = own_rules(subject.traced_call().jaxpr)
    need(rules, "the call has no derivative rule of its own")
    instance, arguments = subject.cached_example()
    value, back = subject.to_arrays(instance)
    leaves, treedef = flatten((value, arguments))
    floats = {i: leaf for i, leaf in enumerate(leaves) if is_floating(leaf)}

    def loss(values: Mapping[int, Any]) -> Any:
        value, arguments = treedef.unflatten([values.get(i, leaf) for i, leaf in enumerate(leaves)])
        return subject.example_loss(back(value), [arguments])

    with doing(rules[0], "the gradient of the call"):
        check_rule(rules[0], compiled(jax.value_and_grad(loss)), floats)


def _beside(subject: Suite, name: str) -> list[str]:
    """Return all leaves of the declared sub-module that contains a leaf."""
    roots = [leaf.path for leaf in subject.manifest() if leaf.role == "module" and is_under(name, leaf.path)]
    return (
        [path for path in subject.named(subject.cached_instance()) if is_under(path, roots[0])]
        if roots
        else []
    )


def _is_slow_copy(subject: Suite, paths: Sequence[str]) -> bool:
    """Whether a part begins as a copy of another and gets no gradient, as a target network does."""
    return is_cut_off(subject, paths) and is_copy_of_another(subject, paths)


def has_gradient(subject: Suite, name: str, grad: np.ndarray) -> bool:
    """Whether the output of a call has a gradient by an array.

    A later call may have that gradient, through what this call updates.
    """
    return bool(np.any(grad)) or name in stored_paths(subject)


def gives_finite(subject: Suite) -> bool:
    """Whether the example call returns finite numbers.

    An infinite value has no known slope, such as that of a log density outside of its support.
    """
    return bool(np.isfinite(subject.loss_and_grads(*subject.cached_example())[0]))


@CHECKS.register(rests_on=("test_p16_filter_specs",))
def test_p09_a_step_moves_the_parameters_alone(subject: Suite) -> None:
    first, _ = subject.training_example()
    starts = [first, subject.elsewhere(first)]
    ran = [(subject.parts_of(start), subject.parts_of(subject.stepped(start))) for start in starts]
    for name, part in subject.parts_of(first).items():
        pairs = [(subject.value_of(old[name]), subject.value_of(new[name])) for old, new in ran]
        moved = [new for old, new in pairs if not same_bits(old, new)]
        role, frozen = subject.role(name), subject.is_frozen(name)
        if role == "param" and not frozen and not subject.is_empty(name):
            message = "a training step did not move it"
            check(bool(moved), name, message, "a parameter that training leaves out")
        if (frozen or role in ("data", "buffer", "key", "python")) and not subject.may_update(name, part):
            role = "frozen" if frozen else role
            message = f"declared as {role}, a training step moved it to {moved!r:.200}"
            check(not moved, name, message, MOVED)


@CHECKS.register()
def test_p09_steps_keep_the_structure(subject: Suite) -> None:
    instance, _ = subject.training_example()
    name, (static, before) = type(instance).__name__, subject.form_of(instance)
    after, made = subject.form_of(subject.stepped(instance, steps=2))
    check(after == static, name, f"two training steps changed the {subject.structure_noun}")
    message = f"two training steps made {made} of {before}"
    are_of_jax = all(isinstance(value, jax.Array) for value in subject.named(instance).values())
    severity = FAULT if are_of_jax else COST  # as P5 says of an array of NumPy
    check(without_lost_weakness(before, made) == before, name, message, severity=severity)


@CHECKS.register(TIES)
def test_p09_the_gradient_of_a_shared_array_sums_its_uses(subject: Suite) -> None:
    instance, examples = subject.training_example()
    trained = subject.trained_paths(instance)
    for name, path in ties_of(subject, instance):
        if path in trained:
            check_gradient_of_tie(subject, instance, examples, name, path)


def check_gradient_of_tie(subject: Suite, instance: Any, examples: Any, name: str, path: str) -> None:
    """Check that the gradient of a shared array is the sum of the gradients of its uses."""
    value = subject.named(instance)[path]

    def edited(value: Any) -> Any:
        return subject.with_array(instance, path, value)

    def loss(value: Any, shared: Any) -> Any:
        return subject.example_loss(untied(edited(value), name, shared), examples)

    shared, back = jax.vjp(lambda value: read_from(subject, edited(value), name), value)
    direct, through = jax.grad(loss, (0, 1))(value, shared)
    [through] = back(through)
    hint = f"the call does not use it, or stops its gradient; {on_purpose([name])}"
    check(bool(np.any(through)) or name in subject.ignored, name, "no gradient comes through it", hint)
    got = jax.grad(lambda value: subject.example_loss(edited(value), examples))(value)
    message = f"its {subject.noun} has the gradient {got}, its uses {direct} and {through}"
    check(close(got, direct + through, 16), name, message, hint)


@CHECKS.register(TIES)
def test_p09_a_training_step_keeps_ties(subject: Suite) -> None:
    instance, _ = subject.training_example()
    check_ties(subject, subject.stepped(instance), "after a training step")


def felt_by_methods(suite: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return, for each element of a parameter, whether a declared method has a gradient there."""
    start, _ = suite.flowing_values(suite.cached_instance())
    if name not in start or all(method.found for method in traceable(suite)):
        return np.zeros(shape, bool)
    grads, _ = compiled_grads_of_methods(suite)(start)
    return np.any(grads[name] != 0, axis=0)


@CHECKS.register(CALLED, severity=ADVICE)
def test_p09_a_gradient_that_is_passed_on_is_not_taken_away_again(subject: Suite) -> None:
    _check_passed_on("call", subject.traced_call())


@CHECKS.register(MEMBERS, severity=ADVICE)
def test_p09_methods_pass_gradients_on(subject: Suite) -> None:
    for method in traced_methods(subject):
        _check_passed_on(method.name, traces_of(subject)[method.name])


def _check_passed_on(where: str, closed: Any) -> None:
    for equation in undone_sums(closed.jaxpr):
        line = line_of(equation)
        message = f"a term of a sum is taken away again beside `stop_gradient`{f': {line}' if line else ''}"
        check(False, where, message, TAKEN_AWAY)
