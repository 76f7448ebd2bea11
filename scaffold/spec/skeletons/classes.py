"""One class of a skeleton to the tables of a spec."""

import ast
from typing import Any

from scaffold.kinds import kind_of
from scaffold.spec.skeletons.class_statements import read_bases, read_decorators, read_generics, read_keywords
from scaffold.spec.skeletons.constructors import CONSTRUCTORS, read_constructor
from scaffold.spec.skeletons.fields import doc_below, read_field
from scaffold.spec.skeletons.methods import is_abstract, read_call, read_method
from scaffold.spec.skeletons.names import Names
from scaffold.spec.skeletons.notes import Notes
from scaffold.spec.skeletons.values import expression


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
        self.raw |= read_keywords(self.node, self.raw.get("kind", "module"), self.notes)

    def _body(self) -> None:
        before: ast.stmt | None = None
        end = self._end_of_head()
        for index, statement in enumerate(self.node.body):
            doc = doc_below(statement)
            if doc is not None and index == 0:
                self.raw["doc"] = doc
                self.notes.note(("doc",), statement)
            elif doc is not None and isinstance(before, ast.AnnAssign):
                self._doc_of_field(before, doc, statement)
            else:
                self._statement(statement)
                self._comment(statement, end)
            before, end = statement, statement.end_lineno or end

    def _end_of_head(self) -> int:
        """The last line of the class statement, as far as it can be told."""
        parts = (*self.node.bases, *self.node.keywords)
        return max((one.end_lineno or 0 for one in parts), default=self.node.lineno)

    def _comment(self, statement: ast.stmt, above: int) -> None:
        """Keep the comments above and behind a field, and above a method."""
        told = [self.notes.comment_of(statement, above)]
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)):
                told.append(self.notes.comment_behind(statement))
                table = self.fields[name]
            case ast.FunctionDef(name=name):
                methods = {**self.raw.get("constructors", {}), **self.raw.get("methods", {})}
                table = methods.get(name) or (self.raw.get("call") if name == "__call__" else None)
            case _:
                table = None
        comment = "\n".join(filter(None, told))
        if comment and table is not None:
            table["comment"] = comment

    def _doc_of_field(self, field: ast.AnnAssign, doc: str, statement: ast.stmt) -> None:
        name = field.target.id if isinstance(field.target, ast.Name) else ""
        self.notes.note(("fields", name, "doc"), statement)
        self.fields[name]["doc"] = doc

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.AnnAssign():
                self._field(statement)
            case ast.FunctionDef(name="__call__"):
                self._call(statement)
            case ast.FunctionDef(name="__init__" | "create"):
                self._constructor(statement)
            case ast.FunctionDef():
                self._method(statement)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                self._refuse(statement)

    def _field(self, statement: ast.AnnAssign) -> None:
        name, table, foreign = read_field(statement, self.names, self.notes)
        if name in self.fields:
            self.notes.refuse(statement, ("fields", name), f"`{name}` is there already", "remove one")
        self.fields[name] = table
        self.foreign += foreign

    def _call(self, node: ast.FunctionDef) -> None:
        """The call: `[call]`, or below other methods an entry among these, which keeps the order."""
        methods = self.raw.get("methods", {})
        if "call" in self.raw or node.name in methods:
            self.notes.refuse(node, ("call",), "`__call__` is there already", "remove one")
        table, foreign = read_call(node, self.names, self.notes)
        if methods:
            methods[node.name] = table
        else:
            self.raw["call"] = table
        self.foreign += foreign

    def _method(self, node: ast.FunctionDef) -> None:
        """A method; a class method that returns the class, above all others, is a further constructor."""
        methods = {**self.raw.get("constructors", {}), **self.raw.get("methods", {})}
        if node.name in methods:
            self.notes.refuse(node, ("methods", node.name), f"`{node.name}` is there already", "remove one")
        is_first = not {"call", "methods"} & self.raw.keys()
        name = "constructors" if is_first and self._builds(node) else "methods"
        table, foreign = read_method(node, self.names, self.notes, name)
        self.raw.setdefault(name, {})[node.name] = table
        self.foreign += foreign

    def _is_abstract(self) -> bool:
        """Whether a method is left to subclasses, though no base says that the class is abstract."""
        functions = (one for one in self.node.body if isinstance(one, ast.FunctionDef))
        return "kind" not in self.raw and any(is_abstract(one, self.names) for one in functions)

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
            what = "has an `init` already" if name in self.fields else "is no field"
            self.notes.refuse(value, path[:2], f"`{name}` {what}", "declare it in the class, with one `init`")
            return
        self.notes.note(path, value)
        self.fields[name]["init"] = f"={expression(value, self.notes)}"

    def _refuse(self, statement: ast.stmt) -> None:
        what, fix = _told(statement)
        self.notes.refuse(statement, (), what, fix)


def _told(statement: ast.stmt) -> tuple[str, str]:
    """What to say of a statement in a class that no spec has a place for."""
    match statement:
        case ast.AsyncFunctionDef(name=name):
            return f"`{name}` is a coroutine, which jax cannot trace", "write `def`"
        case ast.Assign(targets=[ast.Name(id=name), *_]):
            return f"`{name}` has no annotation", f"write `{name}: TYPE = ...`"
        case ast.ClassDef(name=name):
            return f"the class `{name}` lies in another", "write it at the top of the file"
        case _:
            return "a skeleton has fields and methods alone", "remove the statement"
