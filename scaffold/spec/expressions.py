"""Reading the author's Python without running it: which names it uses, and rewriting some of them.

Rewriting replaces source text at the positions that the parser gives, so comments and layout survive.
"""

import ast
import symtable
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping

Rewrite = Callable[[ast.AST, tuple[ast.AST, ...]], str | None]
"""From a node and its ancestors to the text that replaces it, or None to leave it."""


def wrap(source: str, parameters: Iterable[str], *, expression: bool) -> str:
    """A function with these parameters that holds `source`, for the parser to look at."""
    body = f"return (\n{source}\n)" if expression else source
    return f"def _({', '.join(parameters)}):\n{textwrap.indent(body, '    ')}\n"


def syntax_fault(source: str, *, expression: bool) -> str | None:
    """What is wrong with the syntax of `source`, or None."""
    try:
        if expression:
            ast.parse(source.strip(), mode="eval")
        else:
            ast.parse(wrap(textwrap.dedent(source), (), expression=False))
    except (SyntaxError, ValueError) as error:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        line = (
            error.lineno - (0 if expression else 1) if isinstance(error, SyntaxError) and error.lineno else 1
        )
        return f"{message} (line {line})"
    return None


def free_names(source: str, parameters: Iterable[str] = (), *, expression: bool) -> tuple[str, ...]:
    """The global names that `source` reads, sorted. `source` must parse."""
    function = wrap(textwrap.dedent(source), parameters, expression=expression)
    top = symtable.symtable(function, "spec", "exec").get_children()[0]
    return tuple(sorted(_globals(top)))


def _globals(table: symtable.SymbolTable) -> set[str]:
    found = {
        symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced()
    }
    return found.union(*(_globals(child) for child in table.get_children()))


def assigned_names(source: str) -> tuple[str, ...]:
    """The local names that a block of statements binds, sorted."""
    if not source.strip():
        return ()
    top = symtable.symtable(
        wrap(textwrap.dedent(source), (), expression=False), "spec", "exec"
    ).get_children()[0]
    return tuple(sorted(symbol.get_name() for symbol in top.get_symbols() if symbol.is_local()))


def count_name(source: str, name: str) -> int:
    """How often the expression or block reads the free name `name`."""
    return sum(node.id == name for node in _free_reads(ast.parse(source.strip()), frozenset()))


def draws_from(source: str, key: str) -> bool:
    """Whether the expression or block hands `key` to a call; `key is None` alone draws nothing."""
    tree = ast.parse(source.strip())
    reads = {id(node) for node in _free_reads(tree, frozenset()) if node.id == key}
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(id(node) in reads for call in calls for node in ast.walk(call))


def _free_reads(node: ast.AST, bound: frozenset[str]) -> Iterator[ast.Name]:
    """The reads of names that no comprehension or lambda of the expression itself binds."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in bound:
            yield node
    elif isinstance(node, ast.Lambda):
        yield from _free_reads(node.args, bound)
        yield from _free_reads(node.body, bound | {argument.arg for argument in node.args.args})
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        # The first iterable is evaluated outside the comprehension: `for key in split(key)` reads the outer key.
        yield from _free_reads(node.generators[0].iter, bound)
        inner = bound | {
            name.id
            for loop in node.generators
            for name in ast.walk(loop.target)
            if isinstance(name, ast.Name)
        }
        outer_iterable = node.generators[0].iter
        for child in _comprehension_parts(node):
            if child is not outer_iterable:
                yield from _free_reads(child, inner)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _free_reads(child, bound)


def _comprehension_parts(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.comprehension):
            yield from (child.iter, *child.ifs)
        else:
            yield child


def rewrite(source: str, change: Rewrite) -> str:
    """`source` with every node replaced for which `change` gives a text; outermost first, inner ones left."""
    lines = [line.encode() for line in source.splitlines(keepends=True)]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    edits = sorted(_edits(ast.parse(source), (), change, starts), reverse=True)
    data = b"".join(lines)
    for begin, end, text in edits:
        data = data[:begin] + text.encode() + data[end:]
    return data.decode()


def _edits(
    node: ast.AST, ancestors: tuple[ast.AST, ...], change: Rewrite, starts: list[int]
) -> Iterable[tuple[int, int, str]]:
    text = change(node, ancestors)
    if (
        text is not None
        and isinstance(node, ast.expr)
        and node.end_lineno
        and node.end_col_offset is not None
    ):
        begin = starts[node.lineno - 1] + node.col_offset
        yield begin, starts[node.end_lineno - 1] + node.end_col_offset, text
        return
    for child in ast.iter_child_nodes(node):
        yield from _edits(child, (*ancestors, node), change, starts)


def rename(source: str, names: Mapping[str, str]) -> str:
    """`source` with every free read of a name in `names` replaced: `key` by `weight_key`, `depth` by `self.depth`."""
    free = {(node.lineno, node.col_offset) for node in _free_reads(ast.parse(source), frozenset())}

    def change(node: ast.AST, _: tuple[ast.AST, ...]) -> str | None:
        if isinstance(node, ast.Name) and (node.lineno, node.col_offset) in free:
            return names.get(node.id)
        return None

    return rewrite(source, change)


def guard(source: str, attributes: Iterable[str], wrapper: str) -> str:
    """`source` with `self.NAME` wrapped as `wrapper(self.NAME)` for each of the attributes, where it is not yet.

    This is how a buffer is kept out of the gradient at every use.
    """
    names = frozenset(attributes)

    def change(node: ast.AST, ancestors: tuple[ast.AST, ...]) -> str | None:
        name = _attribute_of_self(node)
        if name not in names or _is_call_of(ancestors, "stop_gradient"):
            return None
        return f"{wrapper}(self.{name})"

    return rewrite(source, change) if names else source


def _attribute_of_self(node: ast.AST) -> str | None:
    """The name that `node` reads from `self`, or None."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load()):
            return name
        case _:
            return None


def _is_call_of(ancestors: tuple[ast.AST, ...], function: str) -> bool:
    parent = ancestors[-1] if ancestors else None
    if not isinstance(parent, ast.Call):
        return False
    name = parent.func
    return (isinstance(name, ast.Attribute) and name.attr == function) or (
        isinstance(name, ast.Name) and name.id == function
    )


def self_attributes(source: str) -> tuple[str, ...]:
    """The attributes of `self` that `source` names, sorted."""
    tree = ast.parse(textwrap.dedent(source))
    names = (_attribute_of_self(node) for node in ast.walk(tree))
    return tuple(sorted({name for name in names if name is not None}))
