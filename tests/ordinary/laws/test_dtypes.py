"""Dtypes of right classes: complex numbers, whole numbers, one dtype alone, and values that other dtypes do not have."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Complex, Float, Inexact, Int, PRNGKeyArray
from scaffold.skeleton import Module, buffer, data, param, test
"""


WIDE = """
@test(severity="cost")
class Wide(Module):
    level: Float[Array, " n"] = param("ones")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.level * x + jnp.zeros(x.shape)
"""


@pytest.mark.parametrize("severity", ["cost", pytest.param("", marks=pytest.mark.slow)])
def test_a_class_says_whether_it_promises_other_dtypes(tmp_path: Path, severity: str) -> None:
    text = HEAD + WIDE
    generated(tmp_path, {"wide": text if severity else text.replace('@test(severity="cost")\n', "")})
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    suite = suite_text(tmp_path, "wide")
    assert ('    severity = "cost"\n' in suite) == bool(severity)
    assert run.returncode == (0 if severity else 1)
    if not severity:
        assert 'or `one_dtype = True` in the suite, `@test(severity="cost")` in a spec' in run.stdout


PLAIN = """
class Net(Module):
    layer: eqx.nn.Linear

    def __init__(self, size: int, *, key: PRNGKeyArray):
        self.layer = eqx.nn.Linear(size, size, key=key)

    def __call__(self, x: Float[Array, " size"], *, bent: bool = False) -> Float[Array, " size"]:
        y = self.layer(x) + jnp.zeros(x.shape)
        return jnp.tanh(y) if bent else y
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_a_class_in_one_dtype_is_held_to_all_other_advice(tmp_path: Path) -> None:
    generated(tmp_path, {"net": HEAD + PLAIN})
    module = tmp_path / "nets/net.py"
    assert "    one_dtype = True\n" in suite_text(tmp_path, "net")
    assert forked_pytest(tmp_path / "nets", "--numbers=off").returncode == 0
    text = module.read_text("utf-8")
    module.write_text(text.replace("jnp.tanh(y) if bent else y", "jnp.tanh(y)"), "utf-8")
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert run.returncode == 1 and "at `call(bent)`: at each of its values the same is computed" in run.stdout


PART = """
class Table(Module):
    scale: Float[Array, " n"] = buffer()

    def __init__(self, n: int):
        self.scale = jnp.arange(n) + 1.0

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.scale * x


class Noisy(Module):
    table: Table

    def __init__(self, n: int):
        self.table = TABLE

    def noise(self, x: Float[Array, " n"], key: PRNGKeyArray):
        return self.table(x) + jax.random.normal(key, x.shape)
"""


@pytest.mark.parametrize(("made", "is_held"), [("Table(n)", False), ("Table(n, dtype=dtype)", True)])
def test_a_class_whose_part_is_made_in_one_dtype_promises_no_other(
    tmp_path: Path, made: str, is_held: bool
) -> None:
    part = PART.replace("TABLE", made)
    generated(
        tmp_path,
        {
            "noisy": HEAD
            + (part.replace("(self, n: int)", "(self, n: int, *, dtype=None)") if is_held else part)
        },
    )
    assert suite_text(tmp_path, "noisy").count("one_dtype = True") == (not is_held)


AVERAGE = """
@struct.dataclass
class Average:
    z: jax.Array
    t: jax.Array

    @classmethod
    def start(cls) -> "Average":
        return cls(jnp.arange(3.0), jnp.ones(()))

    def update(self, x: jax.Array) -> "Average":
        return self.replace(z=self.z + (x - self.z) / self.t, t=self.t + 1)
"""


@pytest.mark.slow
def test_arange_counts_in_floats_too(tmp_path: Path) -> None:
    tried(tmp_path, "average", HEAD + AVERAGE, least=60)


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
    # Values of bfloat16 are not for this function of jax.
    "curve": """
class Curve(Module):
    knots: Float[Array, " n"] = data()
    heights: Float[Array, " n"] = param()

    def __call__(self, x: Float[Array, ""]) -> Float[Array, ""]:
        return jnp.interp(x, jnp.sort(self.knots), self.heights)
""",
}
EMITTED = {
    "spectrum": "jnp.fft.rfft(signal)",
}
IN_TESTS = {
    "spectrum": 'Leaf("coeffs", "param", (2,), dtype=None)',
    "phases": 'Leaf("index", "data"),',
}


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", CLASSES)
def test_its_dtypes_are_declared_as_they_are(tmp_path: Path, name: str) -> None:
    module = tried(tmp_path, name, HEAD + CLASSES[name])
    assert EMITTED.get(name, "") in module
    suite = suite_text(tmp_path, name)
    assert IN_TESTS.get(name, "") in suite


MIXED = """
class Spectrum(Module):
    weight: Complex[Array, "h n"] = param("normal(0.5)")
    counts: Int[Array, " h"] = data("zeros")
    order: Int[Array, " n"] = buffer()

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " h"]:
        mixed = self.weight @ x[self.order % x.shape[0]].astype(self.weight.dtype)
        return jnp.abs(mixed) + self.counts.astype(x.dtype)
"""


@pytest.mark.slow  # the classes of other subjects are tried in every run
def test_integers_and_complex_numbers_are_of_whatever_width(tmp_path: Path) -> None:
    tried(tmp_path, "spectrum", HEAD + MIXED, least=70)


TYPED = """
from scaffold.skeleton import Pytree, static


class Typed(Module):
    weight: Float[Array, "out in_"] = param("lecun_normal")
    dtype: jnp.dtype = static(jnp.float32)

    def __call__(self, x: Float[Array, " in_"]) -> Float[Array, " out"]:
        return (self.weight @ x).astype(self.dtype)


class Named(Module):
    weight: Float[Array, "out in_"] = param("zeros")
    shift: Float[Array, " out"] = param()
    dtype: str = static()

    def __call__(self, x: Float[Array, " in_"]) -> Float[Array, " out"]:
        return self.weight @ x + self.shift


class Perhaps(Pytree, rebuild="flag"):
    weight: Float[Array, "out in_"] = param("lecun_normal")
    dtype: jnp.dtype | None = static(None)
    shift: Float[Array, " out"] = param()

    def __call__(self, x: Float[Array, " in_"]) -> Float[Array, " out"]:
        return self.weight @ x + self.shift
"""


@pytest.mark.slow
def test_a_field_dtype_is_that_of_what_the_constructor_makes(tmp_path: Path) -> None:
    code = tried(tmp_path, "typed", HEAD + TYPED, least=200)
    assert "key, (out, in_), dtype" in code and "dtype=np.dtype(dtype)" in code
    # One that may be None is resolved for what is made, and stored as it was passed.
    assert "dtype = jnp.result_type(float) if dtype is None else dtype" in code and "dtype=asked" in code


QUANTISED = """
from jaxtyping import Int8


class Quantised(eqx.Module):
    weight: Int8[Array, "n m"]
    scale: Float[Array, " n"]

    def __call__(self, x: Float[Array, " m"]) -> Float[Array, " n"]:
        return self.scale * (self.weight.astype(x.dtype) @ x)
"""


@pytest.mark.slow
def test_a_constructor_of_python_converts_no_integers(tmp_path: Path) -> None:
    tried(tmp_path, "quantised", HEAD + QUANTISED)


FACTORS = """
class Gaussian(Module):
    root: Float[Array, "n n"] = param("lecun_normal")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        cov = self.root @ self.root.T + jnp.eye(x.shape[0])
        return jnp.linalg.solve(cov, x)

    def factor(self) -> Float[Array, "n n"]:
        return jnp.linalg.cholesky(self.root @ self.root.T + jnp.eye(self.root.shape[0]))

    def whitened(self) -> "Gaussian":
        return eqx.tree_at(lambda g: g.root, self, self.factor())
"""


@pytest.mark.slow
def test_what_jax_factors_in_32_bits_alone_is_not_asked_for_in_16(tmp_path: Path) -> None:
    tried(tmp_path, "gaussian", HEAD + FACTORS)
