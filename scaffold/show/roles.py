"""Meanings of a part's role under the transformations of jax."""

from msgspec import Struct


class Meaning(Struct, frozen=True):
    """Treatment of a part with this role."""

    in_jit: str
    """`traced` if a new value reuses the compiled program, and `compiled in` if it needs a new program."""
    gradient: str
    decay: str
    """Whether an optimiser moves the part, and weight decay shrinks it."""
    saved: str
    vmap: str

    @property
    def is_traced(self) -> bool:
        return self.in_jit == "traced"


HEADS = ("role", "under jit", "gradient", "optimiser", "save", "vmap")
MEANINGS = {
    "param": Meaning("traced", "yes", "moves it", "written", "mapped"),
    "undecayed": Meaning("traced", "yes", "no decay", "written", "mapped"),
    "frozen": Meaning("traced", "passes by", "leaves it", "written", "mapped"),
    "data": Meaning("traced", "yes", "leaves it", "written", "mapped"),
    "buffer": Meaning("traced", "cut off", "leaves it", "written", "mapped"),
    "key": Meaning("traced", "none", "leaves it", "written", "mapped"),
    "state": Meaning("traced", "yes", "leaves it", "in State", "in State"),
    "updated": Meaning("traced", "none", "leaves it", "written", "mapped"),
    "static": Meaning("compiled in", "none", "leaves it", "compared", "same for all"),
    "hidden": Meaning("compiled in", "none", "leaves it", "left out", "same for all"),
    "callable": Meaning("compiled in", "none", "leaves it", "left out", "same for all"),
    "python": Meaning("compiled in", "none", "leaves it", "written", "same for all"),
    "number": Meaning("traced", "of a float", "moves it", "written", "has no axis"),
    "foreign": Meaning("raises", "raises", "raises", "left out", "raises"),
    "none": Meaning("compiled in", "none", "leaves it", "compared", "same for all"),
    "shared": Meaning("traced", "to its owner", "as its owner", "once", "as its owner"),
    "derived": Meaning("computed", "passes by", "leaves it", "left out", "as its parts"),
}
"""Meaning of each role. A `module` has the meanings of its parts."""
FILTERED = ("module", "nnx")
"""Kinds whose own transformations hold non-arrays fixed.

`jax.jit` traces numbers, and rejects other non-arrays.
"""


def role_of_leaf(kind: str, sort: str) -> str:
    """Return the role of a non-array leaf, whose sort is `number`, `callable` or `python`."""
    if kind in FILTERED:
        return "callable" if sort == "callable" else "python"
    return "number" if sort == "number" else "foreign"
