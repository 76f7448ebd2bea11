"""P11, of methods that return an instance of their class, whose form follows that of the last one."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from ...declare.methods import SELF, Method, is_of_class
from ...discover.inference import same_value
from ...discover.method_programs import MEMBERS, traceable
from ...discover.method_uses import PLAIN, Use, example_use, invocation_of, uses_of
from ...discover.next_forms import Form, form_of_use, line_that_widens, setting_text, with_other_settings
from ...discover.traced_uses import traced_uses
from ...engine.applicability import need, of_methods
from ...engine.registry import Checks
from ...inspect.arrays import same_bits
from ...inspect.trees import avals, bfloat16, instances_in, new_carry, under_any
from ...kinds.pytree import PytreeSuite
from ...report import ADVICE, ANY_ERROR, COST, FAULT, check, or_else
from ...session import once_per_session
from ...trace.wide_results import has_wide_operations
from ...values.closeness import in_64_bits
from ...values.dtypes import built_in, dtype_of
from .methods import has_one_dtype

CHECKS = Checks()

MAX_USES = 16  # uses of one method whose next instances are looked at
MAX_STEPS = 3  # a static value that has changed as often comes to no end
KEEPS = of_methods("no method is declared to keep anything", lambda method: method.keeps, "methods")
CHOICES = bool, str, type(None)
"""Types of settings that a method may set on purpose, such as the flag that ends training."""


@CHECKS.register(MEMBERS, severity=COST)
def test_p11_methods_give_arrays_where_the_instance_has_some(subject: PytreeSuite) -> None:
    hint = "a number of Python in the place of an array: `jnp.zeros_like(self.{})`"
    for method in _advancing(subject):
        for use in itertools.islice(uses_of(subject, method), MAX_USES):
            form, usual = form_of_use(subject, use), avals(use.instance)
            for path, leaf in form.leaves.items() if form else ():
                message = f"the next instance has the Python number {leaf[0]!r} there, and no array"
                is_array = len(usual.get(path, ())) > 1
                is_right = not (is_array and type(leaf[0]) in PLAIN)
                check(is_right, f"{use.name}.{path}", message, hint.format(path))


@CHECKS.register(MEMBERS)
def test_p11_methods_hand_on_what_the_instance_has(subject: PytreeSuite) -> None:
    hint = "a constant, or the default of the constructor, where `self.{}` belongs"
    for method in _advancing(subject):
        usual = next_forms(subject)[method.name]
        for use in _further_uses(subject, method):
            form = form_of_use(subject, use)
            if form is None:
                continue
            own = Form.of(subject, use.instance)
            for path in _handed_on(method, usual) & own.settings.keys():
                value, was = form.settings.get(path), own.settings[path]
                message = f"of an instance with {setting_text(was)} the next has {setting_text(value)}"
                # A number that is neither is computed, as a scale to a power.
                is_computed = type(value) in (int, float) and not same_value(value, usual.settings.get(path))
                same = same_value(value, was) or is_computed or _is_given(method, use, value)
                check(same, f"{use.name}.{path}", message, hint.format(path), severity=_severity(method))
            _check_leaves(method, use.name, usual, form, own)


@CHECKS.register(MEMBERS, severity=COST)
def test_p11_methods_settle_on_static_values(subject: PytreeSuite) -> None:
    hint = "a count that is static: keep it as an array, which `jax.lax.scan` carries"
    for method in (each for each in _advancing(subject) if not _joins_instances(subject, each)):
        forms = [*_forms_in_turn(subject, method)]
        for path in forms[0].settings if len(forms) > MAX_STEPS else ():
            values = [form.settings.get(path) for form in forms]
            are_new = not any(same_value(*pair) for pair in itertools.combinations(values, 2))
            told = ", ".join(map(setting_text, values))
            message = f"each next instance has another static value there, which is compiled anew: {told}"
            check(not are_new, f"{method.name}.{path}", message, hint)


def _joins_instances(subject: PytreeSuite, method: Method) -> bool:
    """Whether a method takes another instance, such as a product of quantities with units."""
    return bool(instances_in(method.arguments(0), type(subject.cached_instance())))


def _forms_in_turn(subject: PytreeSuite, method: Method) -> Iterator[Form]:
    """Yield the forms of the example, and of the instances that a method returns in turn.

    The forms end where a scan could no longer carry the arrays.
    """
    instance, cls = subject.cached_instance(), type(subject.cached_instance())
    shapes = _shapes(instance)
    for _ in range(MAX_STEPS + 1):
        yield Form.of(subject, instance)
        use = example_use(method, instance)
        try:
            result = use.run(use.instance, use.given)
        except ANY_ERROR:  # there may be room for so many alone
            return
        following = instances_in(result, cls)
        if not following or _shapes(following[0]) != shapes:
            return
        instance = following[0]


def _shapes(instance: Any) -> list[tuple[int, ...]]:
    return [np.shape(leaf) for leaf in jax.tree.leaves(instance)]


@CHECKS.register(KEEPS)
def test_p11_methods_hand_on_what_they_keep(subject: PytreeSuite) -> None:
    hint = "a constant, or another field, where `self.{}` belongs"
    for method in (method for method in _advancing(subject) if method.keeps):
        for use in itertools.islice(uses_of(subject, method), MAX_USES):
            form, own = form_of_use(subject, use), Form.of(subject, use.instance)
            for path in (path for path in method.keeps if path in own.settings):
                if form is None:  # of what raises P7 tells
                    break
                value, was = form.settings.get(path), own.settings[path]
                message = f"the next instance has {setting_text(value)} there, it was {setting_text(was)}"
                check(same_value(value, was), f"{use.name}.{path}", message, hint.format(path))
        use = next(uses_of(subject, method))
        following = new_carry(use.run(use.instance, use.given), use.instance)
        before, after = subject.named(use.instance), subject.named(following)
        for path in (path for path in before if under_any(path, method.keeps)):
            same = path in after and same_bits(before[path], after[path])
            check(same, f"{use.name}.{path}", "the next instance has another array there", hint.format(path))


@CHECKS.register(MEMBERS, of_dtypes=True)
def test_p11_methods_keep_dtypes_with_64_bits_as_well(subject: PytreeSuite) -> None:
    for method in _advancing(subject):
        usual = next_forms(subject)[method.name]
        with in_64_bits(), jax.numpy_dtype_promotion("standard"):
            instance = subject.built_abstractly(subject.inputs(0))
            form = form_of_use(subject, example_use(method, instance))
            own = Form.of(subject, instance)
        if form is not None:
            _check_leaves(method, f"{method.name} where jax has 64 bits", usual, form, own)


@CHECKS.register(MEMBERS, of_dtypes=True)
def test_p11_methods_keep_bfloat16(subject: PytreeSuite) -> None:
    for method in _advancing(subject):
        usual, where = next_forms(subject)[method.name], f"{method.name} with arrays of bfloat16"
        if (forms := _forms_in_bfloat16(subject, method)) is not None:
            _check_leaves(method, where, usual, *forms)


@or_else(None)  # it refuses such arrays
def _forms_in_bfloat16(
    subject: PytreeSuite, method: Method
) -> tuple[Form, Form, Callable[[str], str]] | None:
    """Return the forms of the next instance and of its predecessor in bfloat16, or None.

    A function tells the line that widens a leaf.

    The constructor may widen floats, so the predecessor's form is compared. Without a dtype to take, it may
    also draw in the default one. Then jax promotes what a method computes of both, and that shows no mistake.
    """
    arguments = tuple(method.arguments(0))
    if not has_one_dtype(subject, [method], (subject.cached_instance(), arguments)):
        return None
    usual = traced_uses(subject)[method.name][0].trace
    if usual is not None and has_wide_operations(usual.jaxpr.jaxpr):
        return None
    with jax.numpy_dtype_promotion("standard"):
        instance = built_in(subject, "bfloat16", 0)
        if not subject.takes_dtype and dtype_of(instance) is None:
            return None
        use = example_use(method, instance)._replace(given=bfloat16(arguments))
        form = form_of_use(subject, use)

    def line_of(path: str) -> str:
        with jax.numpy_dtype_promotion("standard"):
            return line_that_widens(subject, use, path)

    return None if form is None else (form, Form.of(subject, instance), line_of)


def _check_leaves(
    method: Method,
    where: str,
    usual: Form,
    form: Form,
    own: Form,
    line_of: Callable[[str], str] = lambda _: "",
) -> None:
    """Check that leaves which keep their form in the example keep it here, too."""
    hint = "what has the dtype or the shape that it is made with: `.astype(self.{}.dtype)`{}"
    for path in usual.kept & own.leaves.keys() & form.leaves.keys():
        message = f"the next instance has {form.leaves[path]} there, it was {own.leaves[path]}"
        same = form.leaves[path] == own.leaves[path]
        same = same or (method.carry != SELF and _are_transposed(form.leaves[path], own.leaves[path]))
        made = "" if same else hint.format(path, line_of(path))
        check(same, f"{where}: {path}", message, made, severity=_severity(method))


def _are_transposed(leaf: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether two leaves differ in the order of their axes alone, as a layout may ask for."""
    (shape, *rest), (other_shape, *others) = leaf, other
    are_arrays = isinstance(shape, tuple) and isinstance(other_shape, tuple)
    return are_arrays and rest == others and sorted(shape) == sorted(other_shape)


def _advancing(subject: PytreeSuite) -> list[Method]:
    methods = [method for method in traceable(subject) if method.name in next_forms(subject)]
    need(methods, "no method gives another instance")
    return methods


@once_per_session
def next_forms(suite: Any) -> dict[str, Form]:
    """Return, by method, the form of the next instance, and what that shares with the example's."""
    forms: dict[str, Form] = {}
    own = Form.of(suite, suite.cached_instance())
    for method in traceable(suite):
        if is_of_class(type(suite.cached_instance()), method.name):
            continue
        form = form_of_use(suite, next(uses_of(suite, method)))
        if form is not None:
            forms[method.name] = form.beside(own)
    return forms


def _further_uses(subject: PytreeSuite, method: Method) -> Iterator[Use]:
    """Yield uses of a method on instances with other settings.

    A method that carries the instance is also used at its other flags.
    """
    every = itertools.islice(uses_of(subject, method), 1, MAX_USES)
    yield from (use for use in every if not use.flag or method.carry == SELF)
    for path, others in with_other_settings(subject):
        uses = (
            example_use(method, instance)._replace(name=f"{method.name} with {path}={setting_text(value)}")
            for value, instance in others
        )
        yield from itertools.islice((use for use in uses if form_of_use(subject, use)), 1)


def _handed_on(method: Method, usual: Form) -> set[str]:
    """Return the settings that the next instance keeps, and that no method sets on purpose."""
    are_carried = method.carry == SELF
    settings = usual.settings.items()
    return {p for p, v in settings if p in usual.kept and (are_carried or not isinstance(v, CHOICES))}


def _is_given(method: Method, use: Use, value: Any) -> bool:
    """Whether a setting is an argument of the method, such as the unit of `instance.to(unit=0.5)`."""
    invocation = invocation_of(method, use)
    given = invocation.given.values() if invocation else ()
    return any(same_value(value, argument) for argument in given)


def _severity(method: Method) -> str:
    return FAULT if method.carry == SELF else ADVICE
