"""How a class builds itself, as the keys that say it: arguments, the statements that come first, and what makes each field.

The run of `self.NAME = EXPRESSION` at the end of an `__init__`, or the `return cls(NAME=EXPRESSION)` of a `create`, makes
the fields. What is assigned to `self` before that is a local name in `setup`, which the field is made of.
"""

import ast
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from scaffold.adopt.as_spec.source import ClassSource, NotSaidError
from scaffold.emit.text import block
from scaffold.spec.rewriting import rewrite

Inits = dict[str, str]


class BuiltBy(Struct, frozen=True):
    """What a constructor says: its form, its statement, and what makes the fields."""

    form: str = ""
    """`init`, `factory`, or nothing where the fields alone say it."""
    node: ast.FunctionDef | None = None
    setup: str = ""
    inits: Mapping[str, str] = field(default_factory=Inits)


def built_by(source: ClassSource, fields: Iterable[str]) -> BuiltBy:
    """The constructor that the class writes. Raises `NotSaidError` where a spec has no place for what it does."""
    functions = source.functions
    needless = () if source.kind == "registered" else ("__post_init__",)
    for name in ("__new__", "__init_subclass__", *needless):
        if name in functions:
            raise NotSaidError(f"`{name}` decides how it is built, and a spec has no place for it")
    names = tuple(fields)
    if "__init__" in functions and not (source.kind == "registered" and "create" in functions):
        return _of_init(functions["__init__"], source, names)
    if "create" in functions:
        return _of_create(functions["create"], source, names)
    return BuiltBy()


def _of_init(node: ast.FunctionDef, source: ClassSource, fields: tuple[str, ...]) -> BuiltBy:
    needed = [one for one in node.body if not _is_needless(one)]
    statements = _without_checks([part for one in needed for part in _one_by_one(one)])
    made, rest = _made_last(_put_off(statements))
    arguments = {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
    assigned = assigned_in(rest)
    given = {name for name in assigned if _is_given(name, rest)}
    local = {name: f"{name}_made" if name in arguments - given else name for name in assigned}
    texts = [_with_locals(_text(one, source), local) for one in rest]
    setup = "\n".join(text for text in texts if text and not _says_nothing(text))
    values = {name: _with_locals(_text(value, source), local) for name, value in made.items()}
    for text in (setup, *values.values()):
        _check_no_self(text)
    inits = {**{name: local[name] for name in assigned}, **values}
    return BuiltBy("init", node, setup, {name: one for name, one in inits.items() if name in fields})


def _one_by_one(statement: ast.stmt) -> list[ast.stmt]:
    """`self.a, self.b = a, b` as two statements, where neither needs the other."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if (
            len(targets) == len(values)
            and statement.lineno == statement.end_lineno
            and all(isinstance(one, ast.Attribute) for one in targets)
            and not any(_reads_self(one) for one in values)
        ):
            pairs = zip(targets, values, strict=True)
            # The place is that of the value, where other text stands before it on its line.
            return [ast.copy_location(ast.Assign([target], value), value) for target, value in pairs]
        case _:
            return [statement]


def _is_given(name: str, statements: Iterable[ast.stmt]) -> bool:
    """Whether all that is assigned to a field is the argument of its name, which stays what it is."""
    bound = [node for one in statements for node in ast.walk(one) if isinstance(node, ast.Name)]
    values = [ast.unparse(made[name]) for one in statements if name in (made := _made_by(one))]
    is_rebound = any(one.id == name and isinstance(one.ctx, ast.Store) for one in bound)
    return (
        bool(values)
        and {*values} == {name}
        and not is_rebound
        and _assigned_times(name, statements) == len(values)
    )


def _assigned_times(name: str, statements: Iterable[ast.stmt]) -> int:
    return sum(
        isinstance(part, ast.Attribute)
        and isinstance(part.ctx, ast.Store)
        and part.attr == name
        and ast.unparse(part.value) == "self"
        for one in statements
        for part in ast.walk(one)
    )


def _is_needless(statement: ast.stmt) -> bool:
    """Whether it is a docstring, `pass`, or the call of a base that has nothing to build."""
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"))
        ):
            return not (statement.value.args or statement.value.keywords)  # type: ignore[union-attr]
        case _:
            return False


def _without_checks(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The statements without those at the end that only look at the finished instance."""
    end = len(statements)
    while end and _reads_self(statements[end - 1]) and not assigned_in(statements[end - 1 : end]):
        end -= 1
    return statements[:end]


def _put_off(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The statements, of which those that make a field come last where nothing between reads it or changes what it is made of."""
    first: list[ast.stmt] = []
    last: list[ast.stmt] = []
    for place, one in enumerate(statements):
        (last if _made_by(one) and _can_wait(one, statements[place + 1 :]) else first).append(one)
    return [*first, *last]


def _can_wait(statement: ast.stmt, behind: list[ast.stmt]) -> bool:
    [name] = _made_by(statement)
    read = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)} - {"self"}
    for node in (node for one in behind for node in ast.walk(one)):
        is_own = isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self" and node.attr == name
        is_bound = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in read
        if is_own or is_bound:
            return False
    return True


def _made_last(statements: list[ast.stmt]) -> tuple[dict[str, ast.expr], list[ast.stmt]]:
    """What makes the fields at the end, and the statements before that."""
    made: dict[str, ast.expr] = {}
    rest = list(statements)
    while rest and (found := _made_by(rest[-1])) and not (found.keys() & made.keys()):
        if any(_reads_self(value) for value in found.values()):
            break
        made = {**found, **made}
        rest.pop()
    return made, rest


def _made_by(statement: ast.stmt) -> dict[str, ast.expr]:
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
            return {name: value}
        case ast.AnnAssign(
            target=ast.Attribute(value=ast.Name(id="self"), attr=name), value=ast.expr() as value
        ):
            return {name: value}
        case _:
            return {}


def _reads_self(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "self" for one in ast.walk(node))


def assigned_in(statements: Iterable[ast.stmt]) -> list[str]:
    """The attributes of `self` that statements assign, in order."""
    found = [
        part.attr
        for one in statements
        for part in ast.walk(one)
        if isinstance(part, ast.Attribute)
        and isinstance(part.ctx, ast.Store)
        and isinstance(part.value, ast.Name)
        and part.value.id == "self"
    ]
    return list(dict.fromkeys(found))


def _text(node: ast.stmt | ast.expr, source: ClassSource) -> str:
    """The source of a node from the first column on, on its own."""
    if isinstance(node, ast.expr):
        return source.notes.segment(node)
    first, last = node.lineno, node.end_lineno or node.lineno
    lines = source.notes.lines[first - 1 : last]
    if lines[0][: node.col_offset].strip():
        return ast.unparse(node)
    return block("\n".join(lines), "")


def _with_locals(text: str, local: Mapping[str, str]) -> str:
    """The text, in which what is assigned to `self` before the end is a local name."""

    def change(node: ast.AST, above: tuple[ast.AST, ...]) -> str | None:
        is_own = (
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        )
        return local.get(node.attr) if is_own and isinstance(node, ast.Attribute) else None

    return rewrite(text, change)


def _says_nothing(text: str) -> bool:
    """Whether it is `name = name`."""
    match ast.parse(text).body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other))]:
            return name == other
        case _:
            return False


def _check_no_self(text: str) -> None:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and node.id == "self":
            told = next(line for line in text.split("\n") if "self" in line).strip()
            raise NotSaidError(f"`{told}` in its `__init__` uses an instance that is not finished")


def _returned_at_once(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements, in which `node = cls(...)` that is checked and returned is returned at once."""
    match body:
        case [
            *rest,
            ast.Assign(targets=[ast.Name(id=name)], value=made),
            ast.Expr(),
            ast.Return(value=ast.Name(id=last)),
        ]:
            return [*rest, ast.copy_location(ast.Return(made), made)] if name == last else body
        case _:
            return body


def _of_create(node: ast.FunctionDef, source: ClassSource, fields: tuple[str, ...]) -> BuiltBy:
    """What a `create` makes; nothing of one that ends otherwise than with `return cls(...)`, which is a method."""
    body = _returned_at_once(node.body)
    match body[-1:]:
        case [ast.Return(value=ast.Call(func=ast.Name(id="cls"), args=args, keywords=keywords))]:
            given = [*zip(fields, args, strict=False), *((one.arg or "**", one.value) for one in keywords)]
        case _:
            return BuiltBy()
    rest = [one for one in body[:-1] if not _is_needless(one)]
    setup = "\n".join(_text(one, source) for one in rest)
    return BuiltBy("factory", node, setup, {name: _text(value, source) for name, value in given})
