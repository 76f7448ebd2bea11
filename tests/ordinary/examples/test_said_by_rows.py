"""Examples of arrays of which code takes rows: by places in a table, by the fields of a record, by a scan, and by a vmap behind a layer of the file."""

from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried

HEAD = """
import dataclasses
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp


"""
SPRING = """
def minimum_image(displacement, box):
    return displacement - box * jnp.round(displacement / box)


class Spring(eqx.Module):
    stiffness: jax.Array

    def __init__(self):
        self.stiffness = jnp.ones(())

    def energy(self, position, pairs):
        i, j = pairs[:, 0], pairs[:, 1]
        d = minimum_image(position[i] - position[j], 6.0)
        return self.stiffness * jnp.sum(LENGTH)

    def forces(self, position, pairs):
        return -jax.grad(self.energy)(position, pairs)

    def start(self, position, pairs, *, key):
        velocity = jax.random.normal(key, position.shape)
        return velocity - velocity.mean(axis=0) + self.forces(position, pairs)
"""
BUFFER = """
@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Buffer:
    obs: jax.Array
    actions: jax.Array
    rewards: jax.Array
    done: jax.Array
    head: jax.Array

    @classmethod
    def create(cls, capacity: int, size: int) -> "Buffer":
        obs, rewards = jnp.zeros((capacity, size)), jnp.zeros((capacity,))
        return cls(obs, jnp.zeros((capacity,), jnp.int32), rewards, done=jnp.zeros((capacity,), bool), head=jnp.array(0))

    def add(self, obs, action, reward, done) -> "Buffer":
        i = self.head
        actions, rewards = self.actions.at[i].set(action), self.rewards.at[i].set(reward)
        put = dataclasses.replace(self, obs=self.obs.at[i].set(obs), actions=actions, rewards=rewards)
        return dataclasses.replace(put, done=self.done.at[i].set(done))
"""
GRAPH = """
class Graph(NamedTuple):
    nodes: jax.Array
    senders: jax.Array
    receivers: jax.Array


class GraphConv(eqx.Module):
    weight: jax.Array

    def __init__(self, in_dim: int, out_dim: int, *, key):
        self.weight = jax.random.normal(key, (in_dim, out_dim))

    def __call__(self, graph: Graph) -> Graph:
        nodes, senders, receivers = graph
        n = nodes.shape[0]
        h = (nodes @ self.weight).reshape(n, -1)
        return graph._replace(nodes=jax.ops.segment_sum(h[senders], receivers, n))
"""
CRITIC = """
class Batch(NamedTuple):
    obs: jax.Array
    action: jax.Array
    reward: jax.Array


def returns(rewards, last, gamma):
    def step(carry, reward):
        carry = reward + gamma * carry
        return carry, carry

    return jax.lax.scan(step, last, rewards, reverse=True)[1]


class Critic(eqx.Module):
    values: eqx.nn.Linear

    def __init__(self, obs_size: int, *, key):
        self.values = eqx.nn.Linear(obs_size, 3, key=key)

    def loss(self, batch: Batch, last_value):
        values = jax.vmap(self.values)(batch.obs)
        taken = jnp.take_along_axis(values, batch.action[:, None], axis=1)[:, 0]
        return jnp.square(taken - returns(batch.reward, last_value, 0.9)).mean()
"""
BLOCK = """
class Norm(eqx.Module):
    scale: jax.Array

    def __init__(self, dim: int):
        self.scale = jnp.ones(dim)

    def __call__(self, x):
        return x * jax.lax.rsqrt(1 + jnp.mean(x * x, -1, keepdims=True)) * self.scale


class Block(eqx.Module):
    norm: Norm
    mlp: eqx.nn.Linear

    def __init__(self, dim: int, *, key):
        self.norm = Norm(dim)
        self.mlp = eqx.nn.Linear(dim, dim, key=key)

    def __call__(self, x):
        y = self.norm(x)
        return x + jax.vmap(self.mlp)(y)

    def of_one(self, row):
        return self.norm(row)
"""
FLOW = """
class Flow(eqx.Module):
    scale: jax.Array
    dim: int = eqx.field(static=True)

    def __init__(self, dim: int = 4):
        self.scale = jnp.ones(())
        self.dim = dim

    def forward(self, z):
        half = z.shape[-1] // 2
        a, b = z[:half], z[half:]
        return self.scale * jnp.concatenate([b + jnp.tanh(a), a])

    def sample(self, key, n: int = 8):
        z = jax.random.normal(key, (n, self.dim))
        return jax.vmap(lambda z: self.forward(z))(z)
"""
LOSS = """
class Classes(eqx.Module):
    linear: eqx.nn.Linear

    def __init__(self, size: int, *, key):
        self.linear = eqx.nn.Linear(size, 3, key=key)

    def loss(self, xs, labels):
        log_p = jax.nn.log_softmax(jax.vmap(self.linear)(xs))
        return -jnp.mean(log_p[jnp.arange(xs.shape[0]), labels])
"""
MESSAGES = """
class Messages(eqx.Module):
    message: eqx.nn.Linear
    update: eqx.nn.Linear

    def __init__(self, nodes: int, edges: int, *, key):
        self.message = eqx.nn.Linear(2 * nodes + edges, nodes, key=key)
        self.update = eqx.nn.Linear(2 * nodes, nodes, key=jax.random.fold_in(key, 1))

    def __call__(self, nodes, places, edges):
        src, dst = places[0], places[1]
        m = jax.vmap(self.message)(jnp.concatenate([nodes[src], nodes[dst], edges], axis=-1))
        summed = jnp.zeros_like(nodes).at[dst].add(m)
        return nodes + jax.vmap(self.update)(jnp.concatenate([nodes, summed], axis=-1))
"""
CLASSES = {
    "spring": (SPRING.replace("LENGTH", "jnp.sum(d**2, axis=-1)"), ["(3, 5)), sample(seed + 1, (7, 2), "]),
    "chain": (
        SPRING.replace("LENGTH", "d**2").replace("Spring", "Chain"),
        ["(3,)), sample(seed + 1, (5, 2), "],
    ),
    "buffer": (
        BUFFER,
        ['sample(seed + 51, (), "int32")', "sample(seed + 52, ())", 'sample(seed + 53, (), "bool")'],
    ),
    "graph": (GRAPH, ["nodes=sample(seed + 100, (3, 2))", 'senders=sample(seed + 101, (5,), "int32")']),
    "critic": (
        CRITIC,
        [
            'action=sample(seed + 101, (3,), "int32")',
            "reward=sample(seed + 102, (3,))",
            "sample(seed + 1, ())",
        ],
    ),
    "block": (BLOCK, ["(sample(seed, (3, 2)),)", 'Method("of_one", lambda seed: (sample(seed, (2,)),))']),
    "classes": (LOSS, ['(sample(seed, (3, 2)), sample(seed + 1, (3,), "int32"))']),
    "messages": (MESSAGES, ['sample(seed + 1, (7, 11), "int32")']),
    "flow": (FLOW, ['Method("forward", lambda seed: (sample(seed, (4,)),))']),
}


@pytest.mark.spread(8)
@pytest.mark.parametrize("name", CLASSES)
def test_an_array_has_the_rows_that_code_takes_of_it(name: str, tmp_path: Path) -> None:
    code, made = CLASSES[name]
    tried(tmp_path, name, HEAD + code)
    tests = suite_text(tmp_path, name)
    assert [text for text in made if text not in tests] == [], tests
