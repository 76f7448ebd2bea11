"""What a record holds beside the call on the example: what methods give, and what numbers that are not random show."""

import dataclasses
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from pytree_laws import Leaf, Method, PytreeLaws, sample
from pytree_laws.nnx import NnxLaws
from pytree_laws.snapshot.configurations import of_configurations
from pytree_laws.snapshot.format import Entry, differences
from pytree_laws.snapshot.methods import of_methods, slopes_of_methods
from pytree_laws.snapshot.numbers import with_other_arguments
from pytree_laws.snapshot.reached import of_reached
from pytree_laws.values.edge_values import FAR


class Log(eqx.Module):
    """Readings at some times, in a unit."""

    times: jax.Array
    readings: jax.Array
    is_scaled: bool = eqx.field(static=True, default=False)
    is_open: bool = eqx.field(static=True, default=False)

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.clip(x * self.readings, -3, 3)

    def __len__(self) -> int:
        return self.times.shape[0]

    def before(self, end: jax.Array, inverted: bool = False) -> jax.Array:
        inside = self.times <= end if self.is_open else self.times < end
        return jnp.sum(jnp.where(~inside if inverted else inside, self.readings, 0))

    def scaled(self, factor: jax.Array) -> "Log":
        return dataclasses.replace(self, readings=factor * self.readings, is_scaled=True)


class LogLaws(PytreeLaws):
    cls: type[Log] = Log
    leaves = (Leaf("times", "data", (5,)), Leaf("readings", "data", (5,)))
    methods = (
        Method("before", lambda seed: (sample(seed),)),
        Method("scaled", lambda seed: (sample(seed, (5,)),)),
        Method("__len__"),
    )

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"times": sample(seed, (5,)), "readings": sample(seed + 1, (5,))}

    def build(self, **inputs: Any) -> Log:
        return self.cls(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (5,)),)


def changed_by(members: dict[str, Any], section: Callable[[Any], dict[str, Entry]]) -> list[str]:
    """What a section of the record says of a class that has some other members."""
    wrong = type("Log", (Log,), {**members, "__module__": __name__})
    suites = LogLaws(), type("Wrong", (LogLaws,), {"cls": wrong})()
    return [name for name, _ in differences(*map(section, suites), None)]


def test_a_record_holds_what_methods_give() -> None:
    assert sorted(of_methods(LogLaws())) == [
        "__len__",
        "before",
        "before with is_open=True",
        "before with large numbers",
        "before with whole numbers",
        "before(inverted=True)",
        "scaled with is_open=True.is_open",
        "scaled with is_open=True.is_scaled",
        "scaled with is_open=True.readings",
        "scaled.is_open",
        "scaled.is_scaled",
        "scaled.readings",
        "scaled.readings with large numbers",
        "scaled.readings with whole numbers",
        "scaled.times",
    ]


def _before(self: Log, end: jax.Array, inverted: bool = False) -> jax.Array:
    inside = self.times <= end
    return jnp.sum(jnp.where(~inside if inverted else inside, self.readings, 0))


def _before_inverted(self: Log, end: jax.Array, inverted: bool = False) -> jax.Array:
    inside = self.times <= end if self.is_open else self.times < end
    return jnp.sum(jnp.where(inside, self.readings, 0)) * (2 if inverted else 1)


def _before_when_open(self: Log, end: jax.Array, inverted: bool = False) -> jax.Array:
    inside = self.times >= end if self.is_open else self.times < end
    return jnp.sum(jnp.where(~inside if inverted else inside, self.readings, 0))


def _scaled(self: Log, factor: jax.Array) -> Log:
    return dataclasses.replace(self, readings=factor * self.readings)


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("told", "members", "shown_by"),
    [
        ("a bound that counts", {"before": _before}, "before with whole numbers"),
        ("a flag of a method", {"before": _before_inverted}, "before(inverted=True)"),
        ("another configuration", {"before": _before_when_open}, "before with is_open=True"),
        ("a setting that a method forgets", {"scaled": _scaled}, "scaled.is_scaled"),
        ("the length of another axis", {"__len__": lambda self: self.times.ndim}, "__len__"),
    ],
    ids=lambda one: one.replace(" ", "-") if isinstance(one, str) else "",
)
def test_a_record_shows(told: str, members: dict[str, Any], shown_by: str) -> None:
    assert shown_by in changed_by(members, of_methods), told


def test_large_arguments_show_a_bound_that_is_lost() -> None:
    def call(self: Log, x: jax.Array) -> jax.Array:
        return jnp.minimum(x * self.readings, 3)

    assert "call with large numbers" in changed_by({"__call__": call}, with_other_arguments)


class Endless(Log):
    def __call__(self, x: jax.Array) -> jax.Array:
        return jax.lax.while_loop(lambda v: jnp.any(v < 0.05), lambda v: v + 1, x)


def test_a_loop_by_values_is_given_no_other_numbers() -> None:
    assert not with_other_arguments(type("Laws", (LogLaws,), {"cls": Endless})())


class Counted(nnx.Module):
    """Counts its calls in training."""

    def __init__(self) -> None:
        self.calls = nnx.BatchStat(jnp.zeros((), jnp.int32))

    def __call__(self, x: jax.Array, train: bool = True) -> jax.Array:
        if train:
            self.calls[...] += 1
        return x + self.calls[...]


class AlwaysCounted(Counted):
    def __call__(self, x: jax.Array, train: bool = True) -> jax.Array:
        y = x + self.calls[...] + (1 if train else 0)
        self.calls[...] += 1
        return y


def test_a_record_holds_what_a_call_leaves_in_another_configuration() -> None:
    body = {"arguments": lambda self, seed: (sample(seed, (3,)),)}
    found = [
        of_configurations(type("Laws", (NnxLaws,), {**body, "build": lambda self, rngs, cls=cls: cls()})())
        for cls in (Counted, AlwaysCounted)
    ]
    changed = [name for name, _ in differences(*found, None)]
    assert changed == [f"after call(train=False).calls{moved}" for moved in ("", *FAR)]


class Table(eqx.Module):
    """Rows by their numbers, of which those below 0 are missing."""

    rows: jax.Array

    def taken(self, codes: jax.Array) -> jax.Array:
        return jnp.where((codes >= 0)[:, None], self.rows[jnp.maximum(codes, 0)], 0)


class TableLaws(PytreeLaws):
    cls: type[Table] = Table
    leaves = (Leaf("rows", "param", (3, 2)),)
    methods = (Method("taken", lambda seed: (sample(seed, (5,), "int32", high=3),)),)

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"rows": sample(seed, (3, 2))}

    def build(self, **inputs: Any) -> Table:
        return self.cls(**inputs)


def test_a_record_shows_what_becomes_of_numbers_below_0() -> None:
    wrong = type("Table", (Table,), {"taken": lambda self, codes: self.rows[codes], "__module__": __name__})
    suites = TableLaws(), type("Wrong", (TableLaws,), {"cls": wrong})()
    assert next(differences(*map(of_methods, suites), None))[0] == "taken with integers below 0"


class Worn(nnx.Module):
    """Counts its steps, and has a method for each way to read the count."""

    def __init__(self, *, worn: bool = False, open_: bool = False, rngs: nnx.Rngs) -> None:
        self.gain = nnx.Param(jnp.ones(3))
        self.steps = nnx.BatchStat(jnp.zeros((), jnp.int32))
        self.worn, self.open_ = worn, open_

    def __call__(self, x: jax.Array) -> jax.Array:
        self.steps[...] += 1
        return self.gain[...] * x * (2 if self.worn else 1) + (1 if self.open_ else 0)

    def read(self, x: jax.Array) -> jax.Array:
        return self.steps[...] * x * (2 if self.worn else 1) + (1 if self.open_ else 0)


class Wider(Worn):
    def before(self, x: jax.Array) -> jax.Array:
        return self.read(x) * self.gain[...] * (3 if self.open_ else 1)


class WornLaws(NnxLaws):
    cls: type[Worn] = Worn
    updates = ("steps",)
    methods = (Method("read", lambda seed: (sample(seed, (3,)),)),)

    def build(self, **inputs: Any) -> Worn:
        return self.cls(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        return instance(*arguments)


def test_another_method_leaves_all_that_is_recorded_of_the_others() -> None:
    before = Method("before", lambda seed: (sample(seed, (3,)),))
    wider = type("Wider", (WornLaws,), {"cls": Wider, "methods": (before, *WornLaws.methods)})
    for section in (of_methods, of_reached):
        was, now = section(WornLaws()), section(wider())
        assert was and {name: now.get(name) for name in was} == was
        assert not any("gain" in name for name in was), "no method updates it"


class Fitted(eqx.Module):
    """A kernel that a flag of a method leaves as it is."""

    scale: jax.Array
    noise: jax.Array

    def error(self, frozen: bool = False) -> jax.Array:
        scale = jax.lax.stop_gradient(self.scale) if frozen else self.scale
        return jnp.sum(jnp.exp(scale) + self.noise**2)


class FittedOtherwise(Fitted):
    def error(self, frozen: bool = False) -> jax.Array:
        scale = self.scale if frozen else jax.lax.stop_gradient(self.scale)
        return jnp.sum(jnp.exp(scale) + self.noise**2)


class FittedLaws(PytreeLaws):
    cls: type[Fitted] = Fitted
    leaves = (Leaf("scale", "param", (3,)), Leaf("noise", "param", (3,)))
    methods = (Method("error"),)

    def build(self, seed: int) -> Fitted:
        return self.cls(sample(seed, (3,)), sample(seed + 1, (3,)))


def test_a_record_says_at_which_flags_gradients_reach_a_leaf() -> None:
    suites = FittedLaws(), type("Otherwise", (FittedLaws,), {"cls": FittedOtherwise})()
    assert sorted(slopes_of_methods(suites[0])) == [
        "gradient of error by scale",
        "gradient of error(frozen=True) by scale",
    ]
    assert [name for name, _ in differences(*map(slopes_of_methods, suites), None)] == [
        "gradient of error by scale",
        "gradient of error(frozen=True) by scale",
    ]
