"""A fault of one method leaves the numbers of the others on record, and held to."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest
from tests.support.projects import passed

SKELETON = """
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Part(Module):
    weight: Float[Array, " n"] = param("ones")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.weight * x

    def moved(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.weight + float(x[0])

    def scaled(self, factor: Float[Array, ""]) -> Float[Array, " n"]:
        return self.weight * factor
"""


def edited(folder: Path, old: str, new: str) -> None:
    module = folder / "part.py"
    text = module.read_text("utf-8")
    assert old in text
    module.write_text(text.replace(old, new), "utf-8")


@pytest.mark.slow
def test_numbers_beside_a_broken_method_are_recorded_and_held_to(tmp_path: Path) -> None:
    generated(tmp_path, {"part": SKELETON})
    nets = tmp_path / "nets"
    first = forked_pytest(nets, "--numbers=record")
    assert first.returncode == 1 and "at `moved`: under jax.jit it raised" in first.stdout
    record = (nets / "tests/numbers/part.txt").read_text("utf-8")
    assert "\ncall: " in record and "\nscaled: " in record and "moved" not in record

    again = forked_pytest(nets, "--numbers=check")
    assert "1 failed" in again.stdout and "P19" not in again.stdout, "nothing has changed"

    edited(nets, "self.weight * factor", "self.weight - factor")
    changed = forked_pytest(nets, "--numbers=check")
    assert "P19 numbers, at `scaled`: it does not compute what is recorded" in changed.stdout
    edited(nets, "self.weight - factor", "self.weight * factor")

    edited(nets, "self.weight + float(x[0])", "self.weight + x[0]")
    mended = forked_pytest(nets, "--numbers=check")
    assert "P19 numbers, at `moved`: it computes what is not recorded yet" in mended.stdout
    forked_pytest(nets, "--numbers=update")
    assert passed(forked_pytest(nets, "--numbers=check")) > 100


@pytest.mark.slow
def test_a_fault_of_the_call_leaves_nothing_on_record(tmp_path: Path) -> None:
    generated(tmp_path, {"part": SKELETON.replace("self.weight * x", "self.weight * float(x[0])")})
    assert forked_pytest(tmp_path / "nets", "--numbers=record").returncode == 1
    assert not (tmp_path / "nets/tests/numbers").exists()
