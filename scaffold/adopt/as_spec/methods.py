"""Methods as tables: what their author wrote, with a type for each argument that has none."""

import ast
import copy
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.as_spec.source import ClassSource
from scaffold.adopt.as_spec.types import Types, plain_type
from scaffold.spec.signature import parse_argument
from scaffold.spec.skeletons.carried import default_source, is_plain
from scaffold.spec.skeletons.methods import read_arguments, read_call, read_method
from scaffold.spec.skeletons.notes import Notes


class Drafted(Struct, frozen=True):
    """A table, or why there is none."""

    table: dict[str, Any] = field(default_factory=dict[str, Any])
    why: str = ""


def method_table(node: ast.FunctionDef, within: str, source: ClassSource, types: Types) -> Drafted:
    """The table of the call, of a method, or of a further constructor, by the name of the table `within`."""
    notes = Notes(source.notes.text, source.node.name)
    if node.name == "__call__":
        node = copy.copy(node)
        node.decorator_list = [one for one in node.decorator_list if "abstract" in ast.unparse(one)]
        table, _ = read_call(node, source.names, notes, is_typed_later=_is_typed_later(node, source))
    else:
        is_typed_later = _is_typed_later(node, source)
        table, _ = read_method(node, source.names, notes, within, is_typed_later=is_typed_later)
    if notes.faults:
        return Drafted(why=notes.faults[0].what)
    if "source" in table:
        return Drafted(table)
    arguments = Arguments(node, source, types, types.seen.arguments(node.name)).texts()
    table |= {"args": ", ".join(arguments)}
    if within != "constructors" and not types.written(node.returns):
        table |= {"returns": types.of_result(node.name, node.returns)}
    table |= {"returns": plain_type(str(table["returns"]))} if table.get("returns") else {}
    return Drafted({key: one for key, one in table.items() if one or key == "body"})


def _is_typed_later(node: ast.FunctionDef, source: ClassSource) -> bool:
    """Whether the types that are missing can be those of the values that were seen."""
    return is_plain(node, owner_of(node), source.names)


class Arguments(Struct, frozen=True):
    """The arguments of a function, as a spec writes them."""

    node: ast.FunctionDef
    source: ClassSource
    types: Types
    examples: Mapping[str, str]
    known: Mapping[str, str] = field(default_factory=dict[str, str])
    """The types of those that fields say."""

    def texts(self) -> list[str]:
        """One text an argument, each with a type as far as anybody knows one."""
        notes = Notes(self.source.notes.text, self.source.node.name)
        owner = owner_of(self.node)
        texts, _ = read_arguments(self.node, ("args",), self.source.names, notes, owner=owner)
        return [
            text if text == "*" else self._typed(text.partition(":")[0].partition("=")[0].strip())
            for text in texts
        ]

    def _typed(self, name: str) -> str:
        annotation, default = self._of(name)
        said = default_source(default, self.source.notes) if default is not None else ""
        kind = self.types.of_argument(self.node.name, name, annotation, self.examples.get(name, ""))
        kind = kind or self.known.get(name, "")
        if not kind and name not in self.known:
            kind = self.types.of_value(said) or ("tree | None" if said == "None" else "tree")
            self.types.guessed[f"{self.node.name}.{name}"] = "nothing says it"
        text = f"{name}: {kind}" if kind else name
        return f"{text} = {said}" if said else text

    def _of(self, name: str) -> tuple[ast.expr | None, ast.expr | None]:
        """The annotation and the default of an argument."""
        arguments = self.node.args
        positional = arguments.args[len(arguments.args) - len(arguments.defaults) :]
        defaults = dict(zip((one.arg for one in positional), arguments.defaults, strict=True))
        by_name = zip((one.arg for one in arguments.kwonlyargs), arguments.kw_defaults, strict=True)
        annotations = {one.arg: one.annotation for one in (*arguments.args, *arguments.kwonlyargs)}
        return annotations.get(name), {**defaults, **dict(by_name)}.get(name)


def owner_of(node: ast.FunctionDef) -> str:
    """What the first argument of a method is."""
    decorators = [ast.unparse(one) for one in node.decorator_list]
    return "cls" if "classmethod" in decorators else "" if "staticmethod" in decorators else "self"


def constructor_texts(
    node: ast.FunctionDef, source: ClassSource, types: Types, fields: Mapping[str, str]
) -> list[str]:
    """The arguments of the constructor: those that every class has go without a type, and those that fields are too."""
    texts = Arguments(node, source, types, types.seen.inputs, fields).texts()
    return [_as_listed(text, fields) for text in texts]


def _as_listed(text: str, fields: Mapping[str, str]) -> str:
    if text == "*":
        return text
    name, _, rest = text.partition(":")
    if name in ("dtype", "rngs"):
        default = rest.partition("=")[2].strip() or name.partition("=")[2].strip()
        return f"{name} = {default}" if default not in ("", "None") else name
    one = parse_argument(text)
    return one.name if one.name == "key" and rest.strip() in ("key[]", "PRNGKeyArray", "tree", "") else text
