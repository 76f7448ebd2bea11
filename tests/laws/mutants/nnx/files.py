"""Further NNX modules with one mistake each: copies, snapshots, files, and maps over Variables."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from harness.nnx_modules import Linear, LinearLaws, mutant
from mistakes.reported.nnx import map_variables

from pytree_laws.kinds.nnx.variables import variables_of


def by_path(module):
    return {path: np.asarray(one.get_value()) for path, one in variables_of(module).items()}


class Kept(Linear):
    """A right module that takes snapshots, and saves itself by path."""

    def snapshot(self):
        return map_variables({}, self)

    def restore(self, state):
        wanted, given = (nnx.to_flat_state(one) for one in (nnx.state(self), state))
        layouts = [
            [(path, type(one), one.shape, one.dtype) for path, one in flat] for flat in (wanted, given)
        ]
        if layouts[0] != layouts[1]:
            raise ValueError(f"the state has {layouts[1]}, and {layouts[0]} is needed")
        nnx.update(self, map_variables({}, state))

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, scale=self.scale, **by_path(self))

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            held = {name: file[name] for name in file.files}
        if held.pop("scale") != like.scale or held.keys() != by_path(like).keys():
            raise ValueError("the file holds another module")
        return cls.filled(like, held)

    @classmethod
    def filled(cls, like, held):
        module = nnx.clone(like)
        for path, one in variables_of(module).items():
            one.set_value(jnp.asarray(held[path]))
        return module


class KeptLaws(LinearLaws):
    cls = Kept
    other = {"scale": 3.0}  # noqa: RUF012
    map_variables = staticmethod(map_variables)


# P13: what an update reaches.


class Hooked(nnx.Param):
    """Keeps the time of its last update, in its metadata."""

    def set_value(self, value, **how):
        super().set_value(value, **how)
        self.set_metadata(updates=self.get_metadata().get("updates", 0) + 1)


@mutant("P13", "`bias`", "an update of it changed the graph definition")
class NotesItsUpdates(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.bias = Hooked(jnp.zeros((size,), jnp.float32))


class Centred(nnx.Param):
    """Moves another Variable when it is updated."""

    def set_value(self, value, **how):
        super().set_value(value, **how)
        for other in _FOLLOWERS.get(id(self), ()):
            other.set_value(jnp.mean(value, 0))


_FOLLOWERS = {}


@mutant("P13", "`weight`", "an update of it changed bias")
class MovesAnother(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.weight = Centred(self.weight.get_value())
            _FOLLOWERS[id(self.weight)] = [self.bias]


@mutant("P13", "x == x is not true")
class EqualByExactClass(LinearLaws):
    class cls(Linear):
        __hash__ = object.__hash__

        def __eq__(self, other):
            return type(other) is Linear and self is other


# P14: copies.


@mutant("P14", "copy.deepcopy gave a Linear")
class CopiesTheBase(LinearLaws):
    class cls(Linear):
        def __deepcopy__(self, memo):
            copied = Linear(3, self.scale, rngs=nnx.Rngs(0))
            nnx.update(copied, jax.tree.map(jnp.array, nnx.state(self)))
            return copied


class Locked(Linear):
    """Holds a lock, which has no copy."""

    def __init__(self, size, scale=2.0, *, rngs):
        super().__init__(size, scale, rngs=rngs)
        self.lock = threading.Lock()


@mutant("P14", "copy.deepcopy of it raised TypeError", "pickle of it raised TypeError")
class HoldsALock(LinearLaws):
    cls = Locked


@mutant("P14", "`bias, mean", "copy.deepcopy changed it")
class CopiesItsDraws(LinearLaws):
    class cls(Linear):
        def __deepcopy__(self, memo):
            copied = type(self)(3, self.scale, rngs=nnx.Rngs(0))
            copied.weight.set_value(jnp.array(self.weight.get_value()))
            return copied


# P14, P15: snapshots.


@mutant("P14", "`mean`", "save and load changed it")
@mutant("P15", "`mean`", "restore did not bring it back")
class RestoresTheParams(KeptLaws):
    class cls(Kept):
        def restore(self, state):
            nnx.update(self, map_variables({}, state.filter(nnx.Param)))


@mutant("P15", "`mean`", "the snapshot is not the state")
class SnapshotOfTheParams(KeptLaws):
    class cls(Kept):
        def snapshot(self):
            return map_variables({}, self).filter(nnx.Param)


@mutant("P15", "`bias, mean, weight`", "after restore the snapshot changed with the module")
class TakesTheVariables(KeptLaws):
    class cls(Kept):
        def restore(self, state):
            for name in ("weight", "bias", "mean"):
                setattr(self, name, state[name])


@mutant("P14", "another dtype was accepted")
class RestoresAnyDtype(KeptLaws):
    class cls(Kept):
        def restore(self, state):
            like = nnx.to_flat_state(nnx.state(self))
            given = (
                (p, v.replace(v.get_value().astype(w.dtype)))
                for (p, v), (_, w) in zip(nnx.to_flat_state(state), like, strict=False)
            )
            super().restore(nnx.from_flat_state(dict(given)))


@mutant("P14", "was refused after a part of it was taken over")
class RestoresInParts(KeptLaws):
    class cls(Kept):
        def restore(self, state):
            for path, one in variables_of(self).items():
                (given,) = (v for p, v in nnx.to_flat_state(state) if p == (path,))
                if (type(given), given.shape, given.dtype) != (type(one), one.shape, one.dtype):
                    raise ValueError(f"{path} does not fit")
                one.set_value(given.get_value())


# P14: files.


@mutant("P14", "`mean`", "save and load changed it")
class LoadsTheParams(KeptLaws):
    class cls(Kept):
        @classmethod
        def filled(cls, like, held):
            module = nnx.clone(like)
            for path, one in variables_of(module).items():
                if isinstance(one, nnx.Param):
                    one.set_value(jnp.asarray(held[path]))
            return module


@mutant("P14", "save and load lost or changed this attribute")
class NotesTheFile(KeptLaws):
    class cls(Kept):
        @classmethod
        def filled(cls, like, held):
            module = super().filled(like, held)
            module.loaded = True
            return module


@mutant("P14", "a module that has a Variable of another type there")
class LoadsAnyType(KeptLaws):
    saves_whole = True


@mutant("P14", "load changed its skeleton")
class FillsTheSkeleton(KeptLaws):
    class cls(Kept):
        @classmethod
        def filled(cls, like, held):
            for path, one in variables_of(like).items():
                one.set_value(jnp.asarray(held[path]))
            return like


@mutant("P14", "what was loaded shares its buffer with the skeleton")
class SharesVariables(KeptLaws):
    class cls(Kept):
        @classmethod
        def filled(cls, like, held):
            module = super().filled(like, held)
            module.bias = like.bias
            return module


@mutant("P14", "a file of one configuration was loaded into another")
class LoadsAnything(KeptLaws):
    class cls(Kept):
        @classmethod
        def load(cls, path, like):
            with np.load(path) as file:
                return cls.filled(like, {name: file[name] for name in file.files})


@mutant("P14", "a file without its last byte was loaded")
class BeginsAnew(KeptLaws):
    class cls(Kept):
        @classmethod
        def load(cls, path, like):
            try:
                return super().load(path, like)
            except Exception:
                return nnx.clone(like)


# P16: maps over Variables.


def of_states(functions, tree):
    """Takes states alone."""
    if isinstance(tree, nnx.Module):
        raise TypeError("a state, not a module")
    return map_variables(functions, tree)


def merged(functions, tree):
    """Gives back what it is given: a module for a module."""
    mapped = map_variables(functions, tree)
    return nnx.merge(nnx.graphdef(tree), mapped) if isinstance(tree, nnx.Module) else mapped


def of_the_type(functions, tree):
    """Leaves out what no function is for."""
    return map_variables(functions, tree).filter(lambda _, one: isinstance(one, tuple(functions)))


@mutant("P16", "a map over a cls raised TypeError")
class MapsStatesAlone(KeptLaws):
    map_variables = staticmethod(of_states)

    class cls(Kept):
        pass


def of_the_very_type(functions, tree):
    """Knows a Variable by its own type, and by no base of it."""
    bases = [kind for kind in functions if kind is not nnx.Variable]
    return map_variables({kind: functions[kind] for kind in bases}, tree)


@mutant("P16", "a map over Variable did not apply the function")
class MapsByTheVeryType(KeptLaws):
    map_variables = staticmethod(of_the_very_type)


@mutant("P16", "and no nnx.State")
class MapGivesAModule(KeptLaws):
    map_variables = staticmethod(merged)


@mutant("P16", "it gave the paths")
class MapLeavesOut(KeptLaws):
    map_variables = staticmethod(of_the_type)


@mutant("P14", "copy.deepcopy changed the graph definition")
class CopiesValuesAlone(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.bias = nnx.Param(self.bias.get_value(), unit="metre")

        def __deepcopy__(self, memo):
            copied = nnx.clone(self)
            copied.bias = nnx.Param(copied.bias.get_value())
            return copied
