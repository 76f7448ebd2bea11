"""What a sixth set of ordinary classes has shown, as the smallest classes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

HEAD = """
import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Complex, Float, Inexact
from scaffold.skeleton import Module, param, static
"""
CLASSES = {
    "spectrum": """
class Spectrum(Module):
    coeffs: Inexact[Array, " m"] = param()

    def __init__(self, signal: Float[Array, " n"]):
        self.coeffs = jnp.fft.rfft(signal)

    def __call__(self, w: Float[Array, " m"]) -> Float[Array, " m"]:
        return jnp.abs(self.coeffs) * w
""",
    "phases": """
class Phases(eqx.Module):
    phase: Complex[Array, " n"]
    wave: jax.Array
    index: jax.Array

    def __init__(self, n: int, key):
        super().__init__()
        first, second = jax.random.split(key)
        self.phase = jnp.exp(1j * jax.random.normal(first, (n,)))
        self.wave = jnp.exp(1j * jax.random.normal(second, (n,)))
        self.index = jnp.arange(n)

    def __call__(self, w: Float[Array, " n"]) -> Float[Array, " n"]:
        return jnp.abs(self.phase + self.wave) * w * (1 + self.index)
""",
    "line": """
class Line(eqx.Module):
    slope: Float[Array, ""]
    order: int = eqx.field(static=True, default=3)
    name: str = "line"

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.slope * x**self.order
""",
    "counter": """
class Counter(nnx.Module):
    def __init__(self, dim, *, rngs):
        self.scale = nnx.Param(jnp.ones(dim))
        self.seen = nnx.Variable(jnp.zeros(dim))

    def __call__(self, x: Float[Array, " dim"], train: bool = True) -> Float[Array, " dim"]:
        if train:
            self.seen[...] = 0.9 * self.seen[...] + 0.1 * x
        return self.scale * x
""",
    "molecule": """
@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Molecule:
    positions: jax.Array
    bonds: jax.Array

    def distances(self) -> jax.Array:
        i, j = self.bonds[:, 0], self.bonds[:, 1]
        return jnp.linalg.norm(self.positions[i] - self.positions[j], axis=-1)

    @classmethod
    def water(cls) -> "Molecule":
        positions = jnp.array([[0.0, 0.0, 0.0], [0.96, 0.0, 0.0], [-0.24, 0.93, 0.0]])
        return cls(positions, jnp.array([[0, 1], [0, 2]]))
""",
    "quiet": """
class Quiet(eqx.Module):
    table: Float[Array, " n"] = eqx.field(repr=False)
    scale: Float[Array, ""] = eqx.field(default_factory=lambda: jnp.ones(()))

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.table * x * self.scale
""",
}
EMITTED = {
    "quiet": '    scale: Float[Array, ""] = eqx.field(default_factory=lambda: jnp.ones(()))\n',
    "spectrum": "jnp.fft.rfft(signal)",
    "line": '    name: str = eqx.field(static=True, default="line")\n',
}
IN_TESTS = {
    "spectrum": 'Leaf("coeffs", "param", (2,), dtype=None)',
    "phases": 'Leaf("index", "data"),',
    "counter": 'updates = ("seen",)',
    "molecule": "Molecule.water()",
}


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", CLASSES)
def test_it_is_generated_as_it_is_written_and_its_tests_pass(tmp_path: Path, name: str) -> None:
    generated(tmp_path, {name: HEAD + CLASSES[name]})
    made = tmp_path / "nets"
    assert EMITTED.get(name, "") in (made / f"{name}.py").read_text("utf-8")
    assert IN_TESTS.get(name, "") in (made / "tests" / f"test_{name}.py").read_text("utf-8")
    assert passed(forked_pytest(made, "--numbers=off")) > 40


@pytest.mark.slow  # tests/laws has the mistake
def test_a_method_that_forgets_a_whole_number_is_noticed(tmp_path: Path) -> None:
    text = """
class Forget(Module):
    slope: Float[Array, ""] = param()
    order: int = static(3)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.slope * x**self.order

    def moved(self, by: Float[Array, ""]) -> "Forget":
        return Forget.create(self.slope + by)
"""
    generated(tmp_path, {"forget": HEAD + text})
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "P11 carry, at `moved with order=4.order`: of an instance with 4 the next has 3" in run.stdout


def test_all_that_no_example_is_known_of_is_told_at_once(tmp_path: Path) -> None:
    text = """
@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Belief:
    mean: object
    cov: object

    def moved(self, by):
        return Belief(self.mean.moved(by), self.cov)
"""
    said = generated(tmp_path, {"belief": HEAD + text})
    assert (
        "no example for `cov`, `mean`, of which nothing says type and shape: write `@test(...)` and " in said
    )
    assert '`values={"cov": lambda: ..., "mean": lambda: ...}`' in said
    assert "not tried" not in said


WIDE = """
@test(severity="cost")
class Wide(Module):
    level: Float[Array, " n"] = param("ones")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.level * x + jnp.zeros(x.shape)
"""


@pytest.mark.parametrize("severity", ["cost", pytest.param("", marks=pytest.mark.slow)])
def test_a_class_says_whether_it_promises_other_dtypes(tmp_path: Path, severity: str) -> None:
    text = HEAD.replace("static", "static, test") + WIDE
    generated(tmp_path, {"wide": text if severity else text.replace('@test(severity="cost")\n', "")})
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    suite = (tmp_path / "nets/tests/test_wide.py").read_text("utf-8")
    assert ('    severity = "cost"\n' in suite) == bool(severity)
    assert run.returncode == (0 if severity else 1)
    if not severity:
        assert 'or `one_dtype = True` in the suite, `@test(severity="cost")` in a spec' in run.stdout


REFUSED = """
class Held(Module):
    def __init__(self, handle: int):
        self.handle = handle

    def get(self):
        return 1
"""


def test_what_a_constructor_stores_and_the_class_does_not_declare_is_refused(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/held.py": HEAD + REFUSED})
    said = scaffold(tmp_path, "new-module", "--spec=specs/held.py")
    assert said.returncode == 2 and "fields.handle: `self.handle` is no field" in said.stderr


def test_a_factory_is_a_default_in_the_words_of_the_tool(tmp_path: Path) -> None:
    text = CLASSES["quiet"].replace("eqx.Module", "Module").replace("repr=False", "static=False")
    generated(tmp_path, {"quiet": HEAD + text})
    assert "            scale = jnp.ones(())\n" in (tmp_path / "nets/quiet.py").read_text("utf-8")


def test_a_plain_dataclass_stays_without_tests_though_it_can_be_built(tmp_path: Path) -> None:
    text = """
@dataclasses.dataclass
class Options:
    depth: object

    @classmethod
    def usual(cls) -> "Options":
        return cls(3)
"""
    said = generated(tmp_path, {"options": HEAD + text})
    assert "Options: not tested: jax knows no leaves of it" in said
