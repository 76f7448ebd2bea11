"""NNX modules keep their sharding in the metadata of their Variables: what is emitted, and what the laws see of it."""

import sys
from pathlib import Path

import pytest

from tests.support.projects import failed_laws, passed, run, scaffold
from tests.support.trees import write_tree

SPEC = '''\
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from scaffold.skeleton import Nnx, param, state
from sharding import out_sharding


class Feed(Nnx, sharding={"hidden": "model"}):
    """Two products, with a running mean of what lies between."""

    up: Float[Array, "hidden size"] = param("lecun_normal")
    down: Float[Array, "size hidden"] = param("lecun_normal")
    bias: Float[Array, " size"] = param("zeros")
    mean: Float[Array, " hidden"] = state("zeros")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        hidden = jax.nn.relu(self.up @ x)
        self.mean = 0.9 * self.mean + 0.1 * hidden
        return self.bias + jnp.matmul(self.down, hidden - self.mean, out_sharding=out_sharding(None))
'''
CREATE = """\
import jax
import numpy
from flax import nnx

from feed import Feed


@nnx.jit
def create():
    feed = Feed(16, 3, rngs=nnx.Rngs(0))
    state = nnx.state(feed)
    nnx.update(feed, jax.tree.map(jax.reshard, state, nnx.get_partition_spec(state)))
    return feed


alone = Feed(16, 3, rngs=nnx.Rngs(0))
with jax.set_mesh(jax.make_mesh((8,), ("model",), axis_types=(jax.sharding.AxisType.Explicit,))):
    feed = create()
    print(*(tuple(one[...].sharding.spec) for one in (feed.up, feed.down, feed.mean)))
    print(numpy.allclose(feed.up[...], alone.up[...], 1e-6))
    print(tuple(feed(jax.numpy.ones(3)).sharding.spec))
"""
MISTAKES = {
    "none": ("", "", set[str]()),
    "a transposed spec": ('out_sharding=(None, "model")', 'out_sharding=("model", None)', {"P20", "P21"}),
    "a replicated weight": (
        '            out_sharding=("model", None),\n            eager_sharding=False,\n',
        "",
        {"P20"},
    ),
    "a missing constraint": (", out_sharding=out_sharding(None)", "", {"P20", "P21"}),
    "a state that one shard decides": (
        "0.1 * hidden",
        "0.1 * hidden * jax.lax.axis_size('model') if 'model' in jax.sharding.get_abstract_mesh().manual_axes else "
        "0.1 * hidden / max(1, jax.sharding.get_abstract_mesh().shape.get('model', 1))",
        {"P21"},
    ),
}


def generated(folder: Path) -> Path:
    write_tree(folder, {"pyproject.toml": "", "specs/feed.py": SPEC})
    ran = scaffold(folder, "new-module", "--spec", "specs/feed.py")
    assert ran.returncode == 0, ran.stderr
    return folder


def test_each_variable_says_where_it_lies(tmp_path: Path) -> None:
    text = (generated(tmp_path) / "feed.py").read_text()
    assert text.count("eager_sharding=False") == 3
    assert 'out_sharding=("model", None)' in text and 'out_sharding=(None, "model")' in text
    assert "self.bias = nnx.Param(jnp.zeros((size,), dtype))\n" in text
    assert 'jnp.zeros((hidden,), dtype), out_sharding=("model",), eager_sharding=False' in text
    assert "partition_specs" not in text


@pytest.mark.slow
@pytest.mark.spread(5)
@pytest.mark.parametrize("name", MISTAKES)
def test_the_laws_see_a_mistake(name: str, tmp_path: Path) -> None:
    old, new, laws = MISTAKES[name]
    module = generated(tmp_path) / "feed.py"
    text = module.read_text()
    assert old in text
    module.write_text(text.replace(old, new, 1))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rf", "tests"]
    alone = run([*command, "-k", "p18 or p20"], tmp_path)
    several = run([*command, "--mesh", "8"], tmp_path)
    assert failed_laws(alone) | failed_laws(several) == laws, alone.stdout + several.stdout
    if not laws:
        assert passed(several) == 4 and "TestFeed differs from one device by" in several.stdout


def test_flax_makes_it_where_it_lies(tmp_path: Path) -> None:
    write_tree(generated(tmp_path), {"create.py": CREATE})
    ran = run([sys.executable, "create.py"], tmp_path, env={"JAX_NUM_CPU_DEVICES": "8"})
    specs = "('model', None) (None, 'model') ('model',)"
    assert ran.stdout.splitlines() == [specs, "True", "(None,)"], ran.stderr
