"""The law suites that a test class inherits: that of its kind, and those that its fields need."""

from scaffold.spec.model import ModuleSpec
from scaffold.spec.shared import shared_fields
from scaffold.spec.states import is_stateful


def further_laws(spec: ModuleSpec) -> tuple[str, ...]:
    """What the fields need laws for, besides those of the kind."""
    # Flax shares by reference, and an abstract class holds nothing.
    shares = bool(shared_fields(spec)) and spec.kind not in ("abstract", "nnx")
    holds_state = is_stateful(spec) and spec.kind == "module"
    return (*(("state",) if holds_state else ()), *(("shared",) if shares else ()))


def suites(spec: ModuleSpec, usual: str) -> str:
    """The law suites that the test class inherits."""
    further = [f"{name.capitalize()}Laws" for name in further_laws(spec)]
    return ", ".join([*(() if further and usual == "PytreeLaws" else (usual,)), *further])
