"""Type parameters as source: `class Residual[T](...)` if the project's Pythons allow it, else
`Generic[T]`."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from scaffold.emit.annotations import Scope
from scaffold.emit.constructor.given import functions_for_given
from scaffold.emit.members.members import functions_for_buffers
from scaffold.in_project.layout import Layout
from scaffold.spec.model import ModuleSpec, TypeParameter

_FLOOR = r"(?:>=?|~=|==)\s*3\.(\d+)"
_FIRST = 12
"""First minor version of Python 3 with the syntax."""


def generic_context(spec: ModuleSpec, layout: Layout, bases: str) -> dict[str, Any]:
    """Return the type parameters for the templates: after the name, among the bases, and above the class."""
    names = ", ".join(type_variable.name for type_variable in spec.generic)
    own = f"{spec.name}[{names}]" if names else spec.name
    made = "Self" if spec.has_subclasses else f'"{own}"'
    context = {"own_type": own, "made_type": made, "type_parameters": ""}
    if spec.source:  # which says them itself
        return {**context, "helpers": spec.helpers}
    if not spec.generic:
        return {**context, "helpers": _above(spec)}
    # Of several classes in one module the code is put together, which every Python has to be able to read.
    if _has_syntax(layout) and spec.unit is None:
        listed = ", ".join(map(_declared, spec.generic))
        return {**context, "type_parameters": f"[{listed}]", "helpers": _above(spec)}
    helpers = _above(spec, map(variable, spec.generic))
    return {**context, "bases": f"{bases}, Generic[{names}]", "helpers": helpers}


def readable_context(spec: ModuleSpec, context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a context whose code any Python can parse, with all bounds, to learn its imports."""
    if not context["type_parameters"]:
        return context
    bounds = (
        f"{type_variable.name} = {Scope().plain(type_variable.bound)}"
        for type_variable in spec.generic
        if type_variable.bound is not None
    )
    return {**context, "type_parameters": "", "helpers": _above(spec, bounds)}


def _above(spec: ModuleSpec, lines: Iterable[str] = ()) -> str:
    """Return the code above the class: these lines, the author's helpers, and the class's own functions."""
    return "\n\n\n".join(
        filter(
            None, ("\n".join(lines), spec.helpers, *functions_for_given(spec), *functions_for_buffers(spec))
        )
    )


def _has_syntax(layout: Layout) -> bool:
    """Whether the project requires a Python with the syntax."""
    project = layout.document.get("project")
    floor = (
        cast("Mapping[str, object]", project).get("requires-python") if isinstance(project, Mapping) else None
    )
    floors = [int(number) for number in re.findall(_FLOOR, floor)] if isinstance(floor, str) else []
    return max(floors, default=0) >= _FIRST


def _declared(type_variable: TypeParameter) -> str:
    return (
        type_variable.name
        if type_variable.bound is None
        else f"{type_variable.name}: {Scope().plain(type_variable.bound)}"
    )


def variable(type_variable: TypeParameter) -> str:
    """Return the statement that defines a type variable."""
    bound = "" if type_variable.bound is None else f", bound={Scope().plain(type_variable.bound)}"
    return f'{type_variable.name} = TypeVar("{type_variable.name}"{bound})'
