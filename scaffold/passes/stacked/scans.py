"""Scans in place of loops over stacked layers in the author's methods."""

import ast
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from scaffold.passes.stacked.iteration import Iterated, field_of, iterated, stacked_fields
from scaffold.passes.stacked.loop_flow import Flow, appends, flow_of
from scaffold.source.expressions import Function, dedented, own_nodes
from scaffold.source.rewriting import Edit, end_of, rewrite, spliced


class Stack(Struct, frozen=True):
    """Stacked fields of a class."""

    lengths: Mapping[str, str]
    """Source of the number of layers, by field."""
    remat: frozenset[str] = frozenset()
    """Fields whose layers are recomputed in the backward pass."""

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.lengths)


class Signature(Struct, frozen=True):
    """Names bound before the first statement of a method."""

    arguments: tuple[str, ...]
    states: frozenset[str] = frozenset()
    """Arguments that are an `eqx.nn.State`, of which each layer has a part."""


def scanned(source: str, stack: Stack, signature: Signature) -> str:
    """Write loops as scans, and single layers as slices, in a method's body or definition."""
    text = dedented(source)
    body = body_of_method(text)
    loops = list(loops_over(body, stack.names))
    taken = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    taken |= {*signature.arguments}
    edits: list[Edit] = []
    for loop in loops:
        edits += _Scan(text, loop, body, stack, signature, taken).edits()
    return _single_layers(spliced(text, edits), stack)


def body_of_method(text: str) -> Sequence[ast.stmt]:
    """Return the statements of a method, given its body or its whole definition."""
    statements = ast.parse(text).body
    match statements:
        case [ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body)]:
            return body
        case _:
            return statements


def loops_over(body: Sequence[ast.stmt], names: frozenset[str]) -> Iterator[ast.For]:
    """Yield the outermost loops over stacked layers."""
    for statement in body:
        if isinstance(statement, ast.For) and stacked_fields(statement.iter, names):
            yield statement
        elif not isinstance(statement, Function | ast.ClassDef):
            for part in ("body", "orelse", "finalbody"):
                yield from loops_over(getattr(statement, part, ()), names)
            for block in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                yield from loops_over(block.body, names)


class _Scan:
    """Loop, and the text that replaces it."""

    def __init__(
        self,
        text: str,
        loop: ast.For,
        body: Sequence[ast.stmt],
        stack: Stack,
        signature: Signature,
        taken: set[str],
    ) -> None:
        self.text, self.loop, self.body, self.stack, self.taken = text, loop, body, stack, taken
        self.fields = stacked_fields(loop.iter, stack.names)
        self.arrays = {name: self._fresh("arrays") for name in self.fields}
        self.static = {name: self._fresh("static") for name in self.fields}
        self.flow: Flow = flow_of(loop, body, signature.arguments)
        self.state = next((name for name in self.flow.carried if name in signature.states), "")
        self.carried = tuple(name for name in self.flow.carried if name != self.state)
        self.extended = {
            name: self._fresh(name) for name in self.flow.collected if _is_filled_elsewhere(name, loop, body)
        }
        self.stacks = {
            name: stacks
            for name in self.flow.collected
            if name not in self.extended and (stacks := _stacks_of(name, loop, body))
        }
        lengths = [stack.lengths[name] for name in self.fields]
        self.iterated: Iterated | None = iterated(loop, stack.names, lengths[0])

    def _fresh(self, name: str) -> str:
        number = 2
        free = name
        while free in self.taken:
            free, number = f"{name}_{number}", number + 1
        self.taken.add(free)
        return free

    def edits(self) -> Iterator[Edit]:
        if self.iterated is None or self.flow.unbound or self.flow.leaked:
            return
        indent = " " * self.loop.col_offset
        first = self.loop.body[0]
        inner = " " * first.col_offset if first.lineno > self.loop.lineno else f"{indent}    "
        function = self._fresh("layer" if "layer" not in self.taken else "step")
        head = [*self._partitions(), "", self._signature(function)]
        unpacked = [f"{inner}{line}" for line in self._unpacked()]
        above = "\n".join([head[0], *(f"{indent}{line}" for line in head[1:]), *unpacked])
        yield (self.loop.lineno, self.loop.col_offset), self._header_end(), above + self._break(inner)
        yield from self._entries()
        yield from self._unwrapped()
        last = self.loop.end_lineno or self.loop.lineno
        end = last, len(self.text.split("\n")[last - 1].encode())  # behind a comment on the line
        yield end, end, self._behind(function, indent, inner)

    def _partitions(self) -> list[str]:
        return [
            f"{self.arrays[name]}, {self.static[name]} = eqx.partition(self.{name}, eqx.is_array)"
            for name in self.fields
        ]

    def _signature(self, function: str) -> str:
        carry = _packed(self.carried) if len(self.carried) < 2 else self._fresh("carry")
        self.carry = "_" if not self.carried else carry
        self.target = ast.unparse(self.loop.target)
        self.inputs = "" if self.target.isidentifier() else without_parentheses(self.target)
        if self.state:
            self.inputs = f"{self.target}, {self.state}"
        self.target = self._fresh("inputs") if self.inputs else self.target
        return f"def {function}({self.carry}: Any, {self.target}: Any) -> tuple[Any, Any]:"

    def _unpacked(self) -> Iterator[str]:
        assert self.iterated is not None
        if len(self.carried) > 1:
            yield f"{', '.join(self.carried)} = {self.carry}"
        if self.inputs:
            yield f"{self.inputs} = {self.target}"
        for name, field in self.iterated.layers:
            yield f"{name} = eqx.combine({name}, {self.static[field]})"

    def _header_end(self) -> tuple[int, int]:
        """Return line and column behind the colon of the loop."""
        line, column = end_of(self.loop.iter)
        shown = self.text.split("\n")[line - 1].encode()
        return line, shown.index(b":", column) + 1

    def _break(self, inner: str) -> str:
        """Return a line break if the loop's body begins on the line of its header."""
        return f"\n{inner}" if self.loop.body[0].lineno == self.loop.iter.end_lineno else ""

    def _entries(self) -> Iterator[Edit]:
        """Yield edits that bind each appended entry to the name of its list."""
        for statement in self.loop.body:
            pair = appends(statement)
            if pair is not None and pair[0] in self.flow.collected:
                entry = ast.get_source_segment(self.text, pair[1]) or ""
                yield (
                    (statement.lineno, statement.col_offset),
                    end_of(statement),
                    f"{pair[0]} = {entry}",
                )

    def _lists(self) -> Iterator[str]:
        """Yield statements that turn stacked outputs into lists, or add them to lists with other entries."""
        for name in self.flow.collected:
            if name in self.extended:
                yield f"{name} += list({self.extended[name]})"
            elif name not in self.stacks:
                yield f"{name} = list({name})"

    def _unwrapped(self) -> Iterator[Edit]:
        """Yield edits that remove empty lists and `jnp.stack` where the scan stacks already."""
        for name, stacks in self.stacks.items():
            yield from (((call.lineno, call.col_offset), end_of(call), name) for call in stacks)
            begun = _beginning(name, self.loop, self.body)
            if begun is not None and _line_of(self.text, begun) == ast.unparse(begun):
                yield (begun.lineno, begun.col_offset), end_of(begun), ""

    def _behind(self, function: str, indent: str, inner: str) -> str:
        assert self.iterated is not None
        outputs = (*self.flow.collected, *([self.state] if self.state else []))
        fields = {name: self.arrays[name] for name in self.fields}
        over = self.iterated.source.format(**fields)
        if self.state:
            of = _packed(tuple(f"self.{name}" for name in self.fields))
            over = f"({over}, {self.state}.substate({of}))"
        body = f"jax.checkpoint({function})" if self.stack.remat.intersection(self.fields) else function
        updated = self._fresh("updated") if self.state else ""
        collected = [self.extended.get(name, name) for name in self.flow.collected]
        results = (*collected, *([updated] if updated else []))
        target = f"{_target(self.carried)}, {_target(results)} = "
        keywords = ", reverse=True" if self.iterated.reverse else ""
        lines = [
            f"{inner}return {_packed(self.carried)}, {_packed(outputs)}",
            "",
            f"{indent}{target if self.carried or results else ''}jax.lax.scan({body}, {_packed(self.carried)}, {over}{keywords})",
            *(f"{indent}{line}" for line in self._lists()),
            *([f"{indent}{self.state} = {self.state}.update({updated})"] if updated else []),
        ]
        return "\n" + "\n".join(lines)


def _is_filled_elsewhere(name: str, loop: ast.For, body: Sequence[ast.stmt]) -> bool:
    """Whether a collected list has entries from other statements, or from rounds of an enclosing loop."""
    within, nodes = {*ast.walk(loop)}, [*own_nodes(body)]
    others = [node for node in nodes if isinstance(node, ast.stmt) and node not in within]
    appended = any((pair := appends(node)) is not None and pair[0] == name for node in others)
    return appended or any(
        isinstance(node, ast.For | ast.While) and loop in ast.walk(node) for node in others
    )


def _stacks_of(name: str, loop: ast.For, body: Sequence[ast.stmt]) -> list[ast.Call]:
    """Return the calls `jnp.stack(name)` if nothing else reads the list outside of the loop."""
    within = {*ast.walk(loop)}
    nodes = [node for statement in body for node in ast.walk(statement) if node not in within]
    stacks = [node for node in nodes if isinstance(node, ast.Call) and _is_stack(node, name)]
    reads = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return stacks if [node.id for node in reads].count(name) == len(stacks) else []


def _is_stack(call: ast.Call, name: str) -> bool:
    match call:
        case ast.Call(
            func=ast.Attribute(value=module, attr="stack"), args=[ast.Name(id=stacked)], keywords=[]
        ):
            return stacked == name and ast.unparse(module) in ("jnp", "jax.numpy")
        case _:
            return False


def _beginning(name: str, loop: ast.For, body: Sequence[ast.stmt]) -> ast.Assign | None:
    """Return the statement `name = []` in the block of the loop, or None."""
    for block in _blocks(body):
        for node in block if loop in block else ():
            if isinstance(node, ast.Assign) and ast.unparse(node) == f"{name} = []":
                return node
    return None


def _blocks(body: Sequence[ast.stmt]) -> Iterator[Sequence[ast.stmt]]:
    """Yield a body and every block inside it."""
    yield body
    for statement in body:
        for part in ("body", "orelse", "finalbody"):
            yield from _blocks(getattr(statement, part, ()))


def _line_of(text: str, node: ast.Assign) -> str:
    return text.split("\n")[node.lineno - 1].strip()


def _packed(names: tuple[str, ...]) -> str:
    """Return the names as a value: None, the name, or a tuple."""
    return "None" if not names else names[0] if len(names) == 1 else f"({', '.join(names)})"


def _target(names: tuple[str, ...]) -> str:
    return "_" if not names else _packed(names)


def _single_layers(text: str, stack: Stack) -> str:
    """Replace `len(self.layers)` by the number of layers, and `self.layers[0]` by a slice."""

    def change(node: ast.AST, _: tuple[ast.AST, ...]) -> str | None:
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[inner]) if name := field_of(inner, stack.names):
                return stack.lengths[name]
            case ast.Subscript(value=value, slice=part, ctx=ast.Load()) if name := field_of(
                value, stack.names
            ):
                index = ast.unparse(part)
                return (
                    f"jax.tree.map(lambda leaf: leaf[{index}] if eqx.is_array(leaf) else leaf, self.{name})"
                )
            case _:
                return None

    return rewrite(text, change)


def without_parentheses(target: str) -> str:
    """Return a tuple as a loop writes it, without parentheses."""
    return target[1:-1] if target.startswith("(") else target


def exits(loop: ast.For) -> list[ast.AST]:
    """Return the statements that leave a loop or its method before the last layer."""
    inner = [node for node in own_nodes(loop.body) if isinstance(node, ast.For | ast.While)]
    below = {id(part) for node in inner for part in ast.walk(node)}
    return [
        node
        for node in own_nodes(loop.body)
        if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom | ast.Await)
        or (isinstance(node, ast.Break | ast.Continue) and id(node) not in below)
    ]
