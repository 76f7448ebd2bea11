"""Specs of NNX modules: what is refused, with its remedy, and how a body is rewritten."""

from typing import Any

import pytest

from scaffold import ScaffoldError
from scaffold.passes.variables import assigned_attributes, read_values, updated
from scaffold.spec.reading.read import read_spec
from scaffold.suite.examples.declared import used_fields


def spec(fields: dict[str, Any], body: str = "return x", **top: Any) -> Any:
    call = {"args": "x: f[size]", "returns": "f[size]", "body": body}
    return read_spec({"name": "Block", "kind": "nnx", "fields": fields, "call": call, **top}, "spec")


BUFFER = {"type": "f[size]", "role": "buffer"}
REFUSED = {
    "a Param as buffer": ({"mean": {**BUFFER, "variable": "Param"}}, {}, "a `Param` is trained", "role ="),
    "a type of a param": (
        {"weight": {"type": "f[size]", "role": "param", "variable": "Cache"}},
        {},
        "`variable` says nothing of a param field",
        "write another role",
    ),
    "the class itself": (
        {"mean": {**BUFFER, "variable": "Block"}},
        {},
        "`Block` is the class itself",
        "write `BlockVariable`",
    ),
    "a member of the module": ({"train": "f[size]"}, {}, "hides a member", "write `train_`"),
    "a Python leaf": (
        {"rate": {"type": "float", "role": "buffer"}},
        {},
        "Python values as static",
        'role = "static"',
    ),
    "a tree": ({"params": "tree"}, {}, "a Variable holds one array", "list[...]"),
    "a factory": (
        {"weight": "f[size]"},
        {"constructor": "factory"},
        "is not built by `factory`",
        "remove it",
    ),
    "a param that the call assigns": (
        {"weight": "f[size]", "mean": BUFFER},
        {"body": "self.weight = x\nreturn x"},
        "the call assigns `self.weight`",
        "return the new value",
    ),
    "a buffer with a gradient that the call assigns": (
        {"mean": BUFFER},
        {"body": "self.mean = x\nreturn x"},
        "the call assigns `self.mean`, and it may update state alone",
        'write `role = "state"` for `mean`',
    ),
    "groups": (
        {"weight": "f[size]"},
        {"groups": {"kernels": ["weight"]}},
        "kind `nnx` has no `groups`",
        "remove it",
    ),
    "a rebuild": (
        {"weight": "f[size]"},
        {"rebuild": "flag"},
        "has no `rebuild`",
        "remove it, or write",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_told_with_its_remedy(name: str) -> None:
    fields, more, what, fix = REFUSED[name]
    with pytest.raises(ScaffoldError) as caught:
        spec(fields, **more)
    told = [fault for fault in caught.value.faults if what in fault.what]
    assert told and fix in told[0].fix, caught.value.faults


def test_a_variable_type_is_for_nnx_alone() -> None:
    with pytest.raises(ScaffoldError, match="has no `variable`"):
        spec({"mean": {**BUFFER, "variable": "Cache"}}, kind="module")


STATE = {"type": "f[size]", "role": "state"}
FIELDS = {
    "weight": "f[size]@param",
    "mean": STATE,
    "past": {"type": "f[size]", "role": "data"},
    "mask": BUFFER,
    "calls": "i32[]",
    "bias": {"type": "f[size]", "optional": "use_bias", "init": "zeros"},
    "layers": "list[f[size]]@param",
    "depth": "int",
}
REWRITTEN = {
    "y = self.weight @ x": "y = self.weight[...] @ x",
    "y = self.weight.shape[0] + self.depth": "y = self.weight[...].shape[0] + self.depth",
    "y = self.mean": "y = self.mean[...]",
    "y = self.past": "y = self.past[...]",
    "y = self.mask": "y = jax.lax.stop_gradient(self.mask[...])",
    "y = jax.lax.stop_gradient(self.mask)": "y = jax.lax.stop_gradient(self.mask[...])",
    "y = self.mask[...]": "y = jax.lax.stop_gradient(self.mask[...])",
    "self.mean = x": "self.mean[...] = x",
    "self.mean[...] = x": "self.mean[...] = x",
    "self.calls += 1  # as Python counts": "self.calls[...] += 1  # as Python counts",
    "self.mean, y = x, self.calls": "self.mean[...], y = x, self.calls[...]",
    "y = x if self.bias is None else x + self.bias": "y = x if self.bias is None else x + self.bias[...]",
    "y = f(self.bias)": "y = f((None if self.bias is None else self.bias[...]))",
    "y = self.layers[self.depth - 1]": "y = self.layers[self.depth - 1][...]",
    "y = sum(self.layers)": "y = sum(tuple(variable[...] for variable in self.layers))",
    "y = f'{self.weight}'": "y = f'{self.weight[...]}'",
}


@pytest.mark.parametrize("source", REWRITTEN)
def test_a_body_reads_and_updates_values(source: str) -> None:
    assert read_values(spec(FIELDS), source) == REWRITTEN[source]


def test_what_a_call_updates_is_read_off_its_body() -> None:
    body = "self.mean = x\nself.calls[...] += 1\ny = self.weight\nreturn y"
    assert assigned_attributes(body) == ("calls", "mean")
    told = spec(FIELDS, body)
    assert updated(told, told.call) == ("mean", "calls")


def test_what_a_method_updates_that_the_call_uses_is_updated_by_the_call() -> None:
    move = {"args": "x: f[size]", "returns": "f[size]", "body": "self.mean = self.count(x)\nreturn self.mean"}
    count = {"args": "x: f[size]", "returns": "f[size]", "body": "self.calls += 1\nreturn self.moved(x)"}
    moved = {"args": "x: f[size]", "returns": "f[size]", "body": "return self.count(x)"}
    methods = {"move": move, "count": count, "moved": moved}
    told = spec(FIELDS, "return self.weight + self.move(x)", methods=methods)
    assert updated(told, told.call) == ("mean", "calls")
    by_method = {method.name: updated(told, method.call) for method in told.methods}
    assert by_method == {"move": ("mean", "calls"), "count": ("calls",), "moved": ("calls",)}


TRAINING = "if self.training:\n    mean = x\n    {}\nelse:\n    mean = self.mean\nreturn x - mean"
MOVES = {
    "self.mean = 0.9 * self.mean + 0.1 * x": [],
    "self.mean = 0.9 * self.mean + 0.1 * x\n    mean = self.mean": ["mean"],
    "mean = self.mean\n    self.mean = 0.9 * self.mean + 0.1 * x": ["mean"],
    "self.mean = x": [],
}


@pytest.mark.parametrize("move", MOVES)
def test_the_call_needs_a_state_that_each_way_through_it_reads_besides_moving_it(move: str) -> None:
    fields = {"weight": "f[size]@param", "mean": STATE, "training": {"type": "bool", "default": True}}
    assert used_fields(spec(fields, TRAINING.format(move))) == ["training", *MOVES[move]]


def test_a_key_among_the_arguments_becomes_rngs() -> None:
    fields = {"weight": {"type": "f[size,size]", "init": "lecun_normal"}}
    assert [one.name for one in spec(fields, arguments=["size", "*", "key"]).arguments] == [
        "size",
        "*",
        "rngs",
    ]
