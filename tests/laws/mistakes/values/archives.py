"""Files of classes: what `load` compares with the skeleton, and with the checksums in the file."""

import json
import zlib
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import safetensors
import safetensors.numpy
from harness.pairs import One, Weighted, further
from right.specimens import Leaf

from mistakes.values.files import FileLaws, Saved


class SavedList(eqx.Module):
    parts: list[jax.Array]

    def __call__(self, x):
        return sum(part * x for part in self.parts)

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, *self.parts)

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            if len(file.files) != len(like.parts):
                raise ValueError("the file has another number of arrays")
            return cls([jnp.asarray(file[f"arr_{i}"]) for i in range(len(like.parts))])


class ListLaws(Weighted):
    leaves = (Leaf("parts.0", "param", (3,)), Leaf("parts.1", "param", (3,)))

    def build(self, weight):
        return self.cls([jnp.array(weight), 2 * weight])


class LoadsAPart(SavedList):
    """Reads what the skeleton has, and leaves the rest in the file."""

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            return cls([jnp.asarray(file[f"arr_{i}"]) for i in range(len(like.parts))])


further(
    "P14",
    "a file that has more than the skeleton is loaded",
    LoadsAPart,
    SavedList,
    "an entry more than the skeleton",
    base=ListLaws,
)


class SaysAName(SavedList):
    """Refuses a file by the error of a dict."""

    @classmethod
    def load(cls, path, like):
        try:
            return super().load(path, like)
        except Exception as error:
            raise KeyError("arr_0") from error


further(
    "P14",
    "a damaged file is refused by a name that it lacks",
    SaysAName,
    SavedList,
    "which says nothing of the file",
    base=ListLaws,
)


class SavedWithChecksums(Saved):
    def save(self, path):
        arrays = np.asarray(self.weight, np.float32), np.asarray(self.bias, np.float32)
        if any(one.ndim == 0 for one in arrays):
            raise ValueError("an array is missing")
        sums = json.dumps({"checksums": [zlib.crc32(one.tobytes()) for one in arrays]})
        with open(path, "wb") as file:
            file.write(sums.encode() + b"\n" + b"".join(one.tobytes() for one in arrays))

    @classmethod
    def load(cls, path, like):
        with open(path, "rb") as file:
            sums = json.loads(file.readline())["checksums"]
            data = [file.read(leaf.nbytes) for leaf in (like.weight, like.bias)]
            if file.read(1):
                raise ValueError("the file is too long")
        if not cls.right(data, sums):
            raise ValueError("the file is damaged")
        return cls(*(jnp.asarray(np.frombuffer(one, like.weight.dtype)) for one in data))

    @staticmethod
    def right(data, sums):
        return [zlib.crc32(one) for one in data] == sums


class LeavesChecksumsAlone(SavedWithChecksums):
    """Looks at the lengths alone."""

    @staticmethod
    def right(data, sums):
        return all(map(len, data))


further(
    "P14",
    "checksums in a file that nobody compares",
    LeavesChecksumsAlone,
    SavedWithChecksums,
    "another last byte",
    base=FileLaws,
)


class SavedWithSums(Saved):
    """In a file of safetensors, with the checksum of each leaf in its metadata."""

    def save(self, path):
        sums = {name: zlib.crc32(np.asarray(leaf).tobytes()) for name, leaf in vars(self).items()}
        arrays = {name: np.asarray(leaf) for name, leaf in vars(self).items()}
        safetensors.numpy.save_file(arrays, path, {"checksums": json.dumps(sums)})

    @classmethod
    def load(cls, path, like):
        with safetensors.safe_open(path, "numpy") as file:
            sums = json.loads(file.metadata()["checksums"])
            held = {name: file.get_tensor(name) for name in vars(like)}
        for name, leaf in vars(like).items():
            fits = (held[name].shape, held[name].dtype) == (leaf.shape, leaf.dtype)
            if not fits or not cls.is_right(name, zlib.crc32(held[name].tobytes()), sums):
                raise ValueError(f"the file is damaged at {name}")
        return cls(**{name: jnp.asarray(array) for name, array in held.items()})

    @staticmethod
    def is_right(name, checksum, sums):
        return sums.get(name) == checksum


class TrustsWithoutChecksum(SavedWithSums):
    """Compares the checksums that there are."""

    @staticmethod
    def is_right(name, checksum, sums):
        return sums.get(name, checksum) == checksum


further("P14", "a leaf without a checksum is loaded", TrustsWithoutChecksum, SavedWithSums,
    "a file that has no checksum of a leaf was loaded", base=FileLaws)  # fmt: skip


class SavedKey(eqx.Module):
    key: jax.Array

    def __call__(self, x):
        return x + jax.random.normal(self.key, (), x.dtype)

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, key=jax.random.key_data(self.key))

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            return cls(cls.wrapped(jnp.asarray(file["key"]), like.key))

    @staticmethod
    def wrapped(data, like):
        if data.shape != jax.random.key_data(like).shape:
            raise ValueError("a key of another implementation")
        return jax.random.wrap_key_data(data, impl=jax.random.key_impl(like))


class KeyLaws(Weighted):
    leaves = (Leaf("key", "key", ()),)

    def inputs(self, seed):
        return {"key": jax.random.key(seed)}

    def build(self, key):
        return self.cls(jax.random.clone(key))


class WrapsAsUsual(SavedKey):
    """Makes keys of the default implementation of the data."""

    @staticmethod
    def wrapped(data, like):
        return jax.random.wrap_key_data(data)


further(
    "P14",
    "keys that are loaded as those of the default implementation",
    WrapsAsUsual,
    SavedKey,
    "another implementation",
    base=KeyLaws,
)


class Squashed(One):
    """A map with a function behind it, of which its files say the name and the module."""

    squash: Callable = eqx.field(static=True, default=jnp.tanh)

    def __call__(self, x):
        return self.squash(self.weight * x)

    def told(self):
        return f"{self.squash.__module__}.{self.squash.__qualname__}"

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, weight=self.weight, squash=self.told())

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            if str(file["squash"]) != like.told():
                raise ValueError("another function")
            return cls(jnp.asarray(file["weight"]), like.squash)


class SquashedLaws(Weighted):
    static = {"squash": jnp.tanh}  # noqa: RUF012


class SquashedByName(Squashed):
    def told(self):
        return self.squash.__name__


further("P14", "a file that knows a function by its name alone", SquashedByName, Squashed,
    "`squash`", "of this name from another module", base=SquashedLaws)  # fmt: skip
