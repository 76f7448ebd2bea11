"""Axes along which code goes step by step are long enough to show the order, and indices reach all of an axis."""

import re
from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried, whole_suite
from tests.support.forking import forked_pytest

CHAIN = """
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int
from scaffold.skeleton import Module, param


class Chain(Module):
    trans: Float[Array, "tags tags"] = param()

    def __init__(self, num_tags: int, *, key):
        self.trans = jax.random.normal(key, (num_tags, num_tags))

    def score(self, emissions: Float[Array, "time tags"], tags: Int[Array, " time"]) -> Float[Array, ""]:
        steps = self.trans[tags[:-1], tags[1:]].sum() + (self.trans**2).sum()
        return emissions[jnp.arange(len(tags)), tags].sum() + steps

    def decode(self, emissions: Float[Array, "time tags"]):
        def forward(score, emission):
            scores = score[:, None] + self.trans
            return scores.max(axis=0) + emission, scores.argmax(axis=0)

        score, back = jax.lax.scan(forward, emissions[0], emissions[1:])
        last = jnp.argmax(score)
        _, path = jax.lax.scan(lambda tag, row: (row[tag], row[tag]), last, back, reverse=True)
        return jnp.concatenate([path, last[None]])
"""
WALK = """
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int
from scaffold.skeleton import Module, param


class Walk(Module):
    rate: Float[Array, " n"] = param()

    def __call__(self, x: Float[Array, "time n"], order: Int[Array, " k"]) -> Float[Array, ""]:
        state = self.rate
        {statement}
        return state.sum()
"""
STEPS = {
    "a scan": ("state, _ = jax.lax.scan(lambda s, r: (s * r, None), state, x)", True),
    "a scan of a tuple": ("state, _ = jax.lax.scan(lambda s, r: (s * r[0], None), state, (x, x))", True),
    "a cut": ("state = (x[1:] - x[:-1]).sum(0) * state", True),
    "a loop over rows": ("for row in x: state = state * row", True),
    "a loop over numbers": ("for t in range(x.shape[0]): state = state * x[t]", True),
    "a loop of jax": ("state = jax.lax.fori_loop(0, len(x), lambda t, s: s * x[t], state)", True),
    "no steps": ("state = state * x.sum(0)", False),
}
USES = {
    "of a field": ("state = self.rate[order]", ""),
    "of an argument": ("state = x[order]", ", high=3"),
    "of both": ("state = x[order] * self.rate[order][:, None]", ""),
    "of a shape": ("state = x[order].sum(0) * order.shape[0]", ", high=3"),
    "beside another use": ("state = x[order].sum(0) * order.sum()", ""),
}


def _walk(tmp_path: Path, statement: str) -> str:
    return whole_suite(tmp_path, "walk", WALK.format(statement=statement))


@pytest.mark.parametrize("name", STEPS)
def test_there_are_more_than_three_steps(tmp_path: Path, name: str) -> None:
    statement, goes = STEPS[name]
    rows = re.search(r"sample\(seed \+ 50, \((\d+), \d\)\)", _walk(tmp_path, statement))
    assert rows is not None and (int(rows[1]) > 3) == goes, rows


@pytest.mark.parametrize("name", USES)
def test_indices_reach_all_entries_where_nothing_else_reads_them(tmp_path: Path, name: str) -> None:
    statement, end = USES[name]
    assert f', (5,), "int"{end})' in _walk(tmp_path, statement)


@pytest.mark.slow
def test_a_lost_reversal_shows(tmp_path: Path) -> None:
    tried(tmp_path, "chain", CHAIN)
    tests = suite_text(tmp_path, "chain")
    assert "sample(seed, (5, 3))" in tests and 'sample(seed + 1, (5,), "int", high=3)' in tests
    forked_pytest(tmp_path / "nets", "--numbers=record")
    module = tmp_path / "nets/chain.py"
    module.write_text(module.read_text("utf-8").replace(", reverse=True", ""), "utf-8")
    assert "P19" in forked_pytest(tmp_path / "nets", "--numbers=check").stdout
