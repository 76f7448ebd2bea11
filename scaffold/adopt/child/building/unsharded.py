"""Modules of NNX whose Variables say how they are sharded: Flax makes these in a mesh alone, or where it is told to wait with that."""

from collections.abc import Iterable

from ..values.sources import Source

ASKS = "mesh context or metadata is required"
"""What Flax says where there is no mesh."""
HELPER = """def unsharded(cls: Any) -> Any:
    def build(*args: Any, **inputs: Any) -> Any:
        with nnx.use_eager_sharding(False):  # there is no mesh
            return cls(*args, **inputs)

    return build"""


def asks_for_mesh(messages: Iterable[str]) -> bool:
    """Whether an error says that a constructor makes its Variables in a mesh."""
    return any(ASKS in message for message in messages)


def unsharded(maker: Source, messages: Iterable[str]) -> Source:
    """What makes a class without a mesh, where errors ask for one; else as it is."""
    if HELPER in maker.helpers or not asks_for_mesh(messages):
        return maker
    return Source(f"unsharded({maker.text})", maker.imports, (*maker.helpers, HELPER), maker.told)
