"""The `test` table of a spec, as data."""

from msgspec import Struct

Source = str
"""Python source of an expression."""


class Case(Struct, frozen=True):
    """A further configuration for the tests: the example with other sizes and values."""

    name: str
    sizes: tuple[tuple[str, int], ...] = ()
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    values: tuple[tuple[str, Source], ...] = ()


class Condition(Struct, frozen=True):
    """A condition on each instance and the arguments of its call."""

    name: str
    that: Source
    at_start: bool = False
    """Whether the condition holds of a new instance alone, and not once training has moved constants."""


class TestPlan(Struct, frozen=True):
    """Settings of the generated tests, for classes that the defaults do not suit."""

    sizes: tuple[tuple[str, int], ...] = ()
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Sizes for each `*shape`, which stands for several dims."""
    ties: tuple[tuple[str, Source], ...] = ()
    """Dims whose sizes are arithmetic over other dims, such as `3*channels`."""
    values: tuple[tuple[str, Source], ...] = ()
    build: Source = ""
    """Kind as-written: an expression over `seed` that builds an instance, if named arguments cannot."""
    factory: str = ""
    """The class method, or function of the file, in `build`, if no author says it."""
    other: tuple[tuple[str, Source], ...] = ()
    rejected: tuple[tuple[tuple[str, Source], ...], ...] = ()
    strict: bool = True
    """Whether the call must not promote dtypes and ranks."""
    severity: str = ""
    """The lowest severity that fails a test, or empty if the class decides."""
    narrowest: str = ""
    """The narrowest dtype in which the call may compute on the way, such as `bf16`."""
    allows: tuple[str, ...] = ()
    """Deliberate behaviour of the call, by attributes of the suite."""
    unused: tuple[str, ...] = ()
    """Fields that the example call does not fully use, and keys from which it never draws."""
    positive: tuple[str, ...] = ()
    """Arguments and fields whose example values are all positive."""
    invariants: tuple[str, ...] = ()
    """Invariants that hold, by their names in `pytree_laws.invariants`."""
    dtypes: tuple[str, ...] = ()
    """Further dtypes in which the tests build and call the class, such as `bf16`."""
    tolerance: float | tuple[tuple[str, float], ...] | None = None
    """The largest relative difference between two computations of a number, for all dtypes or by dtype."""
    cases: tuple[Case, ...] = ()
    holds: tuple[Condition, ...] = ()
    reference: str = ""
    """The call in NumPy: an expression, or statements that return."""
    skip: tuple[str, ...] = ()
    """Parts of the names of tests that do not hold for the class."""
    backend: str | None = None
    """The platform on which the tests must run, or None if the project decides."""
    lower_for: tuple[str, ...] | None = None
    """Platforms for which tests lower the call and its gradient, or None if the project decides."""
