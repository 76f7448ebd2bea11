"""Mistakes in carries and files that are in no catalogue, each with the form that is right."""

import contextlib
import json
import os

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import safetensors.numpy
from harness.pairs import One, Weighted, further
from right.specimens import Leaf, sample

# --- Carries ---


class CarryLaws(Weighted):
    returns = ()
    carry = 1

    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed + 1, (3,))

    def call(self, instance, *arguments):
        return instance(*arguments)


class KeptAxis(One):
    def __call__(self, x, state):
        state = jnp.mean(self.weight * x + state, keepdims=True)
        return state, state


class MeanRightly(One):
    def __call__(self, x, state):
        state = jnp.broadcast_to(jnp.mean(self.weight * x + state, keepdims=True), x.shape)
        return state, state


further("P11", "an axis that the carry loses", KeptAxis, MeanRightly, base=CarryLaws)


class CountLaws(CarryLaws):
    def arguments(self, seed):
        return sample(seed, (3,)), jnp.asarray(seed, jnp.int32)


class FloatCount(One):
    def __call__(self, x, count):
        return count + 1.0, self.weight * x


class IntCount(One):
    def __call__(self, x, count):
        return count + 1, self.weight * x


further("P11", "a count that becomes a float", FloatCount, IntCount, "float32", base=CountLaws)


class ListCarry(CarryLaws):
    def arguments(self, seed):
        return sample(seed, (3,)), (sample(seed + 1, (3,)), sample(seed + 2, (3,)))


class CarriesList(One):
    def __call__(self, x, state):
        return [self.weight * x + state[1], state[0]], x + state[0]


class CarriesTuple(One):
    def __call__(self, x, state):
        return (self.weight * x + state[1], state[0]), x + state[0]


further("P11", "a list where the carry is a tuple", CarriesList, CarriesTuple, "structure", base=ListCarry)


class NoCarry(One):
    def __call__(self, x, state):
        return state, self.weight * x + state


class Carry(One):
    def __call__(self, x, state):
        state = 0.5 * state + self.weight * x
        return state, state


further(
    "P11",
    "a state that is returned as it was",
    NoCarry,
    Carry,
    "the new carry is the old one",
    base=CarryLaws,
)


# --- Files ---


class Saved(eqx.Module):
    weight: jax.Array
    bias: jax.Array

    def __call__(self, x):
        return self.weight * x + self.bias

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, weight=self.weight, bias=self.bias)

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            forms = {name: (file[name].shape, file[name].dtype) for name in vars(like)}
            wrong = [name for name, leaf in vars(like).items() if forms[name] != (leaf.shape, leaf.dtype)]
            if wrong:
                raise ValueError(f"the file does not fit at {wrong}")
            return cls(jnp.asarray(file["weight"]), jnp.asarray(file["bias"]))


class FileLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,)))

    def build(self, weight):
        return self.cls(jnp.array(weight), 2 * weight)


class LoadsWhatThereIs(Saved):
    """Keeps the value of the skeleton where the file has none."""

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            return cls(*(jnp.asarray(file[name]) if name in file else v for name, v in vars(like).items()))


further(
    "P14",
    "a file that lacks a leaf is loaded",
    LoadsWhatThereIs,
    Saved,
    base=FileLaws,
)


class LoadsAnyShape(Saved):
    """Takes what is in the file, of any shape."""

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            return cls(jnp.asarray(file["weight"]), jnp.asarray(file["bias"]))


further(
    "P14",
    "a file of other shapes is loaded",
    LoadsAnyShape,
    Saved,
    "loaded into another",
    base=FileLaws,
    other={"weight": sample(0, (4,))},
)


class SavesHalf(Saved):
    """Saves in half precision, to make files small."""

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, weight=np.asarray(self.weight, np.float16), bias=np.asarray(self.bias, np.float16))

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            return cls(*(jnp.asarray(file[name], v.dtype) for name, v in vars(like).items()))


further("P14", "a file in half precision", SavesHalf, Saved, "save and load made", base=FileLaws)


class SavesText(Saved):
    """Saves as JSON with a few digits."""

    def save(self, path):
        with open(path, "w") as file:
            json.dump({name: np.round(value, 4).tolist() for name, value in vars(self).items()}, file)

    @classmethod
    def load(cls, path, like):
        with open(path) as file:
            held = json.load(file)
        return cls(*(jnp.asarray(held[name], v.dtype) for name, v in vars(like).items()))


further("P14", "a file with rounded numbers", SavesText, Saved, "save and load made", base=FileLaws)


class Renamed(Saved):
    """Calls its fields by position in the file."""

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, *jax.tree.leaves(self)[::-1])

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            return cls(*(jnp.asarray(file[name]) for name in file.files))


further("P14", "leaves that are loaded in another order", Renamed, Saved, "`weight`", base=FileLaws)


class SavedWhole(Saved):
    """Writes a file of another name, which then takes the place of the old one."""

    def save(self, path):
        temporary = f"{path}.new"
        try:
            super().save(temporary)
            os.replace(temporary, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.remove(temporary)


class SavedInPlace(SavedWhole):
    def save(self, path):
        Saved.save(self, path)


class SavedInPlaceAtOnce(SavedWhole):
    """Asks for all the space before it writes, so that a full disk does no harm; an interruption does."""

    def save(self, path):
        Saved.save(self, f"{path}.new")
        with open(f"{path}.new", "rb") as new:
            data = new.read()
        os.remove(f"{path}.new")
        with open(path, "r+b" if os.path.exists(path) else "wb") as file:
            file.truncate(len(data))
            file.write(data)


class SavedAsTensors(SavedWhole):
    """Writes tensors, which safetensors 0.8 puts in place at once; an earlier one writes in place."""

    def save(self, path):
        safetensors.numpy.save_file({name: np.asarray(v) for name, v in vars(self).items()}, path)

    @classmethod
    def load(cls, path, like):
        return cls(**{name: jnp.asarray(v) for name, v in safetensors.numpy.load_file(path).items()})


class LeavesItsTemporary(SavedWhole):
    def save(self, path):
        Saved.save(self, f"{path}.new")
        os.replace(f"{path}.new", path)


class SaysNothing(SavedWhole):
    """Drops a file that could not be written, and the error with it."""

    def save(self, path):
        with contextlib.suppress(OSError):
            super().save(path)
            return
        path.unlink(missing_ok=True)


class KeepsTheOldFile(SavedWhole):
    """Leaves the file as it was where it cannot be written, and drops the error."""

    def save(self, path):
        with contextlib.suppress(OSError):
            super().save(path)


class WholeLaws(FileLaws):
    saves_whole = True


further(
    *("P14", "a file that is written in place", SavedInPlace, SavedWhole),
    *("a save that failed half-way did not leave the file as it was", "os.replace"),
    base=WholeLaws,
)
further(
    *("P14", "a file that is written in place once there is room", SavedInPlaceAtOnce, SavedWhole),
    *("a save wrote into the file that was there", "os.replace"),
    base=WholeLaws,
)
further(
    *("P14", "tensors that are written in place", SavedAsTensors, SavedWhole),
    *("a save that failed half-way did not leave the file as it was", "os.replace"),
    base=WholeLaws,
)
further(
    *("P14", "a temporary file that stays", LeavesItsTemporary, SavedWhole),
    *("a save that failed half-way left saved.new behind",),
    base=WholeLaws,
)
further(
    *("P14", "a save that fails and says nothing", SaysNothing, SavedWhole),
    *("reading what it wrote where the disk was full raised FileNotFoundError",),
    base=WholeLaws,
)
further(
    *("P14", "a save that fails, keeps the old file and says nothing", KeepsTheOldFile, SavedWhole),
    *("`weight`", "save without an error, and load, made"),
    base=WholeLaws,
)
