"""Right classes of which an example shows nothing, or whose form is what the caller gives: no law finds fault with them."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int
from scaffold.skeleton import Module, Namedtuple, data, state, static

"""

CLASSES = {
    # A count of zero.
    "spread": """
class Spread(Module):
    m2: Float[Array, " size"] = data("zeros")
    count: Float[Array, ""] = data("zeros")

    @property
    def variance(self) -> Float[Array, " size"]:
        return jnp.where(self.count > 1, self.m2 / jnp.maximum(self.count - 1, 1), 1.0)
""",
    # An example that gives no number.
    "pairs": """
class Pairs(eqx.Module):
    log_sigma: Float[Array, " species"]

    def __init__(self, species: int):
        self.log_sigma = jnp.zeros(species)

    def energy(
        self, positions: Float[Array, "atoms 3"], species: Int[Array, " atoms"], idx: Int[Array, "atoms capacity"]
    ) -> Float[Array, ""]:
        r2 = jnp.sum((positions[:, None] - positions[idx]) ** 2, axis=-1)
        return jnp.sum(jnp.exp(self.log_sigma)[species][:, None] / r2)
""",
    # What is stored as it is given.
    "scale": """
class Scale(Module):
    value: Float[Array, ""] = data()

    def __init__(self):
        self.value = jnp.ones((), jnp.float32)

    def replaced(self, value: Float[Array, ""]) -> "Scale":
        return eqx.tree_at(lambda s: s.value, self, value)
""",
    # Numbers that are made of none.
    "begin": """
class Beams(Namedtuple):
    tokens: Int[Array, " beams"] = data()
    log_probs: Float[Array, " beams"] = data()


class Begin(Module):
    beams: int = static(4)

    def start(self, first: Int[Array, ""]) -> Beams:
        return Beams(jnp.full(self.beams, first), jnp.where(jnp.arange(self.beams) == 0, 0.0, -1e9))
""",
    # A state with a dtype of its own.
    "counts": """
class Counts(Module):
    mean: Float[Array, " size"] = state()
    decay: float = static(0.9)

    def __init__(self, size: int, decay: float = 0.9):
        self.mean = jnp.ones((size,), jnp.float32)
        self.decay = decay

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        self.mean = self.decay * self.mean + (1 - self.decay) * x.astype(jnp.float32)
        return x - self.mean.astype(x.dtype)
""",
    # A step of several devices.
    "sharded": """
class Sharded(eqx.Module):
    weight: Float[Array, " dim"]
    mesh: jax.sharding.Mesh = eqx.field(static=True)

    def __init__(self, dim: int):
        self.weight = jnp.ones(dim)
        self.mesh = jax.sharding.Mesh(jax.devices()[:1], ("data",))

    def __call__(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        spread = jax.sharding.NamedSharding(self.mesh, jax.sharding.PartitionSpec("data"))
        return jax.lax.with_sharding_constraint(self.weight * x, spread)
""",
}


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", CLASSES)
def test_no_law_finds_fault_with_it(name: str, tmp_path: Path) -> None:
    tried(tmp_path, name, HEAD + CLASSES[name], least=30)


@pytest.mark.slow
def test_what_a_method_updates_in_a_part_is_declared(tmp_path: Path) -> None:
    code = """
class Lora(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.base = nnx.Linear(size, size, rngs=rngs)
        self.delta = nnx.Param(jnp.ones((size, size)))

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.base(x) + x @ self.delta

    def merge(self) -> None:
        self.base.kernel[...] = self.base.kernel[...] + self.delta[...]
        self.delta[...] = jnp.zeros_like(self.delta[...])
"""
    tried(tmp_path, "lora", HEAD + code)
    assert 'Method("merge", updates=("delta", "base.kernel"))' in suite_text(tmp_path, "lora")


CHECKED = """\
import equinox as eqx
import jax


class Rates(eqx.Module):
    beta: jax.Array
    gamma: jax.Array

    def __post_init__(self):
        if self.beta.shape != self.gamma.shape:
            raise ValueError("one rate for each group")

    def __call__(self, x):
        return self.beta * x - self.gamma
"""


@pytest.mark.slow
def test_a_step_that_stores_nothing_leaves_the_constructor_that_of_a_dataclass(tmp_path: Path) -> None:
    tried(tmp_path, "rates", CHECKED)


SWAPPED = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Qubits(eqx.Module):
    amplitudes: jax.Array

    @classmethod
    def zero(cls, count: int = 2):
        return cls(jnp.ones((2,) * count))

    def swapped(self, first: int, second: int) -> jax.Array:
        low, high = sorted((first, second))
        axes = list(range(self.amplitudes.ndim))
        axes[low], axes[high] = axes[high], axes[low]
        return jnp.transpose(self.amplitudes, axes)
"""


def test_an_index_that_is_made_up_may_lie_beyond_what_there_is(tmp_path: Path) -> None:
    generated(tmp_path, {"qubits": SWAPPED})
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert run.returncode == 0, run.stdout
    assert "swapped" in run.stdout and "list index out of range" in run.stdout
    # No example of its array is known, so that the class method of sizes builds the instance.
    assert "return Qubits.zero(**inputs)" in suite_text(tmp_path, "qubits")


def test_an_index_that_code_itself_takes_beyond_is_told(tmp_path: Path) -> None:
    text = SWAPPED.replace(", first: int, second: int", "").replace("sorted((first, second))", "0, 9")
    generated(tmp_path, {"qubits": text})
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "LawWarning: P7 jit equals eager, at `swapped`" in run.stdout
    assert "list index out of range" in run.stdout
