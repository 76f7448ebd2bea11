"""Shapes of named arrays, learnt step by step: `self.weight` and `x` in `self.weight @ x`."""

import math
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from scaffold.spec.grammar.named_dims import AXIS
from scaffold.spec.grammar.types import dim_names, with_sizes
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Chosen, Dims, Parts, Record, Shape, Unknown
from scaffold.spec.skeletons.shapes.algebra.sums import shares

_CAST = " cast"
"""Suffix for the name of an array after a cast, which keeps the shape but not the dtype."""
MOST_AXES = 4
"""Limit of the axes that are sought above a row."""


class Shapes(Struct):
    """Facts about the shapes of named arrays, and about their dims."""

    dims: dict[str, Dims] = {}
    same: dict[str, str] = {}
    axes: dict[str, str] = {}
    """Dims without a name, each with the dim that it stands for."""
    objects: set[str] = set()
    """Names that stand for no array."""
    counts: set[str] = set()
    """Names that stand for whole numbers."""
    flags: set[str] = set()
    """Names that stand for truth values."""
    computed: set[str] = set()
    """Names of arrays with whose elements code computes."""
    unclear: set[str] = set()
    """Names with any number of axes, because code takes parts of them."""
    unpacked: dict[str, int] = {}
    """Names that code unpacks, each with the number of values: 2 for `v, s = state`."""
    tuples: set[str] = set()
    """Unpacked names that stand for a tuple. Any other unpacked name may be an array."""
    lengths: dict[tuple[str, int], str] = {}
    """Length of an array along an axis, by name and axis, for arrays of which only rows are known."""
    axes_read: dict[str, int] = {}
    """Least number of axes by name: 2 if code reads `x.shape[1]`."""
    behind: dict[str, int] = {}
    """Number of axes in front of each row, by the name of rows at some places of an array."""
    required: set[str] = set()
    """Names that must have an axis."""
    stated: set[str] = set()
    """Names whose shape a statement that raises states."""
    rows: set[str] = set()
    """Dims of rows in arguments of methods. A field beside such an argument has no rows."""
    ends: dict[str, float] = {}
    """Number of entries that constant indices read, by dim, or infinity if a slice reads the rest."""
    empty: set[str] = set()
    """Dims such as `stack` of `*stack` that stand for no axes in the shapes seen."""
    windows: dict[str, str] = {}
    """Dims of an image, each with the dim of the kernel that moves along it."""
    wholes: dict[tuple[str, ...], str] = {}
    """Dims of the parts into which code splits an axis, with the dim of the axis."""
    misfits: bool = False
    """Whether an array was given a second shape with another number of axes."""
    met: list[tuple[str, str]] = []
    """Pairs of named or numeric dims that must be equal."""
    leading: dict[str, Dims] = {}
    """First axes of an array by name, which are all axes if nothing else says."""
    count: int = 0
    asked: set[str] = set()
    """Names whose parts are under inspection, so that recursion ends."""

    def known(self, shape: Shape) -> Dims | None:
        """Return the dims of a shape, or None."""
        dims = self._dims(self._first(shape.name)) if isinstance(shape, Unknown) else shape
        return tuple(map(self._axis, dims)) if isinstance(dims, tuple) else None

    def _dims(self, name: str, axes: int = 0) -> Dims | None:
        """Return the dims of an array, or infer them from a row. `axes` bounds the depth."""
        if name in {*self.dims, *self.tuples} or axes == MOST_AXES:
            return None if name in self.tuples else self.dims.get(name)
        for axis in range(MOST_AXES - 1):
            row = self._dims(self._first(f"{name}[{axis}]"), axes + 1)
            if row is not None and axis <= len(row):
                return (*row[:axis], self._length(name, axis), *row[axis:])
        return self._of_equal_parts(name)

    def _of_equal_parts(self, name: str) -> Dims | None:
        """Return the dims of an array whose unpacked parts share a shape, unless a part is the array."""
        if name in self.asked:
            return None
        self.asked.add(name)
        parts = {self.known(part) for part in self.parts_of(name)}
        self.asked.discard(name)
        [dims] = parts if len(parts) == 1 else [None]
        return None if dims is None or name in self.tuples else (str(self.unpacked[name]), *dims)

    def parts_of(self, name: str) -> list[Unknown]:
        """Return the values that a name is unpacked into."""
        first = self._first(name)
        return [Unknown(self._first(f"{first}.{i}")) for i in range(self.unpacked.get(first, 0))]

    def unpack(self, shape: Shape, count: int) -> Sequence[Shape]:
        """Return `count` values of a value: the parts of a tuple, or the rows of an array."""
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
        """Return the shape without an axis. A tuple gives a row of each part."""
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
        """Learn that arrays are equally long along an axis, because code reads their rows together."""
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
        """Learn that arrays have equally many rows. If any dims are known, each array has an axis."""
        self.be_of_one_length(shapes)
        for shape in shapes if any(map(self.known, shapes)) else ():
            self.require_axis(shape, 0)

    def length(self, shape: Shape, axis: int) -> str:
        """Return the length along an axis, or `""` if nothing is known or there is no such axis."""
        if isinstance(shape, Parts):
            return next(filter(None, (self.length(part, axis) for part in shape.shapes)), "")
        if (dims := self.known(shape)) is not None:
            return dims[axis] if -len(dims) <= axis < len(dims) else ""
        name = shape.name if isinstance(shape, Unknown) else ""
        return self._length(self._first(name), axis) if name and axis >= 0 else ""

    def _length(self, name: str, axis: int) -> str:
        """Return the length of an unknown array along an axis, as a new dim at the first request."""
        if (name, axis) not in self.lengths:
            self.lengths[name, axis] = self.new()
        return self.lengths[name, axis]

    def part(self, shape: Unknown, which: str) -> Unknown:
        """Return a part of an array as an array with a name, such as `x[0]`."""
        mark = _CAST if shape.name.endswith(_CAST) else ""
        return Unknown(f"{self._first(shape.name)}[{which}]{mark}")

    def learn(self, shape: Shape, dims: Dims | None) -> None:
        """Learn the dims of an array, and note dims that must equal dims known before."""
        known = self.known(shape)
        if dims is None:
            return
        if known is None and isinstance(shape, Unknown):
            self.dims[first := self._first(shape.name)] = dims
            rows = [Unknown(row)] if dims and (row := f"{first}[0]") in self.same else []
            for part in (*self.parts_of(shape.name), *rows):
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
        """Learn the dims of an array for the case that nothing else says its number of axes."""
        if isinstance(shape, Unknown):
            self.leading[shape.name] = dims

    def learn_leading(self, shape: Shape, dims: Dims) -> None:
        """Learn the first axes of an array."""
        known = self.known(shape)
        if known is not None:
            self.learn(known[: len(dims)], dims)
        else:
            self.expect(shape, dims)

    def _learn_several(self, several: Dims, others: Dims) -> None:
        """Match dims with a leading `*batch` against dims without, from the last axis."""
        first, *rest = several
        self.empty |= {first[1:]} if len(rest) == len(others) else set[str]()
        if len(rest) <= len(others):
            self.learn(tuple(rest), others[len(others) - len(rest) :])

    def _note(self, left: str, right: str) -> None:
        """Note that two dims are equal, unless a dim is chosen, unnamed, variadic or 1."""
        is_said = not any(isinstance(dim, Chosen) or dim.startswith((AXIS, "*")) for dim in (left, right))
        if left != right and "1" not in (left, right) and is_said:
            self.met.append((left, right))

    def equate(self, left: Shape, right: Shape) -> None:
        """Learn that arrays are combined elementwise, and share a shape unless either is a scalar."""
        self.computes([left, right])
        self.unify(left, right)

    def computes(self, shapes: Iterable[Shape]) -> None:
        """Note that code computes with the elements of arrays, and of the arrays of which they are rows."""
        names = [shape.name for shape in shapes if isinstance(shape, Unknown)]
        self.computed |= {*names, *(name.partition("[")[0] for name in names)}

    def unify(self, left: Shape, right: Shape) -> None:
        """Learn that two names stand for a single array, or for arrays of the same shape."""
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
        """Let `second` stand for `first`, and unify the values that both are unpacked into."""
        parts = self.parts_of(second)
        self.tuples |= {first} if second in self.tuples else set[str]()
        self.same[second] = first
        for part, meant in zip(parts, self.unpack(Unknown(first), len(parts)), strict=False):
            self.unify(part, meant)

    def _equate_parts(self, left: Shape, right: Shape) -> None:
        """Learn that two values are tuples with the same parts."""
        count = max(len(shape.shapes) for shape in (left, right) if isinstance(shape, Parts))
        for shape in (left, right):
            if isinstance(shape, Unknown):
                self.tuples.add(self._first(shape.name))
        for pair in zip(self.unpack(left, count), self.unpack(right, count), strict=False):
            self.unify(*pair)

    def holds_counts(self, shape: Shape) -> None:
        """Learn that an array holds whole numbers. After a cast, learn only that the array has an axis."""
        if isinstance(shape, Unknown):
            told = self.required if shape.name.endswith(_CAST) else self.counts
            told.add(shape.name.removesuffix(_CAST).partition("[")[0])

    def cast(self, shape: Shape) -> Shape:
        """Return an array of the same shape with another dtype."""
        return Unknown(self._first(shape.name) + _CAST) if isinstance(shape, Unknown) else shape

    def hold_counts(self, shapes: Iterable[Shape]) -> None:
        """Learn that several arrays hold whole numbers."""
        for shape in shapes:
            self.holds_counts(shape)

    def is_count(self, shape: Shape) -> bool:
        """Whether an array holds whole numbers, or a row does that it is unpacked into."""
        first = self._first(shape.name) if isinstance(shape, Unknown) else ""
        of_rows = [] if first in self.tuples else self.parts_of(first)
        return any(name in map(self._first, self.counts) for name in (first, *(row.name for row in of_rows)))

    def is_among(self, names: Iterable[str], shape: Shape) -> bool:
        """Whether an array, or a name that stands for the same array, is among these names."""
        return isinstance(shape, Unknown) and self._first(shape.name) in map(self._first, names)

    def settle(self, names: Iterable[str]) -> None:
        """Guess the shapes of these names, and of counts, as vectors or with as many axes as code reads."""
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
        """Note that an index reads `end` entries of a dim, which then has at least two."""
        self.ends[dim] = max(2, end, self.ends.get(dim, 2))

    def read_axis(self, shape: Shape, axis: int) -> None:
        """Learn that an array has this axis."""
        if isinstance(shape, Unknown):
            self.axes_read[shape.name] = max(axis + 1, self.axes_read.get(shape.name, 1))

    def require_axis(self, shape: Shape, axis: int) -> None:
        """Learn that an array has this axis, and in any case an axis."""
        if isinstance(shape, Unknown):
            self.required.add(shape.name)
            self.read_axis(shape, max(axis, 0))

    def new(self) -> str:
        """Return a dim without a name."""
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
        """Let an unnamed dim stand for the other dim, or each term of a sum for its share."""
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
    """Whether the first dim stands for any number of axes, as `*batch`."""
    return dims[:1] != () and dims[0].startswith("*")


def _is_row(row: str, name: str) -> bool:
    """Whether a name is a row of the array `name`, and so of another shape."""
    return row.startswith(name) and re.fullmatch(r"(\[\d\])+", row.removeprefix(name)) is not None


def _rows_first(name: str) -> tuple[int, str]:
    """Return a sort key that puts rows before the array they belong to."""
    return -name.count("["), name
