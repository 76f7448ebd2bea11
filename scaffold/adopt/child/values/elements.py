"""Tuples and lists of instances, for a bare `tuple` or `list` annotation."""

from typing import Any

from .context import Context
from .sources import Source

_FORMS = {tuple: "({},)", list: "[{}]"}


def of_elements(annotation: Any, context: Context) -> list[Source]:
    """Put lookalikes into a tuple or a list, after `'int' object has no attribute 'contribution'`."""
    form = _FORMS.get(annotation) if isinstance(annotation, type) else None
    if form is None:
        return []
    parts = (part for kind in context.lookalikes for part in context.instances(kind, context.sizes.known))
    return [part.but(form.format(part.text)) for part in parts]
