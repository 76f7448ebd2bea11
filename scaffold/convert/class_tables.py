"""One class as the tables that its author gave, and as the spec that they made."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from scaffold.comments import as_comment
from scaffold.convert.literals import Texts
from scaffold.spec.construction.constructor import constructor_names, dims_of, parameters
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.raw import as_list

INDENT, BODY = " " * 4, " " * 8


class ClassTables(Struct, frozen=True):
    """A class to be written, and what all its parts need."""

    raw: Mapping[str, Any]
    spec: ModuleSpec
    prefix: str
    """What goes before the words of the vocabulary."""
    texts: Texts

    @property
    def is_written(self) -> bool:
        """Whether the constructor says more than its form."""
        texts = (str(self.raw.get(key, "")).strip() for key in ("setup", "constructor_doc"))
        return bool(as_list(self.raw.get("arguments")) or any(texts))

    @property
    def local(self) -> set[str]:
        """The names that no import and no builtin brings: of arguments, of fields, and of what `setup` binds."""
        fields = {field.name for field in self.spec.fields}
        return {"self", *fields, *dims_of(self.spec), *constructor_names(self.spec)}

    def is_made(self, field: Field) -> bool:
        """Whether the constructor that is written makes it; what is its argument, and is made of it, would be given there."""
        is_argument = (
            field.expression == field.name in {parameter.name for parameter in parameters(self.spec)}
        )
        return self.is_written and field.stored and field.expression is not None and not is_argument


def comment_lines(text: str) -> list[str]:
    """The lines of a comment above what it is about."""
    return [f"{INDENT}{line}".rstrip() for line in as_comment(text).split("\n") if text.strip()]
