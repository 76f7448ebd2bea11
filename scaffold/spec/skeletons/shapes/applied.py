"""What a layer, or a function, says of its arguments, and what it gives of them."""

from scaffold.spec.skeletons.shapes.known_layers import Layer
from scaffold.spec.skeletons.shapes.unknown_shapes import Parts, Shape, Shapes


def take(shapes: Shapes, shape: Shape, meant: Shape) -> None:
    """Take it that a value is what a layer, or a function, is called with."""
    if isinstance(meant, tuple):
        shapes.learn(shape, meant)
    elif meant is not None:
        shapes.unify(meant, shape)


def along_last(shapes: Shapes, layer: Layer, shape: Shape) -> Shape:
    """What a layer of Flax gives, which keeps all axes but the last."""
    gives = layer.gives if isinstance(layer.gives, tuple) else ()
    [takes] = layer.takes
    known = shapes.known(shape)
    if known:
        shapes.learn((known[-1],), takes[-1:] if isinstance(takes, tuple) else None)
    else:
        take(shapes, shape, takes)
    lead = known[:-1] if known else takes[:-1] if isinstance(takes, tuple) and shape is not None else None
    return shape if layer.keeps else (*lead, gives[-1]) if lead is not None and gives else None


def over(shapes: Shapes, shape: Shape, size: str) -> Shape:
    """Several of what a function gives."""
    if isinstance(shape, Parts):
        return Parts(tuple(over(shapes, part, size) for part in shape.shapes))
    dims = shapes.known(shape)
    return None if dims is None else (size, *dims)
