"""`[test]` gives the values of the call as it gives those of the constructor: they are arguments, and no constants."""

import re
from pathlib import Path

import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import failed_tests, passed, scaffold
from tests.support.trees import write_tree

SPEC = """
name = "Sinusoid"

[fields]
scale = "f[n]@param"
shift = "f[n]@param"

[call]
args = "x: f[n], step: i32[], *, key: key[], damped: bool = False"
returns = "f[n]"
body = '''
noise = 0.01 * jax.random.normal(key, x.shape, x.dtype)
y = self.scale * jnp.sin(x * step.astype(x.dtype)) + noise
return jnp.where(x > 0.0, y, y + self.shift) if damped else y
'''

[test]
sizes = { n = 2 }
values = { step = 3, key = "=jax.random.split(jax.random.key(seed))[0]", x = [0.5, 2.0], damped = true }
unused = ["shift"]
"""


@pytest.mark.slow
def test_values_of_the_call_are_cast_mapped_and_differentiated(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/sinusoid.toml": SPEC})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/sinusoid.toml").returncode == 0
    tests = (tmp_path / "tests/test_sinusoid.py").read_text()
    for source in (
        "jnp.array((0.5, 2.0), float),",
        "jnp.array(3, jnp.int32),",
        "jax.random.split(jax.random.key(seed))[0],",
        "return instance(x, step, key=key, damped=True)",
        'Leaf("shift", "param", (2,), unused=True),',
    ):
        assert source in tests
    assert passed(forked_pytest(tmp_path)) > 50


DRAWS = """
name = "Noise"

[fields]
scale = "f[n]"
stored = "key[]"

[call]
args = "x: f[n], *, key: key[]"
returns = "f[n]"
body = "return self.scale * x + jax.random.normal(self.stored if key is not None else key, x.shape, x.dtype)"
"""


@pytest.mark.slow  # a run of its own
def test_the_body_does_not_say_itself_that_a_key_is_unused(tmp_path: Path) -> None:
    """It draws from a stored key, and looks at its argument: whether the key makes a difference is for the tests to see."""
    write_tree(tmp_path, {"specs/noise.toml": DRAWS})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/noise.toml").returncode == 0
    result = forked_pytest(tmp_path, "-k", "p16_keys")
    assert failed_tests(result) == {"test_p16_keys_give_different_draws"}
    assert "eight keys give the same output" in result.stdout
    assert '`[test]` with `unused = ["key"]`' in result.stdout
    spec = DRAWS + '\n[test]\nunused = ["key"]\n'
    write_tree(tmp_path, {"specs/noise.toml": spec})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/noise.toml", "--force").returncode == 0
    assert "ignores_key = True" in (tmp_path / "tests/test_noise.py").read_text()
    assert passed(forked_pytest(tmp_path, "-k", "p16_keys")) == 1


HEADS = """
name = "Heads"

[fields]
weight = { type = "f[size,size]", init = "lecun_normal" }
heads = "int"

[call]
args = "x: f[length,size]"
returns = "f[length,size]"
body = """
HEADS += "'''\nparts = (x @ self.weight).reshape(x.shape[0], self.heads, -1)\nreturn jax.nn.softmax(parts).reshape(x.shape)\n'''\n"


@pytest.mark.slow  # a run of its own
def test_sizes_that_do_not_fit_are_named_with_some_that_do(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/heads.toml": HEADS})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/heads.toml").returncode == 0
    result = forked_pytest(tmp_path, "-k", "p07_outputs")
    assert failed_tests(result) == {"test_p07_outputs_are_as_declared"}
    assert "sizes of the example that do not fit" in result.stdout
    found = re.search(r"by `\[test\]` with `(sizes = \{[^}]*\})`", result.stdout)
    assert found is not None, result.stdout
    write_tree(tmp_path, {"specs/heads.toml": f"{HEADS}[test]\n{found[1]}\n"})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/heads.toml", "--force").returncode == 0
    assert passed(forked_pytest(tmp_path, "-k", "p07_outputs or p02_leaves or p05_static")) >= 3


RANKS = """
name = "Gain"
fields.gain = "f[size]@param"

[call]
args = "x: f[batch,size]"
returns = "f[batch,size]"
body = "return self.gain * x"
"""


def test_a_promotion_of_ranks_is_no_matter_of_sizes(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/gain.toml": RANKS})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/gain.toml").returncode == 0
    write_tree(tmp_path, {"conftest.py": STRICT})
    result = forked_pytest(tmp_path, "-k", "p07_outputs")
    assert "say which axis is meant, as `self.skip[None]`" in result.stdout
    assert "sizes of the example" not in result.stdout


STRICT = 'import jax\n\njax.config.update("jax_numpy_rank_promotion", "raise")\n'


CURVE = """
name = "Curve"

[fields]
knots = "f[n]@data"
heights = "f[n,width]@param"

[call]
args = "x: f[], by: f[k]"
returns = "f[width]"
body = "return jnp.sum(by) * x * jnp.sum(self.knots[:, None] * self.heights, axis=0)"

[test]
values = {{ {values} }}
"""


@pytest.mark.slow  # a run of its own
def test_sizes_are_those_of_the_arrays_that_are_given(tmp_path: Path) -> None:
    values = "knots = [0.0, 0.5, 1.0, 2.0], by = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]"
    write_tree(tmp_path, {"specs/curve.toml": CURVE.format(values=values)})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/curve.toml").returncode == 0
    tests = (tmp_path / "tests/test_curve.py").read_text()
    assert 'Leaf("knots", "data", (4,)),' in tests and 'Leaf("heights", "param", (4, 2)),' in tests
    assert passed(forked_pytest(tmp_path, "tests/test_curve.py", "-k", "p01 or p07")) > 10


PLACES = """
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Pytree, data


class Belief(Pytree):
    mean: Float[Array, " n"] = data()

    def entry(self, index: int) -> Float[Array, ""]:
        return self.mean[index]

    def pair(self, first: int, second: int) -> Float[Array, ""]:
        return self.mean[first] - 2 * jnp.take(self.mean, second)

    def head(self, count: int) -> Float[Array, ""]:
        return jnp.sum(self.mean[:count])

    def total(self, axis: int) -> Float[Array, ""]:
        return jnp.sum(self.mean, axis=axis)
"""


def test_places_of_elements_and_axes_are_apart_and_within_the_array(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/belief.py": PLACES})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/belief.py").returncode == 0
    tests = (tmp_path / "tests/test_belief.py").read_text()
    for call in ("entry(1)", "pair(1, 0)", "head(2)", "total(0)"):
        assert f"call=lambda instance: instance.{call}" in tests
    assert passed(forked_pytest(tmp_path)) > 30


TRAINING = """
import equinox as eqx
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float
from scaffold.skeleton import Module, TrainState, param


class Net(Module):
    weight: Float[Array, "out size"] = param("lecun_normal")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " out"]:
        return self.weight @ x


OPTIMISER = optax.adam(3e-4)


class Training(TrainState):
    model: Net

    def improved(self, x: Float[Array, " size"]) -> "Training":
        grads = eqx.filter_grad(lambda model: jnp.sum(model(x) ** 2))(self.model)
        return self.apply_gradients(grads, OPTIMISER)
"""


def test_a_train_state_is_built_with_the_optimiser_that_its_methods_name(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/training.py": TRAINING})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/training.py").returncode == 0
    assert '"optimiser": optax.adam(0.0003)' in (tmp_path / "tests/test_training.py").read_text()
    assert passed(forked_pytest(tmp_path, "-k", "p07_methods")) > 3
