"""Leaves and outputs that a suite declares of its class."""

import dataclasses
from types import EllipsisType

TRAINED = ("param", "module", "tree")


ROLES = ("param", "data", "buffer", "key", "module", "tree", "python", "state")


@dataclasses.dataclass(frozen=True)
class Leaf:
    """A declared leaf, or a declared sub-tree of leaves.

    `path` is written as `layers.0.weight`. `role` is one of these:

    - `param`: a trained array.
    - `data`: an array that is never trained, through which gradients flow.
    - `buffer`: an array behind `stop_gradient`.
    - `key`: typed PRNG keys.
    - `module`: a sub-tree that decides itself which of its leaves are trained.
    - `tree`: a sub-tree of parameters.
    - `python`: a value other than an array, held fixed.
    - `state`: a value kept by `equinox.nn.State`, and no leaf.

    If `shape` is None, it is not checked, and `data` or `buffer` may be a sub-tree. The dtype `float` is the
    default float dtype, and None allows any. `value` is the value of each element, or of a number or flag,
    after construction. `std` is the standard deviation with which the constructor draws the elements.
    `unused` means that the example call does not depend on all elements. `frozen` means that nothing of a
    parameter or sub-tree is trained, though gradients pass through. A string names the static bool that
    decides this. `stopped` means that no gradient passes through an array in place of a number.
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
        """Noun for the declaration in messages."""
        return self.role

    @property
    def is_tree(self) -> bool:
        """Whether the declaration covers every leaf below its path."""
        unshaped = self.role in ("data", "buffer") and self.shape is None
        return self.role in ("module", "tree") or unshaped


@dataclasses.dataclass(frozen=True)
class Output:
    """A declared output of the call.

    A dtype of None is not checked. In the shape, None is an axis of any size, and `...` any number of axes,
    as in `(..., None, 3)`.
    """

    shape: tuple[int | EllipsisType | None, ...]
    dtype: str | None = "float"

    def allows(self, shape: tuple[int, ...]) -> bool:
        """Whether the declared shape matches the shape of an array."""
        declared = tuple(self.shape)
        if ... in declared:
            missing = len(shape) - len(declared) + 1
            at = declared.index(...)
            declared = (*declared[:at], *[None] * missing, *declared[at + 1 :])
        same = (size in (None, got) for size, got in zip(declared, shape))
        return len(declared) == len(shape) and all(same)
