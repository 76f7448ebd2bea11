"""Classes that get no suite, since nothing builds an instance, and the reasons."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from scaffold.errors import Fault, ScaffoldError
from scaffold.kind import kind_of
from scaffold.source.definitions import ABSTRACT_VARIABLES
from scaffold.spec.model import ModuleSpec
from scaffold.suite.as_written import build_of, has_leaves, inputs_of, knows_arguments
from scaffold.suite.examples.subject import Subject
from scaffold.suite.factories import with_factory

_NO_EXAMPLE = "the tests have no example for "
_NO_INSTANCE = "the tests cannot build a"
_BUILT_BY_BASE = "a base builds it"
_ENTRY = r"`values = \{ (.*?) \}`"
"""A pattern for the entry that a fault asks for."""


class Untested(Struct, frozen=True):
    """A class that gets no suite."""

    spec: ModuleSpec
    why: str
    module: str
    """The file of the class."""

    @property
    def target(self) -> str:
        """The class as an argument of `scaffold adopt`, which runs it to find an example.

        It is empty if no example is missing.
        """
        is_example = self.why.startswith((_NO_EXAMPLE, _NO_INSTANCE, _BUILT_BY_BASE))
        return f"{self.module}:{self.spec.name}" if is_example else ""

    @property
    def note(self) -> str:
        """The line that tells a user about the class."""
        search = f", or let `scaffold adopt {self.target}` look for one by running the class"
        return f"{self.spec.name}: not tested: {self.why}{search if self.target else ''}"


def untested_classes(
    specs: Iterable[ModuleSpec], known: Mapping[str, ModuleSpec], module_of: Callable[[ModuleSpec], str]
) -> list[Untested]:
    """Return the classes that get no suite. `module_of` returns the file of each."""
    reasons = ((spec, why_untested(spec, known)) for spec in specs)
    return [Untested(spec, why, module_of(spec)) for spec, why in reasons if why]


def why_untested(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> str:
    """Return why the tests cannot build an instance, or an empty text."""
    kind = kind_of(spec.kind)
    if kind.is_carried:
        return _why_carried(spec, known)
    if not kind.has_instances:
        return ""
    if spec.is_open:
        return "it leaves methods to subclasses"
    try:
        Subject(with_factory(kind.examined(spec, known), known), known).examples.inputs()
    except ScaffoldError as error:
        return _missing(error.faults, spec)
    return ""


def _missing(faults: Sequence[Fault], spec: ModuleSpec) -> str:
    """Return what is missing, and what to write in the language of the spec."""
    what, fix = faults[0].what, faults[0].fix
    entries = [entry[1] for fault in faults if (entry := re.search(_ENTRY, fault.fix))]
    if len(entries) > 1:
        unknown = [
            fault.what.removeprefix(_NO_EXAMPLE) for fault in faults if fault.what.startswith(_NO_EXAMPLE)
        ]
        others = dict.fromkeys(fault.what for fault in faults if not fault.what.startswith(_NO_EXAMPLE))
        what = "; ".join((*[_NO_EXAMPLE + "; ".join(_by_reason(unknown))] * bool(unknown), *others))
        fix = f"write `[test]` and `values = {{ {', '.join(entries)} }}`"
    if ".py" not in spec.where:
        return f"{what}: {fix}"
    # Here, because only a class without a suite needs it.
    from scaffold.spec.skeletons.fixes import in_python

    return f"{what}: {in_python(fix, 'test.values')}"


def _by_reason(texts: Iterable[str]) -> Iterator[str]:
    """Join the names that share a reason: "`mean`, `cov`, of which nothing says type and shape"."""
    names: dict[str, list[str]] = {}
    for text in texts:
        name, _, reason = text.partition(", ")
        names.setdefault(reason, []).append(name)
    yield from (", ".join([*listed, *([reason] if reason else [])]) for reason, listed in names.items())


def _why_carried(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> str:
    """Return why the tests cannot build a class that is emitted word for word, or an empty text."""
    if spec.test.build:
        return ""
    if is_abstract(spec):
        return "it leaves methods or fields to subclasses"
    if not has_leaves(spec):
        is_dataclass = "dataclass" in spec.source.partition("class ")[0]
        register = "; `@jax.tree_util.register_dataclass` above it says them" if is_dataclass else ""
        return f"jax knows no leaves of it{register}"
    if build_of(spec, known):
        return ""
    if not knows_arguments(spec, known):
        return f"{_BUILT_BY_BASE}: write `@test(build=...)`"
    try:
        inputs_of(spec, known)
    except ScaffoldError as error:
        return _missing(error.faults, spec)
    return ""


def is_abstract(spec: ModuleSpec) -> bool:
    """Whether the class statement itself leaves something to subclasses."""
    words = ("abstractmethod", "Protocol", *ABSTRACT_VARIABLES)
    nodes = (node for node in ast.walk(ast.parse(spec.source)) if isinstance(node, ast.Name | ast.Attribute))
    return any(ast.unparse(node).rpartition(".")[2] in words for node in nodes)
