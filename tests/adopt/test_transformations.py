"""`scaffold adopt` on functions that make transformations of optax: a suite on the state, whose call is the update."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adopt.asking import Asked, asked_of
from tests.support.forking import forked_pytest
from tests.support.projects import REPOSITORY, passed, scaffold
from tests.support.trees import read_tree, write_tree

SOURCE = """
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class Steps(NamedTuple):
    count: jax.Array
    trace: optax.Params


def clipped(max_norm: float, *, every_steps: int) -> optax.GradientTransformation:
    assert isinstance(every_steps, int)
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.scale(-1.0))


def momentum(decay):
    def init(params):
        return Steps(jnp.zeros((), jnp.int32), jax.tree.map(jnp.zeros_like, params))

    def update(updates, state, params=None):
        trace = jax.tree.map(lambda t, g: decay * t + g, state.trace, updates)
        return RETURNED, Steps(COUNT, trace)

    made = optax.GradientTransformation(init, update)
    return made


def below_loss(rate: float, mask: bool) -> "optax.GradientTransformationExtraArgs":
    def update(updates, state, params, *, value, **extra):
        return jax.tree.map(lambda g: g * jnp.minimum(rate, value).astype(g.dtype), updates), state

    return optax.GradientTransformationExtraArgs(lambda params: optax.EmptyState(), update)


def matrices_alone() -> optax.GradientTransformation:
    def init(params):
        assert params.ndim == 2
        return optax.EmptyState()

    return optax.GradientTransformation(init, lambda updates, state, params=None: (updates, state))


def averaged() -> optax.GradientTransformation:
    def update(updates, state, params=None):
        return jax.tree.map(lambda g: g.mean(0), updates), state

    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)


def first_of_all() -> optax.GradientTransformation:
    def init(params):
        return Steps(jnp.zeros((), jnp.int32), jax.tree.leaves(params)[0])

    return optax.GradientTransformation(init, lambda updates, state, params=None: (updates, state))


def by_member() -> optax.GradientTransformation:
    def update(updates, state, params=None):
        sizes = {leaf.shape[0] for leaf in jax.tree.leaves(updates)}
        if len(sizes) != 1:
            raise ValueError("every leaf has an axis of the members")
        return jax.tree.map(lambda g: g / max(sizes), updates), state

    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)


def second_order() -> optax.GradientTransformation:
    return optax.lbfgs(linesearch=optax.scale_by_zoom_linesearch(2))


def asked(password: type) -> optax.GradientTransformation:
    raise ValueError("nobody knows it")


def schedule(step):
    return jnp.exp(-step)


def ahead(rate):
    return behind(rate)


def behind(rate):
    return ahead(rate)
"""
SOUND = SOURCE.replace("RETURNED", "trace").replace("COUNT", "state.count + 1")
NAMES = [
    "asked",
    "averaged",
    "below_loss",
    "by_member",
    "clipped",
    "first_of_all",
    "matrices_alone",
    "momentum",
]
NAMES += ["second_order"]


asked = asked_of("rules", SOUND)


def test_functions_are_found_by_what_they_say_and_by_what_they_return(asked: Asked) -> None:
    found = [one["name"] for one in asked.listed["classes"] if one["kind"] == "transformation"]
    assert found == NAMES


def test_rates_are_numbers_and_counts_whole_ones(asked: Asked) -> None:
    assert asked.adopt("clipped")["build"] == "clipped(max_norm=0.25, every_steps=3)"
    assert asked.adopt("momentum")["build"] == "momentum(decay=0.25)"


def test_what_an_update_asks_for_besides_is_given_by_name(asked: Asked) -> None:
    found = asked.adopt("below_loss")
    assert found["build"] == "below_loss(rate=0.25, mask=True)"
    assert found["arguments"] == [["value", "jnp.abs(sample(0))", True]]


def test_parameters_are_those_that_it_takes_and_the_further_ones_too(asked: Asked) -> None:
    found = asked.adopt("matrices_alone")
    assert (found["params"], [one["of"] for one in found["cases"]]) == (
        "sample(seed, (2, 3))",
        ["bfloat16"],
    )
    found = asked.adopt("momentum")
    assert [one["of"] for one in found["cases"]] == ["one array", "no arrays", "bfloat16"]
    assert found["leaves"] == [
        'Leaf("count", "buffer", (), "int")',
        'Leaf("trace.bias", "param", (2,))',
        'Leaf("trace.weight", "param", (2, 3))',
    ]
    said = asked.adopt("momentum", said={"params": "sample(seed, (7,))"}, build="momentum(0.5)")
    assert (said["params"], said["build"]) == ("sample(seed, (7,))", "momentum(0.5)")


@pytest.mark.slow
def test_no_arrays_are_tried_where_the_package_itself_refuses_them(asked: Asked) -> None:
    found = asked.adopt("first_of_all")
    assert [one["of"] for one in found["cases"]] == ["one array", "no arrays", "bfloat16"]
    found = asked.adopt("by_member")  # it says that it takes none
    assert [one["of"] for one in found["cases"]] == ["one array", "bfloat16"]
    found = asked.adopt("second_order")  # optax takes the dtype of the first array
    assert [one["of"] for one in found["cases"]] == ["one array", "bfloat16"]


@pytest.mark.slow
def test_what_nobody_can_know_is_asked_for(asked: Asked) -> None:
    found = asked.adopt("asked")
    assert (found["built"], found["unknown"]) == (False, ["password"])
    assert asked.adopt("averaged")["why"] == (
        "It takes the gradients of a batch, one for each example, and not their mean."
    )
    assert asked.adopt("momentum", build="schedule(2.0)")["why"] == (
        "TypeError: it gives ArrayImpl, and no optax.GradientTransformation"
    )


PAGE = (REPOSITORY / "docs" / "adopt.md").read_text(encoding="utf-8")
[SHOWN] = re.findall(r"^```py\n(TRANSFORMATION = .*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def adopt(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return scaffold(folder, "adopt", *arguments, "--python", sys.executable)


MISTAKES = {
    "trace": "jax.tree.leaves(jax.tree.map(lambda leaf: leaf * jnp.ones(()), trace))",
    "state.count + 1": "state.count + 1.0",
}
FOUND = (
    "fault  @holds an update keeps the structures: ",
    "the call under strict promotion raised TypePromotionError: Input dtypes ('float32', 'bfloat16')",
    "fault  P11 carry: the next instance is ",
    "         at rules:momentum, `next_state`",
)


@pytest.mark.slow  # the baseline of one with mistakes holds the other laws in every run
def test_a_transformation_is_held_to_the_laws(tmp_path: Path) -> None:
    write_tree(tmp_path, {"rules.py": SOUND})
    result = adopt(tmp_path, "rules.py:momentum")
    assert result.returncode == 0, result.stdout
    counts = re.search(r"(\d+) tests pass(?:, (\d+) advice)?", result.stdout)
    assert counts is not None, result.stdout
    ran = forked_pytest(tmp_path, "tests/test_momentum.py", "--numbers=off")
    assert passed(ran) == int(counts[1]) + int(counts[2] or 0)  # advice is a warning
    written = (tmp_path / "tests/test_momentum.py").read_text().split("\n")
    assert [line for line in SHOWN.split("\n") if line not in written] == []


@pytest.mark.slow
def test_mistakes_are_found_and_a_baseline_leaves_them_out(tmp_path: Path) -> None:
    returned, count = MISTAKES.values()
    write_tree(tmp_path, {"rules.py": SOURCE.replace("RETURNED", returned).replace("COUNT", count)})
    result = adopt(tmp_path, "rules.py:momentum")
    assert result.returncode == 1
    assert [part for part in FOUND if part not in result.stdout] == [], result.stdout
    result = adopt(tmp_path, "rules.py:momentum", "--baseline", "--json")
    assert result.returncode == 0, result.stdout
    assert '"an_update_keeps_the_structures",' in (tmp_path / "tests/test_momentum.py").read_text()
    [one] = json.loads(result.stdout)["classes"]
    assert (one["state"], one["built"], one["errors"]) == ("adopted", "momentum(decay=0.25)", [])
    assert forked_pytest(tmp_path, "tests/test_momentum.py").returncode == 0


@pytest.mark.slow  # its neighbours are tried in every run
def test_updates_may_be_wider_than_their_parameters(tmp_path: Path) -> None:
    returned = "jax.tree.map(lambda t: 0.5 * t.astype(jnp.float32), trace)"
    source = SOURCE.replace("RETURNED", returned).replace("COUNT", "state.count + 1")
    write_tree(tmp_path, {"rules.py": source})
    result = adopt(tmp_path, "rules.py:momentum")
    assert result.returncode == 0, result.stdout


@pytest.mark.slow
def test_other_functions_are_no_targets(tmp_path: Path) -> None:
    write_tree(tmp_path, {"rules.py": SOUND})
    result = adopt(tmp_path, "rules.py:schedule")
    assert (result.returncode, read_tree(tmp_path).keys()) == (2, {"rules.py"})
    why = "it is a function, and nothing says that what it returns is an `optax.GradientTransformation`"
    assert f"error: rules:schedule: {why}" in result.stderr
