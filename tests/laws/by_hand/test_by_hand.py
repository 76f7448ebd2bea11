"""Suites by hand: what is not declared is found, a wrong declaration is answered, a cause is told once, and nothing is endless."""

import json

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from flax import nnx
from harness.runner import run

from pytree_laws import Leaf, Output, PytreeLaws, check_pytree, sample
from pytree_laws.discover.inference import suggest_declaration
from pytree_laws.nnx import NnxLaws, Var

LINEAR = (
    'Leaf("weight", "param", (2, 3)),',
    'Leaf("bias", "param", (2,)),',
)


def linear(seed):
    return eqx.nn.Linear(3, 2, key=jax.random.key(seed))


def vector(seed):
    return (sample(seed, (3,)),)


class Five(PytreeLaws):
    def build(self, seed):
        return linear(seed)

    def arguments(self, seed):
        return vector(seed)


class Path(eqx.Module):
    """A random path: at each time it draws from the key that it holds."""

    key: jax.Array
    scale: jax.Array

    def at(self, time):
        return self.scale * jax.random.normal(self.key, (), self.scale.dtype) * time

    def __call__(self, times):
        return self.at(times[0]) - self.at(times[1])


class Steps(eqx.Module):
    """A loop whose length goes by a step that is never trained."""

    gain: jax.Array
    step: jax.Array

    def trainable(self):
        return Steps(True, False)

    def __call__(self, x):
        step = jax.lax.stop_gradient(self.step)
        ends = jax.lax.while_loop(lambda t: t < 1, lambda t: t + step, jnp.zeros_like(step))
        return self.gain * x + ends


class Counter(eqx.Module):
    """A counter that is weakly typed, and stays so."""

    count: jax.Array

    def __call__(self, x):
        return Counter(self.count + 1)


class Element(eqx.Module):
    """A class that is an array: it compares by element."""

    value: jax.Array

    def __jax_array__(self):
        return self.value

    def __eq__(self, other):
        return self.value == getattr(other, "value", other)


class Half(eqx.Module):
    """A weight of which the call uses a part."""

    weight: jax.Array

    def __call__(self, x):
        return self.weight[:2] * x[:2]


class Endless(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        while not isinstance(x, jax.core.Tracer):
            x = x + 0
        return self.weight * x


class EndlessCopy(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x

    def __deepcopy__(self, memo):
        while True:
            pass


class Weak(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x


@pytest.mark.slow
def test_five_lines_are_a_suite_and_a_report():
    report = check_pytree(linear, vector)
    assert report.ok and len(report.passed) > 60, str(report)
    assert str(report).startswith("Linear: ")
    assert all(line in report.declaration for line in LINEAR)
    told = json.loads(json.dumps(report.to_json()))
    assert told["ok"] and told["findings"] == [] and "test_p03_flatten_changes_nothing" in told["passed"]


@pytest.mark.spread(5)
@pytest.mark.parametrize(
    ("build", "arguments"),
    [
        (lambda seed: Path(jax.random.key(seed), sample(seed)), lambda seed: (sample(seed, (2,)),)),
        (lambda seed: Steps(sample(seed), jnp.asarray(0.25, jnp.float32)), vector),
        (lambda seed: Counter(jnp.asarray(seed)), vector),
        (lambda seed: Element(sample(seed, (3,))), None),
    ],
    ids=["a path that draws again", "a step that must stay positive", "a weak counter", "an array"],
)
def test_good_code_is_no_finding(build, arguments):
    report = check_pytree(build, arguments)
    assert report.ok, str(report)


def test_what_is_found_is_held_to():
    report = check_pytree(lambda seed: Half(sample(seed, (3,))), vector)
    [finding] = report.findings
    assert (
        finding.test == "test_p09_every_element_of_a_parameter_has_a_gradient" and finding.where == "weight"
    )


@pytest.mark.slow
def test_a_wrong_declaration_is_one_failure_with_the_right_one():
    report = check_pytree(linear, vector, leaves=(Leaf("weight", "param", (2, 3), std=0.3),))
    [finding] = report.findings
    assert finding.law.number == "P2" and finding.where == "bias"
    assert 'Leaf("weight", "param", (2, 3), std=0.3),\n' in finding.hint and LINEAR[1] in finding.hint
    assert "it rests on P2, which is broken" in report.skipped.values()


def test_a_declaration_is_found_written_and_holds():
    report = check_pytree(linear, vector)
    assert "    static = {\n" in report.declaration and '"in_features": 3,' in report.declaration
    assert report.declaration.endswith("    returns = (\n        Output((2,)),\n    )")
    suite = type("Linear", (Five,), pasted(report.declaration))
    outcome = run(suite, only="test_p0")
    assert not outcome and "test_p05_static_values_are_the_declared_ones" in outcome.ran


def pasted(declaration):
    """What a declaration says, in the body of a class."""
    body = {}
    exec("class Suite:\n" + declaration, {"Leaf": Leaf, "Output": Output, "Var": Var, "nnx": nnx}, body)
    return {name: value for name, value in vars(body["Suite"]).items() if not name.startswith("__")}


def test_statics_and_outputs_that_are_wrong_are_one_failure():
    report = check_pytree(linear, vector, static={"in_features": 4}, returns=(Output((3,)),))
    [finding] = report.findings
    assert finding.test == "test_p07_outputs_are_as_declared" and "declared is (3,)" in finding.what
    right = pasted(finding.hint.partition("is\n")[2])
    static = {"in_features": 3, "out_features": 2, "use_bias": True}
    assert right == {"static": static, "returns": (Output((2,)),)}
    assert "it rests on P7, which is broken" in report.skipped.values()


class Sized:
    """A class by hand: what unflatten makes of its setting is another one, which no suite declares."""

    def __init__(self, weight, size):
        self.weight, self.size = weight, size


def restored(aux, children):
    self = object.__new__(Sized)
    self.weight, self.size = children[0], 3
    return self


jax.tree_util.register_pytree_with_keys(
    Sized, lambda one: (((jax.tree_util.GetAttrKey("weight"), one.weight),), (one.size,)), restored
)


class SizedSuite(PytreeLaws):
    def build(self, seed):
        return Sized(sample(seed, (3,)), 3)


def test_static_values_that_nobody_declared_are_held_to():
    outcome = run(SizedSuite, only="test_p03_round_trip_keeps_changed")
    assert "`size`: before a round trip 4, after 3" in outcome.text("P3")


def lazily_sized(seed):
    class Lazy(eqx.Module):
        weight: jax.Array

        def __call__(self, x):
            return x if isinstance(x, jax.core.Tracer) else (x, x)

    return Lazy(sample(seed))


def test_outputs_that_nobody_declared_are_held_to():
    suite = type("LazyLaws", (Five,), {"build": lambda self, seed: lazily_sized(seed)})
    outcome = run(suite, only="test_p07_outputs")
    assert "2 outputs, declared are 1" in outcome.text("P7")


class Batches(nnx.Module):
    """A running mean, and a weight that a call assigns, which it must not."""

    def __init__(self, seed, assigns=False):
        self.weight, self.mean = nnx.Param(sample(seed, (3,))), nnx.BatchStat(sample(seed + 9, (3,)))
        self.assigns = assigns

    def __call__(self, x):
        self.mean[...] = 0.9 * self.mean[...] + 0.1 * x
        if self.assigns:
            self.weight[...] += 1
        return self.weight[...] * (x - self.mean[...])


class BatchesLaws(NnxLaws):
    def build(self, seed):
        return Batches(seed)

    def arguments(self, seed):
        return vector(seed)


def test_five_lines_are_a_suite_of_an_nnx_module():
    suite = type("Found", (BatchesLaws,), {})
    assert suite().updated() == ("mean",)
    declared = pasted(suggest_declaration(suite()))
    assert declared["variables"][0] == Var("mean", nnx.BatchStat, (3,), flows=True)
    assert declared["static"] == {"assigns": False} and declared["returns"] == (Output((3,)),)


def test_a_call_that_assigns_a_parameter_is_found_where_nothing_is_declared():
    suite = type("Assigns", (BatchesLaws,), {"build": lambda self, seed: Batches(seed, True)})
    outcome = run(suite, only="test_p12_a_call_updates")
    assert "`weight`: the call updated it, and it is not among `updates`" in outcome.text("P12")


def test_a_wrong_declaration_of_variables_is_one_failure_with_the_right_one():
    declared = {"variables": (Var("mean", nnx.BatchStat, (2,)),), "updates": ("mean",)}
    report = check_pytree(Batches, vector, **declared)
    [finding] = report.findings
    assert finding.law.number == "P2"
    right = pasted(finding.hint.partition("is\n")[2])
    assert [one.path for one in right["variables"]] == ["mean", "weight"] and right["updates"] == ("mean",)


def test_a_cause_is_told_once_and_has_its_severity():
    report = check_pytree(lambda seed: Weak(jnp.asarray(1.0 + seed)), vector)
    [finding] = report.findings
    assert (finding.law.number, finding.severity) == ("P5", "cost")
    assert "  severity: cost\n" in str(finding)
    assert "it rests on P5, which is broken" in report.skipped.values()


@pytest.mark.slow
def test_a_call_without_end_is_a_finding():
    report = check_pytree(lambda seed: Endless(sample(seed)), lambda seed: (sample(seed),), time_limit=1.0)
    [finding] = report.findings
    assert finding.what == "it took more than 1 seconds" and "time_limit" in finding.hint
    assert finding.severity == "fault"
    assert "the example `call` does not end, as an earlier failure says" in report.skipped.values()


@pytest.mark.slow
def test_a_law_whose_time_is_up_is_no_fault():
    report = check_pytree(lambda seed: EndlessCopy(sample(seed, (3,))), vector, time_limit=1.0)
    found = {(finding.law.number, finding.what, finding.severity) for finding in report.findings}
    assert found == {("P14", "it took more than 1 seconds", "cost")}


ENDS = """
import jax, equinox as eqx
from pytree_laws import PytreeLaws, sample
from pytree_laws.engine import timeout
timeout.GRACE = 1.0

class Loop(eqx.Module):
    weight: jax.Array
    def __call__(self, x):
        return jax.lax.while_loop(lambda v: v < 1e9, lambda v: v * 0.5, self.weight * x)

class TestLoop(PytreeLaws):
    time_limit = 1.0
    def build(self, seed):
        return Loop(sample(seed))
    def arguments(self, seed):
        return (sample(seed),)
"""
