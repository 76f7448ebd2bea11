"""Sizes: a small prime for each name, so that no result rests on equal sizes by accident."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import jax

PRIMES = (3, 2, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
COUNT = re.compile(
    r"(^|_)(num|n|no|nr)_|(^|_)(depth|layers?|heads|groups|order|degree|rank|kernel|stride|repeats?|factor|ndim|power)(_|$)"
    r"|_(depth|layers|heads|groups|blocks)$"
)
"""Names of numbers that count and are not the size of an axis."""
DIM = re.compile(r"(?<![\w*])[A-Za-z]\w*")
"""Dim of a single axis, in the dims of a docstring."""
_OF_SELF = re.compile(r"\{(?:self\.)?([^{}]+)\}")
"""Dim that jaxtyping reads from an attribute or an argument during the call, such as `{self.x_dim}`."""
LARGEST = 64
"""Limit below which sizes are tried freely."""
HUGE, MAX_HUGE = 4096, 2
"""Largest size that is tried at all, and the number of tried sizes from `LARGEST` on."""
FEW_SMALL = 4
"""Number of small sizes that are tried before large ones."""
SMALL = (3, 2)
"""Sizes to try if no other fits, such as of points in space and in a plane."""


class Sizes:
    """Sizes by name, assigned in the order of request."""

    def __init__(self, known: dict[str, int] | None = None, taken: Iterable[int] = ()) -> None:
        self.known = dict(known or {})
        self.taken = set(taken)

    def of(self, name: str) -> int:
        """Return the size of a name: a prime that no other name has, while there are enough primes."""
        if name not in self.known:
            used = {*self.known.values(), *self.taken}
            self.known[name] = next((prime for prime in PRIMES if prime not in used), PRIMES[-1])
        return self.known[name]

    def of_dims(self, dims: str, count: int = 0) -> tuple[int, ...] | None:
        """Return the shape of the dims of an annotation, with `count` axes for each `...`.

        Returns None if all dims are open.
        """
        words = named_dims(dims).split()
        if words and all(map(is_open, words)):
            return None
        axes = [word for word in words for _ in range(count if is_open(word) else 1)]
        return tuple(
            self.of(word) if is_open(word) else self.of_dim(word, place) for place, word in enumerate(axes)
        )

    def of_dim(self, word: str, place: int) -> int:
        word = word.lstrip("#?").rpartition("=")[2]
        if word.isdigit():
            return int(word)
        if word == "_":
            return self.of(f"axis {place}")
        if word.isidentifier():
            return self.of(word)
        names = re.findall(r"[A-Za-z_]\w*", word)
        try:
            return int(eval(word, {}, {name: self.of(name) for name in names}))
        except Exception:
            return self.of(word)


def may_have_shape(dims: str, shape: Sequence[int]) -> bool:
    """Whether the dims of an annotation allow the rank of a shape."""
    words = dims.split()
    single = [word for word in words if not is_open(word)]
    return len(single) == len(shape) or (len(single) < len(words) and len(single) < len(shape))


def is_open(word: str) -> bool:
    """Whether a dim stands for any number of axes, such as `...` and `*batch`."""
    return "..." in word or word.lstrip("#?").startswith("*")


def named_dims(dims: str) -> str:
    """Return the dims of an annotation by name, such as `x_dim` for `{self.x_dim}`."""
    return _OF_SELF.sub(lambda dim: dim[1] if dim[1].isidentifier() else f"({dim[1]})", dims)


def held_sizes(instance: Any, state: Any = None) -> tuple[int, ...]:
    """Return the distinct sizes in an instance and its state: last axes, numbers, then other axes.

    Last axes come first because inputs often have their sizes. Of large sizes, the most frequent are kept.
    """
    leaves = jax.tree.leaves((instance, state))
    sizes = [axes[-1] for leaf in leaves if (axes := axes_of(leaf))]
    for value in attributes_below(instance):
        if type(value) is int:
            sizes.append(value)
        elif isinstance(value, tuple | list) and all(type(size) is int for size in value):
            sizes += value
        sizes += axes_of(value) if hasattr(value, "dtype") else ()
    for leaf in leaves:
        sizes += axes_of(leaf)
    axes = Counter(size for leaf in leaves for size in axes_of(leaf))
    by_frequency = [size for size, _ in axes.most_common()]
    large = [size for size in dict.fromkeys([*by_frequency, *sizes]) if LARGEST <= size <= HUGE]
    small = [size for size in dict.fromkeys(sizes) if 1 < size < LARGEST]
    return (*small[:FEW_SMALL], *large[:MAX_HUGE], *small[FEW_SMALL:])


def axes_of(value: Any) -> tuple[int, ...]:
    """Return the sizes of an array's axes, also if its `shape` is a dict of named axes."""
    shape = getattr(value, "shape", ())
    sizes = shape.values() if isinstance(shape, Mapping) else shape if isinstance(shape, tuple | list) else ()
    return tuple(size for size in sizes if type(size) is int)


def named_sizes(instance: Any) -> dict[str, int]:
    """Return the attributes of an instance that are positive ints below `LARGEST`, by name."""
    attributes = getattr(instance, "__dict__", {}).items()
    return {name: value for name, value in attributes if type(value) is int and 0 < value < LARGEST}


def attributes_below(instance: Any) -> Iterator[Any]:
    """Yield the attributes of an instance and of its attributes, and properties such as `in_size`."""
    for value in list(getattr(instance, "__dict__", {}).values()):
        yield value
        yield from getattr(value, "__dict__", {}).values() if not isinstance(value, type) else ()
    for name in ("shape", "event_shape", "in_size", "out_size", "ndim"):
        yield (
            getattr(type(instance), name, None) if not hasattr(instance, "__dict__") else safe(instance, name)
        )


def safe(instance: Any, name: str) -> Any:
    try:
        return getattr(instance, name, None)
    except Exception:
        return None


def foreign_sizes(sizes: Iterable[int]) -> tuple[int, ...]:
    """Return primes above 4 that an instance does not hold, with larger numbers if fewer than four remain."""
    known = set(sizes)
    primes = [prime for prime in PRIMES if prime not in known and prime > 4]
    above = (size for size in itertools.count(PRIMES[-1] + 1) if size not in known)
    return (*primes, *itertools.islice(above, max(0, 4 - len(primes))))


def shapes_of(sizes: Sequence[int], most: int = 4) -> list[tuple[int, ...]]:
    """Return shapes to try: vectors, then the empty shape, then ranks 2 to `most`.

    An axis has a size that the instance holds or a foreign size. The foreign size comes first, since a call
    that takes it takes any size there.
    """
    foreign = foreign_sizes(sizes)
    sizes = tuple(dict.fromkeys([*tuple(sizes)[:6], *SMALL]))
    shapes: list[tuple[int, ...]] = [(foreign[0],), *((size,) for size in sizes), ()]
    for rank in range(2, most + 1):
        free = foreign[:most]
        shapes.append(free[:rank])
        for place in (rank - 1, 0, *range(1, rank - 1)):
            shapes += [(*free[:place], size, *free[place : rank - 1]) for size in sizes]
        for first, second in itertools.product(sizes, sizes):
            shapes.append((*free[: rank - 2], first, second))
            if rank > 2:
                shapes.append((first, *free[: rank - 2], second))
    return list(dict.fromkeys(shapes))
