"""Values of classes that Equinox and Flax define."""

import sys
from typing import Any

from .context import Context
from .plain import LAYERS, arrays
from .sources import Source, refer


def of_flax(name: str, cls: Any, nnx: Any, context: Context) -> list[Source] | None:
    """Return values of a class of Flax, or None for another class.

    `State` and `GraphDef` have no values, since both come from splitting a module.
    """
    if cls is nnx.Module:
        return [Source(f"nnx.Linear({inputs}, {outputs}, rngs=nnx.Rngs(seed))") for inputs, outputs in LAYERS]
    if issubclass(cls, nnx.State | nnx.GraphDef):
        return []
    if issubclass(cls, nnx.Variable) and getattr(nnx, cls.__name__, None) is cls:
        kind = "Param" if cls is nnx.Variable else cls.__name__
        return [source.but(f"nnx.{kind}({source.text})") for source in arrays(name, context)]
    return None


def own_items(cls: Any) -> list[Source]:
    """Return the items of an `eqx.Enumeration`, with arrays copied as in computed items."""
    equinox: Any = sys.modules.get("equinox")
    base = getattr(equinox, "Enumeration", None)
    if base is None or not issubclass(cls, base):
        return []
    reference = refer(cls)
    return [reference.but(f"jax.tree.map(jnp.array, {reference.text}.{name})") for name in cls._name_to_item]


def is_tree_of_its_own(annotation: Any) -> bool:
    """Whether a class is a Module from outside Equinox, which a stock layer cannot replace."""
    equinox: Any = sys.modules.get("equinox")
    is_module = (
        equinox is not None and isinstance(annotation, type) and issubclass(annotation, equinox.Module)
    )
    return is_module and not annotation.__module__.startswith("equinox.")


def is_streams(name: str, annotation: Any) -> bool:
    """Whether an argument is an `nnx.Rngs`, by annotation or name."""
    nnx: Any = sys.modules.get("flax.nnx")
    return nnx is not None and (name == "rngs" or annotation is nnx.Rngs)
