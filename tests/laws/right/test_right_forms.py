"""What public libraries do on purpose is no finding; the mistake beside it, in the same place, is one."""

import cProfile
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from pytree_laws import LawBroken, Leaf, Method, PytreeLaws, sample
from pytree_laws.report import Finding
from pytree_laws.trace.programs import settings
from right.public_forms import (
    Activated,
    Braces,
    Branching,
    Broken,
    Constant,
    Counting,
    Deciding,
    EitherWay,
    Engine,
    Fixed,
    Flooding,
    ForgetsSecond,
    Gamma,
    Generated,
    Halves,
    Hiding,
    Holder,
    Keyed,
    Losing,
    Meter,
    Named,
    OfFirst,
    OneWay,
    Paired,
    Powers,
    Printing,
    Programmed,
    Record,
    Refusing,
    Scattered,
    Shapeless,
    Stopped,
    Structure,
    Structured,
    Tabled,
    Traced,
    Unstored,
    Unstructured,
    WithNumber,
    Wrapping,
)


def own_program(seed: int) -> Any:
    return jax.make_jaxpr(jnp.tanh)(1.0).jaxpr


NAMED, PROGRAM = Named(), own_program(0)


def weight(seed: int) -> jax.Array:
    return jnp.array(sample(seed, (3,)))


def suite(build: Callable[[int], Any], called: bool = True, **declared: Any) -> type[PytreeLaws]:
    body: dict[str, Any] = {"build": lambda self, seed: build(seed), **declared}
    if called:
        given = declared.pop("given", lambda seed: (sample(seed, (3,)),))
        body["arguments"] = lambda self, seed: given(seed)
    return type("Form", (PytreeLaws,), body)


def with_inputs(cls: type, value: Callable[[], Any]) -> type[PytreeLaws]:
    body = {"inputs": lambda self, seed: {"inner": value()}, "build": lambda self, **given: cls(**given)}
    return type("Form", (PytreeLaws,), body)


def found(form: type[PytreeLaws], name: str) -> Finding | None:
    """What one law finds in a form."""
    try:
        with settings():
            getattr(form(), f"test_{name}")()
    except LawBroken as broken:
        return broken.finding
    except pytest.skip.Exception as skipped:
        raise AssertionError(f"the law says nothing of it: {skipped}") from None
    return None


def left_out(form: type[PytreeLaws], name: str) -> str:
    """Why a law says nothing of a form; nothing where it is held to it."""
    try:
        found(form, name)
    except AssertionError as error:
        return str(error)
    return ""


def finding(form: type[PytreeLaws], name: str) -> str:
    """What one law says of a form; nothing where it holds."""
    one = found(form, name)
    return f"{one.severity}: {one.what}" if one else ""


def none(seed: int) -> tuple[Any, ...]:
    return ()


BOTH = (Leaf("left", "param", (3,)), Leaf("right", "param", (3,)))
FIRST = (Method("first", lambda seed: (sample(seed, (3,)),)),)
OTHER = Method("second", lambda seed: (sample(seed, (3,)),))
DRAW = (Method("sample", lambda seed: (jax.random.key(seed),)),)
PYTHON = (Leaf("weight", "param", (3,)), Leaf("program", "python"))
WEIGHT = (Leaf("weight", "param", (3,)),)
STRUCTURE = jax.ShapeDtypeStruct((3,), jnp.float32)


def two(seed: int) -> tuple[Any, ...]:
    return sample(seed, (3,)), sample(seed + 1, (3,))


def with_structure(seed: int) -> tuple[Any, ...]:
    return sample(seed, (3,)), Structure(STRUCTURE, sample(seed + 1, (3,)))


def with_gain(cls: type) -> type[PytreeLaws]:
    body = {
        "inputs": lambda self, seed: {"weight": weight(seed), "gain": weight(seed + 1)},
        "build": lambda self, **given: cls(**given),
    }
    return type("Form", (PytreeLaws,), body)


FORMS = {
    "a method that refuses": (
        "p07_methods_give_what_is_declared",
        suite(lambda seed: Refusing(weight(seed))),
        suite(lambda seed: Broken(weight(seed))),
    ),
    "a property that refuses": (
        "p02_no_array_hides_elsewhere",
        suite(lambda seed: Shapeless(weight(seed))),
        suite(lambda seed: Hiding(weight(seed))),
    ),
    "a leaf that is written with braces": (
        "p02_leaves_are_as_declared",
        suite(lambda seed: Programmed(weight(seed), Braces()), leaves=PYTHON),
        suite(lambda seed: Programmed(weight(seed), weight(seed)), leaves=PYTHON),
    ),
    "a class without arrays, mapped": (
        "p10_stacked_instances",
        suite(lambda seed: Constant(3), given=none),
        suite(lambda seed: Branching(weight(seed))),
    ),
    "a class without floats, in bfloat16": (
        "p07_bfloat16_in_bfloat16_out",
        suite(lambda seed: Constant(3), given=none),
        suite(lambda seed: Fixed(weight(seed))),
    ),
    "a module that is given, with a dict of its own": (
        "p01_keeps_none_of_its_inputs",
        with_inputs(Wrapping, lambda: Keyed(2)),
        with_inputs(Wrapping, lambda: {"a": jnp.ones(2)}),
    ),
    "a dict that a generated constructor is given": (
        "p01_keeps_none_of_its_inputs",
        with_inputs(Generated, lambda: {"a": jnp.ones(2)}),
        with_inputs(Wrapping, lambda: {"a": jnp.ones(2)}),
    ),
    "a dict in a NamedTuple, changed later": (
        "p01_later_changes_of_its_inputs_do_not_reach_it",
        with_inputs(Record, lambda: {"a": jnp.ones(2)}),
        with_inputs(Wrapping, lambda: {"a": jnp.ones(2)}),
    ),
    "a call that gives a module with a function": (
        "p07_jit_equals_eager",
        suite(lambda seed: Activated(weight(seed))),
        suite(lambda seed: Traced(weight(seed))),
    ),
    "a leaf that is no number, donated": (
        "p15_donation",
        suite(lambda seed: Holder(jnp.full(3, jnp.nan))),
        suite(lambda seed: Programmed(*[weight(seed)] * 2)),
    ),
    "a part of a result that is left out": (
        "p12_methods_have_no_side_effects",
        suite(lambda seed: Scattered(weight(seed)), methods=FIRST),
        suite(lambda seed: Losing(weight(seed)), methods=FIRST),
    ),
    "a leaf that another method gives back": (
        "p08_every_parameter_changes_the_output",
        suite(lambda seed: Paired(weight(seed), weight(seed + 3)), leaves=BOTH, methods=(Method("other"),)),
        suite(lambda seed: Paired(weight(seed), weight(seed + 3)), leaves=BOTH),
    ),
    "an element that another method uses": (
        "p09_every_element_of_a_parameter_has_a_gradient",
        suite(lambda seed: Halves(weight(seed)[:2]), methods=(OTHER,)),
        suite(lambda seed: Halves(weight(seed)[:2])),
    ),
    "the gradient of a draw by rejection": (
        "p09_methods_have_true_gradients",
        suite(lambda seed: Gamma(weight(seed)), methods=DRAW),
        suite(lambda seed: Stopped(weight(seed)), methods=DRAW),
    ),
    "a number of Python in another configuration": (
        "p07_computes_what_its_trace_does_in_each_configuration",
        suite(lambda seed: Counting(weight(seed))),
        suite(lambda seed: Deciding(weight(seed))),
    ),
    "a number of Python beside large ones": (
        "p07_large_arguments_do_not_overflow_on_the_way",
        suite(lambda seed: Counting(weight(seed), 13)),
        suite(lambda seed: Flooding(weight(seed))),
    ),
    "a key of a dict that cannot be written": (
        "p01_instances_share_nothing_mutable",
        suite(lambda seed: Tabled(weight(seed), {NAMED: 1}), called=False),
        suite(lambda seed, shared={"a": 1}: Tabled(weight(seed), shared), called=False),
    ),
    "a program of jax that instances share": (
        "p01_instances_share_nothing_mutable",
        suite(lambda seed: Programmed(weight(seed), PROGRAM)),
        suite(lambda seed, shared={"a": 1}: Programmed(weight(seed), shared)),
    ),
    "a slice that is static, which has a hash since Python 3.12": (
        "p05_aux_is_hashable_and_free_of_arrays",
        suite(lambda seed: Tabled(weight(seed), slice(1, None)), called=False),
        suite(lambda seed: Tabled(weight(seed), (slice(1, None), [1])), called=False),
    ),
    "a structure that the arguments say, in bfloat16": (
        "p07_bfloat16_in_bfloat16_out",
        suite(lambda seed: Structured(weight(seed)), given=with_structure),
        suite(lambda seed: Unstructured(weight(seed)), given=two),
    ),
    "a number of Python in the result, in bfloat16": (
        "p07_bfloat16_in_bfloat16_out",
        suite(lambda seed: WithNumber(weight(seed))),
        suite(lambda seed: Fixed(weight(seed))),
    ),
    "a number beside arrays of zeros": (
        "p07_equal_arguments_give_no_nan",
        suite(lambda seed: Powers(weight(seed)), given=lambda seed: (sample(seed, (3,)), sample(seed))),
        suite(lambda seed: Powers(weight(seed)), given=lambda seed: (sample(seed), sample(seed))),
    ),
    "an argument that is left out, and another for both": (
        "p01_builds_in_each_configuration",
        with_gain(EitherWay),
        with_gain(OneWay),
    ),
    "an argument that a base takes": (
        "p08_every_argument_matters",
        suite(lambda seed: OfFirst(weight(seed)), leaves=WEIGHT, given=two),
        suite(lambda seed: ForgetsSecond(weight(seed)), leaves=WEIGHT, given=two),
    ),
    "what a callback of the host prints": (
        "p12_a_call_changes_no_globals",
        suite(lambda seed: Meter(weight(seed))),
        suite(lambda seed: Printing(weight(seed))),
    ),
}


@pytest.mark.spread(5)
@pytest.mark.parametrize("told", FORMS)
def test_the_right_form_is_no_finding_and_the_wrong_one_is(told: str) -> None:
    name, right, wrong = FORMS[told]
    assert left_out(right, name) or not finding(right, name)
    assert finding(wrong, name)


@pytest.mark.parametrize("cls", [Generated, Record])
def test_what_a_generated_constructor_keeps_is_advice(cls: type) -> None:
    name = "p01_a_generated_constructor_is_given_nothing_that_can_change"
    assert finding(with_inputs(cls, lambda: {"a": jnp.ones(2)}), name).startswith(
        "advice: it is the caller's"
    )
    assert "the author's own" in left_out(with_inputs(Wrapping, lambda: {"a": jnp.ones(2)}), name)


def test_a_copy_of_another_treedef_is_told_by_the_value_that_differs() -> None:
    right, wrong = (
        suite(lambda seed, one=one: Tabled(weight(seed), one()), called=False) for one in (str, Engine)
    )
    told = found(wrong, "p14_deepcopy")
    assert not found(right, "p14_deepcopy")
    assert told is not None and told.where == "Tabled.table"
    assert told.what.startswith("copy.deepcopy made another Engine of <right.public_forms.Engine object")
    assert told.hint.startswith("a class without `__eq__`")


def test_a_field_that_is_not_stored_is_named_where_a_round_trip_adds_others() -> None:
    form = suite(lambda seed: Unstored(weight(seed)), called=False)
    assert found(form, "p03_round_trip_keeps_every_attribute") is None
    told = found(form, "p03_round_trip_keeps_what_lies_beside_its_fields")
    assert told is not None and told.what.startswith("a round trip adds the attribute")
    assert told.hint == "a constructor that does not store `name`"


def test_a_run_under_a_profiler_finds_nothing_more() -> None:
    name, held = "p01_keeps_none_of_its_inputs", with_inputs(Wrapping, lambda: {"a": jnp.ones(2)})
    plain = finding(held, name)
    with cProfile.Profile():
        assert finding(held, name) == plain
