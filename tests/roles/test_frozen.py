"""Frozen arrays and sub-modules: what is refused, what is never trained, and what gradients pass through."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax  # type: ignore[import-untyped]
import pytest

from scaffold import ScaffoldError
from scaffold.spec.reading.field_text import parse_field_text
from scaffold.spec.reading.read import read_spec
from tests.emitted.plain_jax import Both, check_gradients, sample

FLAG = {"type": "bool", "default": True}
BODY = "return self.base(self.weight * x) * self.basis"
FIELDS: dict[str, Any] = {
    "weight": {"type": "f[n]", "init": "ones"},
    "basis": {"type": "f[n]", "init": "normal", "frozen": True},
    "base": {"type": "equinox.nn:Linear", "init": "=eqx.nn.Linear(n, n, key=key)", "frozen": True},
}


def spec(kind: str = "module", **parts: Any) -> dict[str, Any]:
    fields = {**FIELDS, **parts.pop("fields", {})}
    call = {"args": "x: f[n]", "returns": "f[n]", "body": BODY}
    return {"name": "A", "kind": kind, "fields": fields, "call": call, **parts}


def frozen_by(name: str, **table: Any) -> dict[str, Any]:
    return {"fields": {name: {**FIELDS[name], **table}, "keep": FLAG}}


GROUPS = {"groups": {"part": ["basis"]}, "layout": "nested"}
# fmt: off
ROWS = [
    (spec(**frozen_by("basis", role="data")), "fields.basis.frozen | `frozen` says nothing of a data field | remove it, or write another role"),
    (spec(**frozen_by("basis", role="buffer")), "fields.basis.frozen | `frozen` says nothing of a buffer field | remove it, or write another role"),
    (spec(**frozen_by("basis", frozen="when")), "fields.basis.frozen | `when` is no static bool of the class | write `true`, or declare `when = { type = \"bool\", default = true }`"),
    (spec(**frozen_by("basis", frozen="weight")), "fields.basis.frozen | `weight` is no static bool of the class | write `true`, or declare `weight = { type = \"bool\", default = true }`"),
    (spec(**frozen_by("basis", frozen=3)), "fields.basis.frozen | 3 is not a boolean or a name | write `frozen = true`: Whether nothing of a parameter or a sub-module is trained, or the static bool that says so."),
    (spec(**frozen_by("basis", frozen="keep"), **GROUPS), "fields.basis.frozen | `frozen` is for fields of the class itself, and this one lies in that of `part` | take it out of the group, or write `layout = \"flat\"`"),
    (spec("nnx"), "fields.base.frozen | the Params of a sub-module are its own | remove it, and give the optimiser a filter: `wrt=nnx.All(nnx.Param, nnx.Not(nnx.PathContains(...)))`"),
    (spec("nnx", **frozen_by("basis", frozen="keep")), "fields.basis.frozen | a Variable has one type in all instances | write `frozen = true`"),
    ({"name": "T", "kind": "train-state", "fields": {"model": {"type": "Net", "frozen": True}}}, "fields.model.frozen | a train state trains its model | freeze fields of the model"),
]
# fmt: on


@pytest.mark.parametrize(("bad", "told"), ROWS, ids=[row[1].split("|")[1].strip() for row in ROWS])
def test_a_fault_has_its_place_and_fix(bad: dict[str, Any], told: str) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec(bad, "s")
    assert told in {f"{one.where[3:]} | {one.what} | {one.fix}" for one in caught.value.faults}


def test_a_token_says_it() -> None:
    assert parse_field_text("f[n]@frozen=normal") == {"type": "f[n]", "frozen": True, "init": "normal"}
    assert parse_field_text("f[n]@param@frozen") == {"type": "f[n]", "role": "param", "frozen": True}
    assert read_spec({"name": "A", "fields": {"w": "f[n]@frozen"}}, "s").fields[0].frozen == "true"


FORMS: tuple[dict[str, Any], ...] = (
    {},
    {"constructor": "init"},
    {"groups": {"part": ["basis", "base"]}},
    GROUPS,
    {"groups": {"part": ["basis", "base"]}, "layout": "nested"},
)


def stepped(instance: Any, x: Any) -> Any:
    """The instance after two steps of AdamW on what `trainable()` selects."""
    optimiser = optax.adamw(0.1, weight_decay=0.1)
    trained, rest = eqx.partition(instance, instance.trainable())
    state = optimiser.init(trained)
    for _ in range(2):
        slopes = jax.grad(lambda trained: jnp.sum(eqx.combine(trained, rest)(x)))(trained)
        updates, state = optimiser.update(slopes, state, trained)
        trained = optax.apply_updates(trained, updates)
    return eqx.combine(trained, rest)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("kind", ["module", "pytree"])
def test_nothing_frozen_moves_and_gradients_pass_through(kind: str, form: dict[str, Any]) -> None:
    raw, x = spec(kind, **form), sample(1, (3,))
    both = check_gradients(raw, x)
    before = both.values()
    moved = Both(raw)
    moved.instance = stepped(both.instance, x)
    after = moved.values()
    same = {name: bool(eqx.tree_equal(before[name], after[name])) for name in before}
    assert same == {"weight": False, "basis": True, "base": True}
    if "groups" in raw:
        marks = both.instance.select_part()
        held = raw["groups"]["part"]
        assert len([one for one in jax.tree.leaves(marks) if one]) == len(
            jax.tree.leaves([before[n] for n in held])
        )


@pytest.mark.parametrize("name", ["basis", "base"])
@pytest.mark.parametrize("kind", ["module", "pytree"])
def test_a_bool_thaws(kind: str, name: str) -> None:
    raw = spec(kind, **frozen_by(name, frozen="keep"))
    size = {"n": 3, "key": jax.random.key(0)}
    for keep in (True, False):
        instance = Both(raw, **size, keep=keep).instance
        marks = jax.tree.leaves(getattr(instance.trainable(), name))
        assert marks and set(marks) == {not keep}


def test_an_array_of_an_nnx_module_is_in_a_variable_that_no_optimiser_takes() -> None:
    fields = {name: FIELDS[name] for name in ("weight", "basis")}
    raw = {**spec("nnx"), "fields": fields}
    raw["call"] = {**raw["call"], "body": "return self.weight * self.basis * x"}
    both = check_gradients(raw, sample(1, (3,)))
    assert type(both.instance.basis).__name__ == "Frozen"
    assert [type(one).__name__ for one in (both.instance.weight,)] == ["Param"]
