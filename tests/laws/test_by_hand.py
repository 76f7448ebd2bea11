"""Suites by hand: what is not declared is found, a wrong declaration is answered, a cause is told once, and nothing is endless."""

import json
import pathlib
import subprocess
import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from laws_runner import PACKAGE

from pytree_laws import Leaf, PytreeLaws, check_pytree, sample

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


class Weak(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x


def test_five_lines_are_a_suite_and_a_report():
    report = check_pytree(linear, vector)
    assert report.ok and len(report.passed) > 60, str(report)
    assert str(report).startswith("Linear: ")
    assert all(line in report.declaration for line in LINEAR)
    told = json.loads(json.dumps(report.to_json()))
    assert told["ok"] and told["findings"] == [] and "test_p03_flatten_changes_nothing" in told["passed"]


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


def test_a_wrong_declaration_is_one_failure_with_the_right_one():
    report = check_pytree(linear, vector, leaves=(Leaf("weight", "param", (2, 3), std=0.3),))
    [finding] = report.findings
    assert finding.law.number == "P2" and finding.where == "bias"
    assert 'Leaf("weight", "param", (2, 3), std=0.3),\n' in finding.hint and LINEAR[1] in finding.hint
    assert "it rests on P2, which is broken" in report.skipped.values()


def test_a_cause_is_told_once_and_has_its_severity():
    report = check_pytree(lambda seed: Weak(jnp.asarray(1.0 + seed)), vector)
    [finding] = report.findings
    assert (finding.law.number, finding.severity) == ("P5", "cost")
    assert "  severity: cost\n" in str(finding)
    assert "it rests on P5, which is broken" in report.skipped.values()


def test_a_call_without_end_is_a_finding():
    report = check_pytree(lambda seed: Endless(sample(seed)), lambda seed: (sample(seed),), time_limit=1.0)
    assert report.findings[0].what == "it took more than 1 seconds"
    assert "time_limit" in report.findings[0].hint


ENDS = """
import jax, equinox as eqx
from pytree_laws import limit, PytreeLaws, sample
limit.GRACE = 1.0

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


def test_a_compiled_loop_without_end_ends_the_run_and_says_which_law(tmp_path: pathlib.Path):
    (tmp_path / "test_loop.py").write_text(ENDS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-k",
        "p07_jit_equals_eager",
    ]
    env = {"PATH": "", "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode in (1, 70), done.stdout + done.stderr
    assert "P7 of TestLoop took more than 1 seconds" in done.stdout + done.stderr
