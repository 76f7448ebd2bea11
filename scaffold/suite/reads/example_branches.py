"""The code that an example call runs, without the branches that constants rule out."""

import ast
from typing import Any

from msgspec import structs

from scaffold.source.branches import CONSTANTS, taken
from scaffold.source.expressions import dedented
from scaffold.spec.construction.cases import is_passed
from scaffold.spec.model import Call, ModuleSpec


def constants_left_out(spec: ModuleSpec, call: Call | None) -> dict[str, Any]:
    """Return the arguments that the example leaves at a constant default, with these constants."""
    said = _said(spec)
    left_out = [argument for argument in (call.args if call else ()) if not is_passed(spec, argument)]
    pairs = [(argument.name, argument.default) for argument in left_out]
    return {name: CONSTANTS[text] for name, text in pairs if text in CONSTANTS and name not in said}


def as_in_example(spec: ModuleSpec, call: Call) -> Call:
    """Return the call with the branches that the example takes.

    If the example leaves `train` out, `if train:` is gone.
    """
    said = _said(spec)
    settings = {
        f"self.{field.name}": CONSTANTS[field.default]
        for field in spec.static
        if field.default in CONSTANTS and field.name not in said
    }
    tree = ast.parse(dedented(call.body))
    tree.body = taken(tree.body, {**settings, **constants_left_out(spec, call)}) or [ast.Pass()]
    return structs.replace(call, body=ast.unparse(tree))


def _said(spec: ModuleSpec) -> set[str]:
    """Return the names for which the tests of a spec have a value."""
    return {name.rpartition(".")[2] for name, _ in spec.test.values}
