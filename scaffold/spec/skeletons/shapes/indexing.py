"""What is left of the axes of an array that is indexed."""

import ast
from collections.abc import Sequence

from scaffold.spec.skeletons.shapes.unknown_shapes import Dims, Shapes


def is_whole_index(index: Sequence[ast.expr]) -> bool:
    """Whether it is `[...]` alone."""
    return [ast.unparse(part) for part in index] == ["..."]


def axes_of_index(index: Sequence[ast.expr]) -> int:
    """How many axes an index says; -1 where `...` stands for some."""
    texts = [ast.unparse(part) for part in index]
    return -1 if "..." in texts else len(texts) - texts.count("None")


def indexed(dims: Dims, index: Sequence[ast.expr], shapes: Shapes) -> Dims | None:
    """The dims that are left: all of `:`, none of a number, another of a part; None where an array is the index."""
    left, rest = list[str](), list(dims)
    for part in index:
        match part:
            case ast.Constant(value=None):
                left.append("1")
                continue
            case ast.Slice(lower=None, upper=None, step=None):
                left.append(rest[0])
            case ast.Slice():
                left.append(shapes.new())
            case ast.Constant(value=int()) | ast.UnaryOp(operand=ast.Constant()):
                pass
            case _:
                return None
        rest.pop(0)
    return (*left, *rest)
