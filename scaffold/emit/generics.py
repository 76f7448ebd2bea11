"""Type parameters as source: `class Residual[T](...)` where every Python of the project has that, else `Generic[T]`."""

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
"""The first Python 3 that has the syntax."""


def generic_context(spec: ModuleSpec, layout: Layout, bases: str) -> dict[str, Any]:
    """What templates lay out of the type parameters: behind the name, among the bases, and above the class."""
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
    """The same for code that any Python can read, to find out what it imports: with each bound, and without new syntax."""
    if not context["type_parameters"]:
        return context
    bounds = (
        f"{type_variable.name} = {Scope().plain(type_variable.bound)}"
        for type_variable in spec.generic
        if type_variable.bound is not None
    )
    return {**context, "type_parameters": "", "helpers": _above(spec, bounds)}


def _above(spec: ModuleSpec, lines: Iterable[str] = ()) -> str:
    """What stands above the class: these lines, the author's helpers, and the functions by which it copies what it is given and reads buffers."""
    return "\n\n\n".join(
        filter(
            None, ("\n".join(lines), spec.helpers, *functions_for_given(spec), *functions_for_buffers(spec))
        )
    )


def _has_syntax(layout: Layout) -> bool:
    """Whether the project says that it needs a Python which has it."""
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
    """The statement that makes a type variable."""
    bound = "" if type_variable.bound is None else f", bound={Scope().plain(type_variable.bound)}"
    return f'{type_variable.name} = TypeVar("{type_variable.name}"{bound})'
