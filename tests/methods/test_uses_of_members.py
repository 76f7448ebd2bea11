"""What a method reads by another member of its class it must follow: the averages and the step of a train state."""

import shutil
from pathlib import Path

import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import replace_in, write_tree

CAMPAIGN = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float
from scaffold.skeleton import Module, TrainState, buffer, data, module, param


class Slope(Module):
    weight: Float[Array, " n"] = param("ones")
    mask: Bool[Array, " n"] = data()

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, ""]:
        return jnp.sum(jnp.where(self.mask, self.weight * x, 0))


class Campaign(TrainState, ema=0.9, key=True):
    model: Slope = module()

    def flipped(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return jnp.where(self.is_flipped(), -x, x)

    def is_flipped(self) -> Bool[Array, ""]:
        return jax.random.bernoulli(self.step_key)

    def predicted(self, x: Float[Array, " n"]) -> Float[Array, ""]:
        return self.averaged()(x)
"""
MISTAKES = {
    "the step": ("self.step_key)", "self.key)", "`flipped`: an edit of `step`"),
    "the averages": ("self.averaged()(x)", "self.model(x)", "`predicted`: an edit of `ema`"),
}


@pytest.fixture(scope="module")
def nets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    write_tree(folder, {"specs/campaign.py": CAMPAIGN, "nets/readme.md": ""})
    made = scaffold(folder / "nets", "new-module", "--spec=../specs/campaign.py")
    assert made.returncode == 0, made.stderr
    return folder / "nets"


@pytest.mark.slow
def test_they_are_declared(nets: Path) -> None:
    text = (nets / "tests/test_campaign.py").read_text("utf-8")
    assert text.count('used=("step",)') == 2 and 'used=("ema",)' in text and 'used = ("mask",)' in text
    passed(forked_pytest(nets, "tests", "-k", "follow_the_leaves"))


@pytest.mark.parametrize("name", MISTAKES)
def test_a_method_that_reads_another_is_noticed(nets: Path, name: str, tmp_path: Path) -> None:
    right, wrong, told = MISTAKES[name]
    folder = shutil.copytree(nets, tmp_path / "nets")
    assert (folder / "campaign.py").read_text("utf-8").count(right) == 1
    replace_in(folder / "campaign.py", right, wrong)
    run = forked_pytest(folder, "tests", "-k", "TestCampaign and follow_the_leaves")
    assert run.returncode == 1 and told in run.stdout
