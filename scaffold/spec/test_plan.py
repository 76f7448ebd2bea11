"""What a spec says of its tests, as data."""

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
    """What must be true of each instance and the arguments of its call."""

    name: str
    that: Source
    at_start: bool = False
    """Whether it holds of a new instance alone, and not where training moved what began as a constant."""


class TestPlan(Struct, frozen=True):
    """What the generated tests use where the defaults do not do."""

    sizes: tuple[tuple[str, int], ...] = ()
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Sizes for each `*shape`, which stands for several dims."""
    ties: tuple[tuple[str, Source], ...] = ()
    """Dims that are as long as others say."""
    values: tuple[tuple[str, Source], ...] = ()
    build: Source = ""
    """Kind as-written: an expression over `seed` that builds an instance, where arguments by name do not say it."""
    other: tuple[tuple[str, Source], ...] = ()
    rejected: tuple[tuple[tuple[str, Source], ...], ...] = ()
    strict: bool = True
    """Whether the call must not promote dtypes and ranks."""
    severity: str = ""
    """The least that fails a test; empty where the class decides."""
    narrowest: str = ""
    """The dtype to which the call may narrow on the way, as `bf16`."""
    allows: tuple[str, ...] = ()
    """What it does on purpose, by the attributes of the suite."""
    unused: tuple[str, ...] = ()
    """Fields on some elements of which the example call does not depend, and keys from which it never draws."""
    positive: tuple[str, ...] = ()
    """Arguments and fields whose example values are all positive."""
    invariants: tuple[str, ...] = ()
    """What is known to hold, by the names of `pytree_laws.invariants`."""
    dtypes: tuple[str, ...] = ()
    """Those in which the class is built and called besides the default one, as `bf16`."""
    tolerance: float | tuple[tuple[str, float], ...] | None = None
    """How far two computations of one number may differ: one number, or one by dtype."""
    cases: tuple[Case, ...] = ()
    holds: tuple[Condition, ...] = ()
    reference: str = ""
    """The call in NumPy: an expression, or statements that return."""
    skip: tuple[str, ...] = ()
    """Parts of the names of tests that do not hold for the class."""
    backend: str | None = None
    """The platform on which the tests must run; None leaves it to the project."""
    lower_for: tuple[str, ...] | None = None
    """Platforms for which the tests lower the call and its gradient; None leaves it to the project."""
