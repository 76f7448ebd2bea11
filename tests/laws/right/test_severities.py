"""How much a finding matters, where a class may mean what it does."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, Method, PytreeLaws, sample
from right.test_right_forms import finding, left_out, suite, weight


class Seeded(eqx.Module):
    """Random features, the same in each instance unless another seed is given."""

    weight: jax.Array
    features: jax.Array

    def __init__(self, *, key: jax.Array, seed: int = 42):
        self.weight = jax.random.normal(key, (3,))
        self.features = jax.random.normal(jax.random.key(seed), (3,))


class Unseeded(Seeded):
    def __init__(self, *, key: jax.Array):
        super().__init__(key=key)


class Holding(eqx.Module):
    seeded: Seeded

    def __init__(self, *, key: jax.Array):
        self.seeded = Seeded(key=key)


@pytest.mark.parametrize(("cls", "severity"), [(Seeded, "advice"), (Holding, "advice"), (Unseeded, "fault")])
def test_a_draw_of_a_seed_that_a_constructor_takes_beside_its_key_is_advice(cls: type, severity: str) -> None:
    body = {
        "inputs": lambda self, seed: {"key": jax.random.key(seed)},
        "build": lambda self, **given: cls(**given),
    }
    form = type("Form", (PytreeLaws,), body)
    assert finding(form, "p01_every_draw_uses_the_key").startswith(f"{severity}: 1 of its draws")


class Headed(eqx.Module):
    body: jax.Array
    head: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.ended(x * self.body)

    def ended(self, x: jax.Array) -> jax.Array:
        return x * self.head


class Bodiless(Headed):
    def __call__(self, x: jax.Array) -> jax.Array:
        return self.ended(x)


@pytest.mark.parametrize(
    ("cls", "call", "severity"), [(Headed, "ended", "advice"), (Bodiless, "__call__", "fault")]
)
def test_what_a_part_of_the_call_leaves_alone_is_advice(cls: type, call: str, severity: str) -> None:
    leaves = (Leaf("body", "param", (3,)), Leaf("head", "param", (3,)))
    body: dict[str, Any] = {"leaves": leaves, "call": lambda self, one, x: getattr(one, call)(x)}
    form = suite(lambda seed: cls(weight(seed), weight(seed + 1)), **body)
    assert finding(form, "p08_every_parameter_changes_the_output").startswith(f"{severity}: an edit of this")


class Gauge(eqx.Module):
    """A class without a call, one method of which uses one part."""

    offset: jax.Array
    slope: jax.Array

    def shifted(self, x: jax.Array) -> jax.Array:
        return x + self.offset

    def scaled(self, x: jax.Array) -> jax.Array:
        return x * self.slope


class Shift(eqx.Module):
    """The same with one method alone, which leaves a parameter to nobody."""

    offset: jax.Array
    slope: jax.Array

    def shifted(self, x: jax.Array) -> jax.Array:
        return x + self.offset


@pytest.mark.parametrize(("cls", "severity"), [(Gauge, "advice"), (Shift, "fault")])
def test_what_one_of_several_methods_leaves_alone_is_advice(cls: Any, severity: str) -> None:
    leaves = (Leaf("offset", "param", (3,)), Leaf("slope", "param", (3,)))
    body: dict[str, Any] = {"leaves": leaves, "call": lambda self, one, x: one.shifted(x)}
    form = suite(lambda seed: cls(weight(seed), weight(seed + 1)), **body)
    assert finding(form, "p08_every_parameter_changes_the_output").startswith(f"{severity}: an edit of this")


class Sloped(Shift):
    """The same, whose other method needs no arguments, so that the laws call it."""

    def steepest(self) -> jax.Array:
        return jnp.max(self.slope)


def test_what_another_method_uses_is_not_told_of_one_that_stands_for_the_call() -> None:
    leaves = (Leaf("offset", "param", (3,)), Leaf("slope", "param", (3,)))
    body: dict[str, Any] = {"leaves": leaves, "call": lambda self, one, x: one.shifted(x)}
    form = suite(lambda seed: Sloped(weight(seed), weight(seed + 1)), **body)
    form.raises_from = "advice"
    assert not finding(form, "p08_every_parameter_changes_the_output")
    assert not finding(form, "p09_every_parameter_has_a_gradient")


class Stored(eqx.Module):
    """Arrays with a method that replaces one, and does nothing with any."""

    values: jax.Array
    edges: jax.Array

    def replace_values(self, values: jax.Array) -> "Stored":
        return Stored(values, self.edges)


class Measured(Stored):
    def replace_values(self, values: jax.Array) -> "Stored":
        return Stored(2 * values, self.edges)


@pytest.mark.parametrize(("cls", "message"), [(Stored, ""), (Measured, "fault: no method has a gradient")])
def test_a_method_that_computes_nothing_does_not_say_what_a_class_is_for(cls: Any, message: str) -> None:
    leaves = (Leaf("values", "param", (3,)), Leaf("edges", "param", (3,)))
    methods = (Method("replace_values", lambda seed: (sample(seed, (3,)),)),)
    form = suite(lambda seed: cls(weight(seed), weight(seed + 1)), False, leaves=leaves, methods=methods)
    law = "p09_methods_reach_every_parameter"
    text = finding(form, law) if message else left_out(form, law)
    assert text.startswith(message or "the law says nothing of it: what the class is for, no method does")


class Histogram(eqx.Module):
    """It has a method of which there is no example, with a helper that reads an array; or with one that reads none."""

    values: jax.Array
    edges: jax.Array

    def scaled(self, by: jax.Array) -> jax.Array:
        return self.values * by

    def counted(self, points: Any) -> jax.Array:
        return self._places(points)

    def _places(self, points: Any) -> jax.Array:
        return jnp.searchsorted(self.edges, jnp.stack(points))


class Listed(Histogram):
    def _places(self, points: Any) -> jax.Array:
        return jnp.stack(points)


@pytest.mark.parametrize(("cls", "message"), [(Histogram, ""), (Listed, "fault: no method has a gradient")])
def test_what_a_method_that_is_not_tried_reads_has_its_gradient_there(cls: Any, message: str) -> None:
    leaves = (Leaf("values", "param", (3,)), Leaf("edges", "param", (3,)))
    methods = (Method("scaled", lambda seed: (sample(seed, (3,)),)),)
    form = suite(lambda seed: cls(weight(seed), weight(seed + 1)), False, leaves=leaves, methods=methods)
    found = finding(form, "p09_methods_reach_every_parameter")
    assert found.startswith(message) and bool(found) == bool(message)


class Decoder(eqx.Module):
    """A method that gives the place of the largest score; or its own numbers, whatever the weights."""

    weight: jax.Array
    bias: jax.Array

    def decode(self, x: jax.Array) -> jax.Array:
        return jnp.argmax(self.weight * x + self.bias)


class Biasless(Decoder):
    def decode(self, x: jax.Array) -> jax.Array:
        return jnp.argmax(self.weight * x)


INTEGERS = "advice: no method has a gradient with respect to it: `decode` computes integers or bools with it"


@pytest.mark.parametrize(("cls", "message"), [(Decoder, INTEGERS), (Biasless, "fault: no method has a gr")])
def test_parameters_that_decide_about_integers_have_no_gradient(cls: Any, message: str) -> None:
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,)))
    methods = (Method("decode", lambda seed: (sample(seed, (3,)),)),)
    form = suite(lambda seed: cls(weight(seed), weight(seed + 1)), False, leaves=leaves, methods=methods)
    assert finding(form, "p09_methods_reach_every_parameter").startswith(message)


class Pumped(eqx.Module):
    """A sub-module that a method uses and the call does not; or nobody."""

    weight: jax.Array
    pump: eqx.nn.Linear

    def __call__(self, x: jax.Array) -> jax.Array:
        return x * self.weight

    def mixed(self, x: jax.Array) -> jax.Array:
        return self.pump(x)


class Unpumped(Pumped):
    def mixed(self, x: jax.Array) -> jax.Array:
        return self.weight - x


@pytest.mark.parametrize(("cls", "message"), [(Pumped, ""), (Unpumped, "fault: no leaf of this sub-tree")])
def test_a_sub_module_may_be_of_use_to_a_method_alone(cls: Any, message: str) -> None:
    leaves = (Leaf("weight", "param", (3,)), Leaf("pump", "module"))
    methods = (Method("mixed", lambda seed: (sample(seed, (3,)),)),)

    def build(seed: int) -> Any:
        return cls(weight(seed), eqx.nn.Linear(3, 3, key=jax.random.key(seed)))

    text = finding(suite(build, leaves=leaves, methods=methods), "p09_every_trained_sub_tree_has_a_gradient")
    assert text.startswith(message) and bool(text) == bool(message)


def layer(x: jax.Array, weight: jax.Array) -> tuple[jax.Array, None]:
    return jnp.tanh(weight * x), None


class Layers(eqx.Module):
    """Stacked layers, which a call scans, and a method that scans its argument."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return jax.lax.scan(jax.checkpoint(layer), x, self.weight)[0]

    def season(self, days: jax.Array) -> jax.Array:
        def day(level: jax.Array, rain: jax.Array) -> tuple[jax.Array, jax.Array]:
            level = jnp.tanh(level + rain * self.weight[0])
            return level, level

        return jax.lax.scan(day, jnp.zeros(3), days)[1]


class Kept(Layers):
    def __call__(self, x: jax.Array) -> jax.Array:
        return jax.lax.scan(layer, x, self.weight)[0]


@pytest.mark.parametrize(("cls", "message"), [(Layers, ""), (Kept, "fault: a scan over the layers")])
def test_a_scan_of_an_argument_may_keep_what_it_computes(cls: Any, message: str) -> None:
    body: dict[str, Any] = {
        "leaves": (Leaf("weight", "param", (4, 3)),),
        "stacked": ("weight",),
        "remat": True,
        "methods": (Method("season", lambda seed: (sample(seed, (6, 3)),)),),
    }
    form = suite(lambda seed: cls(jnp.array(sample(seed, (4, 3)))), **body)
    text = finding(form, "p22_layers_are_computed_again_on_the_way_back")
    assert text.startswith(message) and bool(text) == bool(message)


class Redrawn(eqx.Module):
    """A layer whose weight is drawn anew: nothing has its first draw."""

    layer: eqx.nn.Linear

    def __init__(self, *, key: jax.Array):
        layer = eqx.nn.Linear(3, 3, use_bias=False, key=key)
        weight = 0.02 * jax.random.truncated_normal(key, -2.0, 2.0, (3, 3))
        self.layer = eqx.tree_at(lambda layer: layer.weight, layer, weight)


class Doubled(eqx.Module):
    """The same with a bias, which is drawn from the key that the weight is drawn from."""

    layer: eqx.nn.Linear

    def __init__(self, *, key: jax.Array):
        layer = eqx.nn.Linear(3, 3, key=key)
        weight = 0.02 * jax.random.truncated_normal(key, -2.0, 2.0, (3, 3))
        self.layer = eqx.tree_at(lambda layer: layer.weight, layer, weight)


@pytest.mark.parametrize(("cls", "message"), [(Redrawn, ""), (Doubled, "fault: a key is used twice")])
def test_a_draw_that_is_thrown_away_uses_no_key(cls: type, message: str) -> None:
    body = {
        "inputs": lambda self, seed: {"key": jax.random.key(seed)},
        "build": lambda self, **given: cls(**given),
    }
    text = finding(type("Form", (PytreeLaws,), body), "p15_each_key_is_used_once")
    assert text.startswith(message) and bool(text) == bool(message)


class Large(eqx.Module):
    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        raise MemoryError("RESOURCE_EXHAUSTED: Out of memory allocating 31190269764 bytes.")


def test_an_example_that_is_too_large_for_the_machine_is_no_finding() -> None:
    form = suite(lambda seed: Large(weight(seed)), leaves=(Leaf("weight", "param", (3,)),))
    with pytest.raises(pytest.skip.Exception, match="it takes more memory than there is: RESOURCE"):
        form().test_p07_jit_equals_eager()


class Cooled(eqx.Module):
    weight: jax.Array

    def __call__(self, x: jax.Array, temperature: jax.Array) -> jax.Array:
        return self.weight * x / temperature


@pytest.mark.parametrize(
    ("is_positive", "message"), [(True, ""), (False, "with each element of the arguments 0")]
)
def test_zeros_lie_outside_of_what_has_one_sign_in_each_example(is_positive: bool, message: str) -> None:
    body: dict[str, Any] = {
        "leaves": (Leaf("weight", "param", (3,)),),
        "given": lambda seed: (sample(seed, (3,)), sample(seed + 1, (3,), positive=is_positive)),
    }
    text = finding(suite(lambda seed: Cooled(weight(seed)), **body), "p07_equal_arguments_give_no_nan")
    assert message in text and bool(text) == bool(message)
