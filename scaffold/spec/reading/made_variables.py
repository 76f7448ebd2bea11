"""The attributes of an NNX module that its constructor alone makes, as Flax's own code has them: without annotations."""

import ast
from collections.abc import Iterable, Iterator

from scaffold.spec.grammar.types import OpaqueType
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.source.instance import made_attributes

VARIABLES = {
    "Param": "param",
    **dict.fromkeys(("BatchStat", "Cache", "Intermediate", "Perturbation", "Variable"), "state"),
}
"""The roles of the Variables of Flax."""


def made_variables(spec: ModuleSpec, source: str) -> Iterator[Field]:
    """A field for each attribute that is no field yet."""
    made = {name: value for name, value in made_attributes(source) if spec.field(name) is None}
    for name, value in made.items():
        yield Field(name, OpaqueType("Any"), _role(value), built=True, annotated=False)


def makes_variables(source: str, declared: Iterable[str]) -> bool:
    """Whether a constructor makes Variables itself, or what no field declares: it is kept as it is."""
    names = {*declared}
    return any(name not in names or _called(value) in VARIABLES for name, value in made_attributes(source))


def _role(value: ast.expr) -> str:
    """A Variable, a part by its capital letter, or else a setting."""
    called = _called(value)
    if called in VARIABLES:
        return VARIABLES[called]
    return "module" if called[:1].isupper() else "static"


def _called(value: ast.expr) -> str:
    return ast.unparse(value.func).rpartition(".")[2] if isinstance(value, ast.Call) else ""
