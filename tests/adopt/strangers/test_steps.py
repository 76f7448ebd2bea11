"""Leaves without a gradient: by design where a call follows them in steps, a mistake elsewhere."""

import json
from pathlib import Path

import pytest

from tests.support.projects import scaffold
from tests.support.trees import write_tree

IN_STEPS = """
import equinox as eqx
import jax
import jax.numpy as jnp


class Schedule(eqx.Module):
    times: jax.Array
    rates: jax.Array

    def __call__(self, time: jax.Array) -> jax.Array:
        return self.rates[jnp.searchsorted(self.times, time) % self.rates.shape[0]]


class Rounded(eqx.Module):
    scale: jax.Array
    count: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x + jnp.floor(self.count)


class Forgotten(eqx.Module):
    scale: jax.Array
    offset: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x + 0.0 * self.offset


class Stopped(eqx.Module):
    scale: jax.Array
    offset: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x + jax.lax.stop_gradient(self.offset)


class Segment(eqx.Module):
    start: jax.Array
    width: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return x - self.start

    def end(self, scale: jax.Array) -> jax.Array:
        return self.start + scale * self.width


class Geometry(eqx.Module):
    even: jax.Array
    slope: jax.Array

    def derivative(self, radius: jax.Array) -> jax.Array:
        return radius * self.slope


def area(geometry: Geometry) -> jax.Array:
    return jnp.sum(geometry.even**2)


class Disc(eqx.Module):
    radius: jax.Array
    softness: jax.Array

    def __init__(self, radius: float, softness: float = 0.5):
        self.radius, self.softness = jnp.asarray(radius), jnp.asarray(softness)

    def transmission(self, points: jax.Array) -> jax.Array:
        distance = jnp.hypot(points[0], points[1])
        return jnp.clip((self.radius - distance) / self.softness, 0.0, 1.0)
"""


@pytest.mark.slow  # tests/laws/steps has each law
def test_a_leaf_that_the_call_follows_in_steps_has_no_gradient_and_is_marked(tmp_path: Path) -> None:
    write_tree(tmp_path, {"steps.py": IN_STEPS})
    ran = scaffold(tmp_path, "adopt", "steps.py", "--json")
    assert ran.returncode == 0, ran.stderr
    classes = {one["class"].partition(":")[2]: one for one in json.loads(ran.stdout)["classes"]}
    [stopped] = [one for one in classes.pop("Stopped")["findings"] if one["law"] == "P9"]
    assert (stopped["where"], stopped["severity"]) == ("offset", "advice")
    [unread] = [one for one in classes.pop("Segment")["findings"] if one["law"] in ("P8", "P9")]
    assert (unread["where"], unread["severity"]) == ("width", "advice")
    [of_record] = [one for one in classes.pop("Geometry")["findings"] if one["law"] in ("P8", "P9")]
    assert (of_record["where"], of_record["severity"]) == ("even", "advice"), (
        "a function beside the class reads it"
    )
    faults = {
        name: [one["where"] for one in found["findings"] if one["law"] in ("P8", "P9")]
        for name, found in classes.items()
    }
    assert not faults["Schedule"] and not faults["Rounded"] and not faults["Disc"]
    assert "offset" in faults["Forgotten"], "what is multiplied by nothing is a mistake"
    schedule = (tmp_path / "tests/test_schedule.py").read_text()
    assert 'Leaf("times", "param", (3,), unused=True)' in schedule
    assert "since the call follows it in steps alone: `times` may have no gradient." in schedule
    assert "in steps" not in (tmp_path / "tests/test_forgotten.py").read_text()
