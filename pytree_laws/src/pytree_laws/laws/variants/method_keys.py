"""P15 and P12, of methods: each key is used once at each flag, and draws follow a given key."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.extend
import numpy as np

from ...declare.methods import Method
from ...discover.configurations import traced_configurations
from ...discover.method_programs import program_of, traceable, traced_methods, traces_of
from ...discover.method_uses import gives_an_instance
from ...discover.traced_uses import traced_uses
from ...engine.applicability import METHODS, Condition, need
from ...engine.registry import Checks
from ...inspect.arrays import is_key
from ...kinds.suite import Suite
from ...report import ADVICE, check
from ...trace.drawn_keys import gives_drawn_key
from ...trace.jaxprs import constant_draws
from ...values.randomize import check_draws, check_keys, redraws

CHECKS = Checks()
DRAWS_ONCE = Condition("a draw that is made again is meant", lambda suite: not suite.reuses_key)


@CHECKS.register(METHODS, DRAWS_ONCE)
def test_p15_methods_use_each_key_once(subject: Suite) -> None:
    instance = subject.cached_instance()
    for method in traced_methods(subject, declared=True):
        arguments = method.arguments(0)
        if any(map(is_key, jax.tree.leaves((instance, arguments)))):
            _check_keys(subject, method, program_of(subject, method, instance, arguments))


@CHECKS.register(METHODS, DRAWS_ONCE, rests_on=("test_p15_methods_use_each_key_once",))
def test_p15_methods_use_each_key_once_at_each_flag(subject: Suite) -> None:
    for method in traced_methods(subject, declared=True):
        for use, trace, is_likely in traced_uses(subject)[method.name][1:]:
            has_keys = any(map(is_key, jax.tree.leaves((use.instance, use.given))))
            if has_keys and trace is not None and not is_likely:
                check_draws(use.name, functools.partial(getattr, trace, "jaxpr"))
                run = jax.extend.core.jaxpr_as_fun(trace.jaxpr)
                check_keys(use.name, functools.partial(_run_on_leaves, run), trace.inputs)


def _run_on_leaves(run: Callable[..., Any], inputs: Any) -> Any:
    return run(*jax.tree.leaves(inputs))


def _check_keys(subject: Suite, method: Method, program: Any) -> None:
    (run, arrays), traced = program, traces_of(subject)[method.name]
    check_keys(method.name, lambda both: run(*both), arrays)
    check_draws(method.name, lambda: traced)
    if gives_an_instance(subject, method, subject.cached_instance(), method.arguments(0)):
        return  # which may hold a copy of a model with its key
    keys = [np.asarray(jax.random.key_data(v)) for v in run(*arrays)[0] if is_key(v)]
    rows = [row.tobytes() for data in keys for row in data.reshape(-1, data.shape[-1])]
    hint = "a key for each consumer: `jax.random.split(key)`; `reuses_key = True` says that this is so on purpose"
    check(len(set(rows)) == len(rows), method.name, "it gives one key twice", hint, severity=ADVICE)


@CHECKS.register(METHODS)
def test_p12_methods_draw_from_a_key_that_is_given(subject: Suite) -> None:
    for method in traced_methods(subject, declared=True):
        if any(map(is_key, jax.tree.leaves(method.arguments(0)))):
            jaxpr = traces_of(subject)[method.name].jaxpr
            wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
            message = f"{len(wrong)} of its draws depend on nothing that it is given"
            check(not wrong, method.name, message, "a constant key, as `jax.random.key(0)`")


@CHECKS.register(
    DRAWS_ONCE, rests_on=("test_p15_each_draw_has_a_key_of_its_own", "test_p15_methods_use_each_key_once")
)
def test_p15_no_key_is_drawn_from_and_handed_on(subject: Suite) -> None:
    need(not redraws(subject), "a draw that is made again is meant")
    for traced in traced_configurations(subject) if subject.called() else ():
        if traced.trace is not None:
            _check_key_handed_on(traced.configuration.place("call"), traced.trace[0])
    for method in traceable(subject):
        # An instance may hold a copy of a model with its key.
        if not gives_an_instance(subject, method, subject.cached_instance(), method.arguments(0)):
            _check_key_handed_on(method.name, traces_of(subject)[method.name])


def _check_key_handed_on(where: str, closed: Any) -> None:
    message = "it draws from a key that it gives, so that who takes it draws the same"
    hint = "`key, draw = jax.random.split(key)`: draw from the one, and give the other"
    check(not gives_drawn_key(closed.jaxpr), where, message, hint)
