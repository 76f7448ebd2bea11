"""Classes that compute in a narrower dtype than they store: what is emitted, what the laws see, and ten steps of training."""

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
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, Pytree, buffer, module, param, static


class Block(Module, compute="bfloat16"):
    up: Float[Array, "hidden size"] = param("lecun_normal")
    bias: Float[Array, " hidden"] = param("zeros")
    down: Float[Array, "size hidden"] = param("lecun_normal")
    mean: Float[Array, " size"] = buffer("zeros")
    scale: Float[Array, " size"] = param("ones", compute=False)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return x + self.down @ jax.nn.gelu(self.up @ self.normed(x) + self.bias)

    def normed(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        wide = (x - self.mean).astype(self.scale.dtype)
        return (wide * jax.lax.rsqrt(jnp.mean(wide**2) + 1e-6) * self.scale).astype(x.dtype)

    def grown(self, factor: Float[Array, ""]) -> "Block":
        return Block(self.up * factor, self.bias, self.down, self.mean, self.scale)


class Tower(Module, compute="bfloat16"):
    head: Float[Array, "classes size"] = param("lecun_normal")
    layers: list[Block] = module(stacked=True)
    depth: int = static(check=lambda depth: depth > 0)

    def __init__(
        self, classes: int, size: int, hidden: int, depth: int, dtype: DTypeLike | None = None, *, key: PRNGKeyArray
    ):
        self.depth = depth
        self.layers = [Block.create(hidden, size, dtype, key=one) for one in jax.random.split(key, depth)]

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " classes"]:
        for layer in self.layers:
            x = layer(x)
        return (self.head @ x).astype(jnp.float32)


class Mixed(Module):
    weight: Float[Array, "out size"] = param("lecun_normal", compute="bfloat16")
    bias: Float[Array, " out"] = param("zeros")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " out"]:
        return (self.weight @ x.astype(self.weight.dtype)).astype(x.dtype) + self.bias


class Holds(Module):
    block: Block = module()

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return x + self.block(x).astype(x.dtype)


class Registered(Pytree, compute="float16"):
    weight: Float[Array, "out size"] = param("lecun_normal")
    table: dict[str, Float[Array, " size"]] = param()

    def __call__(self, x: Float[Array, " size"], rest: list[Float[Array, " size"]]) -> Float[Array, " out"]:
        return self.weight @ (x + self.table["b"] + rest[0])
"""
CALL_OF_BLOCK = """
    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        x = x.astype(self.compute_dtype)
        return x + self.down.astype(self.compute_dtype) @ jax.nn.gelu(
            self.up.astype(self.compute_dtype) @ self.normed(x)
            + self.bias.astype(self.compute_dtype)
        )

    def normed(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        x = x.astype(self.compute_dtype)
        wide = (x - jax.lax.stop_gradient(self.mean).astype(self.compute_dtype)).astype(
            self.scale.dtype
        )
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("compute")
    write_tree(root, {"specs/net.py": SKELETON})
    made = scaffold(root, "new-module", "--spec", "specs/net.py")
    assert made.returncode == 0, made.stdout + made.stderr
    return root


def test_reads_are_cast_and_new_instances_are_not(root: Path) -> None:
    emitted = (root / "net.py").read_text()
    assert CALL_OF_BLOCK in emitted
    assert "    compute_dtype: ClassVar[DTypeLike] = jnp.bfloat16\n    up: Float" in emitted
    assert "            self.up * factor,\n" in emitted
    assert "@ x.astype(self.compute_dtype)" in emitted
    assert "rest = self._cast(rest)\n" in emitted


@pytest.mark.slow
def test_the_laws_of_dtypes_hold(root: Path) -> None:
    assert passed(forked_pytest(root, "tests/test_net.py", "-k", "p11")) > 8


def test_what_holds_such_a_class_need_not_say_the_dtype_again(root: Path) -> None:
    suite = (root / "tests/test_net.py").read_text().partition("class TestHolds")[2]
    assert '    narrowest = "bfloat16"\n' in suite.partition("\nclass ")[0]


@pytest.mark.slow
def test_the_laws_hold(root: Path) -> None:
    assert passed(forked_pytest(root, "tests/test_net.py")) > 300


MISTAKES = [
    (
        "+ self.bias.astype(self.compute_dtype)",
        "+ (self.bias * 3.0).astype(self.compute_dtype) / 3",
        "P7 jit equals eager, at `bias`: `mul` reads it as it is stored, and not in bfloat16",
    ),
    (
        "x = x.astype(self.compute_dtype)\n        return x + self.down",
        "x = x.astype(self.compute_dtype)\n        x = (x + 512) - 512\n        return x + self.down",
        "in bfloat16 it is not what it is as stored",
    ),
]


@pytest.mark.spread(2)
@pytest.mark.parametrize(("old", "new", "message"), MISTAKES, ids=["read as stored", "loses bits"])
def test_a_mistake_is_noticed(root: Path, tmp_path: Path, old: str, new: str, message: str) -> None:
    emitted = (root / "net.py").read_text()
    assert old in emitted
    tests = (root / "tests" / "test_net.py").read_text()
    files = {"net.py": emitted.replace(old, new, 1), "tests/test_net.py": tests}
    files |= {name: (root / name).read_text() for name in ("filter_specs.py", "tests/conftest.py")}
    write_tree(tmp_path, files)
    ran = forked_pytest(tmp_path, "tests/test_net.py", "-k", "TestBlock and p07")
    assert ran.returncode == 1
    assert message in ran.stdout


TRAINED = """
import equinox as eqx
import jax
import jax.numpy as jnp
import optax

from net import Block, Tower


class WideBlock(Block):
    compute_dtype = jnp.float32


class WideTower(Tower):
    compute_dtype = jnp.float32


def losses(tower, steps=10):
    optimiser = optax.adamw(1e-2)
    opt_state = optimiser.init(eqx.filter(tower, tower.trainable()))
    xs, ys = (jax.random.normal(jax.random.key(seed), shape) for seed, shape in ((1, (16, 8)), (2, (16, 3))))

    @eqx.filter_jit
    def step(tower, opt_state):
        def loss(trained, rest):
            return jnp.mean((jax.vmap(eqx.combine(trained, rest))(xs) - ys) ** 2)

        trained, rest = eqx.partition(tower, tower.trainable())
        value, grads = eqx.filter_value_and_grad(loss)(trained, rest)
        updates, opt_state = optimiser.update(grads, opt_state, trained)
        return eqx.apply_updates(tower, updates), opt_state, value

    found = []
    for _ in range(steps):
        tower, opt_state, value = step(tower, opt_state)
        found.append(float(value))
    dtypes = {str(leaf.dtype) for leaf in jax.tree.leaves((tower, opt_state)) if eqx.is_inexact_array(leaf)}
    return found, dtypes


narrow = Tower(3, 8, 16, 2, key=jax.random.key(0))
fields = {name: getattr(narrow, name) for name in ("head", "depth")}
wide = object.__new__(WideTower)
layers = object.__new__(WideBlock)
for name in ("up", "bias", "down", "mean", "scale"):
    object.__setattr__(layers, name, getattr(narrow.layers, name))
for name, value in {**fields, "layers": layers}.items():
    object.__setattr__(wide, name, value)
(first, dtypes), (second, _) = losses(narrow), losses(wide)
print(dtypes, max(abs(a - b) / b for a, b in zip(first, second)) < 0.03, first != second, first[-1] < first[0])
print("bf16" in str(eqx.filter_make_jaxpr(narrow)(jnp.ones(8))[0]), "bf16" in str(eqx.filter_make_jaxpr(wide)(jnp.ones(8))[0]))
"""


@pytest.mark.slow
def test_ten_steps_leave_what_is_stored_in_float32(root: Path) -> None:
    """Beside the same tower in float32, whose losses are the same up to what bfloat16 tells."""
    write_tree(root, {"train.py": TRAINED})
    ran = run([sys.executable, "train.py"], root)
    assert ran.stdout == "{'float32'} True True True\nTrue False\n", ran.stdout + ran.stderr


def spec(**said: Any) -> dict[str, Any]:
    call = {"args": "x: f[n]", "returns": "f[n]", "body": "return x * self.weight"}
    fields = {"weight": {"type": "f[n]", "role": "param"}, "n": {"type": "int"}}
    return {"name": "A", "compute": "bfloat16", "fields": fields, "call": call, **said}


def field(**said: Any) -> dict[str, Any]:
    return {"weight": {"type": "f[n]", "role": "param", **said}, "n": {"type": "int"}}


# fmt: off
ROWS = [
    (spec(kind="nnx"), "compute | a class of kind `nnx` has no `compute` | remove it, or write `kind = \"module\"`"),
    (spec(compute="int8"), "compute | `int8` is not legal | write one of the legal values: The dtype that methods compute in, where arrays are stored in a wider one."),
    (spec(fields=field(compute="int8")), "fields.weight.compute | `int8` is no dtype that a call computes in | write one of bfloat16, float16, float32, or false"),
    (spec(fields=field(compute="float16")), "fields.weight.compute | the class computes in bfloat16: it has one `compute_dtype` | write `compute = \"bfloat16\"`, or `false` for what is stored"),
    ({**spec(fields=field(compute=False)), "compute": ""}, "fields.weight.compute | the class computes in what it stores | remove it, or write `compute` for the class"),
    (spec(fields={**field(), "n": {"type": "int", "compute": "bfloat16"}}), "fields.n.compute | the field holds no floating array | remove it"),
    (spec(methods={"compute_dtype": {"returns": "int", "body": "return 1"}}), "compute | `compute_dtype` is what the casts read | rename yours"),
    (spec(call={"args": "x: f[n]", "returns": "f[n]", "carry": "x", "body": "return x * self.weight"}), "compute | `x` would be carried on in bfloat16 | say `compute` of the fields, and cast in the body: the carry keeps its dtype"),
]
# fmt: on


@pytest.mark.parametrize(("bad", "message"), ROWS, ids=[row[1].split("|")[1].strip()[:60] for row in ROWS])
def test_a_fault_has_its_place_and_fix(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec(bad, "s")
    assert message in {f"{fault.where[3:]} | {fault.what} | {fault.fix}" for fault in caught.value.faults}
