"""Constructors as people write them: without annotations, several fields at once, parts that they make themselves."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text
from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

HEAD = """
import math

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float
from scaffold.skeleton import Module, Nnx, buffer, data, module, param, state, static


"""

CLASSES = {
    "scaled": """class Scaled(Module):
    w: Float[Array, " n"] = param()
    scale: float = static()

    def __init__(self, w, scale=1.0):
        self.w = jnp.asarray(w)
        self.scale = scale

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.scale * self.w * x
""",
    "drawn": """class Drawn(Module):
    w: Float[Array, "out in_"] = param()
    b: Float[Array, " out"] = param()

    def __init__(self, in_features, out_features, key):
        lim = 1 / math.sqrt(in_features)
        self.w = jax.random.uniform(key, (out_features, in_features), minval=-lim, maxval=lim)
        self.b = jnp.zeros(out_features)

    def __call__(self, x: Float[Array, " in_"]) -> Float[Array, " out"]:
        return self.w @ x + self.b
""",
    "optional": """class Optional(Module):
    mu: Float[Array, " n"] = param()
    sigma: Float[Array, " n"] = param()

    def __init__(self, mu=None, sigma=None, n: int = 3):
        self.mu = jnp.zeros(n) if mu is None else jnp.asarray(mu)
        self.sigma = jnp.ones(n) if sigma is None else sigma

    def log_prob(self, x: Float[Array, " n"]) -> Float[Array, ""]:
        return -0.5 * jnp.sum(((x - self.mu) / self.sigma) ** 2)
""",
    "encoder": """class Encoder(Module):
    encoder: eqx.nn.MLP = module()
    beta: float = static(default=1.0)

    def __init__(self, data_dim, latent, width=16, beta=1.0, *, key):
        first, _ = jax.random.split(key)
        self.encoder = eqx.nn.MLP(data_dim, latent, width, 1, key=first)
        self.beta = beta

    def __call__(self, x: Float[Array, " data_dim"]) -> Float[Array, " latent"]:
        return self.beta * self.encoder(x)
""",
    "equinox": """class Mixed(eqx.Module):
    decay: float = eqx.field(static=True)
    mode: str = eqx.field(static=True, default="sum")
    w: Float[Array, " n"] = param("ones")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.decay * self.w * x if self.mode == "sum" else self.w * x
""",
    "layers": """class Layers(Module):
    layers: list = module()
    norm: eqx.nn.LayerNorm = module()
    log_scale: Float[Array, " width"] = param()

    def __init__(self, width, depth, *, seeds):
        keys = jax.random.split(seeds, depth)
        self.layers = [eqx.nn.Linear(width, width, key=k) for k in keys]
        self.norm = eqx.nn.LayerNorm(width)
        self.log_scale = jnp.zeros(width)

    def __call__(self, x: Float[Array, " width"]) -> Float[Array, " width"]:
        for layer in self.layers:
            x = jax.nn.relu(layer(x))
        return self.norm(x) * jnp.exp(self.log_scale)
""",
    "parts": """class Parts(Module):
    mlp: eqx.nn.MLP = module()
    log_scale: Float[Array, " out"] = param()

    def __init__(self, size: int, out: int, hidden: int = 16, *, key):
        self.mlp = eqx.nn.MLP(size, out, hidden, 2, key=key)
        self.log_scale = jnp.full((out,), -0.5)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " out"]:
        return self.mlp(x) * jnp.exp(self.log_scale)
""",
    "pair": """class Pair(Module):
    a: Float[Array, ""] = param()
    b: Float[Array, ""] = param()

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __call__(self, t: Float[Array, ""]) -> Float[Array, ""]:
        return self.a * jnp.exp(-self.b * t)
""",
    "waves": """class Waves(Module):
    freqs: Array = buffer()
    w: Float[Array, " n"] = param()
    dim: int = static()

    def __init__(self, w: Float[Array, " n"], dim: int = 8):
        self.w = w
        self.dim = dim
        self.freqs = 10.0 ** (-jnp.arange(0, dim, 2) / dim)

    def __call__(self, t: Float[Array, ""]):
        return jnp.sum(self.w) * jnp.sin(t * self.freqs)
""",
    "neuron": """class Neuron(Module):
    tau: Float[Array, ""] = param()
    v: Float[Array, " n"] = state()

    def __init__(self, n, tau=20.0):
        self.tau = jnp.asarray(tau)
        self.v = jnp.zeros(n)

    def __call__(self, current: Float[Array, " n"]) -> Float[Array, " n"]:
        self.v = self.v + (current - self.v) / self.tau
        return jnp.tanh(self.v)
""",
}

SKELETONS = {name: HEAD + text for name, text in CLASSES.items()}

QUICK = ("waves",)
"""The one whose tests take a second."""


def test_they_are_accepted(tmp_path: Path) -> None:
    said = generated(tmp_path, SKELETONS)
    assert "not tested" not in said and "not tried" not in said
    parts = (tmp_path / "nets" / "parts.py").read_text("utf-8")
    assert "dtype: DTypeLike" not in parts, "it would reach the one array, and not the layers"
    waves = (tmp_path / "nets" / "waves.py").read_text("utf-8")
    assert "jnp.sin(t * jax.lax.stop_gradient(self.freqs))" in waves
    tests = (tmp_path / "nets" / "tests" / "test_drawn.py").read_text("utf-8")
    assert '"in_features": 2' in tests and '"out_features": 3' in tests and "sample(seed, (2,))" in tests


@pytest.mark.parametrize("names", [QUICK, pytest.param(tuple(CLASSES), marks=pytest.mark.slow)])
def test_they_pass_their_tests(tmp_path: Path, names: tuple[str, ...]) -> None:
    generated(tmp_path, {name: SKELETONS[name] for name in names})
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 50 * len(names)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("= state()", '= state("zeros")', "`v` is made in the class, and in `__init__`"),
        ("(Module)", '(Module, constructor="factory")', 'remove `constructor="factory"`, or `__init__`'),
    ],
)
def test_a_field_or_a_class_that_is_made_twice_is_told_once(
    tmp_path: Path, old: str, new: str, text: str
) -> None:
    write_tree(tmp_path, {"neuron.py": HEAD + CLASSES["neuron"].replace(old, new), "nets/readme.md": ""})
    refused = scaffold(tmp_path / "nets", "new-module", "--spec=../neuron.py")
    assert refused.returncode == 2 and text in refused.stderr
    assert refused.stderr.count("error:") == 1


ASKED = """import optax
from scaffold.skeleton import test


@test(values={"rule": lambda: optax.sgd(0.1)})
class Training(Module):
    params: Float[Array, " n"] = data()
    opt_state: optax.OptState = data()
    rule: optax.MultiSteps = static()

    def __init__(self, params: Float[Array, " n"], rule: optax.MultiSteps):
        self.params = params
        self.rule = rule
        self.opt_state = rule.init(params)
"""


def test_an_object_that_the_constructor_asks_is_given_nothing_else(tmp_path: Path) -> None:
    write_tree(tmp_path, {"training.py": HEAD + ASKED, "nets/readme.md": ""})
    made = scaffold(tmp_path / "nets", "new-module", "--spec=../training.py")
    assert made.returncode == 0, made.stderr
    text = (tmp_path / "nets" / "tests" / "test_training.py").read_text("utf-8")
    assert '"rule": optax.sgd(0.1)' in text and "1j" not in text
    write_tree(tmp_path, {"training.py": HEAD + ASKED.partition("@test")[0] + ASKED[ASKED.index("class") :]})
    made = scaffold(tmp_path / "nets", "new-module", "--spec=../training.py", "--force")
    assert 'values={"rule": lambda: MultiSteps(...)}' in made.stdout


def test_an_optimiser_has_an_example(tmp_path: Path) -> None:
    asked = ASKED.replace("MultiSteps", "GradientTransformation")
    generated(tmp_path, {"training": HEAD + asked.partition("@test")[0] + asked[asked.index("class") :]})
    assert '"rule": optax.adam(1e-3, eps_root=1e-8)' in suite_text(tmp_path, "training")


NAMED = """class Scaled(Module):
    gain: Float[Array, " n"] = param("ones")
    level: Float[Array, " n"] = buffer()

    def __init__(self, level: Float[Array, " n"]):
        self.gain = 2 * jnp.ones(level.shape)
        self.level = level

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.gain * self.level * x
"""


@pytest.mark.slow  # its neighbours are tried in every run
def test_what_the_constructor_makes_takes_the_place_of_a_named_initialiser(tmp_path: Path) -> None:
    generated(tmp_path, {"scaled": HEAD + NAMED})
    emitted = (tmp_path / "nets/scaled.py").read_text("utf-8")
    assert "2 * jnp.ones(level.shape, dtype)" in emitted and "self.level = _real(level" in emitted, (
        "given arrays are copied"
    )
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 80
