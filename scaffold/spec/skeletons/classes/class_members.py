"""Body of a skeleton class, read statement by statement: fields, methods and verbatim statements."""

import ast
from typing import Any

from scaffold.source.definitions import annotated_names, bound_by, gives_instance, is_setter
from scaffold.source.expressions import Function
from scaffold.spec.skeletons.classes import functions, inferred
from scaffold.spec.skeletons.classes.class_constructor import read_constructor
from scaffold.spec.skeletons.classes.class_fields import take_field, take_without_annotation
from scaffold.spec.skeletons.classes.class_tables import ClassTables
from scaffold.spec.skeletons.classes.fields import doc_below, is_without_annotation
from scaffold.spec.skeletons.words.notes import Notes


def read_body(tables: ClassTables) -> None:
    """Read the body of the class into the tables, with its docstrings and comments."""
    before, node, notes = "", tables.node, tables.notes
    # The last line of the class statement, as far as it can be told.
    end = max((part.end_lineno or 0 for part in (*node.bases, *node.keywords)), default=node.lineno)
    for index, block in enumerate(functions.blocks(node.body, tables.names)):
        statement, last = block[0], block[-1]
        doc = doc_below(statement)
        if doc is not None and index == 0:
            tables.raw["doc"] = doc
            notes.keep_doc(("doc",), statement)
        elif doc is not None and before in tables.fields:
            notes.keep_doc(("fields", before, "doc"), statement)
            tables.fields[before]["doc"] = doc
        else:
            _keep_comment(tables, _block(tables, block), statement, end)
        before, end = next((name for name, _ in annotated_names([last])), ""), last.end_lineno or end
    _say_batch_axis(tables)


def _keep_comment(tables: ClassTables, table: dict[str, Any] | None, statement: ast.stmt, above: int) -> None:
    """Store the comments above a statement, and for a field also the comment behind."""
    notes = tables.notes
    if isinstance(statement, ast.AnnAssign):
        behind = notes.comment_behind(statement)
        notes.written["fields", ast.unparse(statement.target), "comment"] = behind
        comment = "\n".join(filter(None, (notes.comment_of(statement, above), behind)))
    else:
        comment = notes.comment_above(statement, above)
    if comment and table is not None:
        table["comment"] = comment


def _block(tables: ClassTables, block: list[ast.stmt]) -> dict[str, Any] | None:
    """Read a group of statements. Return its table, or None for `pass`, a string or a parsed constructor."""
    match block:
        case [ast.AnnAssign() as field] if not functions.is_carried(field, tables.names):
            return take_field(tables, field)
        case [ast.Assign() as field] if is_without_annotation(field, tables.names):
            return take_without_annotation(tables, field)
        case [ast.FunctionDef(name="__init__" | "create") as constructor]:
            return read_constructor(tables, constructor)
        case [*_, ast.FunctionDef() | ast.AsyncFunctionDef()]:
            defined = [statement for statement in block if isinstance(statement, Function)]
            getters = [function for function in defined if not is_setter(function)]
            return _function(tables, block, (getters or defined)[-1])
        case [ast.Pass() | ast.Expr(value=ast.Constant())]:
            return None
        case _:
            return _carried(tables, block)


def _function(tables: ClassTables, block: list[ast.stmt], node: Function) -> dict[str, Any]:
    """Read a method. A method with overloads or a setter is emitted verbatim.

    A class method that returns the class, above all other methods, is a further constructor.
    """
    raw, names = tables.raw, tables.names
    name = _free_name(tables, node.name, node)
    is_open = raw.get("kind", "abstract") != "abstract" and functions.is_left_open(node, names)
    is_whole = len(block) > 1 or is_open or name != node.name
    is_constructor = not is_whole and _is_further_constructor(tables, node)
    above = "constructors" if is_constructor else "methods"
    path = ("call",) if name == "__call__" else (above, name)
    kinds = inferred.types_by_use(node, tables.node, names)
    table = functions.read_function(node, path, names, tables.notes, block if is_whole else [], kinds)
    if name == "__call__" and not raw.get("methods"):
        raw["call"] = table
        return table
    needless = ("decorator", "returns") if is_constructor else ()
    table = {key: part for key, part in table.items() if key not in needless}
    raw.setdefault(above, {})[name] = table
    return table


def _is_further_constructor(tables: ClassTables, node: Function) -> bool:
    """Whether an understood class method returns the class, and stands above all other methods."""
    others = [method for method in tables.raw.get("methods", {}).values() if "above" not in method]
    if others or "call" in tables.raw:
        return False
    is_of_class = [ast.unparse(decorator) for decorator in node.decorator_list] == ["classmethod"]
    defined = [statement for statement in tables.node.body if isinstance(statement, Function)]
    builds = is_of_class and gives_instance(node, tables.node.name, defined)
    return builds and functions.is_understood(node, tables.names, tables.notes)


def _carried(tables: ClassTables, block: list[ast.stmt]) -> dict[str, Any]:
    """Read statements that are no fields and no methods. `above` names the next field, or is `...`."""
    table = {"source": functions.source_of(block, tables.notes)}
    body = tables.node.body
    below = annotated_names(body[body.index(block[-1]) + 1 :])
    if not any(isinstance(sibling, Function) for sibling in body[: body.index(block[0])]):
        table["above"] = next((name for name, _ in below), "...")
    name = _free_name(tables, next(iter(sorted(bound_by(table["source"]))), "statement"), block[0])
    for statement in block:
        tables.notes.note(("methods", name, "body"), statement)
    tables.raw.setdefault("methods", {})[name] = table
    return table


def _free_name(tables: ClassTables, name: str, node: ast.stmt) -> str:
    """Return the key of a definition: its name, with its line if the class defined the name before."""
    taken = {**tables.raw.get("constructors", {}), **tables.raw.get("methods", {})}
    is_taken = name in taken or (name == "__call__" and "call" in tables.raw)
    return f"{name} (line {node.lineno})" if is_taken else name


def _say_batch_axis(tables: ClassTables) -> None:
    """Set `axis_name` on the call of a class that averages over an axis of `jax.vmap`."""
    call = tables.raw.get("call") or tables.raw.get("methods", {}).get("__call__")
    if call is not None and tables.kind.takes("axis_name"):
        axis = inferred.batch_axis(tables.node, tables.names.classes)
        if axis:
            call.setdefault("axis_name", axis)


_MAKERS = ("__init__", "__new__", "__post_init__", "__init_subclass__", "create")
"""Methods that build instances, which no class takes over from a mixin."""


def take_inherited(tables: ClassTables) -> None:
    """Add methods of mixins and of bases that are no pytrees. They are tested, but not emitted."""
    of_bases = Notes(tables.notes.text, tables.notes.where)  # what is wrong there is no fault of this class
    for node in tables.names.plain_functions(tables.node):
        if node.name not in _MAKERS:
            kinds = inferred.types_by_use(node, tables.node, tables.names)
            path = ("methods", node.name)
            table = functions.read_function(node, path, tables.names, of_bases, [node], kinds)
            tables.raw.setdefault("methods", {})[node.name] = {**table, "inherited": True}
