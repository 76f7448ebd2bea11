"""Mutants for P20: classes that an abstract mesh with explicit axes shows not to shard as they say."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.mutants import mutant
from jax.sharding import AxisType, PartitionSpec
from jaxtyping import Array, Float
from right.specimens import Leaf, Output, PytreeLaws, sample

from pytree_laws.laws.values.p19_snapshot import sections
from pytree_laws.snapshot.format import render_record


def replicated():
    """The `out_sharding` of a product whose result each device holds, where a mesh has explicit axes."""
    explicit = AxisType.Explicit in jax.sharding.get_abstract_mesh().axis_types
    return PartitionSpec(None, None) if explicit else None


class Feed(eqx.Module):
    """Two layers, divided by what is hidden."""

    up: Float[Array, "hidden size"]
    down: Float[Array, "size hidden"]

    def hidden(self, x):
        return jnp.tanh(x @ self.up.T)

    def product(self, hidden):
        return jnp.matmul(hidden, self.down.T, out_sharding=replicated())

    def __call__(self, x: Float[Array, "batch size"]) -> Float[Array, "batch size"]:
        return self.product(self.hidden(x))

    def partition_specs(self):
        return dataclasses.replace(self, up=PartitionSpec("model", None), down=PartitionSpec(None, "model"))


class FeedLaws(PytreeLaws):
    """A right class."""

    cls: Any = Feed
    leaves = (Leaf("up", "param", (8, 3)), Leaf("down", "param", (3, 8)))
    sharding = {"hidden": "model"}
    returns = (Output((2, 3)),)

    def inputs(self, seed):
        return {"up": sample(seed, (8, 3)), "down": sample(seed + 1, (3, 8))}

    def build(self, up, down):
        return self.cls(jnp.array(up), jnp.array(down))

    def arguments(self, seed):
        return (sample(seed, (2, 3)),)


@mutant("P20", "at `up`: its spec is", "and its dims ('hidden', 'size') ask for")
class TransposedSpec(FeedLaws):
    class cls(Feed):
        def partition_specs(self):
            return dataclasses.replace(
                self, up=PartitionSpec(None, "model"), down=PartitionSpec(None, "model")
            )


@mutant("P20", "`partition_specs`: it has other leaves than the class")
class SpecOfOneLeaf(FeedLaws):
    class cls(Feed):
        def partition_specs(self):
            return dataclasses.replace(self, up=PartitionSpec("model", None), down=None)


@mutant("P20", "`call`: it does not shard on")
class ContractsWithoutSharding(FeedLaws):
    class cls(Feed):
        def product(self, hidden):
            return hidden @ self.down.T


@mutant("P20", "its dim `hidden` lies on None, though the arrays that it comes from lie on model")
class GathersItsResult(FeedLaws):
    returns = (Output((2, 8)),)

    class cls(Feed):
        def __call__(self, x: Float[Array, "batch size"]) -> Float[Array, "batch hidden"]:
            hidden = self.hidden(x) + jnp.sum(self.down) * 0
            spec = replicated()
            return hidden if spec is None else jax.sharding.reshard(hidden, spec)


@jax.custom_vjp
def squashed(x):
    return jnp.tanh(x)


def _backward(x, grad):
    return (grad @ grad.T @ (1 - jnp.tanh(x) ** 2),)


squashed.defvjp(lambda x: (jnp.tanh(x), x), _backward)


@mutant("P20", "`call`: its gradient does not shard on")
class GradientContracts(FeedLaws):
    class cls(Feed):
        def hidden(self, x):
            return squashed(x @ self.up.T)


@jax.custom_vjp
def unchanged(weight):
    return weight


def _gathered(_, grad):
    spec = replicated()
    return (grad if spec is None else jax.sharding.reshard(grad, spec),)


unchanged.defvjp(lambda weight: (weight, None), _gathered)


@mutant("P20", "`call`: its gradient does not shard on", "bwd rule")
class GathersItsGradient(FeedLaws):
    class cls(Feed):
        def hidden(self, x):
            return jnp.tanh(x @ unchanged(self.up).T)


class Trained(eqx.Module):
    """A layer, and a momentum of it."""

    model: Feed
    momentum: dict[str, Float[Array, "hidden size"]]

    def __call__(self, x: Float[Array, "batch size"]) -> Float[Array, "batch size"]:
        return self.model(x) + jnp.sum(self.momentum["up"])

    def partition_specs(self):
        return dataclasses.replace(self, model=self.model.partition_specs(), momentum={"up": PartitionSpec()})


@mutant("P20", "`momentum.up`: it is replicated, and `model.up`, which it follows, is not")
class MomentumOnEachDevice(FeedLaws):
    leaves = (Leaf("model", "module"), Leaf("momentum.up", "data", (8, 3)))

    def build(self, up, down):
        return Trained(Feed(jnp.array(up), jnp.array(down)), {"up": jnp.zeros((8, 3))})


@mutant("P20", "`hidden`: sharded alone the call went through, and now needs an `out_sharding`")
class NeedsShardingAnew(FeedLaws):
    class cls(Feed):
        def product(self, hidden):
            return hidden @ self.down.T

    def recorded(self):
        right = type(type(self).__name__, (FeedLaws,), {"__module__": type(self).__module__})
        return render_record(sections(right()), "test_here.py")
