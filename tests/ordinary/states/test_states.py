"""States of a module: what makes them, what updates them, and where the author cuts their gradients off."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int
from scaffold.skeleton import Module, Nnx, module, param, state, static
"""


QUANTISED = """

class Codebook(Module):
    codes: Float[Array, "number size"] = state("normal")
    sums: Float[Array, "number size"] = state(lambda codes: 2 * codes)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        nearest = jnp.argmin(jnp.sum((self.codes - x) ** 2, axis=1))
        code = self.codes[nearest]
        self.sums = self.sums.at[nearest].add(jax.lax.stop_gradient(x))
        return x + jax.lax.stop_gradient(code - x)
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_a_state_is_made_of_another_and_is_cut_off_through_a_local(tmp_path: Path) -> None:
    tried(tmp_path, "codebook", HEAD + QUANTISED)
    source = (tmp_path / "nets/codebook.py").read_text("utf-8")
    assert "codes=eqx.nn.StateIndex(codes)" in source, source
    suite = suite_text(tmp_path, "codebook")
    assert 'Leaf("codes", "state", (2, 3), unused=True)' in suite, suite
    assert 'Leaf("sums", "state", (2, 3))' in suite, suite


QUANTIZER = """

class Quantizer(Module):
    codebook: Float[Array, "codes size"] = state("normal")
    rate: float = static(0.9, check=lambda rate: 0 < rate < 1)

    def __call__(self, z: Float[Array, " size"]) -> Float[Array, " size"]:
        book = jax.lax.stop_gradient(self.codebook)
        index = jnp.argmin(jnp.sum((book - z) ** 2, axis=-1))
        code = book[index]
        self.codebook = book.at[index].set(self.rate * code + (1 - self.rate) * jax.lax.stop_gradient(z))
        return z + jax.lax.stop_gradient(code - z)
"""


@pytest.mark.slow
def test_a_state_that_the_author_cuts_off_has_no_gradient(tmp_path: Path) -> None:
    tried(tmp_path / "right", "quantizer", HEAD + QUANTIZER)
    lost = QUANTIZER.replace("jax.lax.stop_gradient(code - z)", "(jax.lax.stop_gradient(code) - z)")
    generated(tmp_path / "lost", {"quantizer": HEAD + lost})
    ran = forked_pytest(tmp_path / "lost/nets", "--numbers=off")
    assert "a term of a sum is taken away again beside `stop_gradient`" in ran.stdout


CLASSES = {
    # A gradient goes straight through.
    "quantizer": """
class Quantizer(Nnx, constructor="init"):
    codebook: Float[Array, "codes dim"] = param("normal")
    usage: Float[Array, " codes"] = state("zeros", variable="BatchStat")

    def __call__(self, x: Float[Array, "batch dim"]) -> Float[Array, "batch dim"]:
        index = jnp.argmin(jnp.sum((x[:, None] - self.codebook[None]) ** 2, -1), -1)
        self.usage += jnp.sum(jax.nn.one_hot(index, self.codebook.shape[0]), 0)
        quantized = self.codebook[index]
        return x + jax.lax.stop_gradient(quantized - x) + quantized - jax.lax.stop_gradient(quantized)
""",
    # A state is made of the one above it.
    "codes": """
class Codes(Nnx):
    table: Float[Array, "k d"] = state("normal")
    slow: Float[Array, "k d"] = state("=table * 0.5")

    def __call__(self, x: Float[Array, " d"]) -> Float[Array, " k"]:
        y = self.table @ x + self.slow @ x
        self.slow = 0.5 * (self.slow + self.table)
        return y
""",
    "basin": """
class Basin(Module):
    flow: Float[Array, " pools"] = param("ones")
    mixer: eqx.nn.Linear = module(lambda pools, key: eqx.nn.Linear(pools, pools, key=key))
    level: Float[Array, " pools"] = state("zeros")
    pools: int = static(3)

    def __call__(self, rain: Float[Array, " pools"]) -> Float[Array, " pools"]:
        self.level = 0.5 * self.level + self.mixer(rain)
        return self.flow * self.level

    def drained(self, share: Float[Array, " pools"]) -> Float[Array, " pools"]:
        taken = self.level * jax.nn.sigmoid(share)
        self.level = self.level - taken
        return taken

    def deep(self, marks: Float[Array, "n pools"]) -> Bool[Array, "n pools"]:
        return self.level > marks
""",
}


@pytest.mark.slow  # the classes of other subjects are tried in every run
@pytest.mark.parametrize("name", CLASSES)
def test_states_are_made_and_updated_as_they_are_written(tmp_path: Path, name: str) -> None:
    tried(tmp_path, name, HEAD + CLASSES[name])


EDITS = {  # what a state beside a layer of Equinox declares
    "test_p12_methods_update_the_states_that_they_declare_alone": (
        "        state = state.set(self.level, state.get(self.level) - taken)\n",
        "",
    ),
    "test_p07_methods_give_what_is_declared": (
        "state.get(self.level) > marks",
        "(state.get(self.level) > marks).T",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("test", EDITS)
def test_the_states_beside_a_layer_are_declared(test: str, tmp_path: Path) -> None:
    generated(tmp_path, {"basin": HEAD + CLASSES["basin"]})
    module, (old, new) = tmp_path / "nets/basin.py", EDITS[test]
    text = module.read_text("utf-8")
    assert text.count(old) == 1, text
    module.write_text(text.replace(old, new), "utf-8")
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert test in run.stdout and run.returncode == 1


TANK = """
class Tank(Module):
    level: Float[Array, ""] = state("ones")
    gain: Float[Array, ""] = param("ones")

    def __call__(self, x: Float[Array, ""]) -> Float[Array, ""]:
        self.level = 0.9 * self.level + self.gain * x
        return self.level

    def emptied(self, share: Float[Array, ""], *, wholly: bool = False) -> Float[Array, ""]:
        if wholly:
            self.level = jnp.zeros_like(self.level)
        return share * self.level
"""


@pytest.mark.slow
def test_an_option_may_be_what_updates_a_state(tmp_path: Path) -> None:
    tried(tmp_path, "tank", HEAD + TANK)


RING = """
class Ring(Module):
    filled: Int[Array, ""] = state("zeros")
    gain: Float[Array, ""] = param("ones")

    def __call__(self, x: Float[Array, ""]) -> Float[Array, ""]:
        return self.gain * x

    def rewind(self, steps: Int[Array, ""]) -> Int[Array, ""]:
        self.filled = jnp.maximum(self.filled - jnp.abs(steps) - 1, 0)
        return self.filled
"""


@pytest.mark.slow
def test_a_count_that_is_set_back_is_updated_where_something_was_counted(tmp_path: Path) -> None:
    tried(tmp_path, "ring", HEAD + RING)
