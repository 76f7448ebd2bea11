"""Mistakes that people make when they shard a class by hand, each as an edit of the generated decoder."""

from typing import NamedTuple


class Mistake(NamedTuple):
    """An edit, and the laws that notice it; none where it is known to go by."""

    name: str
    old: str
    new: str
    laws: tuple[str, ...]
    file: str = "decoder.py"
    suite: str = "FeedForward"


_UP = "hidden = jax.nn.gelu(x @ self.up.T + self.bias[None, :])"
_IMPORT = "import jax.numpy as jnp\n"
_SHARDS = """\
def by_shard(function, x):
    mesh = jax.sharding.get_abstract_mesh()
    if "model" not in mesh.axis_names:
        return function(x)
    spec = jax.sharding.PartitionSpec(None, "model")
    return jax.shard_map(function, in_specs=spec, out_specs=spec, axis_names={"model"})(x)


"""

MISTAKES = (
    Mistake(
        "a transposed spec",
        '"down": ("size", "hidden_size")',
        '"down": ("hidden_size", "size")',
        ("P20", "P21"),
    ),
    Mistake(
        "a replicated weight", '"up": ("hidden_size", "size"),', '"up": ("size", "size"),', ("P20", "P21")
    ),
    Mistake(
        "a missing constraint",
        "jnp.matmul(hidden, self.down.T, out_sharding=out_sharding(None, None))",
        "hidden @ self.down.T",
        ("P20", "P21"),
    ),
    Mistake(
        "a key folded per device",
        _UP,
        "noise = by_shard(lambda x: x + jax.random.normal(jax.random.fold_in(jax.random.key(0), x.shape[1]), x.shape), self.up.T)\n"
        "        hidden = jax.nn.gelu(x @ noise + self.bias[None, :])",
        ("P21",),
    ),
    Mistake(
        "a norm that averages one shard",
        _UP,
        f"{_UP}\n        hidden = by_shard(lambda h: h / (1 + jnp.mean(h**2, axis=-1, keepdims=True)), hidden)",
        ("P21",),
    ),
    Mistake(
        "an axis of another name",
        '{"hidden_size": "model"},\n            rules',
        '{"hidden_size": "data"},\n            rules',
        ("P20", "P21"),
    ),
    Mistake(
        "a weight gathered before its product",
        _UP,
        "gathered = jax.sharding.reshard(self.up, out_sharding(None, None)) if out_sharding() is not None else self.up\n"
        "        hidden = jax.nn.gelu(x @ gathered.T + self.bias[None, :])",
        ("P21",),
    ),
    Mistake(
        "a size that the devices do not divide",
        '"hidden_size": 16',
        '"hidden_size": 12',
        ("P21",),
        "tests/test_decoder.py",
    ),
    Mistake(
        "a result left on the wrong axis",
        "self.down.T, out_sharding=out_sharding(None, None)",
        'self.down.T, out_sharding=out_sharding("model", None)',
        ("P20", "P21"),
    ),
    Mistake(
        "an array put on one device",
        _UP,
        "hidden = jax.nn.gelu(x @ jax.device_put(self.up, jax.devices()[0]).T + self.bias[None, :])",
        ("P18",),
    ),
    Mistake(
        "weights drawn outside of jax",
        "bias=jnp.zeros((hidden_size,), dtype)",
        "bias=jnp.asarray(jax.device_get(up_key)[:1] * 0).repeat(hidden_size).astype(dtype)",
        ("P18", "P21"),
    ),
    Mistake(
        "the state of an optimiser on one device",
        "specs = tree_specs(fields, rules)",
        'specs = tree_specs(fields, rules) | {"optimiser": jax.tree.map(lambda _: PartitionSpec(), self.optimiser)}',
        ("P20",),
        "tests/test_trainer.py",
        "Trainer",
    ),
    Mistake("a mean over the devices that are there", _UP, f"{_UP} / jax.device_count()", ()),
)

TRAINER = """
import equinox as eqx
import jax
import optax
from jax.sharding import PartitionSpec
from pytree_laws import PytreeLaws

from decoder import FeedForward
from sharding import tree_specs


class Trainer(eqx.Module):
    model: FeedForward
    optimiser: tuple

    def partition_specs(self, rules=None):
        fields = {"model": self.model, "optimiser": self.optimiser}
        specs = tree_specs(fields, rules)
        leaves = jax.tree.leaves(specs, is_leaf=lambda one: isinstance(one, PartitionSpec))
        return jax.tree.unflatten(jax.tree.structure(self), leaves)


class TestTrainer(PytreeLaws):
    sharding = {"hidden_size": "model"}

    def build(self, seed):
        model = FeedForward.create(16, 3, key=jax.random.key(seed))
        return Trainer(model, optax.adam(0.1).init(model))
"""


def edited(text: str, one: Mistake) -> str:
    """The text with the mistake in it."""
    assert text.count(one.old) >= 1, one.name
    start = text.index(f"class {one.suite}") if f"class {one.suite}" in text else 0
    at = text.index(one.old, start)
    changed = text[:at] + one.new + text[at + len(one.old) :]
    return changed.replace(_IMPORT, f"{_IMPORT}", 1).replace(
        "class FeedForward(", f"{_SHARDS}class FeedForward(", 1
    )
