"""P14, of settings: a file is refused where one of them is another, however near, and the error names it."""

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

from ...engine.applicability import LOADS, not_applicable
from ...engine.registry import Checks
from ...inspect.files import is_refused
from ...inspect.static_values import another_value
from ...kinds.mutable import MutableSuite
from ...kinds.suite import Suite
from ...report import ANY_ERROR, Fault, check
from .p14_save import SAVES_WHOLE, saved

CHECKS = Checks()

NEAR = 1e-6
"""How far a number is from that of the file, in parts of it: more than arithmetic rounds, and less than few digits show."""
PLAIN = bool, int, float, str


@CHECKS.register(LOADS, SAVES_WHOLE)
def test_p14_each_setting_of_another_value_is_refused(subject: Suite, tmp_path: Any) -> None:
    path = tmp_path / "saved"
    saved(subject, path)
    skeletons = list(_skeletons(subject))
    if not skeletons:
        not_applicable("the class has no settings")
    for name, value, other, skeleton in skeletons:
        try:
            subject.load(path, skeleton)
        except ANY_ERROR as error:
            hint = "an error lists what differs, by path"
            is_named = name.rpartition(".")[2] in str(error)
            check(is_named, name, f"the error does not name it: {error!s:.200}", hint)
            continue
        hint = "a file says each setting in full, `repr` of a float, and `load` compares all"
        raise Fault(name, f"a file with {value!r} was loaded into an instance with {other!r}", hint)


@CHECKS.register(LOADS, SAVES_WHOLE)
def test_p14_a_variable_of_another_type_is_refused(subject: MutableSuite, tmp_path: Any) -> None:
    path = tmp_path / "saved"
    hint = "a file says the type of each Variable, and `load` compares all"
    for name, skeleton in subject.retyped(saved(subject, path)):
        message = "a file was loaded into a module that has a Variable of another type there"
        check(is_refused(functools.partial(subject.load, path, skeleton)), name, message, hint)


def _skeletons(subject: Suite) -> Iterator[tuple[str, Any, Any, Any]]:
    """By setting what it is, what else it may be, and an instance which has that."""
    instance = subject.make(1)
    for name, value in subject.statics_of(instance):
        if type(value) in PLAIN:
            other = value * (1 + NEAR) + NEAR * (not value) if type(value) is float else another_value(value)
            with contextlib.suppress(AttributeError, TypeError):  # it is an entry of a tuple
                yield name, value, other, subject.with_static(instance, name, other)
