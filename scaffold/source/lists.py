"""Elements of lists, as far as expressions tell, and shapes of arrays that jax creates.

Examples are `[in_size, *hidden, out_size]` and `[Linear(a, b) for a, b in pairwise(sizes)]`.
"""

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise, repeat
from typing import Any, cast

from msgspec import Struct

from scaffold.source.expressions import Function, elements_of, nodes_of, whole_number
from scaffold.source.instance import given_as, last_name
from scaffold.source.local_makers import substituted

Elements = list[ast.expr] | None
"""Expressions of a list's elements, or None if it is no list or they are unknown."""
_MOST = 4096
"""Limit for the repetition of a list."""


class Lists(Struct, frozen=True):
    """Lists by name, from arguments and from assignments."""

    values: Mapping[str, ast.expr]
    copies: int | None = None
    """Number of elements to assume for `[width] * depth`, or None."""

    def parts(self, value: ast.expr) -> list[ast.expr]:
        """Return the elements of a field's expression.

        If their number is unknown, an element stands for all. If the value is no list, it is returned alone.
        """
        match value:
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return parts
            case ast.ListComp(elt=each) | ast.GeneratorExp(elt=each):
                return list(self._unrolled(value)) or [each]
            case ast.Call(args=[inner, *_]) if last_name(value) in ("List", "list", "tuple"):
                return self.parts(inner)
            case ast.Name(id=name) if isinstance(self.values.get(name), ast.List):
                return self.parts(self.values[name])
            case _:
                return [value]

    def _unrolled(self, value: ast.ListComp | ast.GeneratorExp) -> Iterator[ast.expr]:
        """Yield the element of a comprehension for each size, or nothing if the list of sizes is unknown."""
        loop = value.generators[0]
        for element in self._rows(loop.iter) or () if len(value.generators) == 1 else ():
            yield substituted(value.elt, dict(_bound(loop.target, element)))

    def _rows(self, every: ast.expr) -> list[Any] | None:
        """Return the rows of a loop: expressions, or tuples of rows.

        None stands for values that are no size.
        """
        match every:
            case ast.Call(args=[inner]) if last_name(every) == "pairwise":
                elements = self.elements(inner)
                return None if elements is None else list(pairwise(elements))
            case ast.Call(args=[inner, *_]) if last_name(every) == "enumerate":
                rows = self._rows(inner)
                return None if rows is None else [(None, row) for row in rows]
            case ast.Call(args=parts) if last_name(every) == "zip":
                lists = [self._rows(part) for part in parts]
                known = [rows for rows in lists if rows is not None]
                return list(zip(*(rows or repeat(None) for rows in lists), strict=False)) if known else None
            case _:
                return self.elements(every)

    def elements(self, node: ast.expr) -> Elements:
        """Return the elements of an expression, or None."""
        match node:
            case ast.Name(id=name) if name in self.values:
                without = {key: value for key, value in self.values.items() if key != name}
                return Lists(without, self.copies).elements(self.values[name])
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return self._listed(parts)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                first, second = self.elements(left), self.elements(right)
                return None if first is None or second is None else first + second
            case ast.BinOp(left=ast.List() as one, op=ast.Mult(), right=count):
                times, elements = whole_number(count) or self.copies, self.elements(one)
                return None if times is None or times > _MOST or elements is None else elements * times
            case ast.ListComp():
                return list(self._unrolled(node)) or None
            case ast.Call(args=[inner]) if last_name(node) in ("list", "tuple"):
                return self.elements(inner)
            case ast.Subscript(value=inner, slice=ast.Slice(step=None) as part):
                elements, bounds = self.elements(inner), literal_slice(part)
                return None if elements is None or bounds is None else elements[bounds]
            case _:
                return None

    def shape_of_array(self, value: ast.expr) -> tuple[int, ...]:
        """Return the shape of a literal such as `jnp.array([(0, 1), (1, 0)])`, or `()`."""
        match value:
            case ast.Call(args=[listed, *_]) if last_name(value) in ("array", "asarray"):
                rows = self.elements(listed) or []
            case _:
                return ()
        columns = {len(self.elements(row) or ()) for row in rows}
        return () if len(columns) != 1 else (len(rows), *(count for count in columns if count))

    def _listed(self, parts: list[ast.expr]) -> Elements:
        """Return the elements of a display with starred parts, such as `[in_size, *hidden, out_size]`."""
        elements: list[ast.expr] = []
        for part in parts:
            inner = self.elements(part.value) if isinstance(part, ast.Starred) else [part]
            if inner is None:
                return None
            elements += inner
        return elements


def filled_lists(function: Function) -> dict[str, ast.List]:
    """Return the lists that begin empty and grow by `append`, with the elements of all branches and loops."""
    empty = [
        ast.unparse(target)
        for node in nodes_of(ast.Assign, *function.body)
        for target in node.targets
        if ast.unparse(node.value) in ("[]", "list()", "nnx.List([])", "nnx.List()")
    ]
    parts: dict[str, list[ast.expr]] = {}
    for call in sorted(nodes_of(ast.Call, *function.body), key=lambda call: getattr(call, "lineno", 0)):
        match call:
            case ast.Call(func=ast.Attribute(value=filled, attr="append"), args=[part]):
                parts.setdefault(ast.unparse(filled), []).append(part)
            case _:
                pass
    return {name: ast.List(parts[name]) for name in empty if name in parts}


def literal_slice(node: ast.Slice) -> slice | None:
    """Return the slice that literal bounds such as `[1:-1]` give, without a step, or None."""
    ends = [whole_number(node.lower), whole_number(node.upper)]
    is_known = [end is None for end in ends] == [node.lower is None, node.upper is None]
    return slice(*ends) if is_known else None


def _bound(target: ast.expr, row: Any) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a round of a loop binds to sizes."""
    match target, row:
        case ast.Name(id=name), ast.expr():
            yield name, row
        case ast.Tuple(elts=targets), tuple() | ast.Tuple():
            parts = row.elts if isinstance(row, ast.Tuple) else cast("tuple[Any, ...]", row)
            for inner, part in zip(targets, parts, strict=False):
                yield from _bound(inner, part)
        case _:
            pass


SHAPE_AT = {
    **dict.fromkeys(("zeros", "ones", "empty", "full"), 0),
    "broadcast_to": 1,
    **dict.fromkeys(("normal", "uniform", "bits", "randint", "rademacher", "exponential", "gumbel"), 1),
    **dict.fromkeys(("laplace", "logistic", "cauchy", "maxwell"), 1),
    **dict.fromkeys(("bernoulli", "choice", "gamma", "poisson", "t", "chisquare", "rayleigh"), 2),
    **dict.fromkeys(("truncated_normal", "beta", "binomial", "weibull_min"), 3),
}
"""Position of the shape among the arguments of functions that create arrays. Samplers take a key first."""
_COUNT_AT = {"arange": 0, "eye": 0, "identity": 0, "linspace": 2, "logspace": 2, "geomspace": 2}
"""Position of the number of elements among the arguments of other creators."""
_SQUARE = ("eye", "identity")
RANGES = tuple(name for name in _COUNT_AT if name not in _SQUARE)
"""Creators of an array with a single axis, whose length the arguments give."""


def argument_of(call: ast.Call, place: int, *names: str) -> ast.expr | None:
    """Return the argument of a call at a position, or under any of the names."""
    return call.args[place] if place < len(call.args) else next(iter(given_as(call, *names)), None)


def created_shape(call: ast.Call, size: Callable[[ast.expr], str]) -> tuple[str, ...] | None:
    """Return the dims of the array that a call creates, or None if it creates none or they are unknown."""
    name = last_name(call)
    if name in SHAPE_AT:
        node = argument_of(call, SHAPE_AT[name], "shape")
        if isinstance(node, ast.Tuple) and not node.elts:
            return ()
        dims = tuple(map(size, elements_of(node))) if node else ()
    elif name in _COUNT_AT and not (name == "arange" and len(call.args) > 1):
        node = _as_count(argument_of(call, _COUNT_AT[name], "num"))
        dims = (size(node),) * (1 + (name in _SQUARE)) if node else ()
    else:
        return None
    return dims if dims and all(dims) else None


def _as_count(node: ast.expr | None) -> ast.expr | None:
    """Convert the float count of a call such as `jnp.arange(3.0)` to an integer."""
    match node:
        case ast.Constant(value=float(count)):
            return ast.copy_location(ast.Constant(math.ceil(count)), node)
        case _:
            return node
