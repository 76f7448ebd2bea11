"""Further mutants for P14: files that are loaded in spite of what is wrong with them."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
from good_modules import AffineLaws
from mutant_base import mutant
from pitfalls_forms import SavedByPath


class Pickled(SavedByPath):
    """Reads the file as a pickle, and its leaves as they come."""

    def save(self, path):
        path.write_bytes(pickle.dumps([np.asarray(leaf) for leaf in jax.tree.leaves(self)]))

    @classmethod
    def load(cls, path, like):
        held = pickle.loads(path.read_bytes())
        wanted = [(leaf.shape, leaf.dtype) for leaf in jax.tree.leaves(like)]
        if [(leaf.shape, leaf.dtype) for leaf in held] != wanted:
            raise ValueError("the file does not fit")
        return jax.tree.unflatten(jax.tree.structure(like), map(jnp.asarray, held))


@mutant("P14", "load unpickles, which can run anything")
class Unpickles(AffineLaws):
    def build(self, **inputs):
        return Pickled.create(**inputs)


class Lenient(SavedByPath):
    """Begins anew where the file cannot be read."""

    @classmethod
    def load(cls, path, like):
        try:
            return SavedByPath.load.__func__(cls, path, like)
        except Exception:
            return jax.tree.map(jnp.array, like)


@mutant("P14", "a file without its last byte was loaded", "allow_pickle=False")
class BeginsAnewSilently(AffineLaws):
    def build(self, **inputs):
        return Lenient.create(**inputs)


class HalfLoaded(SavedByPath):
    """Takes over the weight, and leaves the skeleton's bias as it is where it has the same value."""

    @classmethod
    def load(cls, path, like):
        loaded = SavedByPath.load.__func__(cls, path, like)
        return cls(loaded.weight, like.bias if np.array_equal(loaded.bias, like.bias) else loaded.bias)


@mutant("P14", "`bias`", "what was loaded shares its buffer with the skeleton")
class SharesWithItsSkeleton(AffineLaws):
    def build(self, **inputs):
        return HalfLoaded.create(**inputs)
