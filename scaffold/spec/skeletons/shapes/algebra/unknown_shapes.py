"""Shapes of names that are learnt one after the other: `self.weight` and `x` in `self.weight @ x`."""

import math
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from scaffold.spec.grammar.named_dims import AXIS
from scaffold.spec.grammar.types import dim_names, with_sizes
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Chosen, Dims, Parts, Record, Shape, Unknown
from scaffold.spec.skeletons.shapes.algebra.sums import shares

_CAST = " cast"
"""How the names of arrays end that are cast to another dtype: of one shape with those of the names before it."""
MOST_AXES = 4
"""How many axes above a row are looked for."""


class Shapes(Struct):
    """What is known of each name, and which are of one shape."""

    dims: dict[str, Dims] = {}
    same: dict[str, str] = {}
    axes: dict[str, str] = {}
    """The dims that others stand for."""
    objects: set[str] = set()
    """The names that stand for no array."""
    counts: set[str] = set()
    """The names that stand for a whole number."""
    flags: set[str] = set()
    """The names that stand for what is true or false."""
    computed: set[str] = set()
    """The names whose elements something is computed of."""
    unclear: set[str] = set()
    """The names that may have any number of axes: parts of them are taken."""
    unpacked: dict[str, int] = {}
    """The names that are taken apart, as `v, s = state`: into how many."""
    tuples: set[str] = set()
    """Those of them that stand for a tuple: what is unpacked may be an array, too."""
    lengths: dict[tuple[str, int], str] = {}
    """How long an array is along an axis, of which the rows are known."""
    axes_read: dict[str, int] = {}
    """How many axes a name has at least: `x.shape[1]` is read."""
    behind: dict[str, int] = {}
    """How many axes stand before those of the rows, by name of what is taken of an array by places."""
    required: set[str] = set()
    """The names of which an axis has to have a size."""
    stated: set[str] = set()
    """The names of which a statement that raises states the shape."""
    rows: set[str] = set()
    """The dims that are rows of what a method is given, beside which a field has none."""
    ends: dict[str, float] = {}
    """By dim how much of it indices read that say numbers; infinity where another reads the rest."""
    empty: set[str] = set()
    """The dims that stand for any number, and for none of what something is called with, as `stack` of `*stack`."""
    windows: dict[str, str] = {}
    """By dim of an image, that of the kernel that moves along it."""
    wholes: dict[tuple[str, ...], str] = {}
    """By the dims of the parts that an axis is split into, its own."""
    misfits: bool = False
    """Whether an array was said to have more axes than it has, or fewer."""
    met: list[tuple[str, str]] = []
    """Pairs of dims with names or numbers that are of one size."""
    leading: dict[str, Dims] = {}
    """By name the first axes of an array, all that it has where nothing else says."""
    count: int = 0
    asked: set[str] = set()
    """The names whose parts are being looked at."""

    def known(self, shape: Shape) -> Dims | None:
        """The dims of a shape, as far as they are known."""
        dims = self._dims(self._first(shape.name)) if isinstance(shape, Unknown) else shape
        return tuple(map(self._axis, dims)) if isinstance(dims, tuple) else None

    def _dims(self, name: str, axes: int = 0) -> Dims | None:
        """The dims of a name, or those of a row of it below one more: an array may be said to be one of its own rows."""
        if name in self.dims or axes == MOST_AXES:
            return self.dims.get(name)
        for axis in range(MOST_AXES - 1):
            row = self._dims(self._first(f"{name}[{axis}]"), axes + 1)
            if row is not None and axis <= len(row):
                return (*row[:axis], self._length(name, axis), *row[axis:])
        return self._of_equal_parts(name)

    def _of_equal_parts(self, name: str) -> Dims | None:
        """The dims of an array that is unpacked into others of one shape; of none that is a part of itself, as code in a loop may say."""
        if name in self.asked:
            return None
        self.asked.add(name)
        parts = {self.known(part) for part in self.parts_of(name)}
        self.asked.discard(name)
        [dims] = parts if len(parts) == 1 else [None]
        return None if dims is None or name in self.tuples else (str(self.unpacked[name]), *dims)

    def parts_of(self, name: str) -> list[Unknown]:
        """What a name is unpacked into."""
        first = self._first(name)
        return [Unknown(self._first(f"{first}.{i}")) for i in range(self.unpacked.get(first, 0))]

    def unpack(self, shape: Shape, count: int) -> Sequence[Shape]:
        """Several values of one: of a tuple, or the rows of an array."""
        if isinstance(shape, Parts) and len(shape.shapes) == count:
            return shape.shapes
        if isinstance(shape, Record) and len(shape.fields) == count:
            return [shape.field(name) for name in shape.fields]
        if self.known(shape) is not None:
            return [self.row(shape)] * count
        if not isinstance(shape, Unknown):
            return [None] * count
        self.unpacked.setdefault(self._first(shape.name), count)
        parts = self.parts_of(shape.name)
        return parts if len(parts) == count else [None] * count

    def row(self, shape: Shape, axis: int = 0) -> Shape:
        """What an array has along one axis; each of several, of a tuple."""
        if isinstance(shape, Parts):
            self.be_of_one_length(shape.shapes, axis)
            return Parts(tuple(self.row(part, axis) for part in shape.shapes))
        dims = self.known(shape)
        if dims is not None:
            return (*dims[:axis], *dims[axis:][1:]) if -len(dims) <= axis < len(dims) else None
        if not isinstance(shape, Unknown) or axis < 0:
            return None
        return self.part(shape, str(axis))

    def be_of_one_length(self, shapes: Iterable[Shape], axis: int = 0) -> None:
        """Take it that arrays whose rows go together have as many of them."""
        lengths: list[str] = []
        for shape in shapes:
            dims = self.known(shape)
            if dims is not None:
                lengths += dims[axis : axis + 1] if axis >= 0 else ()
            elif isinstance(shape, Unknown):
                lengths.append(self._length(self._first(shape.name), axis))
        for length in lengths[1:]:
            self._join(self._axis(lengths[0]), self._axis(length))

    def be_as_many(self, shapes: Sequence[Shape]) -> None:
        """The same of arrays that have rows each, if one has."""
        self.be_of_one_length(shapes)
        for shape in shapes if any(map(self.known, shapes)) else ():
            self.require_axis(shape, 0)

    def length(self, shape: Shape, axis: int) -> str:
        """How long an array is along an axis, as are those that go together; empty where it has none there, or nothing is known of it."""
        if isinstance(shape, Parts):
            return next(filter(None, (self.length(part, axis) for part in shape.shapes)), "")
        if (dims := self.known(shape)) is not None:
            return dims[axis] if -len(dims) <= axis < len(dims) else ""
        name = shape.name if isinstance(shape, Unknown) else ""
        return self._length(self._first(name), axis) if name and axis >= 0 else ""

    def _length(self, name: str, axis: int) -> str:
        """How long an array is along an axis, of which nothing else may be known."""
        if (name, axis) not in self.lengths:
            self.lengths[name, axis] = self.new()
        return self.lengths[name, axis]

    def part(self, shape: Unknown, which: str) -> Unknown:
        """A part of an array, of which what it holds is learnt with the array."""
        mark = _CAST if shape.name.endswith(_CAST) else ""
        return Unknown(f"{self._first(shape.name)}[{which}]{mark}")

    def learn(self, shape: Shape, dims: Dims | None) -> None:
        """Take it that an array has these dims, and note where it has others with names."""
        known = self.known(shape)
        if dims is None:
            return
        if known is None and isinstance(shape, Unknown):
            self.dims[self._first(shape.name)] = dims
            for part in self.parts_of(shape.name):
                self.learn(part, dims[1:])
        elif known is not None and _leads(known) != _leads(dims):
            self._learn_several(*((known, dims) if _leads(known) else (dims, known)))
        elif known is not None and len(known) == len(dims):
            for dim, meant in zip(known, dims, strict=True):
                self._join(self._axis(dim), self._axis(meant))
                self._note(self._axis(dim), self._axis(meant))
        elif known is not None:
            self.misfits = True

    def expect(self, shape: Shape, dims: Dims) -> None:
        """Take it that an array has these dims where nothing else says how many axes it has."""
        if isinstance(shape, Unknown):
            self.leading[shape.name] = dims

    def learn_leading(self, shape: Shape, dims: Dims) -> None:
        """Take it that the first axes of an array are these."""
        known = self.known(shape)
        if known is not None:
            self.learn(known[: len(dims)], dims)
        else:
            self.expect(shape, dims)

    def _learn_several(self, several: Dims, others: Dims) -> None:
        """Take it that dims, of which the first stands for any number, are these, in which none does."""
        first, *rest = several
        self.empty |= {first[1:]} if len(rest) == len(others) else set[str]()
        if len(rest) <= len(others):
            self.learn(tuple(rest), others[len(others) - len(rest) :])

    def _note(self, left: str, right: str) -> None:
        """Note that two dims are of one size, unless that is chosen here, or one of them may be 1."""
        is_said = not any(isinstance(dim, Chosen) or dim.startswith((AXIS, "*")) for dim in (left, right))
        if left != right and "1" not in (left, right) and is_said:
            self.met.append((left, right))

    def equate(self, left: Shape, right: Shape) -> None:
        """Take it that elements are computed of two arrays, which are of one shape unless one is known to be a number."""
        self.computes([left, right])
        self.unify(left, right)

    def computes(self, shapes: Iterable[Shape]) -> None:
        """Take it that something is computed of the elements of arrays, or of those of which they are parts."""
        names = [shape.name for shape in shapes if isinstance(shape, Unknown)]
        self.computed |= {*names, *(name.partition("[")[0] for name in names)}

    def unify(self, left: Shape, right: Shape) -> None:
        """Take it that two names stand for one array, or for arrays of one shape."""
        if isinstance(left, Parts) or isinstance(right, Parts):
            self._equate_parts(left, right)
            return
        if () in (self.known(left), self.known(right)):
            return
        self.learn(left, self.known(right))
        self.learn(right, self.known(left))
        if isinstance(left, Unknown) and isinstance(right, Unknown) and self.known(left) is None:
            first, second = self._first(left.name), self._first(right.name)
            if first != second and not (_is_row(first, second) or _is_row(second, first)):
                self._name_as(second, first)

    def _name_as(self, second: str, first: str) -> None:
        """Let a name stand for another, with what it is unpacked into."""
        parts = self.parts_of(second)
        self.tuples |= {first} if second in self.tuples else set[str]()
        self.same[second] = first
        for part, meant in zip(parts, self.unpack(Unknown(first), len(parts)), strict=False):
            self.unify(part, meant)

    def _equate_parts(self, left: Shape, right: Shape) -> None:
        """Take it that two are tuples of the same."""
        count = max(len(shape.shapes) for shape in (left, right) if isinstance(shape, Parts))
        for shape in (left, right):
            if isinstance(shape, Unknown):
                self.tuples.add(self._first(shape.name))
        for pair in zip(self.unpack(left, count), self.unpack(right, count), strict=False):
            self.unify(*pair)

    def holds_counts(self, shape: Shape) -> None:
        """Take it that an array, or the one of which it is a row, holds whole numbers; one that is cast says nothing of that before."""
        if isinstance(shape, Unknown):
            told = self.required if shape.name.endswith(_CAST) else self.counts
            told.add(shape.name.removesuffix(_CAST).partition("[")[0])

    def cast(self, shape: Shape) -> Shape:
        """An array of the same shape, which holds numbers of another kind."""
        return Unknown(self._first(shape.name) + _CAST) if isinstance(shape, Unknown) else shape

    def hold_counts(self, shapes: Iterable[Shape]) -> None:
        """The same of several."""
        for shape in shapes:
            self.holds_counts(shape)

    def is_count(self, shape: Shape) -> bool:
        """Whether an array holds whole numbers; of one that is unpacked, whether a row does."""
        first = self._first(shape.name) if isinstance(shape, Unknown) else ""
        of_rows = [] if first in self.tuples else self.parts_of(first)
        return any(name in map(self._first, self.counts) for name in (first, *(row.name for row in of_rows)))

    def is_among(self, names: Iterable[str], shape: Shape) -> bool:
        """Whether an array, or what it is one with, is among these names."""
        return isinstance(shape, Unknown) and self._first(shape.name) in map(self._first, names)

    def settle(self, names: Iterable[str]) -> None:
        """Take it that the arrays of these names are vectors, where no more is known, and counts too; or of as many axes as are read, as long as these are read."""
        for dim in map(self._axis, self.ends):
            end = max(end for other, end in self.ends.items() if self._axis(other) == dim)
            if end < math.inf:
                self._join(dim, str(end))
        for name, dims in self.leading.items():
            self.learn(Unknown(name), dims if self.known(Unknown(name)) is None else None)
        several = (name for name, axes in self.axes_read.items() if axes > 1)
        told = sorted({*self.counts, *several, *self.required}, key=_rows_first)
        for name in (*told, *names):
            if self.known(Unknown(name)) is None and name not in self.unclear:
                axes, first = self.axes_read.get(name, 1), self._first(name)
                self.learn(Unknown(name), tuple(self._length(first, axis) for axis in range(axes)))

    def read_until(self, dim: str, end: float) -> None:
        """Take it that an index reads so many of an axis; of one alone are two."""
        self.ends[dim] = max(2, end, self.ends.get(dim, 2))

    def read_axis(self, shape: Shape, axis: int) -> None:
        """Take it that an array has this axis."""
        if isinstance(shape, Unknown):
            self.axes_read[shape.name] = max(axis + 1, self.axes_read.get(shape.name, 1))

    def require_axis(self, shape: Shape, axis: int) -> None:
        """Take it that an array has this axis, and one at least."""
        if isinstance(shape, Unknown):
            self.required.add(shape.name)
            self.read_axis(shape, max(axis, 0))

    def new(self) -> str:
        """A dim that nobody named."""
        self.count += 1
        return f"{AXIS}{self.count}"

    def _first(self, name: str) -> str:
        name = name.removesuffix(_CAST)
        while name in self.same:
            name = self.same[name]
        return name

    def _axis(self, dim: str) -> str:
        while dim in self.axes:
            dim = self.axes[dim]
        if dim.isidentifier():
            return dim
        return with_sizes(dim, {name: self._axis(name) for name in dim_names(dim) if name.startswith(AXIS)})

    def _join(self, left: str, right: str) -> None:
        """Let a dim without a name stand for the other one; of a sum each for a share of it."""
        for total, size in ((left, right), (right, left)):
            if pairs := shares(total, size, lambda dim: dim.startswith(AXIS)):
                for dim, share in pairs:
                    self._join(self._axis(dim), self._axis(share))
                return
        for dim, meant in ((left, right), (right, left)):
            if dim.startswith(AXIS) and meant != "1" and dim not in dim_names(meant) and dim.isidentifier():
                self.axes[dim] = meant
                return


def _leads(dims: Dims) -> bool:
    """Whether the first of these dims stands for any number, as `*batch` does."""
    return dims[:1] != () and dims[0].startswith("*")


def _is_row(row: str, name: str) -> bool:
    """Whether a name is that of a row of an array, which is none of its shape."""
    return row.startswith(name) and re.fullmatch(r"(\[\d\])+", row.removeprefix(name)) is not None


def _rows_first(name: str) -> tuple[int, str]:
    """An order in which rows stand before the array that they are of."""
    return -name.count("["), name
