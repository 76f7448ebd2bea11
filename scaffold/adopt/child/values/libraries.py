"""Values of classes that Equinox and Flax define, and what no module of these stands for."""

import sys
from typing import Any

from .context import Context
from .plain import arrays
from .sources import Source, refer


def of_flax(name: str, cls: Any, nnx: Any, context: Context) -> list[Source] | None:
    """Values of Flax's own classes; None of others. Of what a module is taken apart into nobody knows any."""
    if cls is nnx.Module:
        return [Source(f"nnx.Linear(3, {size}, rngs=nnx.Rngs(seed))") for size in (3, 2)]
    if issubclass(cls, nnx.State | nnx.GraphDef):
        return []
    if issubclass(cls, nnx.Variable) and getattr(nnx, cls.__name__, None) is cls:
        kind = "Param" if cls is nnx.Variable else cls.__name__
        return [source.but(f"nnx.{kind}({source.text})") for source in arrays(name, context)]
    return None


def own_items(cls: Any) -> list[Source]:
    """The items of an enumeration of Equinox, of which the class makes no more; with an array of their own, as computed ones."""
    equinox: Any = sys.modules.get("equinox")
    base = getattr(equinox, "Enumeration", None)
    if base is None or not issubclass(cls, base):
        return []
    reference = refer(cls)
    return [reference.but(f"jax.tree.map(jnp.array, {reference.text}.{name})") for name in cls._name_to_item]


def is_tree_of_its_own(annotation: Any) -> bool:
    """Whether a class is a Module of a library, which has more than a module that stands for any."""
    equinox: Any = sys.modules.get("equinox")
    is_module = (
        equinox is not None and isinstance(annotation, type) and issubclass(annotation, equinox.Module)
    )
    return is_module and not annotation.__module__.startswith("equinox.")


def is_streams(name: str, annotation: Any) -> bool:
    """Whether an argument is the streams of keys of NNX, by its annotation or by its name."""
    nnx: Any = sys.modules.get("flax.nnx")
    return nnx is not None and (name == "rngs" or annotation is nnx.Rngs)
