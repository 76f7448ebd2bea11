"""Shapes of names that are learnt one after the other: `self.weight` and `x` in `self.weight @ x`."""

from collections.abc import Iterable

from msgspec import Struct, field

from scaffold.spec.grammar.named_dims import ROWS

Dims = tuple[str, ...]
ROW = "[0]"
"""How the names of rows end."""
MOST_AXES = 4
"""How many axes above a row are looked for."""
AXIS = "axis_"
"""How the names of dims begin that nobody named."""


class Unknown(Struct, frozen=True):
    """The array that a name stands for, as long as nothing says its shape."""

    name: str


Shape = Dims | Unknown | None
"""The dims, the array of which they are not known yet, or None of what may be no array at all."""


class Shapes(Struct):
    """What is known of each name, and which are of one shape."""

    dims: dict[str, Dims] = field(default_factory=dict[str, Dims])
    same: dict[str, str] = field(default_factory=dict[str, str])
    axes: dict[str, str] = field(default_factory=dict[str, str])
    """The dims that others stand for."""
    objects: set[str] = field(default_factory=set[str])
    """The names that stand for no array."""
    counts: set[str] = field(default_factory=set[str])
    """The names that stand for a whole number."""
    computed: set[str] = field(default_factory=set[str])
    """The names whose elements something is computed of."""
    unclear: set[str] = field(default_factory=set[str])
    """The names that may have any number of axes: parts of them are taken."""
    count: int = 0

    def known(self, shape: Shape) -> Dims | None:
        """The dims of a shape, as far as they are known."""
        dims = self._dims(self._first(shape.name)) if isinstance(shape, Unknown) else shape
        return None if dims is None else tuple(map(self._axis, dims))

    def _dims(self, name: str, axes: int = 0) -> Dims | None:
        """The dims of a name, or those of a row of it below one more: an array may be said to be one of its own rows."""
        if name in self.dims or axes == MOST_AXES:
            return self.dims.get(name)
        row = self._dims(self._first(name + ROW), axes + 1)
        return None if row is None else (ROWS, *row)

    def row(self, shape: Shape) -> Shape:
        """What a row of an array has."""
        dims = self.known(shape)
        if dims is not None:
            return dims[1:] if dims else None
        return Unknown(self._first(shape.name) + ROW) if isinstance(shape, Unknown) else None

    def learn(self, shape: Shape, dims: Dims | None) -> None:
        """Take it that an array has these dims."""
        known = self.known(shape)
        if dims is None:
            return
        if known is None and isinstance(shape, Unknown):
            self.dims[self._first(shape.name)] = dims
        elif known is not None and len(known) == len(dims):
            for dim, meant in zip(known, dims, strict=True):
                self._join(self._axis(dim), self._axis(meant))

    def equate(self, left: Shape, right: Shape) -> None:
        """Take it that two arrays are of one shape, unless one is known to be a number."""
        self.computed |= {shape.name for shape in (left, right) if isinstance(shape, Unknown)}
        if () in (self.known(left), self.known(right)):
            return
        self.learn(left, self.known(right))
        self.learn(right, self.known(left))
        if isinstance(left, Unknown) and isinstance(right, Unknown) and self.known(left) is None:
            first, second = self._first(left.name), self._first(right.name)
            self.same |= {second: first} if first != second else {}

    def settle(self, names: Iterable[str]) -> None:
        """Take it that the arrays of these names are vectors, where no more is known."""
        for name in names:
            if self.known(Unknown(name)) is None and name not in self.unclear:
                self.learn(Unknown(name), (self.new(),))

    def new(self) -> str:
        """A dim that nobody named."""
        self.count += 1
        return f"{AXIS}{self.count}"

    def _first(self, name: str) -> str:
        while name in self.same:
            name = self.same[name]
        return name

    def _axis(self, dim: str) -> str:
        while dim in self.axes:
            dim = self.axes[dim]
        return dim

    def _join(self, left: str, right: str) -> None:
        """Let a dim without a name stand for the other one."""
        for dim, meant in ((left, right), (right, left)):
            if dim.startswith(AXIS) and meant not in (dim, "1"):
                self.axes[dim] = meant
                return
