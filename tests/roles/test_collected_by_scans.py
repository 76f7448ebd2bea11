"""Lists that a loop over stacked layers collects: a scan stacks them, and the forms of buffers have no gradient to stop."""

import sys
from pathlib import Path

import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import passed, run, scaffold
from tests.support.trees import write_tree

COLLECTED = """
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, buffer, module, param, static


class Layer(Module):
    weight: Float[Array, " size"] = param("normal")
    offset: Float[Array, " size"] = buffer("ones")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        rows = jnp.zeros(self.offset.shape, self.offset.dtype)
        return self.weight * x + self.offset + rows


class Deep(Module):
    layers: list[Layer] = module(stacked=True)
    depth: int = static(check=lambda depth: depth > 0)

    def __init__(self, size: int, depth: int, *, key: PRNGKeyArray):
        self.depth = depth
        self.layers = [Layer.create(size, key=one) for one in jax.random.split(key, depth)]

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, "depth size"]:
        found = []
        for layer in self.layers:
            x = layer(x)
            found.append(x)
        return jnp.stack(found)

    def last(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        found = []
        for layer in self.layers:
            x = layer(x)
            found.append(x)
        return jnp.stack(found)[0] + found[-1]

    def stack(self, rows: list[Array]) -> Float[Array, "depth size"]:
        return 2 * jnp.stack(rows)

    def doubled(self, x: Float[Array, " size"]) -> Float[Array, "depth size"]:
        found = []; x = x + 1
        for layer in self.layers:
            x = layer(x)
            found.append(x)
        return self.stack(found)
"""


@pytest.mark.slow
def test_what_a_scan_has_stacked_is_not_stacked_again(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/deep.py": COLLECTED})
    made = scaffold(tmp_path, "new-module", "--spec", "specs/deep.py")
    assert made.returncode == 0, made.stdout + made.stderr
    emitted = (tmp_path / "deep.py").read_text()
    call, last = emitted[emitted.index("def __call__", emitted.index("class Deep")) :].split("def last")
    assert "return found\n" in call and "found = []" not in call and "list(found)" not in call, call
    assert "found = list(found)" in last and "jnp.stack(found)[0]" in last, last
    doubled = emitted[emitted.index("def doubled") :]
    assert "return self.stack(found)" in doubled and "found = list(found)" in doubled, doubled
    assert "jnp.zeros(self.offset.shape, self.offset.dtype)" in emitted
    assert "jax.lax.stop_gradient(self.offset) + rows" in emitted
    assert passed(forked_pytest(tmp_path, "-k", "p07 or p09 or p22")) > 20


TWICE = """

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        found = []
        for layer in self.layers:
            x = layer(x)
            found.append(x)
        for layer in reversed(self.layers):
            x = layer(x)
            found.append(x)
        return jnp.sum(jnp.stack(found), axis=0)

    def thrice(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        found = []
        for _ in range(3):
            for layer in self.layers:
                x = layer(x)
                found.append(x)
        return jnp.sum(jnp.stack(found), axis=0)
"""
COMPARED = """
import jax
import jax.numpy as jnp
from deep import Deep

deep, x = Deep(3, 2, key=jax.random.key(0)), jnp.array([0.5, -1.0, 2.0])
layers = [jax.tree.map(lambda leaf: leaf[i], deep.layers) for i in range(2)]


def summed(order):
    value, total = x, 0.0
    for layer in order:
        value = layer(value)
        total += value
    return total


print(jnp.allclose(deep(x), summed([*layers, *layers[::-1]])), jnp.allclose(deep.thrice(x), summed(layers * 3)))
"""


@pytest.mark.slow
def test_a_list_that_several_loops_fill_has_the_entries_of_all(tmp_path: Path) -> None:
    skeleton = COLLECTED[
        : COLLECTED.index('    def __call__(self, x: Float[Array, " size"]) -> Float[Array, "depth')
    ]
    write_tree(tmp_path, {"specs/deep.py": skeleton.rstrip() + TWICE, "compare.py": COMPARED})
    made = scaffold(tmp_path, "new-module", "--spec", "specs/deep.py")
    assert made.returncode == 0, made.stdout + made.stderr
    ran = run([sys.executable, "compare.py"], tmp_path)
    assert ran.stdout == "True True\n", ran.stdout + ran.stderr
