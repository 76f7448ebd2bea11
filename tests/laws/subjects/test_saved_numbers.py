"""Numbers of Python among the leaves are saved, as arrays are: a file with others is loaded, and not refused."""

from pathlib import Path
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pytree_laws import LawBroken, Leaf, PytreeLaws, sample
from pytree_laws.trace.programs import settings


class Scaled(eqx.Module):
    """A weight and a flag that is a leaf; files hold both."""

    weight: jax.Array
    inference: bool
    mode: str = "batch"
    keeps_flag: ClassVar[bool] = True

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x

    def save(self, path: Any) -> None:
        with Path(path).open("wb") as file:
            np.savez(file, weight=np.asarray(self.weight), inference=np.asarray(self.inference))

    @classmethod
    def load(cls, path: Any, like: "Scaled") -> "Scaled":
        with np.load(path) as file:
            weight, flag = jnp.asarray(file["weight"]), bool(file["inference"])
        if flag != like.inference and not cls.keeps_flag:
            raise ValueError("inference: another value in the file")
        return cls(weight, flag if cls.keeps_flag else like.inference)


class Refused(Scaled):
    """One that takes the flag for a setting."""

    keeps_flag = False


def suite_of(cls: type[Scaled]) -> PytreeLaws:
    class ScaledLaws(PytreeLaws):
        leaves = (Leaf("weight", "param", (3,)), Leaf("inference", "data", (), "bool"))
        saves_whole = True

        def inputs(self, seed: int) -> dict[str, Any]:
            return {"weight": sample(seed, (3,)), "inference": False}

        def build(self, **inputs: Any) -> Scaled:
            return cls(**inputs)

    return ScaledLaws()


def test_numbers_that_are_leaves_are_loaded_with_other_values(tmp_path: Path) -> None:
    with settings():
        suite_of(Scaled).test_p14_save_and_load_into_a_fresh_skeleton(tmp_path=tmp_path)
        with pytest.raises(
            LawBroken, match="a file with other numbers of Python among the leaves raised ValueError"
        ):
            suite_of(Refused).test_p14_save_and_load_into_a_fresh_skeleton(tmp_path=tmp_path)
