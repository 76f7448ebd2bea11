"""Layers with state, data and buffers as an author writes them: values and gradients are those of Equinox and of plain jax."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.emitted.plain_jax import (
    Both,
    Values,
    assert_same_gradients,
    check_gradients,
    mapped,
    over_steps,
    sample,
)

NONE = frozenset[str]()
ROWS = sample(3, (2, 4, 3))
"""Two batches of four examples."""

MODES = {
    "ema": """
if not self.inference:
    mean = jax.lax.pmean(x, "batch")
    variance = jax.lax.pmean((x - mean) ** 2, "batch")
    first = self.first
    self.first = jnp.array(False)
    self.mean = jax.lax.select(first, mean, self.momentum * self.mean + (1 - self.momentum) * mean)
    kept = self.momentum * self.variance
    self.variance = jax.lax.select(first, variance, kept + (1 - self.momentum) * variance)
return (x - self.mean) / jnp.sqrt(self.variance + 1e-5) * self.weight + self.bias
""",
    "batch": """
if self.inference:
    scale = jnp.where(self.counter == 0, 1.0, 1 - self.momentum**self.counter)
    mean, variance = self.mean / scale, self.variance / scale
else:
    mean = jax.lax.pmean(x, "batch")
    variance = jax.lax.pmean((x - mean) ** 2, "batch")
    self.counter += 1
    self.mean = self.momentum * self.mean + (1 - self.momentum) * mean
    self.variance = self.momentum * self.variance + (1 - self.momentum) * variance
return (x - mean) / jnp.sqrt(variance + 1e-5) * self.weight + self.bias
""",
}


def batch_norm(mode: str) -> dict[str, Any]:
    state = {"ema": {"first": "bool[]@state=ones"}, "batch": {"counter": "i32[]@state=zeros"}}
    fields = {
        "weight": "f[size]=ones",
        "bias": "f[size]=zeros",
        "mean": "f[size]@state=zeros",
        "variance": "f[size]@state=zeros",
        **state[mode],
        "inference": {"type": "bool", "role": "buffer", "default": False},
        "momentum": {"type": "float", "role": "static", "default": 0.9},
    }
    call = {"args": "x: f[size]", "returns": "f[size]", "axis_name": "batch", "body": MODES[mode]}
    return {"name": "BatchNorm", "fields": fields, "call": call}


def of_equinox(mode: str, inference: bool) -> Any:
    layer, initial = eqx.nn.make_with_state(eqx.nn.BatchNorm)(3, "batch", mode=mode, momentum=0.9)
    layer = eqx.nn.inference_mode(layer, inference)
    index, other, name = (
        (layer.ema_state_index, layer.ema_first_time_index, "first")
        if mode == "ema"
        else (layer.batch_state_index, layer.batch_counter, "counter")
    )

    def run(values: Values, x: Any) -> tuple[Any, Values]:
        own = eqx.tree_at(lambda one: (one.weight, one.bias), layer, (values["weight"], values["bias"]))
        state = jax.tree.map(lambda leaf: jnp.array(np.asarray(leaf)), initial)
        state = state.set(index, (values["mean"], values["variance"])).set(other, values[name])
        result, state = own(x, state)
        mean, variance = state.get(index)
        return result, {"mean": mean, "variance": variance, name: state.get(other)}

    return run


@pytest.mark.spread(6)
@pytest.mark.parametrize("inference", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_batch_norm(mode: str, inference: bool) -> None:
    inputs = {"size": 3, "inference": inference}
    both = check_gradients(batch_norm(mode), ROWS, several=True, **inputs)
    start = {**both.values(), "mean": sample(5, (3,)), "variance": sample(6, (3,))}
    count = {"first": jnp.array(False)} if mode == "ema" else {"counter": jnp.array(2, jnp.int32)}
    theirs = mapped(both, of_equinox(mode, inference))
    for values in (start, {**start, **count}):
        del values["inference"]
        ours = over_steps(mapped(both, both.emitted))
        assert_same_gradients(ours, over_steps(theirs), values, ROWS, cut=NONE)


SPECTRAL = {
    "name": "SpectralNorm",
    "fields": {
        "weight": "f[rows,columns]=lecun_normal",
        "u": "f[rows]@state=normal",
        "v": "f[columns]@state=normal",
        "steps": {"type": "int", "default": 1},
        "inference": {"type": "bool", "role": "buffer", "default": False},
    },
    "call": {
        "args": "x: f[columns]",
        "returns": "f[rows]",
        "body": """
if not self.inference:
    weight = jax.lax.stop_gradient(self.weight)
    for _ in range(self.steps):
        u = weight @ self.v
        self.u = u / jnp.maximum(jnp.linalg.norm(u), 1e-12)
        v = weight.T @ self.u
        self.v = v / jnp.maximum(jnp.linalg.norm(v), 1e-12)
return self.weight / jnp.einsum("i,ij,j->", self.u, self.weight, self.v) @ x
""",
    },
}


@pytest.mark.spread(3)
@pytest.mark.parametrize(("steps", "inference"), [(1, False), (3, False), (1, True)])
def test_spectral_norm(steps: int, inference: bool) -> None:
    inputs = {"rows": 4, "columns": 3, "steps": steps, "inference": inference, "key": jax.random.key(1)}
    rows = sample(2, (2, 3))
    both = check_gradients(SPECTRAL, rows, several=True, **inputs)
    linear = eqx.nn.Linear(3, 4, use_bias=False, key=jax.random.key(0))
    make = eqx.nn.make_with_state(eqx.nn.SpectralNorm)
    layer, initial = make(linear, "weight", steps, inference=inference, key=jax.random.key(0))

    def theirs(values: Values, x: Any) -> tuple[Any, Values]:
        own = eqx.tree_at(lambda one: one.layer.weight, layer, values["weight"])
        state = jax.tree.map(lambda leaf: leaf, initial).set(layer.uv_index, (values["u"], values["v"]))
        result, state = own(x, state)
        return result, dict(zip("uv", state.get(layer.uv_index), strict=True))

    values = {name: value for name, value in both.values().items() if name != "inference"}
    assert_same_gradients(over_steps(both.emitted), over_steps(theirs), values, rows, cut=NONE)


ATTENDS = """
self.past_keys = self.past_keys.at[self.position].set(self.to_key @ x)
self.past_values = self.past_values.at[self.position].set(self.to_value @ x)
self.position += 1
seen = jnp.arange(self.past_keys.shape[0]) < self.position
return jax.nn.softmax(jnp.where(seen, self.past_keys @ x, -1e9)) @ self.past_values
"""
DRAWN = "lecun_normal"


@pytest.mark.spread(2)
@pytest.mark.parametrize("kind", ["module", "nnx"])
def test_a_key_cache(kind: str) -> None:
    fields = {
        "to_key": f"f[n,n]={DRAWN}",
        "to_value": f"f[n,n]={DRAWN}",
        "past_keys": "f[length,n]@state",
        "past_values": "f[length,n]@state",
        "position": "i32[]@state=zeros",
    }
    call = {"args": "x: f[n]", "returns": "f[n]", "body": ATTENDS}
    raw = {"name": "Cache", "kind": kind, "fields": fields, "call": call}
    sizes = {"test": {"sizes": {"n": 3, "length": 4}}}
    check_gradients({**raw, **sizes}, sample(2, (3, 3)), several=True)


ADAM = """
self.count += 1
self.first = 0.9 * self.first + 0.1 * gradient
self.second = 0.99 * self.second + 0.01 * gradient**2
steps = self.count.astype(gradient.dtype)
mean, square = self.first / (1 - 0.9**steps), self.second / (1 - 0.99**steps)
self.weights = self.weights - self.rate * mean / (jnp.sqrt(square) + 1e-8)
return self.weights
"""


@pytest.mark.spread(2)
@pytest.mark.parametrize("kind", ["module", "nnx"])
def test_adams_state_has_a_meta_gradient(kind: str) -> None:
    moments = {name: "f[n]@state" for name in ("weights", "first", "second")}
    fields = {"rate": {"type": "f[]", "role": "param"}, "count": "i32[]@state=zeros", **moments}
    call = {"args": "gradient: f[n]", "returns": "f[n]", "body": ADAM}
    raw = {"name": "Adam", "kind": kind, "fields": fields, "call": call}
    check_gradients(raw, sample(2, (3, 3)), several=True)


FILTERS = """
def advance(belief, measured):
    mean, spread = belief
    mean = self.moves @ mean
    spread = self.moves @ spread @ self.moves.T + jnp.diag(self.drift)
    expected = self.sees @ spread @ self.sees.T + jnp.diag(self.noise)
    gain = jnp.linalg.solve(expected, self.sees @ spread).T
    mean = mean + gain @ (measured - self.sees @ mean)
    return (mean, spread - gain @ self.sees @ spread), mean

(mean, spread), means = jax.lax.scan(advance, (self.mean, self.spread), x)
return means
"""


@pytest.mark.spread(4)
@pytest.mark.parametrize("kind", ["module", "pytree", "closure", "nnx"])
def test_a_kalman_filter_through_a_scan(kind: str) -> None:
    shapes = {"moves": "f[n,n]", "sees": "f[m,n]", "drift": "f[n]", "noise": "f[m]", "mean": "f[n]"}
    fields = {name: f"{shape}@data" for name, shape in (shapes | {"spread": "f[n,n]"}).items()}
    call = {"args": "x: f[steps,m]", "returns": "f[steps,n]", "body": FILTERS}
    raw = {"name": "Kalman", "kind": kind, "fields": fields, "call": call}
    sizes = {"test": {"sizes": {"n": 3, "m": 2, "steps": 4}}}
    check_gradients({**raw, **sizes}, sample(4, (4, 2)))


def test_a_gradient_that_equinox_has_and_we_have_not_is_noticed() -> None:
    cut = MODES["ema"].replace(
        "self.momentum * self.mean", "self.momentum * jax.lax.stop_gradient(self.mean)"
    )
    raw = batch_norm("ema")
    both = Both({**raw, "call": {**raw["call"], "body": cut}}, size=3)
    values = {**both.values(), "first": jnp.array(False)}
    ours, theirs = (mapped(both, run) for run in (both.emitted, of_equinox("ema", False)))
    with pytest.raises(AssertionError, match="the gradient of `mean`"):
        assert_same_gradients(ours, theirs, values, ROWS[0], cut=NONE)
