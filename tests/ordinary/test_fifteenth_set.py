"""What a fifteenth set of ordinary classes has shown, as the smallest classes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest
from tests.support.projects import scaffold
from tests.support.trees import write_tree

HEAD = """
import enum

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray
from scaffold.skeleton import Module, Pytree, buffer, call, data, field, module, param, state, static, test
"""
STEPPED = """

class Recurrence(Module):
    weight: Float[Array, " size"] = param("normal")

    @call(carry="hidden")
    def step(
        self, hidden: Float[Array, " size"], x: Float[Array, " size"]
    ) -> tuple[Float[Array, " size"], Float[Array, " size"]]:
        hidden = self.weight * hidden + x
        return hidden, jnp.tanh(hidden)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.weight * x
"""


def test_a_method_carries_an_argument(tmp_path: Path) -> None:
    tried(tmp_path, "recurrence", HEAD + STEPPED)
    suite = (tmp_path / "nets/tests/test_recurrence.py").read_text("utf-8")
    assert "carry=0" in suite, suite


CHOSEN = """

class Way(enum.Enum):
    STRAIGHT = "straight"
    BENT = "bent"


@test(sizes={"width": 3}, other={"way": lambda: Way.BENT})
class Chosen(Module):
    head: eqx.nn.Linear
    way: Way = static(Way.STRAIGHT)

    def __init__(self, width: int, way: Way = Way.STRAIGHT, *, key: PRNGKeyArray):
        self.head = eqx.nn.Linear(width, 2, key=key)
        self.way = way

    def __call__(self, x: Float[Array, " width"]) -> Float[Array, " 2"]:
        y = self.head(x)
        return jnp.tanh(y) if self.way is Way.BENT else y
"""


def test_another_configuration_has_another_choice_of_a_constructor_that_is_kept(tmp_path: Path) -> None:
    tried(tmp_path, "chosen", HEAD + CHOSEN)
    suite = (tmp_path / "nets/tests/test_chosen.py").read_text("utf-8")
    assert '"way": Way.BENT,' in suite, suite


KEPT = """

class Ring(Pytree):
    values: Float[Array, " room"] = data("zeros")
    filled: Bool[Array, " room"] = field("zeros")
    added: Int32[Array, ""] = field("zeros")

    @call(carry="self")
    def add(self, value: Float[Array, ""]) -> "Ring":
        at = self.added % self.values.shape[0]
        return Ring(self.values.at[at].set(value), self.filled.at[at].set(True), self.added + 1)

    def total(self) -> Float[Array, ""]:
        return jnp.sum(jnp.where(jnp.arange(self.values.shape[0]) < self.added, self.values, 0))
"""


def test_a_field_takes_its_initialiser_first_and_what_begins_empty_is_filled(tmp_path: Path) -> None:
    tried(tmp_path, "ring", HEAD + KEPT)
    suite = (tmp_path / "nets/tests/test_ring.py").read_text("utf-8")
    assert 'Method("total", returns=(Output(()),), used=("values",)),' in suite, suite


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
    suite = (tmp_path / "nets/tests/test_codebook.py").read_text("utf-8")
    assert 'Leaf("codes", "state", (2, 3), unused=True)' in suite, suite
    assert 'Leaf("sums", "state", (2, 3))' in suite, suite


MIXED = """

class Mix(Module):
    weight: Float[Array, "size states"] = param("normal")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " states"]:
        return x @ self.weight


class Mixed(Module):
    norm: eqx.nn.LayerNorm = module(lambda size: eqx.nn.LayerNorm(size))
    mix: Mix = module(lambda size, states, key: Mix.create(size, states, key=key))
    back: eqx.nn.Linear = module(lambda size, states, key: eqx.nn.Linear(states, size, key=key))

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return x + self.back(self.mix(self.norm(x)))


class Twice(Module):
    mixed: Mixed = module(lambda size, states, key: Mixed.create(size, states, key=key))

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.mixed(self.mixed(x))
"""


@pytest.mark.slow  # one class of a set, of which the others are tried at each run
def test_the_constructor_takes_what_lambdas_alone_name_in_their_order(tmp_path: Path) -> None:
    tried(tmp_path, "mixed", HEAD + MIXED)
    source = (tmp_path / "nets/mixed.py").read_text("utf-8")
    assert source.count("def create(cls, size: int, states: int, *, key: PRNGKeyArray)") == 2, source


SPREAD = """

def knots_between(intervals: int, degree: int):
    return jnp.linspace(-1.0, 1.0, intervals + 2 * degree + 1)


class Spread(Module):
    weight: Float[Array, " parts"] = param()
    knots: Float[Array, " knots"] = buffer()

    def __init__(self, parts: int, intervals: int = 5, degree: int = 2, *, key: PRNGKeyArray):
        self.weight = jax.random.normal(key, (parts,))
        self.knots = knots_between(intervals, degree)

    def __call__(self, x: Float[Array, ""]) -> Float[Array, " parts"]:
        return self.weight * jnp.sum(jnp.abs(x - self.knots))
"""


def test_a_number_that_a_function_of_the_file_takes_is_no_size_of_what_it_gives(tmp_path: Path) -> None:
    tried(tmp_path, "spread", HEAD + SPREAD)
    suite = (tmp_path / "nets/tests/test_spread.py").read_text("utf-8")
    assert 'Leaf("knots", "buffer", None)' in suite, suite


IDLE = """
JITTER = 1e-3


class Damped(Module):
    weight: Float[Array, " size"] = param("normal")
    jitter: float = static(JITTER, check=lambda jitter: jitter >= 0)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.weight * x + JITTER
"""
FOR_OTHERS = IDLE.replace("class Damped", '@test(unused=["jitter"])\nclass Damped')
NOISY = """

class Noisy(Module):
    weight: Float[Array, " size"] = param("normal")
    rate: float = static(0.0, check=lambda rate: 0 <= rate < 1)

    def __call__(self, x: Float[Array, " size"], *, key: PRNGKeyArray | None = None) -> Float[Array, " size"]:
        if key is not None and self.rate > 0:
            x = jnp.where(jax.random.bernoulli(key, 1 - self.rate, x.shape), x / (1 - self.rate), 0)
        return self.weight * x
"""


@pytest.mark.slow
def test_a_setting_that_nothing_reads_is_noticed(tmp_path: Path) -> None:
    generated(tmp_path / "idle", {"damped": HEAD + IDLE})
    ran = forked_pytest(tmp_path / "idle/nets", "--numbers=off")
    assert "at `jitter`: no code of its module reads it" in ran.stdout, ran.stdout
    tried(tmp_path / "declared", "damped", HEAD + FOR_OTHERS)


def test_a_share_that_is_0_draws_where_it_is_one_half(tmp_path: Path) -> None:
    tried(tmp_path, "noisy", HEAD + NOISY)


GUARDED = """

class Waiting(Module):
    values: Float[Array, " room"] = data("zeros")
    count: Int32[Array, ""] = data("zeros")

    def add(self, value: Float[Array, ""]) -> "Waiting":
        at = eqx.error_if(self.count, self.count >= self.values.shape[0], "full")
        return Waiting(self.values.at[at].set(value), self.count + 1)

    def total(self) -> Float[Array, ""]:
        return jnp.sum(jnp.where(jnp.arange(self.values.shape[0]) < self.count, self.values, 0))

    def __call__(self, x: Float[Array, ""]) -> Float[Array, " room"]:
        return self.values + x
"""


def test_a_queue_may_become_full(tmp_path: Path) -> None:
    source = GUARDED.replace("    def add(", '    @call(carry="self")\n    def add(')
    tried(tmp_path, "waiting", HEAD + source)


STATEFUL = """

class Drift(Module):
    weight: Float[Array, " size"] = param("normal")
    seen: Float[Array, " size"] = state("zeros")

    @call(carry="hidden")
    def step(self, hidden: Float[Array, " size"], x: Float[Array, " size"]) -> Float[Array, " size"]:
        self.seen = self.seen + x
        return self.weight * hidden + x

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        self.seen = self.seen + x
        return self.weight * x
"""


@pytest.mark.slow
def test_a_method_with_a_state_carries_an_argument(tmp_path: Path) -> None:
    tried(tmp_path, "drift", HEAD + STATEFUL)


CIRCLE = """

class Left(Module):
    other: "Right" = module(lambda size, depth: Right.create(size, depth))

    def __call__(self, x: Float[Array, " size"]) -> Array:
        return x


class Right(Module):
    other: "Left" = module(lambda size, depth: Left.create(size, depth))

    def __call__(self, x: Float[Array, " size"]) -> Array:
        return x
"""


def test_classes_that_make_each_other_say_what_is_not_known(tmp_path: Path) -> None:
    write_tree(tmp_path, {"circle.py": HEAD + CIRCLE})
    made = scaffold(tmp_path, "new-module", "--spec=circle.py")
    assert made.returncode == 2 and "the name `depth` is not known here" in made.stderr, made.stderr
