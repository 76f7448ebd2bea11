"""The author's spelling of annotations and docstrings, which is kept if it means the same."""

import ast
import inspect
import re
from collections.abc import Mapping

from scaffold.source.expressions import elements_of, expression_or_none, nodes_of
from scaffold.source.instance import last_name
from scaffold.source.text import docstring
from scaffold.spec.grammar.annotated import types_in
from scaffold.spec.grammar.kept_annotations import members_of
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once

Path = tuple[str, ...]
"""Path of a text in the tables of a spec."""
_BUILTINS = ("Tuple", "List", "Dict", "Set", "FrozenSet", "Type")
"""Names in `typing` for builtins."""
_KEY = "Key[Array, '']"
METHOD, BODY = " " * 4, " " * 8
"""Indentation of the members of a class, and of the bodies of its methods."""


@once
def annotations_written(spec: ModuleSpec) -> Mapping[Path, str]:
    """Return the annotations of a class by path, without those that name the class before it is bound."""
    is_late = any(line.startswith("from __future__ ") for line in spec.imports)
    return {path: text for path, text in spec.written if is_late or spec.name not in _names(text)}


def _names(annotation: str) -> set[str]:
    tree = expression_or_none(annotation)
    return {name.id for name in nodes_of(ast.Name, tree)} if tree is not None else set[str]()


def says_the_same(written: str, annotation: str, name: str) -> bool:
    """Whether two annotations in the class `name` differ only in spelling."""
    ours, theirs = expression_or_none(annotation), expression_or_none(written)
    return ours is not None and theirs is not None and _plain(ours, name) == _plain(theirs, name)


def _plain(node: ast.expr, name: str) -> str:
    """Normalise an annotation: `X | None` for `Optional[X]`, `tuple` for `Tuple`, and no quotes around
    types."""
    match node:
        case ast.Constant(value=str(text)) if (inner := expression_or_none(text.strip())) is not None:
            return _plain(inner, name)
        case ast.Name() | ast.Attribute():
            word = last_name(node)
            return name if word == "Self" else word.lower() if word in _BUILTINS else word
        case _ if len(members := members_of(node)) > 1:
            parts = {_plain(member, name) for member in members}
            return " | ".join(sorted(parts - ({"int"} if "float" in parts else set[str]())))
        case ast.Subscript(value=head, slice=inner):
            types = types_in(node)
            parts = [
                _plain(part, name) if part in types else ast.unparse(part) for part in elements_of(inner)
            ]
            text = f"{_plain(head, name)}[{', '.join(parts)}]"
            return "PRNGKeyArray" if text == _KEY else text
        case ast.List(elts=parts):
            return f"[{', '.join(_plain(part, name) for part in parts)}]"
        case _:
            return ast.unparse(node)


def documented(spec: ModuleSpec, path: Path, text: str, indent: str) -> str:
    """Return the author's docstring as written, or a new layout if the tool has changed the text."""
    literal = dict(spec.written).get(path, "")
    node = expression_or_none(literal)
    is_same = isinstance(node, ast.Constant) and inspect.cleandoc(str(node.value)).strip() == text.strip()
    if not (is_same and text.strip()):
        return docstring(text, indent)
    # Of tabs, which ruff takes for eight spaces, each is a level, as in the code around.
    return re.sub(r"(?m)^\t+", lambda tabs: METHOD * len(tabs[0]), literal)
