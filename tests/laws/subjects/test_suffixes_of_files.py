"""A class that adds a suffix to a path, or asks for one, is given such a path; what is wrong with its files is told all the same."""

from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pytree_laws import LawBroken, PytreeLaws, sample
from pytree_laws.inspect.files import has_files, suffix_of_files
from pytree_laws.trace.programs import settings

TESTS = ("a_damaged_file_is_refused", "save_and_load_into_a_fresh_skeleton")


class Points(eqx.Module):
    positions: jax.Array

    def save(self, file: str | Path) -> None:
        np.savez(file, positions=self.positions)

    @classmethod
    def load(cls, file: str | Path, like: "Points") -> "Points":
        """Load from an archive."""
        with np.load(file) as archive:
            return cls(jnp.asarray(archive["positions"]))


class Particular(Points):
    """One that takes paths of a suffix alone."""

    def save(self, file: str | Path) -> None:
        """Save to a `.points` file."""
        if Path(file).suffix != ".points":
            raise ValueError("it is no file of points")
        with Path(file).open("wb") as opened:
            np.savez(opened, positions=self.positions)


class Lossy(Points):
    """A mistake: it saves zeros."""

    def save(self, file: str | Path) -> None:
        np.savez(file, positions=0 * self.positions)


class Named(Points):
    """One that loads without a skeleton, and takes a name beside the path."""

    @staticmethod
    def load(file: str | Path, name: str | None = None) -> "Points":
        with np.load(file) as archive:
            return Points(jnp.asarray(archive[name or "positions"]))


def suite_of(points: Any) -> PytreeLaws:
    class PointsLaws(PytreeLaws):
        def inputs(self, seed: int) -> dict[str, Any]:
            return {"positions": sample(seed, (3, 2))}

        def build(self, **inputs: Any) -> Points:
            return points(**inputs)

    return PointsLaws()


@pytest.mark.parametrize(("points", "suffix"), [(Points, ".npz"), (Particular, ".points")])
@pytest.mark.parametrize("test", TESTS)
def test_a_path_has_the_suffix_that_a_class_gives_it(
    points: type[Points], suffix: str, test: str, tmp_path: Path
) -> None:
    assert suffix_of_files(points(jnp.ones(3))) == suffix
    with settings():
        getattr(suite_of(points), f"test_p14_{test}")(tmp_path=tmp_path)


def test_what_is_lost_in_a_file_with_a_suffix_is_told(tmp_path: Path) -> None:
    with settings(), pytest.raises(LawBroken, match="save and load"):
        suite_of(Lossy).test_p14_save_and_load_into_a_fresh_skeleton(tmp_path=tmp_path)


class Plain(Points):
    """One that says nothing of what it takes."""

    @classmethod
    def load(cls, file, like):
        return super().load(file, like)


def test_what_takes_no_skeleton_is_held_to_none() -> None:
    assert has_files(Points(jnp.ones(3))) and has_files(Plain(jnp.ones(3)))
    assert not has_files(Named(jnp.ones(3)))
