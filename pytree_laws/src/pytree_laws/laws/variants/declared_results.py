"""P7, of declared results in configurations and at flags that the example does not have."""

import inspect
import typing
from collections.abc import Mapping
from typing import Any

from ...declare.methods import Method
from ...discover.configuration_programs import is_of_dtypes
from ...discover.configurations import traced_configurations
from ...discover.method_programs import MEMBERS, usable
from ...discover.method_uses import Traced
from ...discover.traced_uses import traced_uses
from ...engine.applicability import CALLED, declares, not_applicable
from ...engine.first_use import example_call
from ...engine.registry import Checks
from ...inspect.trees import avals, named_leaves
from ...kinds.suite import Suite
from ...report import ADVICE, check, or_else
from ...sharding.dims import results_with_dims

CHECKS = Checks()
Forms = Mapping[str, Any]
"""Results as shapes and dtypes, by path."""
BRANCH = "a way through the code that the example does not take, which gives something else than is annotated"


@CHECKS.register(declares("returns", "no outputs are declared"), CALLED, severity=ADVICE)
def test_p07_gives_what_is_declared_in_each_configuration(subject: Suite) -> None:
    usual, *others = traced_configurations(subject)
    call = example_call(subject)
    paths = results_with_dims(call.annotations().get("return")) if call else []
    if not paths or usual.trace is None:
        not_applicable("no annotation of the call has the dims of what it returns")
    for traced in others:
        # Results follow a dtype, and the keys of a dict.
        follows = is_of_dtypes(traced) or traced.configuration.changes_a_dict
        if traced.trace is not None and not follows:
            forms = [dict(named_leaves(configuration.trace[1])) for configuration in (usual, traced)]
            sizes = _has_the_same_sizes(subject, traced.instance, traced.configuration.changes)
            _check_forms(traced.configuration.place("call"), paths, *forms, sizes=sizes)


@CHECKS.register(MEMBERS, severity=ADVICE)
def test_p07_methods_give_what_is_declared_in_each_configuration(subject: Suite) -> None:
    for method in usable(subject):
        paths = results_with_dims(_annotation(subject, method)) if method.returns else []
        plain, *others = traced_uses(subject)[method.name]
        for other in others if paths else ():
            forms = [_forms(each.use.name, each.trace) for each in (plain, other) if each.trace]
            if len(forms) == 2:  # what cannot be traced is refused, or P7 tells of it
                sizes = _has_the_same_sizes(subject, other.use.instance, other.use.changes)
                _check_forms(other.use.name, paths, *forms, sizes=sizes)


def _check_forms(where: str, paths: list[str], usual: Forms, forms: Forms, *, sizes: bool) -> None:
    """Check that results have the sizes of the example, or its ranks alone if `sizes` is false."""
    for path in (path for path in paths if path in usual):
        declared, result = usual[path], forms.get(path)
        place = f"{where}, output {path}".removesuffix(", output ")
        several = f"it gives {len(forms)} arrays, and its annotation one"
        message = "it gives no such array" if path else several
        check(result is not None, place, message, BRANCH)
        shape, wanted = getattr(result, "shape", ()), declared.shape
        same = shape == wanted if sizes else len(shape) == len(wanted)
        check(same, place, f"the shape is {shape}, declared is {wanted}", BRANCH)
        dtype = getattr(result, "dtype", None)
        check(dtype == declared.dtype, place, f"the dtype is {dtype}, declared is {declared.dtype}", BRANCH)


def _forms(name: str, trace: Traced) -> Forms:
    """Return the results of a use by path, without the name of the use."""
    results, _ = trace.form
    return {path.removeprefix(name).removeprefix("."): form for path, form in results.items()}


def _has_the_same_sizes(subject: Suite, instance: Any, changes: Mapping[str, Any]) -> bool:
    """Whether only flags have changed, and the arrays of an instance keep their shapes.

    A number may be a size. A text or a member of an enum may choose one (`padding="VALID"`).
    """
    if not all(isinstance(value, bool | None) for value in changes.values()):
        return False
    usual, other = (avals(subject.to_tree(each)[0]) for each in (subject.cached_instance(), instance))
    return all(usual[path][0] == other[path][0] for path in usual.keys() & other.keys())


@or_else(None, NameError, TypeError, ValueError, AttributeError)
def _annotation(subject: Suite, method: Method) -> Any:
    """Return the annotation of the result of a method or a property."""
    attribute = inspect.getattr_static(type(subject.cached_instance()), method.name, None)
    function = getattr(attribute, "fget", None) or getattr(attribute, "__func__", attribute)
    return typing.get_type_hints(inspect.unwrap(function)).get("return")
