import jax

GetAttrKey = jax.tree_util.GetAttrKey


class Line:
    def __init__(self, slope: jax.Array, offset: jax.Array):
        self.slope, self.offset = slope, offset

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.slope * x + self.offset


def unflatten(aux, children):
    line = object.__new__(Line)
    line.slope, line.offset = children
    return line


jax.tree_util.register_pytree_with_keys(
    Line,
    # The names stand in another order than the children.
    lambda line: (((GetAttrKey("offset"), line.slope), (GetAttrKey("slope"), line.offset)), None),
    unflatten,
    lambda line: ((line.slope, line.offset), None),
)
