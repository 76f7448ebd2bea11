"""A class as its author's tables and as the spec that they give."""

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
    """A class to be written, with the context that its parts share."""

    raw: Mapping[str, Any]
    spec: ModuleSpec
    prefix: str
    """Prefix of the names of the vocabulary, `skeleton.` or empty."""
    texts: Texts

    @property
    def is_written(self) -> bool:
        """Whether the constructor must be written out, because it has arguments, a body or a docstring."""
        texts = (str(self.raw.get(key, "")).strip() for key in ("setup", "constructor_doc"))
        return bool(as_list(self.raw.get("arguments")) or any(texts))

    @property
    def local(self) -> set[str]:
        """Names of fields, dims and arguments, and names that `setup` binds.

        Expressions take them as parameters.
        """
        fields = {field.name for field in self.spec.fields}
        return {"self", *fields, *dims_of(self.spec), *constructor_names(self.spec)}

    def is_made(self, field: Field) -> bool:
        """Whether the written constructor computes the field by an expression that is no mere argument."""
        is_argument = (
            field.expression == field.name in {parameter.name for parameter in parameters(self.spec)}
        )
        return self.is_written and field.stored and field.expression is not None and not is_argument


def comment_lines(text: str) -> list[str]:
    """Return the indented lines of a comment."""
    return [f"{INDENT}{line}".rstrip() for line in as_comment(text).split("\n") if text.strip()]
