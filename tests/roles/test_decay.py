"""Parameters that weight decay leaves alone: the filter spec `decayed()`, its faults, and a step of AdamW by hand."""

import sys
from pathlib import Path
from typing import Any

import pytest

from scaffold import ScaffoldError
from scaffold.spec.reading.read import read_spec
from tests.support.forking import forked_pytest
from tests.support.projects import passed, run, scaffold
from tests.support.trees import write_tree

SKELETON = """
from jaxtyping import Array, Float
from scaffold.skeleton import Module, buffer, module, param


class Affine(Module):
    weight: Float[Array, "out_size in_size"] = param("lecun_normal")
    bias: Float[Array, " out_size"] = param("zeros", decay=False)

    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
        return self.weight @ x + self.bias


class Net(Module):
    first: Affine
    head: Affine = module(decay=False)
    gain: Float[Array, " out_size"] = param("ones")
    shift: Float[Array, " out_size"] = param("zeros", decay=False)
    table: Float[Array, " out_size"] = buffer("ones")

    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
        return (self.first(x) * self.gain + self.shift + self.head(x)) * self.table
"""
STEPS = """
import equinox as eqx
import jax
import jax.numpy as jnp
import optax

from net import Affine, Net
from weight_decay import decayed

keys = jax.random.split(jax.random.key(0), 2)
net = Net.create(*(Affine.create(3, 2, key=key) for key in keys), 3)
net = eqx.tree_at(lambda net: (net.shift, net.first.bias), net, (jnp.ones(3), jnp.ones(3)))
spec = net.trainable()


def trained(mask):
    optimiser = optax.adamw(1e-2, weight_decay=0.3, mask=mask)
    weights, rest = eqx.partition(net, spec)
    state = optimiser.init(weights)
    for number in range(3):
        x = jnp.arange(2.0) + number
        loss = lambda weights: jnp.sum(eqx.combine(weights, rest)(x) ** 2)
        updates, state = optimiser.update(jax.grad(loss)(weights), state, weights)
        weights = optax.apply_updates(weights, updates)
    return weights


by_hand = eqx.tree_at(
    lambda mask: (mask.first.weight, mask.gain),
    jax.tree.map(lambda _: False, eqx.filter(net, spec)),
    (True, True),
)
assert eqx.tree_equal(trained(decayed), trained(by_hand))
assert not eqx.tree_equal(trained(decayed), trained(None))
print(sorted(jax.tree_util.keystr(path) for path, mark in jax.tree_util.tree_leaves_with_path(net.decayed()) if mark))
"""


@pytest.mark.slow  # its neighbours are tried in every run
def test_a_step_of_adamw_is_that_of_a_mask_by_hand_and_the_laws_hold(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/net.py": SKELETON, "steps.py": STEPS})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/net.py").returncode == 0
    ran = run([sys.executable, "steps.py"], tmp_path)
    assert ran.stdout == "['.first.weight', '.gain']\n", ran.stderr
    suite = (tmp_path / "tests/test_net.py").read_text()
    assert 'undecayed = ("bias",)' in suite and 'undecayed = ("head", "shift")' in suite
    assert passed(forked_pytest(tmp_path, "tests", "-k", "p16 or p09")) > 15
    net = (tmp_path / "net.py").read_text()
    write_tree(tmp_path, {"net.py": net.replace('but=("head", "shift")', 'but=("head",)')})
    ran = forked_pytest(tmp_path, "tests", "-k", "p16")
    assert ran.returncode == 1
    assert (
        "P16 helpers, at `decayed`: on a fresh instance it selects ['first.weight', 'gain', 'shift']"
        in ran.stdout
    )


FROZEN = """

class Kite(Module):
    sail: Affine = module(frozen=True)
    tail: Affine
    gain: Float[Array, " out_size"] = param("ones", decay=False)

    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
        return self.gain * self.sail(x) + self.tail(x)
"""


@pytest.mark.slow
def test_no_decay_moves_what_is_frozen_of_a_module_that_answers_for_itself(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/net.py": SKELETON + FROZEN})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/net.py").returncode == 0
    assert passed(forked_pytest(tmp_path, "tests", "-k", "TestKite and (p16 or p09)")) > 10
    module = (tmp_path / "net.py").read_text()
    write_tree(tmp_path, {"net.py": module.replace('but=("gain",)', "but=()")})
    ran = forked_pytest(tmp_path, "tests", "-k", "TestKite and p16")
    assert (
        "`decayed`: on a fresh instance it selects ['gain', 'tail.weight'], wanted is ['tail.weight']"
        in ran.stdout
    )


def test_a_class_without_such_a_field_has_no_such_method(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/net.py": SKELETON.replace(", decay=False", "").replace("decay=False", "")})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/net.py").returncode == 0
    assert "decayed" not in (tmp_path / "net.py").read_text()
    assert not (tmp_path / "weight_decay.py").exists()


WEIGHT = {"type": "f[n]", "init": "ones"}
BIAS = {"type": "f[n]", "init": "zeros", "decay": False}


def spec(**parts: Any) -> dict[str, Any]:
    return {"name": "A", "fields": {"weight": WEIGHT, "bias": BIAS}, **parts}


# fmt: off
ROWS = [
    (spec(fields={"weight": WEIGHT, "bias": {**BIAS, "role": "buffer"}}), "fields.bias.decay | `decay` says nothing of a buffer field | remove it, or write another role"),
    (spec(kind="nnx"), "fields.bias.decay | a class of kind `nnx` has no `decay` | remove it, or write `kind = \"module\"`"),
    (spec(groups={"part": ["bias"]}, layout="nested"), "fields.bias.decay | `decay` is for fields of the class itself, and this one lies in that of `part` | take it out of the group, or write `layout = \"flat\"`"),
    (spec(fields={"weight": WEIGHT, "bias": {**BIAS, "decay": "no"}}), "fields.bias.decay | 'no' is not a boolean | write `decay = true`: Whether weight decay moves a parameter or a sub-module (default: true); `decayed()` says so of all leaves."),
]
# fmt: on


@pytest.mark.parametrize(("bad", "told"), ROWS, ids=[row[1].split("|")[1].strip() for row in ROWS])
def test_a_fault_has_its_place_and_fix(bad: dict[str, Any], told: str) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec(bad, "s")
    assert told in {f"{one.where[3:]} | {one.what} | {one.fix}" for one in caught.value.faults}
