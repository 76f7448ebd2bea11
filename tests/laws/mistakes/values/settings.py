"""Mistakes in what files say of settings, each with the form that is right."""

import os

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.pairs import Weighted, further
from right.specimens import sample


class Rated(eqx.Module):
    """Saves its weight beside its settings."""

    weight: jax.Array
    rate: float = eqx.field(static=True)
    steps: int = eqx.field(static=True)

    def __call__(self, x):
        return self.rate * self.weight * x + self.steps

    def settings(self):
        return np.array([f"rate={self.rate!r}", f"steps={self.steps}"])

    def save(self, path):
        with open(f"{path}.new", "wb") as file:
            np.savez(file, weight=np.asarray(self.weight), settings=self.settings())
        os.replace(f"{path}.new", path)

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            wrong = [(a, b) for a, b in zip(file["settings"], like.settings(), strict=True) if a != b]
            wrong += ["weight"] * (file["weight"].shape != like.weight.shape)
            if wrong:
                raise ValueError(f"the file does not fit: {wrong}")
            return cls(jnp.asarray(file["weight"]), like.rate, like.steps)


class InThreeDigits(Rated):
    def settings(self):
        return np.array([f"rate={self.rate:.3g}", f"steps={self.steps}"])


class OfOneSetting(Rated):
    def settings(self):
        return np.array([f"rate={self.rate!r}"])


class FirstAlone(Rated):
    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            if [*file["settings"]] != [*like.settings()]:
                wrong = [(a, b) for a, b in zip(file["settings"], like.settings(), strict=True) if a != b]
                raise ValueError(f"the file does not fit: {wrong}")
        return super().load(path, like)


class WithoutNames(Rated):
    def settings(self):
        return np.array([f"{self.rate!r}", f"{self.steps}"])


class RatedLaws(Weighted):
    saves_whole = True
    skips = ("a_save_that_fails", "damaged")

    def inputs(self, seed):
        return {"weight": sample(seed, (3,))}

    def build(self, weight):
        return self.cls(jnp.array(weight), 0.3, 2)


further(
    "P14",
    "settings in three digits",
    InThreeDigits,
    Rated,
    "`rate`",
    "a file with 0.3 was loaded",
    base=RatedLaws,
)
further(
    "P14",
    "a file without one of the settings",
    OfOneSetting,
    Rated,
    "`steps`",
    "a file with 2 was loaded",
    base=RatedLaws,
)
further(
    "P14", "an error that names no setting", WithoutNames, Rated, "`rate`", "does not name it", base=RatedLaws
)
further(
    *("P14", "an error that names the first difference alone", FirstAlone, Rated),
    *("`weight`", "does not name it"),
    base=RatedLaws,
)


class Around(eqx.Module):
    """It has the attributes of its weight, but for those that Python asks for."""

    weight: jax.Array

    def __call__(self, x):
        return self.weight * x

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.weight, name)


class CopiedAsItsWeight(Around):
    def __getattr__(self, name):
        if name == "__setstate__":
            raise AttributeError(name)
        return getattr(self.weight, name)


further(
    *("P14", "a `__getattr__` that hands on what `copy.deepcopy` asks for", CopiedAsItsWeight, Around),
    *("copy.deepcopy gives a ArrayImpl", "`__getattr__` answers for `__deepcopy__`"),
)
