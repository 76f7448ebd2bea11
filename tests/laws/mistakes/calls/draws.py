"""Mistakes with keys and draws that are in no catalogue, each with the form that is right."""

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import MatrixLaws, One, Weighted, further
from right.specimens import Leaf, Output, sample


class Drawn(eqx.Module):
    weight: jax.Array
    recur: jax.Array

    def __call__(self, x):
        return self.recur @ jnp.tanh(self.weight @ x)


class DrawnLaws(MatrixLaws):
    leaves = (Leaf("weight", "param", (3, 2)), Leaf("recur", "param", (3, 3)))
    drawn = ("weight", "recur")

    def inputs(self, seed):
        return {"key": jax.random.key(seed)}

    def build(self, key):
        return self.cls.create(key)


def normal(key, shape):
    return jax.random.normal(key, shape, jnp.result_type(float))


class FoldedTwice(Drawn):
    @classmethod
    def create(cls, key):
        return cls(normal(jax.random.fold_in(key, 0), (3, 2)), normal(jax.random.fold_in(key, 0), (3, 3)))


class FoldedOnce(Drawn):
    @classmethod
    def create(cls, key):
        return cls(normal(jax.random.fold_in(key, 0), (3, 2)), normal(jax.random.fold_in(key, 1), (3, 3)))


further(
    "P15",
    "one number folded into a key twice",
    FoldedTwice,
    FoldedOnce,
    "key of an earlier one",
    base=DrawnLaws,
)


class ItemTwice(Drawn):
    @classmethod
    def create(cls, key):
        keys = jax.random.split(key, 3)
        return cls(normal(keys[1], (3, 2)), normal(keys[1], (3, 3)))


class ItemOnce(Drawn):
    @classmethod
    def create(cls, key):
        keys = jax.random.split(key, 3)
        return cls(normal(keys[0], (3, 2)), normal(keys[1], (3, 3)))


further(
    "P15", "one item of the split keys used twice", ItemTwice, ItemOnce, "key is used twice", base=DrawnLaws
)


class ParentUsed(Drawn):
    @classmethod
    def create(cls, key):
        new, _ = jax.random.split(key)
        return cls(normal(new, (3, 2)), normal(key, (3, 3)))


further("P15", "a key used after it was split", ParentUsed, ItemOnce, "key is used twice", base=DrawnLaws)


class HeldKey(eqx.Module):
    weight: jax.Array
    key: jax.Array

    @classmethod
    def create(cls, key):
        own, held = jax.random.split(key)
        return cls(normal(own, (3, 2)), held)

    def __call__(self, x):
        return self.weight @ x + jax.random.normal(self.key, (3,), x.dtype)


class HoldsASpentKey(HeldKey):
    @classmethod
    def create(cls, key):
        own, _ = jax.random.split(key)
        return cls(normal(own, (3, 2)), own)


class HeldKeyLaws(DrawnLaws):
    leaves = (Leaf("weight", "param", (3, 2)), Leaf("key", "key", (), "key"))
    drawn = ("weight", "key")


further(
    "P15",
    "a key that is held, and was drawn from",
    HoldsASpentKey,
    HeldKey,
    "key is used twice",
    base=HeldKeyLaws,
)


class RawKeyTwice(Drawn):
    @classmethod
    def create(cls, key):
        raw = jax.random.key_data(key)
        return cls(normal(raw, (3, 2)), normal(raw, (3, 3)))


class RawKeyOnce(Drawn):
    @classmethod
    def create(cls, key):
        one, two = jax.random.split(jax.random.key_data(key))
        return cls(normal(one, (3, 2)), normal(two, (3, 3)))


further(
    "P15",
    "an old-style key used twice for two shapes",
    RawKeyTwice,
    RawKeyOnce,
    "key of an earlier one",
    base=DrawnLaws,
)


class Experts(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return jnp.tanh(self.weight @ x)


class ExpertLaws(MatrixLaws):
    drawn = ("weight",)

    def inputs(self, seed):
        return {"key": jax.random.key(seed)}

    def build(self, key):
        return self.cls.create(key)


class SameExperts(Experts):
    @classmethod
    def create(cls, key):
        return cls(jax.vmap(lambda _: normal(key, (2,)))(jnp.arange(3)))


class OwnExperts(Experts):
    @classmethod
    def create(cls, key):
        return cls(jax.vmap(lambda key: normal(key, (2,)))(jax.random.split(key, 3)))


further(
    "P15",
    "stacked layers that vmap draws from one key",
    SameExperts,
    OwnExperts,
    "one and the same draw",
    base=ExpertLaws,
)


class NoisyLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)),)
    returns = (Output((2, 3)),)

    def arguments(self, seed):
        return sample(seed, (2, 3)), jax.random.key(seed)


class SameNoise(One):
    def __call__(self, x, key):
        return jax.vmap(lambda row: self.weight * row + normal(key, (3,)).astype(row.dtype))(x)


class OwnNoise(One):
    def __call__(self, x, key):
        keys = jax.random.split(key, len(x))
        return jax.vmap(lambda row, key: self.weight * row + jax.random.normal(key, (3,), row.dtype))(x, keys)


further(
    "P15",
    "one key for all rows of a batch",
    SameNoise,
    OwnNoise,
    "one and the same noise",
    base=NoisyLaws,
)


class HashedName(Drawn):
    @classmethod
    def create(cls, key):
        def named(name, shape):
            return normal(jax.random.fold_in(key, hash(name) % 2**31), shape)

        return cls(named("weight", (3, 2)), named("recur", (3, 3)))


class CountedName(Drawn):
    @classmethod
    def create(cls, key):
        def named(name, shape):
            return normal(jax.random.fold_in(key, int.from_bytes(name.encode()) % 2**31), shape)

        return cls(named("weight", (3, 2)), named("recur", (3, 3)))


further(
    "P1",
    "keys from `hash` of a name, new in each process",
    HashedName,
    CountedName,
    "`hash` of a text",
    base=DrawnLaws,
)


class DefaultKey(Drawn):
    @classmethod
    def create(cls, key=jax.random.key(0)):  # noqa: B008 - the mistake
        one, two = jax.random.split(key)
        return cls(normal(one, (3, 2)), normal(two, (3, 3)))


class NoDefaultKey(Drawn):
    @classmethod
    def create(cls, key):
        one, two = jax.random.split(key)
        return cls(normal(one, (3, 2)), normal(two, (3, 3)))


further("P1", "a key as a default argument", DefaultKey, NoDefaultKey, "one", base=DrawnLaws)


class LastKey(Drawn):
    @classmethod
    def create(cls, key):
        keys = jax.random.split(key)
        return cls(normal(keys[1], (3, 2)), normal(keys[2], (3, 3)))


further("P15", "an index past the last key, which jax takes for the last", LastKey, ItemOnce, base=DrawnLaws)
