"""P7 and P15, of what methods return on their examples, which is reported before the call."""

import enum
import functools
import inspect
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from ...declare.methods import Method, methods_of
from ...discover.likely import numbers_for_none
from ...discover.method_programs import MEMBERS, NO_METHOD, traceable, tried, usable, usable_methods
from ...discover.method_uses import Use, bound_with, invocation_of, traced_or_raise, use_with
from ...discover.traced_uses import calls_on_given, traced_uses
from ...engine.applicability import TAKES_DTYPE, need
from ...engine.example_errors import (
    advice_on,
    is_misfit,
    is_of_made_up_values,
    lacks_a_name,
    law_behind,
    may_be_of_the_example,
    said_of,
)
from ...engine.registry import Checks
from ...errors import asks_for_a_package, message_of, raises_deliberately
from ...inspect.arrays import buffer_of, is_array, is_inexact, kind_of
from ...inspect.asked_names import methods_asking
from ...inspect.call_recorder import Invocation, record_call
from ...inspect.trees import (
    arrays_of,
    attributes,
    instances_in,
    is_node,
    named_arrays,
    named_leaves,
    output_name,
)
from ...kinds.suite import Suite
from ...report import ADVICE, COST, FAULT, Fault, check, doing, result_or_error, result_or_raise
from ..transforms.p07_outputs import OF_AXES

CHECKS = Checks()

RENAMED = "a method that was renamed or taken out: say the same in `methods` of the tests"
KINDS = "a number of another kind in an array: `1` for an integer that is counted, `1.0` or `dtype=` for a float; `Leaf(..., dtype=None)` allows any"
WIDENING = ("int", "float"), ("float", "complex")
RAISES = (
    "what raises whenever it is used, where the example fits: another one is given in a spec by "
    '`values={{"{name}.ARGUMENT": lambda: ...}}` of `@test(...)`, here in its `Method`; a `raise` with the reason says so on purpose'
)


@CHECKS.register(MEMBERS)
def test_p07_methods_give_what_is_declared(subject: Suite) -> None:
    need(methods_of(subject), NO_METHOD)
    broken = {name: error for name, error in tried(subject).items() if _is_broken(subject, name, error)}
    misfits = [name for name, error in broken.items() if is_misfit(subject, name, error)]
    subject.summary_line = "; ".join(said_of(name, broken[name]) for name in misfits)
    for method in usable(subject):
        result = method.use(subject.spare(), *method.arguments(0))
        if method.returns:
            _check_returns(subject, method, named_leaves(result))
        for instance in instances_in(result, type(subject.cached_instance())):
            _check_kinds(subject, method, subject.named(instance))
    if misfits and len(misfits) == len(broken):
        pytest.skip(subject.summary_line)
    broken = {name: error for name, error in broken.items() if name not in misfits}
    for name, error in broken.items():
        if _is_missing(subject.cached_instance(), name):
            message = "the suite declares it in `methods`, and the class has nothing of this name"
            raise Fault(name, message, RENAMED)
        alike = {*broken, *_that_ask_alike(subject, error)} - {name}
        message = f"it raised {type(error).__name__}: {message_of(error):.300}"
        message += f"; so do {', '.join(sorted(alike))}" if alike else ""
        is_found = any(method.name == name and method.found for method in methods_of(subject))
        is_doubtful = is_found and not lacks_a_name(subject, error)
        is_doubtful = is_doubtful or _lacks_a_part(subject.cached_instance(), error)
        severity = ADVICE if is_doubtful else FAULT
        raise Fault(
            name,
            message,
            advice_on(subject, error, RAISES.format(name=name)),
            law=law_behind(error, ""),
            severity=severity,
        ) from error


@CHECKS.register(MEMBERS)
def test_p07_methods_work_at_each_flag(subject: Suite) -> None:
    uses = [
        (name, use)
        for name, (example, *others) in traced_uses(subject).items()
        if example.trace
        for use in others
    ]
    for name, (use, trace, is_likely) in [*uses, *(("call", call) for call in calls_on_given(subject))]:
        if trace is None and not is_likely and changes_flags_alone(use):
            _check_works(subject, name, use, _error_of(subject, use))
    for method in traceable(subject):
        for use, *more in _uses_of_options(method, traced_uses(subject)[method.name][0].use):
            error = _error_of(subject, use)
            if error is not None and all(_error_of(subject, other) for other in more):
                _check_works(subject, method.name, use, error)


def _check_works(subject: Suite, name: str, use: Use, error: Exception | None) -> None:
    """Check that a use of a method raises no error that is known to be of its class.

    A default of None may stand for what each caller gives.
    """
    hint = "a branch that the example does not take; under jax.jit, values that decide it: `jnp.where`, `jnp.maximum`"
    is_doubtful = may_be_of_the_example(subject, name, error) or _lacks_a_part(use.instance, error)
    is_known = subject.declares_arrays() and not is_doubtful and None not in use.changes.values()
    with doing(use.name, "it", hint, severity=FAULT if is_known else ADVICE):
        result_or_raise(error)


def _uses_of_options(method: Method, example: Use) -> Iterator[list[Use]]:
    """Yield, for each option whose default is None, uses with the numbers that it accepts, or without it.

    The last of them changes all such options, which may belong together, as the bounds of a range do.
    """
    invocation = invocation_of(method, example)
    if invocation is None:
        return
    given = [
        name
        for name, parameter in invocation.varied().items()
        if parameter.default is None and invocation.given[name] is not None
    ]
    for options in (numbers_for_none(invocation), {name: [None] for name in given}):
        yield from _uses_with(method, example, invocation, options)


def _uses_with(
    method: Method, example: Use, invocation: Invocation, options: Mapping[str, list[Any]]
) -> Iterator[list[Use]]:
    """Yield, for each option, uses with each of its values, and last a use with a value of every option."""
    together = bound_with(invocation, {name: values[-1] for name, values in options.items()})
    for name, values in options.items():
        uses = [use_with(method, invocation, example.instance, name, value, flag="") for value in values]
        yield [*uses, uses[0]._replace(run=together)]


def changes_flags_alone(use: Use) -> bool:
    """Whether a use changes only flags and named options.

    Another number might be too large.
    """
    return all(isinstance(value, bool | str | enum.Enum) for value in use.changes.values())


def _error_of(subject: Suite, use: Use) -> Exception | None:
    """Return the error that a use raises when traced, unless the class raises it on purpose."""
    result = result_or_error(traced_or_raise, subject, use)
    is_error = isinstance(result, Exception)
    return result if is_error and not raises_deliberately(result, type(subject.cached_instance())) else None


def _that_ask_alike(subject: Suite, error: Exception | None) -> list[str]:
    """Return the methods that ask a module for the name that an error misses."""
    module = getattr(error, "obj", None)
    if not (isinstance(error, AttributeError) and isinstance(module, ModuleType) and error.name):
        return []
    return methods_asking(type(subject.cached_instance()), module, error.name)


def _lacks_a_part(instance: Any, error: Exception | None) -> bool:
    """Whether an error is about None, which an instance has in place of an optional part."""
    return "NoneType" in str(error) and any(value is None for value in attributes(instance).values())


def _is_missing(instance: Any, name: str) -> bool:
    """Whether neither the class nor the instance has a method.

    A property may itself raise an `AttributeError`.
    """
    return not (hasattr(type(instance), name) or hasattr(instance, name))


def _is_broken(subject: Suite, name: str, error: Exception | None) -> bool:
    """Whether a method raises on its example, neither on purpose nor for a missing package."""
    if error is None or isinstance(error, NotImplementedError) or asks_for_a_package(error):
        return False
    if name not in [method.name for method in methods_of(subject) if method.found]:
        return True
    is_meant = raises_deliberately(error, type(subject.cached_instance()))
    return not (is_meant or is_of_made_up_values(subject, error))


def _check_returns(subject: Suite, method: Method, got: Sequence[tuple[str, Any]]) -> None:
    names = [name for name, _ in got]
    message = f"it gives {len(got)} leaves, declared are {len(method.returns)}"
    check(len(got) == len(method.returns), method.name, message)
    for i, ((_, value), output) in enumerate(zip(got, method.returns)):
        where, dtype = f"{method.name}, {output_name(names, i)}", jnp.result_type(value)
        message = f"the shape is {jnp.shape(value)}, declared is {output.shape}"
        check(output.allows(jnp.shape(value)), where, message, OF_AXES)
        message = f"it is {value!r}, a number of Python, and an array is declared"
        check(is_array(value), where, message, "`jnp.zeros((), jnp.int32)` for a count that is carried")
        check(subject.is_of(output.dtype, value), where, f"the dtype is {dtype}, declared is {output.dtype}")


def _check_kinds(subject: Suite, method: Method, leaves: Mapping[str, Any]) -> None:
    """Check that another instance has the kinds of dtype of this one.

    Otherwise a scan over the instance, or an update of its leaves, fails.
    """
    usual = subject.named(subject.cached_instance())
    kinds = {
        path: (kind_of(usual[path].dtype), kind_of(leaves[path].dtype)) for path in usual.keys() & leaves
    }
    if all(kind == "bool" for _, kind in kinds.values()):
        return  # marks of its leaves, or a comparison of each
    for path, (kind, other) in sorted(kinds.items()):
        leaf = subject.declared(path) if subject.declares_arrays() else None
        is_any = leaf is not None and leaf.dtype is None and leaf.word != "key"
        # Of arrays that nobody declared, a share of counts or a transform may be meant.
        is_wider = leaf is None and (kind, other) in WIDENING
        message = f"of the instance that it gives, `{path}` is {leaves[path].dtype}: it is {usual[path].dtype} as built"
        severity = ADVICE if is_wider else FAULT
        check(kind == other or is_any, f"{method.name}.{path}", message, KINDS, severity=severity)


@CHECKS.register(MEMBERS, severity=COST)
def test_p15_methods_share_no_buffer_within_an_instance(subject: Suite) -> None:
    hint = "an array that is made once for two leaves, as `zeros` in `cls(zeros, zeros)`: make it twice"
    for method in (method for method in usable_methods(subject) if not method.needs_values):
        arguments, instance = method.arguments(0), subject.spare()
        # What the instance holds, or was given, is handed on.
        known = {id(leaf) for leaf in arrays_of((subject.to_tree(instance)[0], arguments))}
        for node in _instances_made(method.use(instance, *arguments), type(instance), arguments):
            owners: dict[Any, str] = {}
            for path, leaf in named_arrays(node):
                owner = owners.setdefault(buffer_of(leaf) or id(leaf), path)
                message = f"it shares its buffer with `{owner}`, so that the instance cannot be donated"
                is_free = owner == path or id(leaf) in known
                check(is_free, f"{method.name}, {type(node).__name__}.{path}", message, hint)


def _instances_made(result: Any, cls: type, arguments: Sequence[Any]) -> Iterator[Any]:
    """Yield the instances of the method's own class in a result.

    A method without array arguments makes instances of any class.
    """
    makes_any = not arrays_of(arguments)
    nodes = jax.tree.leaves(result, is_leaf=_is_instance)
    yield from (node for node in nodes if _is_instance(node) and (makes_any or type(node) is cls))


def _is_instance(node: Any) -> bool:
    return type(node) not in (tuple, list, dict, type(None)) and is_node(node)


@CHECKS.register(TAKES_DTYPE, MEMBERS)
def test_p02_further_constructors_hand_their_dtype_on(subject: Suite) -> None:
    cls = type(subject.cached_instance())
    hint = "`dtype=dtype` where it calls the constructor"
    for method in usable_methods(subject):
        made = made_in_bfloat16(subject, method)
        for name, leaf in subject.named(made).items() if type(made) is cls else ():
            declared = subject.declared(name)
            is_float = declared is not None and declared.dtype == "float" and is_inexact(leaf)
            message = f"asked for bfloat16, it is {jnp.result_type(leaf)}"
            check(not is_float or leaf.dtype == jnp.bfloat16, f"{method.name}, {name}", message, hint)


def made_in_bfloat16(subject: Suite, method: Method) -> Any:
    """Return what a class method with a `dtype` makes in bfloat16, or None for another method."""
    instance = subject.cached_instance()
    held = inspect.getattr_static(type(instance), method.name, None)
    if not isinstance(held, classmethod) or "dtype" not in inspect.signature(held.__func__).parameters:
        return None
    use = functools.partial(method.use, instance, *method.arguments(0))
    invocation = record_call(instance, use, method.name)
    if invocation is None or "dtype" not in invocation.parameters:
        return None
    positional, named = invocation.bound({"dtype": jnp.bfloat16})
    return getattr(type(instance), method.name)(*positional, **named)
