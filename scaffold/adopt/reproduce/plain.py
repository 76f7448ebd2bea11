"""Example expressions of a test file in plain jax, for a single seed and without helpers of the laws."""

import ast
from collections.abc import Sequence

from msgspec import Struct

DOMAINS = ("jnp.exp", "jax.nn.sigmoid")
"""Functions that map drawn numbers to positive numbers, or to the range from 0 to 1."""


class Numbers(Struct, frozen=True):
    """Numbers in place of drawn floats: ones, random numbers, or a number that a finding names."""

    fill: str = "1"
    """Number as text, empty for random numbers."""

    def floats(self, seed: int, shape: str) -> str:
        """Return the expression of a float array."""
        if not self.fill:
            return f"jax.random.normal(jax.random.key({seed}), {shape})"
        named = {"0": f"jnp.zeros({shape})", "1": f"jnp.ones({shape})"}
        return named.get(self.fill, f"jnp.full({shape}, {self.fill}, jnp.float32)")


ONES, DRAWN = Numbers("1"), Numbers("")


def plain(text: str, numbers: Numbers, seed: int = 0) -> str:
    """Rewrite an expression in plain jax. Raises `ValueError` if the expression reads `self`."""
    tree = _Plain(numbers, seed).visit(ast.parse(text, mode="eval"))
    if any(isinstance(node, ast.Name) and node.id == "self" for node in ast.walk(tree)):
        raise ValueError("it needs the suite")
    return ast.unparse(ast.fix_missing_locations(tree))


class _Plain(ast.NodeTransformer):
    """Transformer that replaces seeds by numbers, and samples by jax arrays."""

    def __init__(self, numbers: Numbers, seed: int) -> None:
        self.numbers, self.seed = numbers, seed

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Constant(self.seed) if node.id == "seed" else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.BinOp(ast.Constant(int(left)), ast.Add(), ast.Constant(int(right))):
                return ast.Constant(left + right)
            case _:
                return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        is_domain = ast.unparse(node.func) in DOMAINS and len(node.args) == 1 and bool(self.numbers.fill)
        if is_domain and _calls(node.args[0], "sample"):
            return self.visit(node.args[0])
        self.generic_visit(node)
        if _calls(node, "sample"):
            return ast.parse(self._array(node), mode="eval").body
        if ast.unparse(node.func) in ("self.make", "self.state"):
            return ast.Name("instance" if ast.unparse(node.func) == "self.make" else "state")
        return node

    def _array(self, node: ast.Call) -> str:
        """Return the array that replaces `sample(seed, shape, dtype, low, high)`."""
        arguments = [ast.unparse(argument) for argument in node.args]
        named = {str(keyword.arg): ast.unparse(keyword.value) for keyword in node.keywords}
        seed, shape, dtype, low, high = (
            arguments[place] if place < len(arguments) else named.get(name, usual)
            for place, (name, usual) in enumerate(_SAMPLE)
        )
        shape = _shortened(shape)
        match ast.literal_eval(dtype):
            case "float":
                if "positive" in named and not self.numbers.fill:
                    return f"jax.random.uniform(jax.random.key({seed}), {shape}, minval=0.1)"
                return self.numbers.floats(int(seed), shape)
            case "int":
                return f"jax.random.randint(jax.random.key({seed}), {shape}, {low}, {high})"
            case "bool":
                return f"jnp.ones({shape}, bool)"
            case "key":
                return f"jax.random.split(jax.random.key({seed}), {shape})"
            case other:
                return f"jnp.ones({shape}, jnp.{other})"


_SAMPLE: Sequence[tuple[str, str]] = (
    ("seed", "0"),
    ("shape", "()"),
    ("dtype", "'float'"),
    ("low", "0"),
    ("high", "2"),
)
"""Positional arguments of `sample`, with the source of their defaults."""


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _shortened(shape: str) -> str:
    """Reduce a shape of a single dim to its size, such as `(3,)` to `3`."""
    sizes = ast.literal_eval(shape)
    return str(sizes[0]) if len(sizes) == 1 else shape
