"""Syntax of the author's Python, and the names that it reads and binds."""

import ast
import functools
import io
import symtable
import textwrap
import tokenize
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar, cast

LEVELS = 100
"""Limit of nesting, since later steps recurse through the AST."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Import = ast.Import | ast.ImportFrom
Node = TypeVar("Node", bound=ast.AST)
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def dedented(source: str) -> str:
    """Remove the common indentation of statements. Unindented text stays, with its strings."""
    text = source.strip("\n").rstrip()
    return textwrap.dedent(text) if text[:1] in (" ", "\t") else text


@functools.lru_cache(512)
def parsed(source: str) -> ast.Module:
    """Parse statements and cache the AST, which callers must not change."""
    return ast.parse(dedented(source))


@functools.lru_cache(maxsize=4)  # every function of a file asks for the same
def string_lines(text: str) -> frozenset[int]:
    """Return the numbers of the lines that begin inside a string."""
    inside: set[int] = set()
    starts: list[int] = []
    is_split = any(mark in text for mark in ('"""', "'''", "\\\n"))
    for token in tokenize.generate_tokens(io.StringIO(text).readline) if is_split else ():
        name = tokenize.tok_name[token.type]
        if name == "STRING":
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif name.endswith("STRING_START"):
            starts.append(token.start[0])
        elif name.endswith("STRING_END"):
            inside.update(range(starts.pop() + 1, token.end[0] + 1))
    return frozenset(inside)


def wrap(source: str, parameters: Iterable[str], *, expression: bool) -> str:
    """Wrap `source` in a function with these parameters, for the parser."""
    body = f"return (\n{source}\n)" if expression else source or "pass"
    return f"def _({', '.join(parameters)}):\n{textwrap.indent(body, '    ')}\n"


def parse(source: str, *, expression: bool) -> ast.Expression | ast.Module:
    """Return the AST. Raises `SyntaxError`, also for nesting that would exhaust the stack here or later."""
    try:
        tree = ast.parse(source, mode="eval") if expression else ast.parse(source)
    except (RecursionError, MemoryError):
        raise SyntaxError("nested too deeply") from None
    except ValueError as error:
        raise SyntaxError(str(error)) from None
    if _levels(tree) > LEVELS:
        raise SyntaxError(f"nested more than {LEVELS} levels deep")
    return tree


def expression_or_none(source: str) -> ast.expr | None:
    """Return the AST of an expression, or None if it does not parse."""
    try:
        return ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def whole_number(node: ast.expr | None) -> int | None:
    """Return the integer that an expression states literally, or None."""
    try:
        value = None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
    return value if type(value) is int else None


def is_none(node: ast.AST | None) -> bool:
    """Whether an expression is the constant None."""
    return isinstance(node, ast.Constant) and node.value is None


def is_arithmetic(node: ast.expr) -> bool:
    """Whether an expression only consists of names, constants and binary operators."""
    parts = (ast.BinOp, ast.Name, ast.Constant, ast.operator, ast.expr_context)
    return all(isinstance(part, parts) for part in ast.walk(node))


def _levels(tree: ast.AST) -> int:
    count, level = 0, [tree]
    while level:
        count += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return count


@functools.lru_cache(4096)
def syntax_fault(source: str, parameters: tuple[str, ...] = (), *, expression: bool) -> str | None:
    r"""Return the syntax error of `source` inside a function with these parameters, or None.

    Warnings of the compiler, such as for the escape `"\d"`, are ignored.
    """
    offset = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if expression:
                parse(source.strip(), expression=True)
            offset = 2 if expression else 1
            function = parse(wrap(dedented(source), parameters, expression=expression), expression=False)
            compile(cast(ast.Module, function), "spec", "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"{error.msg} (line {max(error.lineno - offset, 1)})" if error.lineno else error.msg
    except RecursionError:
        return "nested too deeply"
    return None


@functools.lru_cache(4096)
def free_names(source: str, *, expression: bool) -> tuple[str, ...]:
    """Return the global names that `source` reads, sorted. `source` must parse."""
    function = wrap(dedented(source), (), expression=expression)
    top = symtable.symtable(function, "spec", "exec").get_children()[0]
    return tuple(sorted(_globals(top)))


def _globals(table: symtable.SymbolTable) -> set[str]:
    # Of a function called `top` symtable takes the names for those of a module: its locals are global, too.
    names = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_global() and not symbol.is_local() and symbol.is_referenced()
    }
    return names.union(*(_globals(child) for child in table.get_children()))


def assigned_names(source: str) -> tuple[str, ...]:
    """Return the local names that statements bind, sorted."""
    return tuple(sorted(local_names(parsed(source).body)))


def loop_names(source: str) -> set[str]:
    """Return the names that only loops bind, which change their values in each round."""
    tree = parsed(source)
    targets = [*nodes_of(ast.Name, *(loop.target for loop in nodes_of(ast.For, tree)))]
    stored = [name for name in nodes_of(ast.Name, tree) if isinstance(name.ctx, ast.Store)]
    return {name.id for name in targets} - {name.id for name in stored if name not in targets}


def count_name(source: str, name: str) -> int:
    """Count the reads of the free name `name` in an expression or block."""
    return sum(node.id == name for node in _reads(ast.parse(source.strip())))


def draws_from(source: str, key: str) -> bool:
    """Whether the code passes `key` on. A test such as `key is None` does not count."""
    tree = ast.parse(source.strip())
    tests = (node for node in ast.walk(tree) if is_identity_test(node))
    compared = [part for test in tests for part in ast.iter_child_nodes(test)]
    return any(node.id == key and node not in compared for node in _reads(tree))


def is_identity_test(node: ast.AST) -> bool:
    """Whether a node is a test such as `... is None`, which reads no value."""
    return isinstance(node, ast.Compare) and any(
        isinstance(operator, ast.Is | ast.IsNot) for operator in node.ops
    )


def _reads(tree: ast.AST) -> Iterator[ast.Name]:
    return (node for node in own_names(tree) if isinstance(node.ctx, ast.Load))


def own_names(node: ast.AST, bound: frozenset[str] = frozenset()) -> Iterator[ast.Name]:
    """Yield the names of the outermost scope, which no inner function, lambda, class or comprehension
    binds."""
    if isinstance(node, ast.Name):
        yield from () if node.id in bound else (node,)
    elif isinstance(node, Comprehension):
        # The first iterable is evaluated outside the comprehension: `for key in split(key)` reads the outer key.
        first = node.generators[0].iter
        yield from own_names(first, bound)
        inner = bound | bound_names(node)
        for part in (part for child in ast.iter_child_nodes(node) for part in _parts(child)):
            yield from own_names(part, inner) if part is not first else ()
    else:
        inner = bound | bound_names(node)
        for name, value in ast.iter_fields(node):
            for child in cast("list[Any]", value) if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from own_names(child, inner if name == "body" else bound)


def _parts(node: ast.AST) -> tuple[ast.AST, ...]:
    return (node.iter, *node.ifs) if isinstance(node, ast.comprehension) else (node,)


def _parameters(arguments: ast.arguments) -> frozenset[str]:
    every = (
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    )
    return frozenset(argument.arg for argument in every if argument is not None)


def nodes_of(kind: type[Node], *trees: ast.AST) -> Iterator[Node]:
    """Yield the nodes of a type in the trees, at any depth."""
    return (node for tree in trees for node in ast.walk(tree) if isinstance(node, kind))


def elements_of(node: ast.expr) -> list[ast.expr]:
    """Return the elements of a tuple, such as of several indices, or the expression itself."""
    return node.elts if isinstance(node, ast.Tuple) else [node]


def first_line(statement: ast.stmt) -> int:
    """Return the line of a statement's first decorator, or of the statement."""
    decorators = getattr(statement, "decorator_list", ())
    return min((decorator.lineno for decorator in decorators), default=statement.lineno)


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a block in its own scope.

    Contents of functions, lambdas and classes are skipped, and so are targets of comprehensions.
    """
    for node in nodes:
        yield node
        if isinstance(node, ast.comprehension):
            yield from own_nodes(_parts(node))
        elif not isinstance(node, ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from own_nodes(ast.iter_child_nodes(node))


def local_names(body: Iterable[ast.AST]) -> set[str]:
    """Return the names that a block binds in its own scope."""
    return {name for node in own_nodes(body) for name in _bound_by(node)}


def bound_names(scope: ast.AST) -> frozenset[str]:
    """Return the names that a function, lambda, class or comprehension binds. Other nodes bind none."""
    match scope:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return _parameters(scope.args) | local_names(scope.body)
        case ast.Lambda():
            return _parameters(scope.args) | local_names([scope.body])
        case ast.ClassDef():
            return frozenset(local_names(scope.body))
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            return frozenset(local_names(loop.target for loop in scope.generators))
        case _:
            return frozenset()


def _bound_by(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return tuple((alias.asname or alias.name).split(".")[0] for alias in names)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return (name,)
        case ast.MatchMapping(rest=str(name)):
            return (name,)
        case _:
            return ()


def single_imports(statement: Import) -> Iterator[tuple[ast.alias, str]]:
    """Yield an import statement for each name that the statement imports."""
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            yield alias, ast.unparse(ast.Import([alias]))
        else:
            yield alias, ast.unparse(ast.ImportFrom(statement.module, [alias], statement.level))


def shapes_unpacked(source: str) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    """Yield the arrays whose shapes are unpacked, with the targets: `x` and `n`, `m` of `n, m = x.shape`."""
    for statement in nodes_of(ast.Assign, parsed(source)):
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Attribute(attr="shape", value=array)):
                yield array, names
            case _:
                pass


def tree_of(code: str | ast.AST) -> ast.AST:
    """Parse a text, or return an AST as it is."""
    return parsed(code) if isinstance(code, str) else code


def without_annotation(statement: ast.stmt) -> ast.stmt:
    """Return `y = f(x)` for `y: Array = f(x)`, and any other statement as it is."""
    match statement:
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return ast.copy_location(ast.Assign([target], value), statement)
        case _:
            return statement


def bound_value(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """Return the name that a statement binds and its value, or None."""
    match without_annotation(statement):
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
        case _:
            return None


def local_values(code: str | ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that statements bind, with their values. `a = b = 3` binds two."""
    for bound in map(without_annotation, nodes_of(ast.stmt, tree_of(code))):
        if isinstance(bound, ast.Assign):
            yield from ((target.id, bound.value) for target in bound.targets if isinstance(target, ast.Name))
