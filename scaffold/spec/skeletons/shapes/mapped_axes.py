"""The axes over which `jax.vmap` maps, as a call of it says them."""

import ast


def axes_of_vmap(call: ast.Call, count: int) -> list[int | None]:
    """The axis of each of `count` arguments: the first where nothing is said, and none of what is not mapped."""
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "in_axes"), None)
    said = call.args[1] if len(call.args) > 1 else given
    each = said.elts if isinstance(said, ast.Tuple | ast.List) else [said] * count
    axes = [_axis(axis) for axis in each]
    return [*axes, *[0] * (count - len(axes))][:count]


def has_other_result(call: ast.Call) -> bool:
    """Whether the rows of a result lie along another axis than the first."""
    return len(call.args) > 2 or any(keyword.arg == "out_axes" for keyword in call.keywords)


def _axis(node: ast.expr | None) -> int | None:
    match node:
        case ast.Constant(value=None):
            return None
        case ast.Constant(value=int(axis)):
            return axis
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(axis))):
            return -axis
        case _:
            return 0
