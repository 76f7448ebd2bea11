"""The leaves and outputs that a suite declares of its class."""

import dataclasses
from types import EllipsisType

TRAINED = ("param", "module", "tree")


ROLES = ("param", "data", "buffer", "key", "module", "tree", "python", "state")


@dataclasses.dataclass(frozen=True)
class Leaf:
    """A declared leaf, or a declared sub-tree of leaves.

    `path` is written as `layers.0.weight`. The role is `param` (a trained array), `data`
    (an array that is never trained, through which gradients flow), `buffer` (one behind
    `stop_gradient`), `key` (typed PRNG keys), `module` (a sub-tree that decides itself
    what is trained), `tree` (a sub-tree of parameters), `python` (no array, held fixed)
    or `state` (kept by `equinox.nn.State`, no leaf). A shape of None is not checked, and
    data or a buffer without a shape may be a sub-tree of such; the dtype `float` is the
    default float dtype, and None any. `value` is what each element, or the number or flag that is no
    array, holds after construction, `std` the standard deviation with which the constructor
    draws them. `unused` says that the example call does not depend on all of its elements,
    `frozen` that nothing of a parameter or a sub-tree is trained, though gradients pass
    through: always, or where the static bool of this name says so. `stopped` says of a
    number that is no array that no gradient passes through an array in its place.
    """

    path: str
    role: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = "float"
    value: complex | None = None
    std: float | None = None
    unused: bool = False
    frozen: bool | str = False
    stopped: bool = False

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"Leaf {self.path}: role {self.role!r} is none of {ROLES}")

    @property
    def word(self) -> str:
        """How messages call what is declared."""
        return self.role

    @property
    def is_tree(self) -> bool:
        """Whether it stands for every leaf below its path."""
        unshaped = self.role in ("data", "buffer") and self.shape is None
        return self.role in ("module", "tree") or unshaped


@dataclasses.dataclass(frozen=True)
class Output:
    """A declared output of the call; a dtype of None is not checked.

    `None` in its shape stands for an axis of any size, and `...` for any number of axes: `(..., None, 3)`.
    """

    shape: tuple[int | EllipsisType | None, ...]
    dtype: str | None = "float"

    def allows(self, shape: tuple[int, ...]) -> bool:
        """Whether an array of this shape is as declared."""
        declared = tuple(self.shape)
        if ... in declared:
            missing = len(shape) - len(declared) + 1
            at = declared.index(...)
            declared = (*declared[:at], *[None] * missing, *declared[at + 1 :])
        same = (size in (None, got) for size, got in zip(declared, shape))
        return len(declared) == len(shape) and all(same)
