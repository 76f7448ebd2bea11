"""The classes that get no suite, and why: nothing builds an instance for it."""

import ast
from collections.abc import Iterable, Mapping

from scaffold.errors import Fault, ScaffoldError
from scaffold.kind import kind_of
from scaffold.spec.model import ModuleSpec
from scaffold.spec.source.definitions import ABSTRACT_VARIABLES
from scaffold.suite.as_written import inputs_of, said_values
from scaffold.suite.inherited import has_known_constructor
from scaffold.suite.subject import Subject


def untested_notes(specs: Iterable[ModuleSpec], known: Mapping[str, ModuleSpec]) -> tuple[str, ...]:
    """What a user is told of the classes that get no tests: one line a class."""
    reasons = ((spec.name, why_untested(spec, known)) for spec in specs)
    return tuple(f"{name}: not tested: {why}" for name, why in reasons if why)


def why_untested(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> str:
    """Why the tests cannot build an instance; empty where they can."""
    kind = kind_of(spec.kind)
    if kind.is_carried:
        return _why_carried(spec, known)
    if not kind.has_instances:
        return ""
    if spec.is_open:
        return "it leaves methods to subclasses"
    try:
        Subject(kind.examined(spec, known), known).examples.inputs()
    except ScaffoldError as error:
        return _told(error.faults[0], spec)
    return ""


def _told(fault: Fault, spec: ModuleSpec) -> str:
    """What is missing, with what to write in the language of the spec."""
    if ".py" not in spec.where:
        return f"{fault.what}: {fault.fix}"
    # Here, because only a class without a suite needs it.
    from scaffold.spec.skeletons.fixes import in_python

    return f"{fault.what}: {in_python(fault.fix, 'test.values')}"


def _why_carried(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> str:
    """The same of a class that is emitted word for word."""
    if spec.test.build:
        return ""
    if is_abstract(spec):
        return "it leaves methods or fields to subclasses"
    if dict(spec.options).get("laws") == "none":
        return "jax knows no leaves of it; `@jax.tree_util.register_dataclass` above it says them"
    if not (said_values(spec) or has_known_constructor(spec)):
        return "a base builds it: write `@test(build=...)`"
    try:
        inputs_of(spec, known)
    except ScaffoldError as error:
        return _told(error.faults[0], spec)
    return ""


def is_abstract(spec: ModuleSpec) -> bool:
    """Whether the class leaves something to subclasses, as far as its own statement says."""
    words = ("abstractmethod", "Protocol", *ABSTRACT_VARIABLES)
    nodes = (node for node in ast.walk(ast.parse(spec.source)) if isinstance(node, ast.Name | ast.Attribute))
    return any(ast.unparse(node).rpartition(".")[2] in words for node in nodes)
