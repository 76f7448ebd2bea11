"""A class without a word of the vocabulary is emitted as it is written: its constructor, its leaves and its values are its author's."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

HEAD = """\
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float

if TYPE_CHECKING:
    from nowhere_at_all import Odd

T = TypeVar("T", bound=eqx.Module)


"""
NET = '''\
class Net(eqx.Module, strict=False):
    """A table of named gains.

    - `index`: where each name stands, or a text that is longer than what a formatter would take for one line of code
    - `rate`: by which it is scaled
    """

    gains: Float[Array, "n"]  # behind a field
    index: dict[str, int]
    layers: list[eqx.nn.Linear]
    size: int
    rate: float = 0.5
    label: str = "net"
    mode: Sequence[str] = eqx.field(static=True, default=("sum",))

    @classmethod
    def of(cls, size: int, *, key: jax.Array) -> Net:
        layers = [eqx.nn.Linear(size, size, key=each) for each in jax.random.split(key)]
        return cls(jnp.ones(size), {"first": 0}, layers, size)

    def __call__(self, x: Float[Array, "n"]) -> Float[Array, "n"]:
        for layer in self.layers + self.layers[:1]:
            x = layer(x)
        return self.rate * self.gains * x
'''
BASES = """\
class Base(eqx.Module):
    bias: Float[Array, "n"]


class Normal(Base):
    scale: Float[Array, "n"]
    clip: float = 8.0

    def __call__(self, x: Float[Array, "n"]) -> Float[Array, "n"]:
        return jnp.clip(self.scale * x + self.bias, -self.clip, self.clip)
"""
FLAX = """\
class Gain(nnx.Module):
    def __init__(self, size, use_bias=True, *, rngs: nnx.Rngs):
        self.gain = nnx.Param(rngs.params.normal((size,)))
        self.bias = nnx.Param(jnp.zeros(size)) if use_bias else None

    def __call__(self, x: Float[Array, "size"]) -> Float[Array, "size"]:
        y = self.gain[...] * x
        return y if self.bias is None else y + self.bias[...]
"""
ANYTHING = """\
class Held(eqx.Module, Generic[T]):
    inner: T
    extra: Any
    parts: list[Any] = field(default_factory=list)

    def odd(self, odd: Odd) -> Odd:
        return odd
"""


ACCEPTED = {
    "types that mix": """\
class Mixed(eqx.Module):
    stages: tuple[PyTree, ...]
    rate: Float[Array, "n"] | float
    shape: tuple[int, jax.Array]
    size: int | None
    code: Any = 0

    def again(self) -> "Mixed":
        return Mixed(self.stages, self.rate, self.shape, self.size)

    def names(self) -> list[str]:
        return list(self.__dataclass_fields__)
""",
    "a module of the package": """\
class Reader(eqx.Module):
    beside: Beside

    def read(self) -> Beside:
        return self.beside
""",
    "what subclasses have": """\
class Open(eqx.Module):
    size: int

    def draw(self, *, key: jax.Array) -> jax.Array:
        raise NotImplementedError("for subclasses")

    def domain(self) -> float:
        return self.extent / self.size
""",
    "members of Flax": """\
class Switched(nnx.Module):
    def __init__(self, size: int, mean: jax.Array | None = None, *, rngs: nnx.Rngs):
        shape = self.shape = (size,)
        self.gain = nnx.Param(jnp.ones(shape))
        self.mean = nnx.BatchStat(mean) if mean is not None else None
        self.is_trained = False

    def train(self, **settings) -> None:
        self.is_trained = True
        self.gain.value = jnp.ones(self.shape)
""",
}


@pytest.mark.parametrize("subject", ACCEPTED)
def test_nothing_is_refused_that_python_runs(subject: str, tmp_path: Path) -> None:
    text = ACCEPTED[subject]
    name = text.partition("(")[0].removeprefix("class ").lower()
    head = HEAD.replace("Array, Float", "Array, Float, PyTree").replace(
        "\nif TYPE", "\nfrom .beside import Beside\n\nif TYPE"
    )
    generated(tmp_path, {name: head + text})
    module = (tmp_path / f"nets/{name}.py").read_text("utf-8")
    assert class_in(module) == text
    assert ("beside import Beside\n" in module) == ("Beside" in text)


def class_in(text: str) -> str:
    return text[text.index("class ") :]


@pytest.mark.parametrize(
    ("name", "text"), [("net", NET), ("normal", BASES), ("gain", FLAX), ("held", ANYTHING)]
)
def test_the_class_statement_is_that_of_its_author(name: str, text: str, tmp_path: Path) -> None:
    generated(tmp_path, {name: HEAD + text})
    module = (tmp_path / f"nets/{name}.py").read_text("utf-8")
    assert class_in(module) == text
    assert not list((tmp_path / "nets").glob("filter_specs.py"))
    assert ("if TYPE_CHECKING:\n    from nowhere_at_all import Odd\n" in module) and module.startswith(
        "from __future__"
    )


def test_an_instance_has_the_leaves_that_its_library_gives_it(tmp_path: Path) -> None:
    generated(tmp_path, {"net": HEAD + NET})
    suite = suite_text(tmp_path, "net")
    for leaf in ('Leaf("gains", "param"', 'Leaf("size", "python"', 'Leaf("rate", "python"'):
        assert leaf in suite, suite
    assert (
        '"mode": ("sum",),' in suite
        and 'severity = "fault"' in suite
        and "rejected" not in suite
        and "tuples" not in suite
    )


def test_its_drawing_has_the_same_leaves_and_what_the_project_decides_is_not_for_it(tmp_path: Path) -> None:
    project = '[project]\nname = "study"\nversion = "0"\n[tool.scaffold]\npackage = "study"\nsave = true\n'
    write_tree(tmp_path, {"specs/net.py": HEAD + NET, "pyproject.toml": project, "study/__init__.py": ""})
    made = scaffold(tmp_path, "new-module", "--spec", "specs/net.py")
    assert made.returncode == 0 and "study/net.py" in made.stdout, made.stderr
    assert class_in((tmp_path / "study/net.py").read_text("utf-8")) == NET
    drawn = " ".join(scaffold(tmp_path, "show", "Net").stdout.split())
    assert "size int python" in drawn and "layers a list of such" in drawn and "('sum',) static" in drawn


@pytest.mark.slow
def test_its_tests_pass(tmp_path: Path) -> None:
    generated(tmp_path, {"normal": HEAD + BASES})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 100


@pytest.mark.slow  # its neighbours are quicker
def test_those_of_a_module_of_flax_pass(tmp_path: Path) -> None:
    tried(tmp_path, "gain", HEAD + FLAX)


def test_a_word_at_one_field_asks_for_the_class(tmp_path: Path) -> None:
    head = HEAD.replace(
        "import jax.numpy as jnp\n", "import jax.numpy as jnp\nfrom scaffold.skeleton import param\n"
    )
    text = BASES.partition("\n\n\n")[0].replace(
        'bias: Float[Array, "n"]', 'bias: Float[Array, "n"] = param()'
    )
    generated(tmp_path, {"base": head + text + "\n"})
    assert "def create(cls" in (tmp_path / "nets/base.py").read_text("utf-8")
