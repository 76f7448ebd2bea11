"""Subclasses of the classes of a file: they have the fields of their bases, and the constructor makes them."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text
from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

HEAD = """
import abc

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float
from scaffold.skeleton import Module, buffer, derived, module, param, static


"""

KERNELS = """class Kernel(Module):
    variance: Float[Array, ""] = param("ones")

    @abc.abstractmethod
    def __call__(self, x: Float[Array, " d"], y: Float[Array, " d"]) -> Float[Array, ""]:
        \"\"\"k(x, y).\"\"\"

    def twice(self, x: Float[Array, " d"]) -> Float[Array, ""]:
        return 2 * self(x, x)


class Stationary(Kernel):
    lengthscale: Float[Array, " d"] = param("ones")
    volume: Float[Array, ""] = derived("=jnp.prod(lengthscale)")
    centre: Float[Array, " d"] = buffer("zeros")

    def distance(self, x: Float[Array, " d"], y: Float[Array, " d"]) -> Float[Array, ""]:
        return jnp.sum(((x - y) / self.lengthscale) ** 2) + jnp.sum((x + y - self.centre) ** 2)


class Squared(Stationary):
    def __call__(self, x, y):
        return self.variance * jnp.exp(-0.5 * self.distance(x, y))


class Rational(Stationary):
    alpha: Float[Array, ""] = param()

    def __init__(self, d: int):
        self.variance = jnp.ones(())
        self.lengthscale = jnp.ones(d)
        self.centre = jnp.zeros(d)
        self.alpha = jnp.ones(())

    def __call__(self, x, y):
        return self.variance * (1 + self.distance(x, y) / self.alpha) ** -self.alpha


class Sum(Module):
    left: Kernel
    right: Kernel

    def __call__(self, x: Float[Array, " d"], y: Float[Array, " d"]) -> Float[Array, ""]:
        return self.left(x, y) + self.right(x, y)
"""

LINEAR = """class Linear(Module):
    weight: Float[Array, "out_size in_size"] = param("lecun_normal")

    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
        return self.weight @ x


class Rectified(Linear):
    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
        return jax.nn.relu(super().__call__(x))
"""

MADE = """class Scaled(Module):
    weight: Float[Array, " size"] = param()
    rate: float = static()

    def __init__(self, weight: Float[Array, " size"], rate: float = 0.5):
        self.weight = weight
        self.rate = rate

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.rate * self.weight * x


class Moved(Scaled):
    bias: Float[Array, " size"] = param("zeros")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return super().__call__(x) + self.bias


class Negated(Scaled):
    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return -super().__call__(x)
"""

CARRIED = """class Drawn(Module):
    weight: Float[Array, "out_size in_size"] = param()

    def __init__(self, *sizes: int, key):
        out_size, in_size = sizes or (2, 3)
        self.weight = jax.random.normal(key, (out_size, in_size))

    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
        return self.weight @ x


class Squashed(Drawn):
    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
        return jnp.tanh(super().__call__(x))
"""


def body(folder: Path, name: str) -> str:
    text = (folder / "nets" / "family.py").read_text("utf-8")
    return text.partition(f"class {name}(")[2].partition("\nclass ")[0]


@pytest.mark.slow  # a subclass that inherits the constructor is tried in every run
def test_what_an_abstract_module_holds_is_made_by_its_subclasses(tmp_path: Path) -> None:
    said = generated(tmp_path, {"family": HEAD + KERNELS})
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 100
    for name in ("Kernel", "Stationary"):
        assert f"{name}: not tested: it leaves methods to subclasses" in said
        assert "def create" not in body(tmp_path, name)
    assert "not tried" not in said
    assert "variance:" not in body(tmp_path, "Squared") and "variance=jnp.ones" in body(tmp_path, "Squared")
    assert "self.variance = jnp.ones(())" in body(tmp_path, "Rational")
    assert "def volume" in body(tmp_path, "Stationary") and "def volume" not in body(tmp_path, "Rational")
    assert "jax.lax.stop_gradient(self.centre)" in body(tmp_path, "Stationary")
    tests = suite_text(tmp_path, "family")
    assert 'Method("twice"' in tests.partition("class TestSquared")[2].partition("class Test")[0]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param(LINEAR, "Rectified", marks=pytest.mark.slow),
        pytest.param(MADE, "Negated", marks=pytest.mark.slow),
        pytest.param(CARRIED, "Squashed", marks=pytest.mark.slow),
    ],
)
def test_a_subclass_without_fields_inherits_the_constructor(tmp_path: Path, text: str, name: str) -> None:
    generated(tmp_path, {"family": HEAD + text})
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 100
    assert "weight:" not in body(tmp_path, name)
    assert "def create" not in body(tmp_path, name) and "def __init__" not in body(tmp_path, name)
    assert f"class Test{name}(" in suite_text(tmp_path, "family")
    if text == LINEAR:
        assert "-> Self:" in body(tmp_path, "Linear")
    if text == MADE:
        assert "self.rate = " in body(tmp_path, "Moved") and "self.bias = " in body(tmp_path, "Moved")


def test_a_field_beside_those_of_a_class_that_is_made_by_create_is_refused(tmp_path: Path) -> None:
    more = LINEAR.replace(
        "(Linear):\n", '(Linear):\n    bias: Float[Array, " out_size"] = param("zeros")\n\n'
    )
    write_tree(tmp_path, {"family.py": HEAD + more, "nets/readme.md": ""})
    refused = scaffold(tmp_path / "nets", "new-module", "--spec=../family.py")
    assert refused.returncode == 2
    assert "the constructor of `Rectified` does not make the fields of `Linear`" in refused.stderr
    assert "write `Abstract` for `Linear`, or an `__init__` in `Rectified`" in refused.stderr


INHERITED = """

class Node(struct.PyTreeNode):
    weight: jax.Array

    def scaled(self, x: Float[Array, "4"], factor: float = 2.0) -> jax.Array:
        return self.moved(x) * self.weight * factor

    def moved(self, x: Float[Array, "4"]) -> jax.Array:
        return x


class Child(Node):
    shift: jax.Array

    def moved(self, x: Float[Array, "4"]) -> jax.Array:
        return x + self.shift


@struct.dataclass
class Base:
    weight: jax.Array


@struct.dataclass
class Leafy(Base):
    shift: jax.Array

    def apply(self, x: Float[Array, "3"]) -> jax.Array:
        return x * self.weight + self.shift
"""


@pytest.mark.slow
def test_classes_of_other_libraries_inherit_within_a_file(tmp_path: Path) -> None:
    said = generated(tmp_path, {"nodes": HEAD + INHERITED})
    assert "not tested" not in said and "not tried" not in said, said
    text = suite_text(tmp_path, "nodes")
    child, leafy = text.index("class TestChild"), text.index("class TestLeafy")
    assert '"weight": sample(seed, (4,))' in text[child:] and 'Method("scaled"' in text[child:]
    assert (
        '"weight": sample(seed, (3,))' in text[leafy:] and '"shift": sample(seed + 1, (3,))' in text[leafy:]
    )
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 200
