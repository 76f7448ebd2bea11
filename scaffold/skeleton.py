"""Vocabulary of a skeleton: a spec written as the class itself, in `specs/NAME.py`.

```python
class Affine(Module):
    weight: Float[Array, "out_size in_size"] = param("lecun_normal")
    bias: Float[Array, " out_size"] | None = param("zeros", optional="use_bias")

    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
        y = self.weight @ x
        return y if self.bias is None else y + self.bias
```

A skeleton is parsed and never run. Nothing here has an effect: the names serve editors and type checkers.
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
"""Function whose parameters are the names that it reads, or its body as text.

For example `lambda size: 2 * size`, or `"2 * size"` as in TOML.
"""
Backend = Literal["cpu", "cuda", "rocm", "tpu"]
Role = Literal["param", "data", "buffer", "static", "callable", "module", "state", "derived", "shared"]


# -- classes -----------------------------------------------------------------------------------------------------------


class ClassKeys(TypedDict, total=False):
    """Keys of a spec in a class statement, as in `class Table(Pytree, rebuild="static")`, and kinds'
    options."""

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
    """Base of all kinds, with the constructor and the factory that the tool generates."""

    def __init__(self, *arguments: Any, **named: Any) -> None: ...

    @classmethod
    def create(cls, *arguments: Any, **named: Any) -> Self:
        return cls(*arguments, **named)

    def __init_subclass__(cls, **keys: Unpack[ClassKeys]) -> None: ...


class _Dataclass(_Skeleton):
    """Base of kinds that become dataclasses, so that type checkers accept `dataclasses.replace`."""

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
    """Keys of a field. The annotation gives its type, and the string below it its docstring."""

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
    """Declare a field with this role, or with the default role of its type. `initialiser` computes it."""


def param(initialiser: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """Declare a trained array. `initialiser` computes it."""


def data(initialiser: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """Declare an array that is not trained, but lets gradients through."""


def buffer(initialiser: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """Declare an array that is never trained, or a Python value that is a leaf."""


def state(initialiser: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """Declare an array that the call updates."""


def module(initialiser: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """Declare a subtree that may hold arrays of its own."""


def static(value: Any = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """Declare a Python value that is part of the treedef."""


def derived(expression: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """Declare a property that is computed from other fields at each use."""


def shared(array: Expression | None = None, /, **keys: Unpack[FieldKeys]) -> Any:
    """Declare a property that reads an array which another field stores."""


# -- decorators --------------------------------------------------------------------------------------------------------


class CallKeys(TypedDict, total=False):
    """Keys of a call that neither its signature nor its docstring gives."""

    doc: str
    comment: str
    carry: str
    axis_name: str


class CaseKeys(TypedDict, total=False):
    """Keys of a further configuration for the tests."""

    name: Required[str]
    sizes: Mapping[str, int | Sequence[int]]
    values: Mapping[str, Any]


class ConditionKeys(TypedDict):
    """Keys of a condition that the tests hold."""

    name: str
    that: Expression
    at_start: NotRequired[bool]


class TestKeys(TypedDict, total=False):
    """Keys of the table `[test]`."""

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
    """Mark a class that the tool emits word for word, with any bases. Only its tests are generated."""
    return _as_it_is if decorated is None else decorated


def call(**keys: Unpack[CallKeys]) -> Callable[[_Decorated], _Decorated]:
    """Add keys to a method, such as its `carry`."""
    return _as_it_is


def groups(**groups: Sequence[str] | Mapping[str, Any]) -> Callable[[_Decorated], _Decorated]:
    """Name sets of fields, each of which gets a filter spec."""
    return _as_it_is


def test(**keys: Unpack[TestKeys]) -> Callable[[_Decorated], _Decorated]:
    """Give values for the generated tests."""
    return _as_it_is


def _as_it_is(decorated: _Decorated) -> _Decorated:
    return decorated
