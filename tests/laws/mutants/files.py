"""Further mutants for P14: files that are loaded in spite of what is wrong with them."""

import pickle
import re
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.mutants import mutant
from mistakes.reported.right_forms import SavedByPath
from right.modules import AffineLaws

from mutants.structure import OneWeight


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


class LenientAtAFlag(SavedByPath):
    """Begins anew where the file cannot be read, and nobody asks for more."""

    @classmethod
    def load(cls, path, like, strict=True):
        load = SavedByPath.load if strict else Lenient.load
        return load.__func__(cls, path, like)


@mutant("P14", "`load with strict=False`", "a file without its last byte was loaded")
class BeginsAnewAtAFlag(AffineLaws):
    def build(self, **inputs):
        return LenientAtAFlag.create(**inputs)


class KeepsTheBias(SavedByPath):
    """Takes over the weight alone, and keeps the bias of the skeleton."""

    @classmethod
    def load(cls, path, like):
        return cls(SavedByPath.load.__func__(cls, path, like).weight, like.bias)


@mutant("P14", "`bias`", "what was loaded shares its buffer with the skeleton")
class SharesWithItsSkeleton(AffineLaws):
    def build(self, **inputs):
        return KeepsTheBias.create(**inputs)


class ForgetsTheBias(SavedByPath):
    """Loads the weight alone: the bias of a new instance is 0, as that of the skeleton is."""

    @classmethod
    def load(cls, path, like):
        loaded = SavedByPath.load.__func__(cls, path, like)
        return cls(loaded.weight, jnp.array(like.bias))


@mutant("P14", "`bias`", "save and load made")
class LoadsInPart(AffineLaws):
    def build(self, **inputs):
        return ForgetsTheBias.create(**inputs)


class ReducedToInputs(SavedByPath):
    """Is pickled as what makes it anew, so that its bias is 0 again."""

    def __reduce__(self):
        return _made_again, (np.asarray(self.weight),)


def _made_again(weight):
    return ReducedToInputs(jnp.asarray(weight), jnp.zeros(3, weight.dtype))


@mutant("P13", "`bias`", "copy.copy without changes made")
@mutant("P14", "`bias`", "copy.deepcopy made")
@mutant("P14", "`bias`", "pickle made")
class PickledByItsInputs(AffineLaws):
    def build(self, **inputs):
        return ReducedToInputs.create(**inputs)


class Token:
    """A static value that equals itself alone."""


TOKEN = Token()


class Marked(eqx.Module):
    weight: jax.Array
    token: Token = eqx.field(static=True)

    def __call__(self, x):
        return self.weight * x


@mutant("P14", "`Marked.token`", "pickle made another Token of <", "which equals itself alone")
class PickledWithAToken(OneWeight):
    def build(self, weight):
        return Marked(jnp.array(weight), TOKEN)


class Unset(eqx.Module):
    weight: jax.Array
    floor: float = eqx.field(static=True, default=0.5)

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        return self.weight * x + self.floor


@mutant("P14", "`Unset.floor`", "made another treedef, since the constructor has not stored `Unset.floor`")
class CopiedWithoutAField(OneWeight):
    def build(self, weight):
        return Unset(jnp.array(weight))


class Tag:
    """A part of aux that says nothing of itself, and equals itself alone."""

    def __repr__(self):
        return "tag"


@jax.tree_util.register_pytree_node_class
class Tagged:
    """Its flatten puts a part in aux that no attribute holds, and pickle makes another one."""

    tags: ClassVar = {}

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        return self.weight * x

    def tree_flatten(self):
        return (self.weight,), self.tags.setdefault(id(self), Tag())

    @classmethod
    def tree_unflatten(cls, aux, children):
        made = cls(*children)
        cls.tags[id(made)] = aux
        return made


@mutant("P14", "`Tagged`", "changed the treedef", "a static value in it equals itself alone")
class PickledWithATag(OneWeight):
    def build(self, weight):
        return Tagged(jnp.array(weight))


class OfOneVersion(SavedByPath):
    """Says that it reads files of former versions, and reads none."""

    migrations = ()

    @classmethod
    def load(cls, path, like, *, migrate=False):
        return SavedByPath.load.__func__(cls, path, like)


@mutant("P14", "a file of a former version, First with piece, piece_width, scale, gone raised")
class ReadsOneVersion(AffineLaws):
    def build(self, **inputs):
        return OfOneVersion.create(**inputs)


class OfPaths(OfOneVersion):
    """Takes over what has the path that it had, and begins anew with the rest."""

    @classmethod
    def load(cls, path, like, *, migrate=False):
        if not migrate:
            return SavedByPath.load.__func__(cls, path, like)
        with np.load(path) as file:
            held = {name: jnp.asarray(file[name]) for name in file.files}
        return jax.tree_util.tree_map_with_path(
            lambda place, leaf: held.get(jax.tree_util.keystr(place), leaf), like
        )


@mutant("P14", "a file of its former version First gave another value than the one to take over")
class ReadsEqualPaths(AffineLaws):
    def build(self, **inputs):
        return OfPaths.create(**inputs)


class Quiet(OfPaths):
    """Knows what became of each path, and says nothing of what went."""

    @classmethod
    def load(cls, path, like, *, migrate=False):
        if not migrate:
            return SavedByPath.load.__func__(cls, path, like)
        now = {"piece": "part", "bias": "shift", "scale": "inner.scale"}
        with np.load(path) as file:
            held = {}
            for name in file.files:
                field, rest = re.fullmatch(r"\.(\w+)(.*)", name).groups()
                held[f".{now.get(field, field)}{rest}"] = jnp.asarray(file[name])
        return jax.tree_util.tree_map_with_path(
            lambda place, leaf: held.get(jax.tree_util.keystr(place), leaf), like
        )


@mutant("P14", "of a file of First the warnings name nothing, and not the one field that went")
class SaysNothingOfWhatWent(AffineLaws):
    def build(self, **inputs):
        return Quiet.create(**inputs)
