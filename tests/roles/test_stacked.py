"""Stacked layers: loops of the spec as scans of the class, their faults, and what they give beside a tuple of layers."""

import sys
from pathlib import Path
from typing import Any

import pytest

from scaffold import ScaffoldError
from scaffold.spec.reading.read import read_spec
from tests.support.forking import forked_pytest
from tests.support.projects import REPOSITORY, passed, run, scaffold
from tests.support.trees import write_tree

SKELETON = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, module, param, state, static, test


class Layer(Module):
    weight: Float[Array, "size size"] = param("normal(0.2)")
    bias: Float[Array, " size"] = param("zeros", decay=False)
    depth: int = static(1)

    def __call__(self, x: Float[Array, " size"], key: PRNGKeyArray) -> Float[Array, " size"]:
        kept = jax.random.bernoulli(key, 0.9, x.shape)
        return x + jnp.tanh(self.weight @ (x * kept) + self.bias)


@test(sizes={"size": 3, "depth": 4})
class Deep(Module):
    layers: list[Layer] = module(stacked=STACKED, remat=REMAT)
    scale: Float[Array, " depth"] = param("ones")
    depth: int = static(check=lambda depth: depth > 0)

    def __init__(self, size: int, depth: int, dtype: DTypeLike | None = None, *, key: PRNGKeyArray):
        self.depth = depth
        self.layers = [Layer.create(size, dtype=dtype, key=one) for one in jax.random.split(key, depth)]

    def __call__(self, x: Float[Array, " size"], key: PRNGKeyArray) -> Float[Array, " size"]:
        first = self.layers[0].bias
        norms = []
        count = jnp.zeros((), x.dtype)
        # One key for each layer.
        for index, (layer, scale, one) in enumerate(
            zip(self.layers, self.scale, jax.random.split(key, len(self.layers)))
        ):
            last = layer(x, one)
            x = last * scale  # scaled
            count += jnp.sum(x) * (index > 0)
            norms.append(jnp.sum(x**2))
        for layer in reversed(self.layers):
            x = x + layer.bias
        for layer in self.layers[1:]:
            x = x * layer.weight[0]
        return x / (1 + jnp.sum(jnp.stack(norms))) + count + first


class Norm(Module):
    gain: Float[Array, " size"] = param("ones")
    scale: Float[Array, " size"] = state("ones")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        self.scale = 0.9 * self.scale + 0.1 * x**2
        return self.gain * x / (0.1 + self.scale)


@test(sizes={"size": 3, "depth": 2})
class Norms(Module):
    layers: list[Norm] = module(stacked=STACKED)
    bias: Float[Array, " size"] = param("zeros")

    def __init__(self, size: int, depth: int = 2, dtype: DTypeLike | None = None, *, key: PRNGKeyArray):
        self.layers = [Norm.create(size, dtype) for _ in range(depth)]

    def __call__(
        self, x: Float[Array, " size"], state: eqx.nn.State
    ) -> tuple[Float[Array, " size"], eqx.nn.State]:
        for layer in self.layers:
            x, state = layer(x, state)
        return x + self.bias, state
"""
COMPARED = """
import sys

import equinox as eqx
import jax
import jax.numpy as jnp

sys.path.append("other")
import looped
import stacked

x, key = jnp.arange(3.0), jax.random.key(1)
deep, other = (part.Deep(3, 4, key=jax.random.key(0)) for part in (stacked, looped))
assert jax.tree.all(jax.tree.map(lambda a, *b: bool((a == jnp.stack(b)).all()), deep.layers.weight, *(one.weight for one in other.layers)))
run = eqx.filter_jit(eqx.filter_value_and_grad(lambda deep: jnp.sum(deep(x, key) ** 2)))
(value, grads), (wanted, other_grads) = run(deep), run(other)
assert jnp.allclose(value, wanted), (value, wanted)
assert jnp.allclose(grads.layers.weight, jnp.stack([one.weight for one in other_grads.layers]), atol=1e-6)
assert deep.layers.decayed().bias is False and deep.layers.decayed().weight is True

(norms, state), (loop, loop_state) = (eqx.nn.make_with_state(part.Norms)(3, key=key) for part in (stacked, looped))
for _ in range(2):
    (got, state), (wanted, loop_state) = norms(x, state), loop(x, loop_state)
    assert jnp.allclose(got, wanted), (got, wanted)
text = str(jax.make_jaxpr(lambda x: deep(x, key))(x))
print(text.count("scan["), "remat" in str(jax.make_jaxpr(jax.grad(lambda x: jnp.sum(deep(x, key))))(x)))
"""


def skeleton(*, stacked: bool) -> str:
    return SKELETON.replace("STACKED", str(stacked)).replace("REMAT", str(stacked))


@pytest.mark.slow  # its neighbours are tried in every run
def test_scans_give_what_the_loops_give_and_the_laws_hold(tmp_path: Path) -> None:
    write_tree(tmp_path, {"compare.py": COMPARED})
    for folder, name in ((tmp_path, "stacked"), (tmp_path / "other", "looped")):
        write_tree(folder, {f"specs/{name}.py": skeleton(stacked=name == "stacked")})
        made = scaffold(folder, "new-module", "--spec", f"specs/{name}.py")
        assert made.returncode == 0, made.stdout + made.stderr
    ran = run([sys.executable, "compare.py"], tmp_path)
    assert ran.stdout == "3 True\n", ran.stdout + ran.stderr
    assert passed(forked_pytest(tmp_path, "tests/test_stacked.py", "-k", "p14 or p22")) > 12
    emitted = (tmp_path / "stacked.py").read_text()
    assert "x = last * scale  # scaled" in emitted and "        # One key for each layer.\n" in emitted
    assert "self.layers = eqx.filter_vmap(" in emitted


@pytest.mark.slow
def test_the_laws_hold_of_a_scan(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/stacked.py": skeleton(stacked=True)})
    made = scaffold(tmp_path, "new-module", "--spec", "specs/stacked.py")
    assert made.returncode == 0, made.stdout + made.stderr
    laws = "p01 or p02 or p07 or p09 or p14 or p15 or p22"
    assert passed(forked_pytest(tmp_path, "tests/test_stacked.py", "-k", laws)) > 90


def test_an_edit_of_the_scan_is_noticed_at_once(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/stacked.py": skeleton(stacked=True)})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/stacked.py").returncode == 0
    emitted = (tmp_path / "stacked.py").read_text()
    assert "reverse=True" in emitted
    write_tree(tmp_path, {"stacked.py": emitted.replace("x = last * scale", "x = last")})
    ran = forked_pytest(tmp_path, "tests/test_stacked.py", "-k", "p22")
    assert ran.returncode == 1
    assert "P22 stacked layers, at `scale`: the gradient is" in ran.stdout


LAYERS = {
    "type": "list[equinox.nn:Linear]",
    "init": "=[Linear(3, 3, dtype=dtype, key=k) for k in jax.random.split(key, 2)]",
    "stacked": True,
}
CALL = "for layer in self.layers:\n    x = layer(x)\nreturn x"


def spec(body: str = CALL, **layers: Any) -> dict[str, Any]:
    call = {"args": "x: f[3]", "returns": "f[3]", "body": body}
    return {"name": "A", "fields": {"layers": {**LAYERS, **layers}}, "call": call}


# fmt: off
LOOP = "`for layer in self.layers`"
ROWS = [
    ({**spec(), "kind": "pytree"}, "fields.layers.stacked | a class of kind `pytree` has no `stacked` | remove it, or write `kind = \"module\"`"),
    (spec("return self.layers(x)", type="equinox.nn:Linear", init="=Linear(3, 3, dtype=dtype, key=key)"), "fields.layers.stacked | only a list of one class can be stacked | write `list[Block]` as its type"),
    (spec(stacked=False, remat=True), "fields.layers.remat | only stacked layers are computed again | write `stacked = true` beside it"),
    ({**spec(), "groups": {"part": ["layers"]}, "layout": "nested"}, "fields.layers.stacked | `stacked` is for fields of the class itself, and this one lies in that of `part` | take it out of the group, or write `layout = \"flat\"`"),
    (spec("for layer in self.layers:\n    x = layer(x)\n    if x.ndim > 3:\n        break\nreturn x"), f"call | {LOOP} has `break`, and a scan runs through every layer | let each layer run, and choose with `jnp.where`; or leave `stacked` out"),
    (spec("for layer in self.layers:\n    y = layer(x)\nreturn y"), f"call | {LOOP} first assigns `y`, which is read below the loop | assign `y` above the loop too, with the same shape and dtype"),
    (spec("for i, layer in enumerate(self.layers[1:]):\n    x = layer(x) + i\nreturn x"), "call | `for i, layer in enumerate(self.layers[1:])` has no form as a scan | write `for layer in self.layers`, with `zip`, `enumerate`, `reversed` or a slice"),
    (spec("seen, y = [], x\nfor layer in self.layers:\n    x = layer(x)\n    seen.append(x)\nreturn x"), f"call | {LOOP} changes `seen` in place, which a scan does once for all layers | write `seen = []` on a line of its own above the loop, and append to it once for each layer"),
    (spec("for layer in sorted(self.layers):\n    x = layer(x)\nreturn x"), "call | `for layer in sorted(self.layers)` has no form as a scan | write `for layer in self.layers`, with `zip`, `enumerate`, `reversed` or a slice"),
    (spec("return x + sum(layer(x) for layer in self.layers)"), "call | goes through `self.layers`, which is one instance of all layers | read the layers by `for`, `len` or an index, or leave `stacked` out"),
    (spec("return x + sum(map(jnp.sum, self.layers))"), "call | goes through `self.layers`, which is one instance of all layers | read the layers by `for`, `len` or an index, or leave `stacked` out"),
]
# fmt: on


@pytest.mark.parametrize(("bad", "message"), ROWS, ids=[row[1].split("|")[1].strip()[:60] for row in ROWS])
def test_a_fault_has_its_place_and_fix(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec(bad, "s")
    assert message in {f"{fault.where[3:]} | {fault.what} | {fault.fix}" for fault in caught.value.faults}


def test_layers_that_are_given_are_refused() -> None:
    raw = spec()
    del raw["fields"]["layers"]["init"]
    with pytest.raises(ScaffoldError, match="nothing says how one layer is made"):
        read_spec(raw, "s")


DEEP = """
import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

sys.path.append("other")
import decoder_stacked
import decoder_tuple

SIZES = (24, 7, 5, 8, 2, 16, 32)
key, tokens = jax.random.key(0), jnp.arange(7)
stacked, other = (one.LanguageModel(*SIZES, key=key) for one in (decoder_stacked, decoder_tuple))


def numbers(model):
    arrays, static = eqx.partition(model, eqx.is_inexact_array)
    run = jax.jit(jax.value_and_grad(lambda arrays: jnp.mean(eqx.combine(arrays, static)(tokens) ** 2)))
    return run(arrays)


(value, grads), (wanted, wanted_grads) = numbers(stacked), numbers(other)
assert np.isclose(value, wanted, rtol=1e-5), (value, wanted)
each = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(eqx.filter(block, eqx.is_array) for block in wanted_grads.blocks))
pairs = zip(jax.tree.leaves(eqx.filter(grads.blocks, eqx.is_array)), jax.tree.leaves(each), strict=True)
assert all(np.allclose(got, loop, rtol=1e-3, atol=1e-5) for got, loop in pairs)
stacked.save("model.safetensors")
like = decoder_stacked.LanguageModel(*SIZES, key=jax.random.key(1))
assert eqx.tree_equal(decoder_stacked.LanguageModel.load("model.safetensors", like), stacked)
specs = stacked.partition_specs()
print(specs.blocks.attention.queries, specs.blocks.feed_forward.up)
"""


@pytest.mark.slow
def test_a_decoder_of_32_stacked_blocks_is_that_of_the_loop_saved_and_sharded(tmp_path: Path) -> None:
    spec = (REPOSITORY / "generated_examples/specs/decoder.py").read_text()
    spec = spec.replace("import Module, ", "import Module, module, ").replace(
        "(Module, ", "(Module, save=True, "
    )
    stacked = spec.replace("list[DecoderBlock]", "list[DecoderBlock] = module(stacked=True)")
    write_tree(tmp_path, {"compare.py": DEEP})
    for folder, name, text in (
        (tmp_path, "decoder_stacked", stacked),
        (tmp_path / "other", "decoder_tuple", spec),
    ):
        write_tree(folder, {f"specs/{name}.py": text})
        assert scaffold(folder, "new-module", "--spec", f"specs/{name}.py").returncode == 0
    ran = run([sys.executable, "compare.py"], tmp_path)
    wanted = "PartitionSpec(None, 'model', None, None) PartitionSpec(None, 'model', None)\n"
    assert ran.stdout.replace("P(", "PartitionSpec(") == wanted, ran.stdout + ran.stderr
    ran = run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "tests",
            "--mesh",
            "8",
            "-k",
            "p14 or p19 or p20 or p21 or p22",
        ],
        tmp_path,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_picture_has_the_axis_of_the_layers(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/stacked.py": skeleton(stacked=True)})
    shown = scaffold(tmp_path, "show", "specs/stacked.py", "--set", "depth=32").stdout
    assert "│  ├─ weight  float[depth, size, size]  param        288  1.1 KiB\n" in shown
    assert "│  ├─ bias    float[depth, size]        undecayed     96    384 B\n" in shown


APART = """
import jax.random as jr
from jaxtyping import Array, Float
from scaffold.skeleton import Module, module, param


class Block(Module):
    weight: Float[Array, "width width"] = param("lecun_normal")

    def __call__(self, x: Float[Array, " width"]) -> Float[Array, " width"]:
        return self.weight @ x


class Net(Module):
    layers: list[Block] = module(stacked=True)

    def __init__(self, width: int, depth: int, *, key):
        keys = jr.split(key, depth)
        self.layers = [Block.create(width, key=k) for k in keys]

    def __call__(self, x: Float[Array, " width"]) -> Float[Array, " width"]:
        for layer in self.layers:
            x = layer(x)
        return x
"""


def test_keys_may_be_split_on_a_line_of_their_own(tmp_path: Path) -> None:
    write_tree(tmp_path, {"net.py": APART, "nets/readme.md": ""})
    made = scaffold(tmp_path / "nets", "new-module", "--spec=../net.py")
    assert made.returncode == 0, made.stderr
    text = (tmp_path / "nets" / "net.py").read_text("utf-8")
    assert "self.layers = eqx.filter_vmap(lambda k: Block.create(width, key=k))(keys)" in text
