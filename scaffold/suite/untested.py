"""The classes that a suite cannot build, and why: they are emitted without tests, and one line says so."""

import ast
from collections.abc import Iterable, Mapping

from scaffold.kinds import kind_of
from scaffold.spec.bases import with_inherited_call
from scaffold.spec.definitions import function_of
from scaffold.spec.model import Method, ModuleSpec
from scaffold.spec.sizes import unsized
from scaffold.suite import as_written
from scaffold.suite.examples import Examples, NoExampleError


def untested_notes(specs: Iterable[ModuleSpec], known: Mapping[str, ModuleSpec]) -> tuple[str, ...]:
    """What a user is told of the classes that get no tests: one line a class."""
    reasons = ((spec, why_untested(spec, known)) for spec in specs)
    return tuple(f"{spec.name}: not tested: {why}" for spec, why in reasons if why)


def why_untested(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> str:
    """Why the tests cannot build an instance, and what to write; empty where they can."""
    kind = kind_of(spec.kind)
    if kind.is_carried:
        return as_written.why_untested(spec, known)
    if not kind.has_instances:
        return ""
    if any(map(is_left_open, spec.methods)):
        return "it leaves methods to subclasses"
    for what, fix in unsized(spec):
        return f"{what}: {fix}"
    try:
        Examples.of(kind.examined(with_inherited_call(spec, known), known), known).inputs()
    except NoExampleError as error:
        [fault] = error.faults
        return f"{fault.what}: {fault.fix}"
    return ""


def is_left_open(method: Method) -> bool:
    """Whether a method that is carried is left to subclasses."""
    function = function_of(method.call.source)
    decorators = function.decorator_list if function is not None else ()
    return any(ast.unparse(one).rpartition(".")[2] == "abstractmethod" for one in decorators)
