"""P11, of methods that return the next instance, or the next value of an argument."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax

from ...declare.methods import SELF, Method
from ...discover.method_programs import usable_methods
from ...engine.applicability import need, of_methods
from ...engine.registry import Checks
from ...inspect.arrays import is_inexact
from ...inspect.references import snapshot
from ...inspect.trees import arrays_of, combine, partition
from ...kinds.suite import Suite
from ...report import ADVICE, FAULT, check, doing
from ...trace.dependencies import inputs_reaching
from ..transforms.p11_carry import carried, check_advances, check_fixed_point

CHECKS = Checks()
NEXT_INSTANCE = of_methods("no method gives the next instance", lambda method: method.carry == SELF)
ARGUMENT = of_methods("no method carries an argument", lambda method: isinstance(method.carry, int))


@CHECKS.register(ARGUMENT)
def test_p11_methods_carry_their_argument(subject: Suite) -> None:
    pairs = [(each, each.carry) for each in usable_methods(subject) if not each.needs_values]
    carrying = [(method, at) for method, at in pairs if isinstance(at, int)]
    need(carrying, "no method carries an argument")
    for method, at in carrying:
        where, arguments = f"{method.name}, argument {at}", list(method.arguments(0))
        message = f"the suite says that it is carried, and the example has {len(arguments)} arguments"
        check(at < len(arguments), where, message)

        def run(*given: Any, method: Method = method) -> Any:
            return method.use(subject.spare(), *given)

        first, advance = carried(run, arguments, at)
        with doing(where, "to carry the argument"):
            jax.eval_shape(advance, first)
        check_fixed_point(where, first, advance)
        check_advances(where, first, advance)


@CHECKS.register(NEXT_INSTANCE)
def test_p11_methods_carry_the_instance(subject: Suite) -> None:
    carrying = [method for method in usable_methods(subject) if method.carry == SELF]
    need(carrying, "no method gives the next instance")
    for method in carrying:
        _check_carry(subject, method)


def _check_carry(subject: Suite, method: Method) -> None:
    value, back = subject.to_arrays(subject.cached_instance())
    static, arrays = partition(tuple(method.arguments(0)))

    def following(value: Any, arrays: Sequence[Any]) -> Any:
        return subject.to_arrays(subject.next_instance(method, back(value), combine(static, arrays)))[0]

    def advance(value: Any) -> Any:
        return following(value, arrays)

    with doing(method.name, "to carry the instance"):
        jax.eval_shape(advance, value)
    check_fixed_point(method.name, value, advance, "the next instance")
    other, _ = subject.to_arrays(subject.next_instance(method, back(value), method.arguments(1)))
    message = "the next instance is the one before, whatever the arguments are"
    hint = "it gives back what it was given, and not what it computed"
    if all(snapshot(arrays_of(way)) == snapshot(arrays_of(value)) for way in (advance(value), other)):
        advanced = functools.partial(following, value)
        # Where nobody declared what the class holds, a state that never changes may be meant.
        severity = FAULT if subject.declares_arrays() else ADVICE
        check(is_for_these_alone(advanced, arrays), method.name, message, hint, severity=severity)


def is_for_these_alone(following: Callable[[Any], Any], arguments: Any) -> bool:
    """Whether only flags and counts depend on the arguments.

    Such leaves may stay as they are for these values.
    """

    def depends(are_inexact: bool) -> bool:
        def parts(argument: Any) -> list[Any]:
            every = arrays_of(following(argument))
            return [leaf for leaf in every if is_inexact(leaf) is are_inexact]

        return any(inputs_reaching(jax.make_jaxpr(parts)(arguments).jaxpr))

    return depends(False) and not depends(True)
