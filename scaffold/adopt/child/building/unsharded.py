"""NNX modules with sharded Variables, which Flax creates only in a mesh or without eager sharding."""

from collections.abc import Iterable

from ..values.sources import Source

ASKS = "mesh context or metadata is required"
"""Flax's error for a missing mesh."""
HELPER = """def unsharded(cls: Any) -> Any:
    def build(*args: Any, **inputs: Any) -> Any:
        with nnx.use_eager_sharding(False):  # there is no mesh
            return cls(*args, **inputs)

    return build"""


def asks_for_mesh(messages: Iterable[str]) -> bool:
    """Whether an error says that a constructor needs a mesh for its Variables."""
    return any(ASKS in message for message in messages)


def unsharded(maker: Source, messages: Iterable[str]) -> Source:
    """Wrap a maker in `nnx.use_eager_sharding(False)` if errors ask for a mesh."""
    if HELPER in maker.helpers or not asks_for_mesh(messages):
        return maker
    return Source(f"unsharded({maker.text})", maker.imports, (*maker.helpers, HELPER), maker.told)
