"""Fields whose annotation leaves open what they hold: anything, a type variable, or any callable."""

import ast
from collections.abc import Mapping
from typing import Any

from scaffold.source.expressions import nodes_of
from scaffold.source.instance import attribute_of_self, last_name
from scaffold.spec.grammar.types import CallableType
from scaffold.spec.skeletons.classes.as_written import is_of_equinox, says_no_word
from scaffold.spec.skeletons.classes.class_statements import is_of_anything
from scaffold.spec.skeletons.classes.fields import stored_type
from scaffold.spec.skeletons.classes.made_roles import stores_what_is_given
from scaffold.spec.skeletons.shapes.algebra.functions import MAPS
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes


def open_keys(
    name: str, table: Mapping[str, Any], annotation: ast.expr, owner: ast.ClassDef, names: Names, notes: Notes
) -> dict[str, str]:
    """The role of such a field, and an example where that is one, as its class uses it; nothing of another field.

    Of `Any`, in a class that stays as it is written: a module where code calls it, and what nothing reads is no weight. A callable
    of an Equinox Module that stores what it is given may be a layer. What arguments and results are stays in the annotation.
    """
    text = f"={notes.segment(annotation)}"
    if is_of_anything(annotation, owner, names) and says_no_word(owner, names):
        role = _role_by_use(name, owner)
        return (
            {"role": role, "type": text} | ({"example": "callable"} if role == "module" else {})
            if role
            else {}
        )
    is_any_callable = isinstance(stored_type(table), CallableType) and stores_what_is_given(name, owner)
    if not (is_any_callable and is_of_equinox(owner, names)):
        return {}
    is_bare = last_name(getattr(annotation, "value", annotation)) != "Callable"
    return {"role": "module"} | ({} if is_bare else {"type": text, "example": "callable"})


def _role_by_use(name: str, owner: ast.ClassDef) -> str:
    """A module where code calls the field, a parameter that is unused where none reads it; empty where code computes with it."""
    reads = [node for node in ast.walk(owner) if attribute_of_self(node, ast.Load) == name]
    callers = [*nodes_of(ast.Call, owner)]
    mapped = [call.args[0] for call in callers if call.args and last_name(call) in MAPS]
    is_called = any(part in reads for part in (*(call.func for call in callers), *mapped))
    return "module" if is_called else "" if reads else "param"
