"""What the role of a part means to the transformations of jax."""

from msgspec import Struct


class Meaning(Struct, frozen=True):
    """What becomes of a part of this role."""

    in_jit: str
    """`traced`: a new value runs the compiled program; `compiled in`: a new value compiles a new one."""
    gradient: str
    decay: str
    """Whether an optimiser moves it, and weight decay with it."""
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
    "none": Meaning("compiled in", "none", "leaves it", "compared", "same for all"),
    "shared": Meaning("traced", "to its owner", "as its owner", "once", "as its owner"),
    "derived": Meaning("computed", "passes by", "leaves it", "left out", "as its parts"),
}
"""By role; a `module` is what its parts are."""
FILTERED = ("module", "nnx")
"""The kinds whose own transformations hold a number of Python fixed; `jax.jit` traces it."""


def role_of_leaf(kind: str, *, is_number: bool) -> str:
    """The role of a leaf that is no array and no function, in a class of this kind."""
    return "number" if is_number and kind not in FILTERED else "python"
