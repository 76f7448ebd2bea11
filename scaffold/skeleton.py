"""The words of a skeleton: a spec that is written as the class itself, in `specs/NAME.py`.

    class Affine(Module):
        weight: Float[Array, "out_size in_size"] = param("lecun_normal")
        bias: Float[Array, " out_size"] | None = param("zeros", optional="use_bias")

        def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
            y = self.weight @ x
            return y if self.bias is None else y + self.bias

A skeleton is parsed and never run. Nothing here does anything: the words are there for editors and type checkers.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NotRequired, Required, Self, TypedDict, TypeVar, Unpack

__all__ = [
    "Abstract",
    "Closure",
    "Module",
    "Namedtuple",
    "Nnx",
    "Pytree",
    "TrainState",
    "as_written",
    "buffer",
    "call",
    "data",
    "derived",
    "field",
    "groups",
    "module",
    "param",
    "shared",
    "state",
    "static",
    "test",
]

_Decorated = TypeVar("_Decorated")

Expression = str | Callable[..., Any]
"""A function whose arguments are the names that it reads, `lambda size: 2 * size`; or its body as text, as in TOML."""
Backend = Literal["cpu", "cuda", "rocm", "tpu"]
Role = Literal["param", "data", "buffer", "static", "callable", "module", "state", "derived", "shared"]


# -- classes -----------------------------------------------------------------------------------------------------------


class ClassKeys(TypedDict, total=False):
    """The keys of a spec that a class statement takes, `class Table(Pytree, rebuild="static")`, and the options of kinds."""

    name: str
    doc: str
    constructor: Literal["factory", "init"]
    rebuild: Literal["bypass", "flag", "factory", "static", "dataclass"]
    layout: Literal["flat", "nested"]
    dtype: str
    save: bool
    migrate: bool
    sharding: Mapping[str, str | Sequence[str] | None]
    compute: Literal["bfloat16", "float16", "float32"]
    template: str
    file: str
    given: Literal["param", "data"]
    ema: float
    key: bool
    state: bool


class _Skeleton:
    """What skeletons of every kind have: a constructor and a factory, which are generated."""

    def __init__(self, *arguments: Any, **named: Any) -> None: ...

    @classmethod
    def create(cls, *arguments: Any, **named: Any) -> Self:
        return cls(*arguments, **named)

    def __init_subclass__(cls, **keys: Unpack[ClassKeys]) -> None: ...


class _Dataclass(_Skeleton):
    """What is a dataclass once it is generated, and goes through `dataclasses.replace`."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


class Module(_Dataclass):
    """Kind `module`."""


class Pytree(_Dataclass):
    """Kind `pytree`."""


class Namedtuple(_Skeleton):
    """Kind `namedtuple`."""


class TrainState(_Dataclass):
    """Kind `train-state`."""


class Closure(_Dataclass):
    """Kind `closure`."""


class Nnx(_Skeleton):
    """Kind `nnx`."""


class Abstract(_Dataclass):
    """Kind `abstract`."""


# -- fields ------------------------------------------------------------------------------------------------------------


class FieldKeys(TypedDict, total=False):
    """The keys of a field; its type is its annotation, and its doc the string below it."""

    frozen: bool | str
    decay: bool
    stacked: bool
    remat: bool
    compute: Literal["bfloat16", "float16", "float32"] | bool
    init: Expression
    std: Expression | float
    of: Expression
    preprocess: Expression
    optional: str
    default: Any
    in_class: bool
    converter: Expression
    check: Expression
    preset: Mapping[str, Any]
    variable: str
    example: str
    doc: str
    comment: str


def field(
    initialiser: Expression | None = None, /, *, role: Role | None = None, **keys: Unpack[FieldKeys]
) -> Any:
    """A field with the role that its type has by default, or with this one; made by the initialiser where there is one."""


def param(initialiser: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """A trained array, made by the initialiser where there is one."""


def data(initialiser: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """An array that is neither trained nor cut off from gradients."""


def buffer(initialiser: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """An array that is never trained, or a Python value that is a leaf."""


def state(initialiser: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """An array that the call updates."""


def module(initialiser: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """A sub-tree that may hold arrays of its own."""


def static(value: Any = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """A Python value that is part of the treedef."""


def derived(expression: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """A property that is computed from the other fields at each use."""


def shared(array: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """A property that reads an array which another field stores."""


# -- decorators --------------------------------------------------------------------------------------------------------


class CallKeys(TypedDict, total=False):
    """The keys of a call that neither its signature nor its docstring says."""

    doc: str
    comment: str
    carry: str
    axis_name: str


class CaseKeys(TypedDict, total=False):
    """The keys of a further configuration of the tests."""

    name: Required[str]
    sizes: Mapping[str, int | Sequence[int]]
    values: Mapping[str, Any]


class ConditionKeys(TypedDict):
    """The keys of a condition that the tests hold."""

    name: str
    that: Expression
    at_start: NotRequired[bool]


class TestKeys(TypedDict, total=False):
    """The keys of the table `[test]`."""

    sizes: Mapping[str, int | Sequence[int]]
    ties: Mapping[str, str]
    values: Mapping[str, Any]
    build: Expression
    other: Mapping[str, Any]
    strict: bool
    severity: Literal["fault", "cost", "advice"]
    narrowest: str
    allows: Sequence[str]
    unused: Sequence[str]
    positive: Sequence[str]
    invariants: Sequence[str]
    dtypes: Sequence[str]
    tolerance: float | Mapping[str, float]
    cases: Sequence[CaseKeys]
    holds: Sequence[ConditionKeys]
    reference: str
    skip: Sequence[str]
    rejected: Sequence[Mapping[str, Any]]
    backend: Backend
    lower_for: Sequence[Backend]


def as_written(decorated: Any = None, /, *, laws: Literal["pytree", "nnx"] = "pytree") -> Any:
    """A class that is emitted word for word, whatever its bases: the tool adds its tests, and nothing else."""
    return _as_it_is if decorated is None else decorated


def call(**keys: Unpack[CallKeys]) -> Callable[[_Decorated], _Decorated]:
    """What is to be known of a method besides."""
    return _as_it_is


def groups(**groups: Sequence[str] | Mapping[str, Any]) -> Callable[[_Decorated], _Decorated]:
    """Named sets of fields, each with a filter spec."""
    return _as_it_is


def test(**keys: Unpack[TestKeys]) -> Callable[[_Decorated], _Decorated]:
    """Values for the generated tests."""
    return _as_it_is


def _as_it_is(decorated: _Decorated) -> _Decorated:
    return decorated
