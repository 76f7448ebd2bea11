"""One class of a skeleton to the tables of a spec."""

import ast
import builtins
from typing import Any

from msgspec.structs import replace

from scaffold.kind import kind_of
from scaffold.spec.skeletons.classes.carried import blocks, carried, is_carried, is_left_open, source_of
from scaffold.spec.skeletons.classes.class_statements import (
    read_bases,
    read_decorators,
    read_generics,
    read_keywords,
)
from scaffold.spec.skeletons.classes.constructors import CONSTRUCTORS, is_read, read_constructor
from scaffold.spec.skeletons.classes.fields import doc_below, read_field
from scaffold.spec.skeletons.classes.methods import read_call, read_method
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes
from scaffold.spec.skeletons.words.values import expression
from scaffold.spec.source.definitions import bound_by, is_setter
from scaffold.spec.source.expressions import Function


class ClassReader:
    """Reads one class; what it finds is in `raw`, and what is wrong in the notes."""

    def __init__(self, node: ast.ClassDef, names: Names, notes: Notes):
        self.node, self.names, self.notes = node, names.within(node.name), notes
        self.raw: dict[str, Any] = {"name": node.name}
        self.fields: dict[str, dict[str, Any]] = {}
        self.inits: dict[str, ast.expr] = {}
        self.foreign: list[str] = []
        """The names of the classes of other modules that types name."""

    def read(self) -> dict[str, Any]:
        """The tables of the spec."""
        self.notes.positions[("name",)] = self.notes.position(self.node)
        self._head()
        self.raw |= {"kind": "abstract"} if self._is_abstract() else {}
        self.names = replace(self.names, is_abstract=self.raw.get("kind") == "abstract")
        self._body()
        self.raw |= read_decorators(self.node, self.names, self.notes)
        for name, value in self.inits.items():
            self._made(name, value)
        kind = kind_of(self.raw.get("kind", "module"))
        lines = self.names.imports(kind.imports, self.foreign)
        if lines:
            self.raw["imports"] = lines
        if self.fields:
            self.raw["fields"] = self.fields
        return self.raw

    def _head(self) -> None:
        """The class statement itself."""
        self.raw |= read_generics(self.node, self.names, self.notes)
        bases, self.foreign = read_bases(self.node, self.names, self.notes)
        self.raw |= bases
        kind, named = self.raw.get("kind", "module"), self.raw.get("bases", [])
        self.raw |= read_keywords(self.node, kind, named, self.notes)

    def _body(self) -> None:
        before: ast.stmt | None = None
        end = self._end_of_head()
        for index, block in enumerate(blocks(self.node.body, self.names)):
            statement, last = block[0], block[-1]
            doc = doc_below(statement)
            if doc is not None and index == 0:
                self.raw["doc"] = doc
                self.notes.note(("doc",), statement)
            elif doc is not None and _name_of(before) in self.fields:
                self._doc_of_field(_name_of(before), doc, statement)
            else:
                self._comment(self._block(block), statement, end)
            before, end = last, last.end_lineno or end

    def _end_of_head(self) -> int:
        """The last line of the class statement, as far as it can be told."""
        parts = (*self.node.bases, *self.node.keywords)
        return max((one.end_lineno or 0 for one in parts), default=self.node.lineno)

    def _comment(self, table: dict[str, Any] | None, statement: ast.stmt, above: int) -> None:
        """Keep the comments above and behind a field, and above all else."""
        told = [self.notes.comment_of(statement, above)]
        if isinstance(statement, ast.AnnAssign):
            told.append(self.notes.comment_behind(statement))
        comment = "\n".join(filter(None, told))
        if comment and table is not None:
            table["comment"] = comment

    def _doc_of_field(self, name: str, doc: str, statement: ast.stmt) -> None:
        self.notes.note(("fields", name, "doc"), statement)
        self.fields[name]["doc"] = doc

    def _block(self, block: list[ast.stmt]) -> dict[str, Any] | None:
        """The table of statements that belong together; None of those that say nothing, and of the constructor."""
        match block:
            case [ast.AnnAssign() as field] if not is_carried(field, self.names):
                return self._field(field)
            case [ast.FunctionDef(name="__init__" | "create") as constructor]:
                return (
                    self._constructor(constructor) if self._is_read(constructor) else self._own(constructor)
                )
            case [*_, ast.FunctionDef() | ast.AsyncFunctionDef()]:
                functions = [one for one in block if isinstance(one, Function)]
                getters = [one for one in functions if not is_setter(one)]
                return self._function(block, (getters or functions)[-1])
            case [ast.Pass() | ast.Expr(value=ast.Constant(value=builtins.Ellipsis))]:
                return None
            case _:
                return self._carried(block)

    def _field(self, statement: ast.AnnAssign) -> dict[str, Any]:
        name, table, foreign = read_field(statement, self.node.name, self.names, self.notes)
        if name in self.fields:
            self.notes.refuse(statement, ("fields", name), f"`{name}` is there already", "remove one")
        self.fields[name] = table
        self.foreign += foreign
        return table

    def _function(self, block: list[ast.stmt], node: Function) -> dict[str, Any]:
        """A method; with its overloads, or its setter, it is carried as a whole."""
        methods = self.raw.get("methods", {})
        name = self._free_name(node.name, node)
        is_call = name == "__call__"
        is_open = self.raw.get("kind", "abstract") != "abstract" and is_left_open(node, self.names)
        if len(block) > 1 or is_open or isinstance(node, ast.AsyncFunctionDef) or name != node.name:
            path = ("call",) if is_call else ("methods", name)
            table = {**carried(node, path, self.names, self.notes), "source": source_of(block, self.notes)}
        elif is_call:
            table, foreign = read_call(node, self.names, self.notes)
            self.foreign += foreign
        else:
            return self._method(node)
        if is_call and not methods:
            self.raw["call"] = table
        else:
            self.raw.setdefault("methods", methods)[name] = table
        return table

    def _method(self, node: ast.FunctionDef) -> dict[str, Any]:
        """A method; a class method that returns the class, above all others, is a further constructor."""
        others = [one for one in self.raw.get("methods", {}).values() if "above" not in one]
        is_first = not others and "call" not in self.raw
        name = "constructors" if is_first and self._builds(node) else "methods"
        table, foreign = read_method(node, self.names, self.notes, name)
        name = "methods" if "source" in table else name
        self.raw.setdefault(name, {})[node.name] = table
        self.foreign += foreign
        return table

    def _carried(self, block: list[ast.stmt]) -> dict[str, Any]:
        """Statements that are no fields and no methods, with the field above which they stand, or `...` below all."""
        table = {"source": source_of(block, self.notes)}
        body = self.node.body
        rest = body[body.index(block[-1]) + 1 :]
        names = (
            one.target.id
            for one in rest
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        )
        if not any(isinstance(one, Function) for one in body[: body.index(block[0])]):
            table["above"] = next(names, "...")
        name = self._free_name(next(iter(sorted(bound_by(table["source"]))), "statement"), block[0])
        for one in block:
            self.notes.note(("methods", name, "body"), one)
        self.raw.setdefault("methods", {})[name] = table
        return table

    def _free_name(self, name: str, node: ast.stmt) -> str:
        """The key of a definition: its name, or with its line where the class defines that name before."""
        taken = {**self.raw.get("constructors", {}), **self.raw.get("methods", {})}
        is_taken = name in taken or (name == "__call__" and "call" in self.raw)
        return f"{name} (line {node.lineno})" if is_taken else name

    def _is_abstract(self) -> bool:
        """Whether a method is left to subclasses, though no base says that the class is abstract."""
        functions = (one for one in self.node.body if isinstance(one, ast.FunctionDef))
        return "kind" not in self.raw and any(is_left_open(one, self.names) for one in functions)

    def _builds(self, node: ast.FunctionDef) -> bool:
        """Whether it is a class method, with no other decorator, whose result is the class."""
        returned = node.returns
        own = (
            returned.value
            if isinstance(returned, ast.Constant)
            else self.names.of(returned)
            if returned
            else ""
        )
        return [ast.unparse(one) for one in node.decorator_list] == ["classmethod"] and own == self.node.name

    def _is_read(self, node: ast.FunctionDef) -> bool:
        return is_read(node, self.fields, self.names, self.notes)

    def _own(self, node: ast.FunctionDef) -> dict[str, Any]:
        """A constructor that is carried, with all that it must be given."""
        table = carried(node, ("methods", node.name), self.names, self.notes)
        self.raw["constructor"] = CONSTRUCTORS[node.name]
        self.raw.setdefault("methods", {})[node.name] = table
        return table

    def _constructor(self, node: ast.FunctionDef) -> None:
        if "constructor" in self.raw:
            self.notes.refuse(node, ("constructor",), "a class has one constructor", f"remove `{node.name}`")
        found = read_constructor(node, self.names, self.notes)
        self.raw["constructor"] = CONSTRUCTORS[node.name]
        self.inits, self.foreign = found.inits, [*self.foreign, *found.foreign]
        self.raw |= {"arguments": found.arguments} if found.arguments else {}
        self.raw |= {"setup": found.setup} if found.setup else {}

    def _made(self, name: str, value: ast.expr) -> None:
        path = ("fields", name, "init")
        if name not in self.fields or "init" in self.fields[name]:
            what = f"`{name}` has an `init` already" if name in self.fields else f"`self.{name}` is no field"
            self.notes.refuse(value, path[:2], what, "declare it in the class, with one `init`")
            return
        self.notes.note(path, value)
        self.fields[name]["init"] = f"={expression(value, self.notes)}"


def _name_of(statement: ast.stmt | None) -> str:
    """The name that an annotated statement binds."""
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case _:
            return ""
