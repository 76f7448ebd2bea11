"""State of a Module: what is refused, how a body is rewritten, and that the emitted layer works as Equinox's do."""

import sys
from pathlib import Path
from typing import Any

import pytest

from scaffold import ScaffoldError
from scaffold.spec.reading.read import read_spec
from tests.support.forking import forked_pytest
from tests.support.projects import EXAMPLES, passed, run, scaffold
from tests.support.trees import write_tree

MEAN = {"type": "f[n]", "role": "state", "init": "zeros"}
COUNT = {"type": "i32[]", "role": "state", "init": "zeros"}
UPDATES = "self.mean = self.mean + x\nreturn x"


def spec(body: str = UPDATES, args: str = "x: f[n]", **parts: Any) -> dict[str, Any]:
    fields = {"mean": MEAN, "count": COUNT, **parts.pop("fields", {})}
    call = {"args": args, "body": body, **parts.pop("call", {})}
    return {"name": "Centre", "fields": fields, "call": call, **parts}


def field(**table: Any) -> dict[str, Any]:
    return spec(fields={"mean": {**MEAN, **table}})


def body_of(body: str, **parts: Any) -> str:
    """The body of the call as it is laid out."""
    call = read_spec(spec(body, **parts), "s").call
    assert call is not None
    return call.body


EXPLICIT = {"args": "x: f[n], state: eqx.nn:State", "call": {"returns": "f[n], eqx.nn:State"}}
# fmt: off
ROWS = [
    (spec("return jax.lax.map(lambda state: state + self.mean, x)"), spec("mean = self.mean\nreturn jax.lax.map(lambda state: state + mean, x)"), "call.body | `self.mean` is read where `state` is bound anew | give that another name, or read `self.mean` before it"),
    (spec("return x + self.mean", kind="pytree"), spec(), "fields.mean.role | a class of kind `pytree` has no `state` | remove it, or write `kind = \"module\"`"),
    (field(type="f[n] | None"), field(optional="use_mean"), "fields.mean.type | state is there or is not, whatever it holds | write `optional = \"use_mean\"`, or remove `| None`"),
    (field(type="list[f[n]]"), field(), "fields.mean.role | role `state` does not go with type `list[f[n]]` | write one of param, data, buffer, derived"),
    (field(check="mean.ndim < 2"), field(), "fields.mean.check | the constructor holds no state to check | remove it: the call may check what it reads"),
    (spec(fields={"w": {"type": "f[n]", "check": "w.shape == mean.shape"}}), spec(fields={"w": {"type": "f[n]", "check": "w.ndim == 1"}}), "fields.w.check | reads the state `mean` | compute it in the body of the call"),
    (spec(fields={"d": {"type": "f[n]", "role": "derived", "init": "=self.mean + 1"}}), spec(), "fields.d.init | reads the state `mean` | compute it in the body of the call"),
    (spec(args="x: f[n], state: f[n]"), spec(args="x: f[n], other: f[n]"), "call.args | `state` is what the call names the module's state | rename it, or write `state: eqx.nn:State` and return it yourself"),
    (spec("state = x\nreturn state"), spec("states = x\nreturn states"), "call.body | assigns `state`, which is what the call names the module's state | rename it, or take `state: eqx.nn:State` as an argument"),
    (spec("self.mean, y = x, x\nreturn y"), spec("self.mean = x\nreturn x"), "call.body | `self.mean` is updated within another statement or function | write `self.mean = ...` alone, as a statement of the body itself"),
    (spec("self.mean = y = x\nreturn y"), spec("self.mean = x\nreturn x"), "call.body | `self.mean` is updated within another statement or function | write `self.mean = ...` alone, as a statement of the body itself"),
    (spec("def f(y):\n    self.mean = y\nf(x)\nreturn x"), spec("def f(y):\n    return y\nself.mean = f(x)\nreturn x"), "call.body | `self.mean` is updated within another statement or function | write `self.mean = ...` alone, as a statement of the body itself"),
    (spec("self.w = x\nreturn x", fields={"w": "f[n]"}), spec("self.count += 1\nreturn x + self.w", fields={"w": "f[n]"}), "call.body | the call assigns `self.w`, and it may update state alone | write `role = \"state\"` for `w`, or return the new value"),
    (spec("return x, state", args=EXPLICIT["args"], call={"returns": "f[n]"}), spec("return x, state", **EXPLICIT), "call.returns | the call takes `state` and returns no state | write `returns = \"..., eqx.nn:State\"`, and return it last"),
    (spec(call={"axis_name": ""}), spec(call={"axis_name": "batch"}), "call.axis_name | is empty | write `axis_name = \"batch\"`, or remove it"),
    ({"name": "A", "kind": "pytree", "fields": {"w": "f[n]"}, "call": {"args": "x: f[n]", "body": "return x", "axis_name": "b"}}, spec(), "call.axis_name | a class of kind `pytree` has no `axis_name` | remove it, or write `kind = \"module\"`"),
]
REWRITTEN = {
    "an update": ("self.count = self.count + 1\nreturn x", "state = state.set(self.count, state.get(self.count) + 1)\nreturn x, state"),
    "an update in place": ("self.count[...] = 1\nreturn x", "state = state.set(self.count, 1)\nreturn x, state"),
    "an augmented update": ("self.count *= 2 + self.count\nreturn x", "state = state.set(self.count, state.get(self.count) * (2 + state.get(self.count)))\nreturn x, state"),
    "floor division": ("self.count //= 2\nreturn x", "state = state.set(self.count, state.get(self.count) // 2)\nreturn x, state"),
    "a read of floats": ("return x + self.mean", "return x + state.get(self.mean), state"),
    "a read that is guarded": ("return x + jax.lax.stop_gradient(self.mean)", "return x + jax.lax.stop_gradient(state.get(self.mean)), state"),
    "a whole read": ("return self.count[...]", "return state.get(self.count), state"),
    "an entry": ("return self.mean[0]", "return state.get(self.mean)[0], state"),
    "several lines": ("self.count = (  # one\n    self.count + 1\n)\nreturn x  # done", "state = state.set(self.count, (  # one\n    state.get(self.count) + 1\n))\nreturn x, state  # done"),
    "in a branch": ("if x.ndim:\n    self.count += 1\n    return x\nelse:\n    return -x", "if x.ndim:\n    state = state.set(self.count, state.get(self.count) + 1)\n    return x, state\nelse:\n    return -x, state"),
    "on one line": ("self.count = 1; self.mean = x\nreturn x", "state = state.set(self.count, 1); state = state.set(self.mean, x)\nreturn x, state"),
    "several results": ("return x, x", "return (x, x), state"),
    "a choice": ("return x if x.ndim else -x", "return (x if x.ndim else -x), state"),
    "nothing at an early end": ("if x.ndim:\n    return\nreturn x", "if x.ndim:\n    return None, state\nreturn x, state"),
    "an inner function": ("def f(y):\n    return y + self.count\nreturn f(x)", "def f(y):\n    return y + state.get(self.count)\nreturn f(x), state"),
    "in an f-string": ("return f'{self.count}'", "return f'{state.get(self.count)}', state"),
    "wide letters": ("self.count = 'é' and 1; y = x\nreturn y", "state = state.set(self.count, 'é' and 1); y = x\nreturn y, state"),
}
# fmt: on


@pytest.mark.parametrize(("bad", "good", "told"), ROWS, ids=[row[2].split("|")[1].strip() for row in ROWS])
def test_a_fault_has_its_place_and_fix(bad: dict[str, Any], good: dict[str, Any], told: str) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec(bad, "s")
    found = {f"{fault.where[3:]} | {fault.what} | {fault.fix}" for fault in caught.value.faults}
    assert told in found
    read_spec(good, "s")


@pytest.mark.parametrize("name", REWRITTEN)
def test_a_body_reads_and_sets_the_state(name: str) -> None:
    body, expected = REWRITTEN[name]
    assert body_of(body) == expected


def test_a_call_that_takes_the_state_returns_it_itself() -> None:
    body = "self.count += 1\nx, state = jax.nn.relu(x), state\nreturn x, state"
    expected = body.replace("self.count += 1", "state = state.set(self.count, state.get(self.count) + 1)")
    assert body_of(body, **EXPLICIT) == expected
    by_hand = "return x, state.set(self.count, state.get(self.count) + 1)"
    assert body_of(by_hand, **EXPLICIT) == by_hand


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ("", ["state"]),
        ("x: f[n]", ["x", "state"]),
        ("x: f[n], scale: float = 1.0", ["x", "state", "scale"]),
        ("x: f[n], *, still: bool = False", ["x", "state", "*", "still"]),
    ],
)
def test_the_state_follows_what_must_be_given(args: str, expected: list[str]) -> None:
    call = read_spec(spec("return self.count", args=args), "s").call
    assert call is not None and [one.name for one in call.args] == expected


OUTER = """\
name = "Net"
[fields]
scale = "f[size]@param"
norm = { type = "RunningCentre", init = "=RunningCentre.create(size, dtype=dtype)" }
seen = { type = "i32[]", role = "state", init = "zeros" }
spread = { type = "f[size]", role = "state" }
last = { type = "f[]", role = "state", init = "zeros", optional = "use_last" }
noise_key = "key[]"
[call]
args = "x: f[size], state: eqx.nn:State"
returns = "f[size], eqx.nn:State"
axis_name = "batch"
body = '''
self.seen += 1
if self.last is not None:
    self.last = jax.lax.pmean(jnp.sum(x), "batch")
y, state = self.norm(self.scale * x / self.spread, state)
return y + jax.random.uniform(self.noise_key, (), x.dtype), state
'''
[test]
skip = ["p12_inference"] # which it counts as well
"""
CUMULATIVE = """\
name = "Cumulative"
[fields]
total = "f[size]@state=zeros"
gain = "f[size]=ones"
[call]
args = "x: f[size], h: f[size], *, key: key[] | None = None"
returns = "f[size], f[size]"
carry = "x"
body = '''
self.total += x
return x + self.gain * h, self.total + h
'''
[test]
unused = ["key"]
"""
TRAINS = """\
import equinox as eqx, jax, jax.numpy as jnp
from running_centre import RunningCentre

layer, state = eqx.nn.make_with_state(RunningCentre.create)(3)
mapped = lambda layer: jax.vmap(layer, in_axes=(0, None), out_axes=(0, None), axis_name="batch")
x = jnp.arange(12.0).reshape(4, 3)
y, after = eqx.filter_jit(lambda layer, x, state: mapped(layer)(x, state))(layer, x, state)
assert jnp.allclose(after.get(layer.mean), 0.1 * x.mean(0)) and y.shape == (4, 3)
still = eqx.nn.inference_mode(layer)
_, same = mapped(still)(x, after)
assert jnp.array_equal(same.get(still.mean), 0.1 * x.mean(0))
last, _ = jax.lax.scan(lambda s, row: (mapped(layer)(row, s)[1], None), same, jnp.stack([x, x]))
assert jnp.allclose(last.get(layer.mean), x.mean(0) * (1 - 0.9**3))
try:
    jax.vmap(layer, in_axes=(0, None), axis_name="batch")(x, last)[1].get(layer.mean).shape == (3,) or 1 / 0
except ZeroDivisionError:
    print("batched")
"""


@pytest.mark.slow
def test_layers_with_state_work_together(tmp_path: Path) -> None:
    centre = (EXAMPLES / "specs/running_centre.toml").read_text()
    specs = {"running_centre": centre, "net": OUTER, "cumulative": CUMULATIVE}
    write_tree(tmp_path, {f"specs/{name}.toml": text for name, text in specs.items()})
    result = scaffold(tmp_path, "new-module", "--spec", *(f"specs/{name}.toml" for name in specs))
    assert result.returncode == 0, result.stderr
    # RunningCentre is an example, which holds its laws in every run.
    assert passed(forked_pytest(tmp_path, "tests/test_net.py", "tests/test_cumulative.py")) > 100
    write_tree(tmp_path, {"train.py": TRAINS})
    result = run([sys.executable, "train.py"], tmp_path)
    assert (result.returncode, result.stdout) == (0, "batched\n"), result.stderr
