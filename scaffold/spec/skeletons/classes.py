"""One class of a skeleton to the tables of a spec."""

import ast
from collections.abc import Iterator
from typing import Any

from scaffold.kinds import NAMES, kind_of
from scaffold.spec.skeletons.constructors import CONSTRUCTORS, read_constructor
from scaffold.spec.skeletons.fields import doc_below, keys_of, read_field
from scaffold.spec.skeletons.methods import is_abstract, read_call, read_method
from scaffold.spec.skeletons.names import Names
from scaffold.spec.skeletons.notes import Notes
from scaffold.spec.skeletons.type_variables import from_bases, from_syntax, listed
from scaffold.spec.skeletons.values import expression, raw_value, table

KINDS = {"".join(word.capitalize() for word in name.split("-")): name for name in NAMES}
"""The kind of each base in the vocabulary: `TrainState` is `train-state`."""
_ELSEWHERE = {"equinox.Module": "module", "flax.nnx.Module": "nnx"}


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
        self._decorators()
        for name, value in self.inits.items():
            self._made(name, value)
        kind = kind_of(self.raw.get("kind", "module"))
        lines = self.names.imports(kind.imports, self.foreign)
        if lines:
            self.raw["imports"] = lines
        if self.fields:
            self.raw["fields"] = self.fields
        return self.raw

    # -- the class statement -------------------------------------------------------------------------------------------

    def _head(self) -> None:
        bases: list[str] = []
        generic = [
            *from_bases(self.node.bases, self.names, self.notes),
            *from_syntax(self.node, self.names, self.notes),
        ]
        self.raw |= {"generic": generic} if generic else {}
        for base in (one for one in self.node.bases if listed(one, self.names) is None):
            word = self.names.word(base)
            kind = KINDS.get(word) or _ELSEWHERE.get(self.names.of(base))
            if kind is None and word:
                self.notes.refuse(
                    base, ("kind",), f"`{word}` is no kind", "inherit from a kind", tuple(KINDS)
                )
            elif kind is not None and "kind" not in self.raw:
                self.raw["kind"] = kind
                self.notes.note(("kind",), base)
            elif kind is not None:
                self.notes.refuse(base, ("kind",), "a class is of one kind", f"remove `{ast.unparse(base)}`")
            else:
                bases.append(self._base(base))
        # A base of another module may be a mixin, which is no Module itself: who names both wants both.
        is_mixed = "kind" in self.raw and self.raw["kind"] in ("module", "abstract")
        if is_mixed and any(":" in base for base in bases):
            bases.append("equinox:Module")
        if bases:
            self.raw["bases"] = bases
        for keyword in self.node.keywords:
            self._keyword(keyword)

    def _base(self, base: ast.expr) -> str:
        self.notes.note(("bases",), base)
        module, _, name = self.names.of(base).rpartition(".")
        if isinstance(base, ast.Name):
            self.foreign.append(base.id)
        return f"{module}:{name}" if module else name or self.notes.segment(base)

    def _keyword(self, keyword: ast.keyword) -> None:
        name = keyword.arg or "**"
        is_option = name in kind_of(self.raw.get("kind", "module")).options
        self.notes.note(("options", name) if is_option else (name,), keyword.value)
        target = self.raw.setdefault("options", {}) if is_option else self.raw
        target[name] = raw_value(keyword.value, self.notes)

    # -- what stands in it ---------------------------------------------------------------------------------------------

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

    # -- decorators ----------------------------------------------------------------------------------------------------

    def _decorators(self) -> None:
        for one in self.node.decorator_list:
            word = self.names.word(one.func) if isinstance(one, ast.Call) else ""
            if not isinstance(one, ast.Call) or word not in ("test", "groups") or one.args:
                what = f"`@{ast.unparse(one)}` has no place in a spec"
                self.notes.refuse(one, (), what, "remove it, or write `@test(...)` or `@groups(...)`")
                continue
            self.notes.note((word,), one)
            pairs = [(keyword.arg or "**", keyword.value) for keyword in one.keywords]
            self.raw[word] = keys_of(pairs, (word,), self.notes, lambda _: table)
            for key, value in pairs:
                self._note_entries((word, key), value)

    def _note_entries(self, path: tuple[str, ...], value: ast.expr) -> None:
        for key, entry in _entries(value):
            self.notes.note((*path, key), entry)


def _entries(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, value


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
