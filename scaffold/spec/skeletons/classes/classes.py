"""One class of a skeleton to the tables of a spec."""

import ast
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from scaffold.kind import Kind, kind_of
from scaffold.source.definitions import annotated_names, bound_by, gives_instance, is_setter
from scaffold.source.expressions import Function
from scaffold.source.instance import attributes_set, made_attributes
from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.types import CallableType, arrays
from scaffold.spec.raw import types_said
from scaffold.spec.reading.made_variables import makes_variables
from scaffold.spec.reading.roles import legal_roles, role_of
from scaffold.spec.skeletons.classes import class_statements, functions, inferred
from scaffold.spec.skeletons.classes.as_written import is_of_equinox, is_registered, says_no_word
from scaffold.spec.skeletons.classes.constructors import Constructor, kept_faults
from scaffold.spec.skeletons.classes.fields import doc_below, is_without_annotation, read_field, stored_type
from scaffold.spec.skeletons.classes.inherited import inherited_methods
from scaffold.spec.skeletons.classes.made_roles import roles_of_made
from scaffold.spec.skeletons.classes.open_fields import open_keys
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes

_ANY = ("param", "static", "data")
"""The roles of fields of which nothing is said in a class that stays as it is written, the first that is legal."""


class ClassReader:
    """Reads one class; what it finds is in `raw`, and what is wrong in the notes."""

    def __init__(self, node: ast.ClassDef, names: Names, notes: Notes):
        self.node, self.notes = node, notes
        valued = class_statements.values_said(node, names) | class_statements.values_below(node, names)
        self.names = replace(names.within(node.name), valued=valued)
        self.lines_of_file = [line for _, line in names.lines]
        self.raw: dict[str, Any] = {"name": node.name}
        self.fields: dict[str, dict[str, Any]] = {}
        self.inits: dict[str, ast.expr] = {}

    def read(self) -> dict[str, Any]:
        """The tables of the spec."""
        self.notes.locations[("name",)] = self.notes.position(self.node)
        self.raw |= class_statements.read_generics(self.node, self.names, self.notes)
        self.raw |= class_statements.read_bases(self.node, self.names, self.notes)
        self.raw |= class_statements.read_keywords(
            self.node, self._said_kind, self.raw.get("bases", []), self.notes
        )
        self.is_verbatim = says_no_word(self.node, self.names)
        if "kind" not in self.raw and self._leaves_open() and not self.is_verbatim:
            self.raw["kind"] = "abstract"
        self.names = replace(self.names, is_abstract=self.raw.get("kind") == "abstract")
        self._registered_once()
        self._body()
        self._batch_axis()
        self.raw |= class_statements.read_decorators(self.node, self.names, self.notes)
        for name, value in self.inits.items():
            self._made(name, value)
        if of_bases := inherited_methods(self.node, self.names, self.notes):
            self.raw["methods"] = {**self.raw.get("methods", {}), **of_bases}
        if self.is_verbatim:
            self._keep_whole()
        self.raw |= {"fields": self.fields} if self.fields else {}
        trains_given = is_of_equinox(self.node, self.names) or self.is_verbatim
        if self.fields and trains_given and self._said_kind != "nnx":
            self.raw["given"] = "param"  # as Equinox does
        if "arguments" not in self.raw and (
            arguments := inferred.arguments_of_lambdas(self.node, self.names)
        ):
            self.raw["arguments"] = arguments
        lines = self._import_lines()
        return self.raw | ({"imports": lines} if lines else {})

    def _keep_whole(self) -> None:
        """Keep the class statement; a field whose type has no role by default is a subtree, as its library makes it."""
        for table in self.fields.values():
            written = parse_type(str(table["type"]))
            if role_of(stored_type(table), table) is None is role_of(written, table):
                legal = legal_roles(written)
                table["role"] = next(role for role in _ANY if role in legal)
        ours = [decorator for decorator in self.node.decorator_list if self.names.word(decorator)]
        self.raw["source"] = functions.source_of([self.node], self.notes, leaving=ours)
        self.raw.pop("decorators", None)  # they stand there

    def _import_lines(self) -> list[str]:
        """The imports that the spec has to say: all of the file where the class stays as it is."""
        if self.is_verbatim:
            return list(dict.fromkeys(self.lines_of_file))
        return self.names.imports(self._kind.imports, "\n".join(types_said(self.raw)))

    @property
    def _said_kind(self) -> str:
        return self.raw.get("kind", "module")

    @property
    def _kind(self) -> Kind:
        return kind_of(self._said_kind)

    def _registered_once(self) -> None:
        """Refuse what registers a class that its base registers, for jax takes it once."""
        if self.raw.get("kind") in ("module", "pytree") and is_registered(self.node, self.names):
            message = f"`{self.node.name}` is registered by its base, and once more by the file"
            fix = "take out the base, and the class stays word for word; or what registers it, with its methods for that"
            self.notes.refuse(self.node, ("name",), message, fix)

    def _body(self) -> None:
        before = ""
        # The last line of the class statement, as far as it can be told.
        parts = (*self.node.bases, *self.node.keywords)
        end = max((part.end_lineno or 0 for part in parts), default=self.node.lineno)
        for index, block in enumerate(functions.blocks(self.node.body, self.names)):
            statement, last = block[0], block[-1]
            doc = doc_below(statement)
            if doc is not None and index == 0:
                self.raw["doc"] = doc
                self.notes.keep_doc(("doc",), statement)
            elif doc is not None and before in self.fields:
                self.notes.keep_doc(("fields", before, "doc"), statement)
                self.fields[before]["doc"] = doc
            else:
                self._comment(self._block(block), statement, end)
            before, end = next((name for name, _ in annotated_names([last])), ""), last.end_lineno or end

    def _comment(self, table: dict[str, Any] | None, statement: ast.stmt, above: int) -> None:
        """Keep the comments above and behind a field, and above all else."""
        if isinstance(statement, ast.AnnAssign):
            behind = self.notes.comment_behind(statement)
            self.notes.written["fields", ast.unparse(statement.target), "comment"] = behind
            comment = "\n".join(filter(None, (self.notes.comment_of(statement, above), behind)))
        else:
            comment = self.notes.comment_above(statement, above)
        if comment and table is not None:
            table["comment"] = comment

    def _block(self, block: list[ast.stmt]) -> dict[str, Any] | None:
        """The table of statements that belong together; None of those that say nothing, and of the constructor."""
        match block:
            case [ast.AnnAssign() as field] if not functions.is_carried(field, self.names):
                return self._field(field)
            case [ast.Assign() as field] if is_without_annotation(field, self.names):
                return self._without_annotation(field)
            case [ast.FunctionDef(name="__init__" | "create") as constructor]:
                return self._constructor(constructor)
            case [*_, ast.FunctionDef() | ast.AsyncFunctionDef()]:
                defined = [statement for statement in block if isinstance(statement, Function)]
                getters = [function for function in defined if not is_setter(function)]
                return self._function(block, (getters or defined)[-1])
            case [ast.Pass() | ast.Expr(value=ast.Constant())]:
                return None
            case _:
                return self._carried(block)

    def _field(self, statement: ast.AnnAssign) -> dict[str, Any]:
        name, table = read_field(statement, self.node.name, self.names, self.notes)
        if (name, table["type"], self._said_kind) == ("inference", "bool", "module"):
            table.setdefault("role", "buffer")  # a leaf, which `eqx.nn.inference_mode` sets
        if "role" not in table:
            table |= open_keys(name, table, statement.annotation, self.node, self.names, self.notes)
        if self.is_verbatim:
            self._as_it_stands(table, statement)
        if self._is_given(name, table):
            table |= self._example(name, table, statement.annotation)
        self.fields[name] = table
        return table

    def _example(self, name: str, table: Mapping[str, Any], annotation: ast.expr) -> dict[str, str]:
        """What the tests give, where the type of a field does not say it."""
        example = functions.given_type(name, annotation, self.node, self.names)
        if not example and table["type"].startswith("="):
            example = functions.type_beside(annotation, self.names, self.notes)
        return {"example": example} if example and "example" not in table else {}

    def _as_it_stands(self, table: dict[str, Any], statement: ast.AnnAssign) -> None:
        """Keep the default of a field, and its type where that says more than the grammar has a role for."""
        kind = stored_type(table)
        role = role_of(kind, table)
        if not {*([role] if role else _ANY)} & {*legal_roles(kind)}:
            if arrays(kind):
                table.setdefault("example", table["type"])
            table["type"] = f"={self.notes.segment(statement.annotation)}"
        if "default" in table and not isinstance(kind, CallableType):
            table["in_class"] = True

    def _is_given(self, name: str, table: Mapping[str, Any]) -> bool:
        """Whether the emitted constructor takes a field, and no example is said for it."""
        role = table.get("role")
        is_made = {"init", "default", "optional"} & table.keys() or role in ("derived", "shared", "state")
        return not (inferred.constructor_of(self.node) or is_made or name in self.names.valued)

    def _without_annotation(self, statement: ast.Assign) -> None:
        """Refuse a field that has no type, and go on as if it were one."""
        name, value = ast.unparse(statement.targets[0]), ast.unparse(statement.value)
        fix = f"write its type, such as `{name}: int = {value}`"
        self.notes.refuse(statement, ("fields", name), "has no annotation, and so is no field", fix)
        self.fields[name] = {"type": "tree", "role": "data"}

    def _function(self, block: list[ast.stmt], node: Function) -> dict[str, Any]:
        """A method; with its overloads, or its setter, it is carried as a whole.

        A class method that returns the class, above all others, is a further constructor.
        """
        name = self._free_name(node.name, node)
        is_open = self.raw.get("kind", "abstract") != "abstract" and functions.is_left_open(node, self.names)
        is_whole = len(block) > 1 or is_open or name != node.name
        others = [method for method in self.raw.get("methods", {}).values() if "above" not in method]
        is_first = not (others or is_whole or "call" in self.raw)
        is_constructor = (
            is_first and self._builds(node) and functions.is_understood(node, self.names, self.notes)
        )
        above = "constructors" if is_constructor else "methods"
        path = ("call",) if name == "__call__" else (above, name)
        kinds = functions.types_by_use(node, self.node, self.names)
        table = functions.read_function(node, path, self.names, self.notes, block if is_whole else [], kinds)
        if name == "__call__" and not self.raw.get("methods"):
            self.raw["call"] = table
        else:
            needless = ("decorator", "returns") if is_constructor else ()
            table = {key: part for key, part in table.items() if key not in needless}
            self.raw.setdefault(above, {})[name] = table
        return table

    def _carried(self, block: list[ast.stmt]) -> dict[str, Any]:
        """Statements that are no fields and no methods, with the field above which they stand, or `...` below all."""
        table = {"source": functions.source_of(block, self.notes)}
        body = self.node.body
        below = annotated_names(body[body.index(block[-1]) + 1 :])
        if not any(isinstance(sibling, Function) for sibling in body[: body.index(block[0])]):
            table["above"] = next((name for name, _ in below), "...")
        name = self._free_name(next(iter(sorted(bound_by(table["source"]))), "statement"), block[0])
        for statement in block:
            self.notes.note(("methods", name, "body"), statement)
        self.raw.setdefault("methods", {})[name] = table
        return table

    def _free_name(self, name: str, node: ast.stmt) -> str:
        """The key of a definition: its name, or with its line where the class defines that name before."""
        taken = {**self.raw.get("constructors", {}), **self.raw.get("methods", {})}
        is_taken = name in taken or (name == "__call__" and "call" in self.raw)
        return f"{name} (line {node.lineno})" if is_taken else name

    def _batch_axis(self) -> None:
        """Say of the call that it is made under `jax.vmap` where the class averages over an axis."""
        call = self.raw.get("call") or self.raw.get("methods", {}).get("__call__")
        if call is not None and self._kind.takes("axis_name"):
            axis = inferred.batch_axis(self.node, self.names.classes)
            if axis:
                call.setdefault("axis_name", axis)

    def _leaves_open(self) -> bool:
        """Whether a method is left to subclasses."""
        methods = (statement for statement in self.node.body if isinstance(statement, ast.FunctionDef))
        return any(functions.is_left_open(method, self.names) for method in methods)

    def _builds(self, node: Function) -> bool:
        """Whether it is a class method, with no other decorator, whose result is the class."""
        is_of_class = [ast.unparse(decorator) for decorator in node.decorator_list] == ["classmethod"]
        others = [statement for statement in self.node.body if isinstance(statement, Function)]
        return is_of_class and gives_instance(node, self.node.name, others)

    def _constructor(self, node: ast.FunctionDef) -> dict[str, Any] | None:
        """What makes the fields; one of the author's own, which is carried, with all that it must be given."""
        has_variables = self._kind.variables
        makes_them = has_variables and makes_variables(node, self.fields)
        assigned = {name for name, _ in made_attributes(node)}
        # The fields of a base that it makes are known to that alone.
        makes_them |= any(
            ast.unparse(base) in self.names.classes for base in self.node.bases
        ) and not assigned.issubset(self.fields)
        constructor = Constructor(node, self.fields, self.names, self.notes)
        # What subclasses call stays, though it assigns each argument: it may take fewer than there are fields.
        is_own = makes_them or self._leaves_open() or not constructor.is_read()
        if not has_variables:
            for name, role in roles_of_made(node, self.fields, self.node, is_own=is_own):
                self.fields[name].setdefault("role", role)
        said = self.raw.get("constructor", inferred.CONSTRUCTORS[node.name])
        if said != inferred.CONSTRUCTORS[node.name] and not is_own:
            fix = f'remove `constructor="{said}"`, or `{node.name}`'
            self.notes.refuse(node, ("constructor",), "a class has one constructor", fix)
        self.raw["constructor"] = inferred.CONSTRUCTORS[node.name]
        has_state = any(table.get("role") == "state" for table in self.fields.values())
        if is_own and has_state and (twice := constructor.made_twice()):
            message = f"`{twice[0]}` is made in the class, and in `{node.name}`"
            fix = f"leave it out of one of them: `{twice[0]}: ... = state()`"
            self.notes.refuse(node, ("constructor",), message, fix)
            return None
        if is_own:
            self._all_made(node)
            self._all_fields(node)
            path = ("methods", node.name)
            kinds = functions.types_by_use(node, self.node, self.names)
            if has_variables:
                kept = inferred.settings_kept(node, self.node)
                kinds |= {name: kind for name, kind in kept.items() if kinds.get(name, "").startswith("f[")}
            kinds |= inferred.inferred_types(node, self.fields, self.names.classes)
            table = functions.read_function(node, path, self.names, self.notes, [node], kinds)
            return self.raw.setdefault("methods", {}).setdefault(node.name, table)
        annotations = dict(annotated_names(self.node.body))
        for name in constructor.given & annotations.keys():
            self.fields[name] |= self._example(name, self.fields[name], annotations[name].annotation)
        keys = constructor.read()
        self.inits = keys.pop("inits")
        for name, comment in constructor.comments().items():
            if table := self.fields.get(name):
                table["comment"] = "\n".join(filter(None, (table.get("comment"), comment)))
        self.raw |= {key: part for key, part in keys.items() if part}
        return None

    def _all_made(self, node: ast.FunctionDef) -> None:
        """Refuse a constructor of the author's own that leaves a field without a value, of which Equinox complains as late as it runs."""
        is_of_equinox = self._said_kind == "module" and "bases" not in self.raw
        faults = kept_faults(node, self.fields, is_verbatim=self.is_verbatim) if is_of_equinox else ()
        for name, message, fix in faults:
            self.notes.refuse(node, ("fields", name), message, fix)

    def _all_fields(self, node: ast.FunctionDef) -> None:
        """Refuse one that stores what is no field, which jax leaves out where it makes the instance again."""
        stored = {*(name for name, _ in made_attributes(node)), *attributes_set(node)}
        is_registered = self.raw.get("kind") == "pytree" and "bases" not in self.raw
        lost = sorted(stored - self.fields.keys())
        if lost and is_registered:
            names = ", ".join(f"`{name}`" for name in lost)
            message = (
                f"`{node.name}` stores what is no field, and is lost where jax rebuilds an instance: {names}"
            )
            self.notes.refuse(node, ("fields",), message, f"declare it: `{lost[0]}: ... = static()`")

    def _made(self, name: str, value: ast.expr) -> None:
        """Take what the constructor makes of a field, which Python would take over a word for its initialiser."""
        path = ("fields", name, "init")
        if name not in self.fields:
            fix = "declare it in the class, with one `init`"
            self.notes.refuse(value, path[:2], f"`self.{name}` is no field", fix)
            return
        self.notes.note(path, value)
        self.fields[name].pop("std", None)
        self.fields[name]["init"] = f"={self.notes.segment(value)}"
