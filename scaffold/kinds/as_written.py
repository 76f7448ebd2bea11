"""Kind `as-written`: a class of any library that is emitted word for word. Only its tests are generated."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from scaffold.errors import Fault
from scaffold.kind import Kind
from scaffold.spec.model import ModuleSpec
from scaffold.spec.rules.examples import values_of_no_argument
from scaffold.spec.tables.key import Key
from scaffold.spec.tables.keys import TEST_KEYS
from scaffold.suite.as_written import suite_of


class AsWrittenKind(Kind):
    """Kind `as-written`."""

    summary = "a class of any library, emitted as its author wrote it: its tests are added, and nothing else"
    options: ClassVar[Mapping[str, Key]] = {
        "laws": Key("Which laws hold for it: those of pytrees, or of NNX.", legal=("pytree", "nnx", "none"))
    }
    adds = ("build",)
    lacks = ("groups", *(key for key in TEST_KEYS if key not in ("build", "sizes", "skip", "ties", "values")))
    constructors = ("init",)
    has_instances = False
    is_carried = True
    suite_template = "adopt"

    def faults(self, spec: ModuleSpec) -> Iterator[Fault]:
        """Find a missing class statement, a name that pytest would collect, and values without an
        argument."""
        if spec.name.startswith("Test"):
            message = f"pytest takes `{spec.name}` for a class of tests"
            yield Fault("name", message, "rename the class")
        if not spec.source:
            fix = "write the class as a skeleton, with `@as_written` above it"
            yield Fault("source", "there is no class statement to emit", fix)
        yield from values_of_no_argument(spec)

    def tests(self, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> dict[str, Any]:
        """Return the context of the tests, from what the source shows."""
        return suite_of(spec, known)


KIND = AsWrittenKind()
