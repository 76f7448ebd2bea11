"""Abstract classes: what they leave to subclasses, what they read of these, and what fields of their type hold."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

HEAD = """
import abc
from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
from equinox import AbstractVar
from flax import nnx
from jaxtyping import Array, Float
from scaffold.skeleton import Abstract, Module, param, test
"""


INHERITED_CALL = """

class Kernel(Module):
    @abstractmethod
    def evaluate(self, a: jax.Array) -> jax.Array: ...

    def __call__(self, a: jax.Array) -> jax.Array:
        return self.evaluate(a)


class Square(Kernel):
    def evaluate(self, a: jax.Array) -> jax.Array:
        return a * a
"""


@pytest.mark.slow
def test_an_inherited_call_without_an_example_is_not_called(tmp_path: Path) -> None:
    generated(tmp_path, {"kernels": HEAD + INHERITED_CALL})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


ATTRIBUTES = """

class Bijection(eqx.Module):
    shape: AbstractVar[tuple[int, ...]]
    cond_shape: AbstractVar[tuple[int, ...]]


class Scale(Bijection):
    weight: Float[Array, ""]
    shape = ()
    cond_shape = (3,)

    def transform(self, x: Float[Array, ""]) -> Float[Array, ""]:
        return self.weight * x
"""


@pytest.mark.slow
def test_attributes_of_a_class_are_what_its_base_leaves_to_it(tmp_path: Path) -> None:
    said = generated(tmp_path, {"scales": HEAD + ATTRIBUTES})
    assert "Scale: not" not in said and "Bijection: not tested: it leaves methods to subclasses" in said, said
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


def test_a_class_with_an_abstract_variable_alone_is_abstract(tmp_path: Path) -> None:
    base = "\n\nclass Base(eqx.Module):\n    shape: AbstractVar[tuple[int, ...]]\n"
    assert "Base: not tested: it leaves methods to subclasses" in generated(tmp_path, {"base": HEAD + base})


OF_SUBCLASSES = """

class Matrix(Module):
    @property
    def size(self) -> int:
        return self.diagonal.shape[0]

    @abstractmethod
    def matmul(self, x: Float[Array, " n"]) -> Float[Array, " n"]: ...


class Diagonal(Matrix):
    diagonal: Float[Array, " n"] = param()

    def matmul(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.diagonal * x


class Outer(Matrix):
    left: Float[Array, " n"] = param()

    @property
    def size(self) -> int:
        return self.left.shape[0]

    def matmul(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.left * (self.left @ x)
"""


@pytest.mark.slow
def test_an_abstract_class_reads_what_its_subclasses_hold(tmp_path: Path) -> None:
    generated(tmp_path, {"matrices": HEAD + OF_SUBCLASSES})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 100


def test_a_subclass_is_asked_for_what_it_inherits_and_reads(tmp_path: Path) -> None:
    write_tree(
        tmp_path, {"matrices.py": HEAD + OF_SUBCLASSES.replace("self.diagonal.shape", "self.diag.shape")}
    )
    refused = scaffold(tmp_path, "new-module", "--spec=matrices.py")
    assert refused.returncode == 2 and "Outer" not in refused.stderr
    assert "Diagonal: methods.size.body: `self.diag` is no field" in refused.stderr, refused.stderr


OF_BASE = """

class Kernel(Module):
    @abstractmethod
    def evaluate(self, x: jax.Array) -> jax.Array: ...

    def scaled(self, x: jax.Array, y: jax.Array | None = None) -> jax.Array:
        return self.evaluate(x) if y is None else y * self.evaluate(x)


@test(values={"x": lambda: jnp.ones(3), "scaled.y": lambda: jnp.ones(3)})
class Square(Kernel):
    def evaluate(self, x: jax.Array) -> jax.Array:
        return x * x
"""


@pytest.mark.slow
def test_an_example_of_an_inherited_method_may_be_for_what_it_can_do_without(tmp_path: Path) -> None:
    generated(tmp_path, {"square": HEAD + OF_BASE})
    suite = suite_text(tmp_path, "square")
    assert 'Method("scaled", lambda seed: (jnp.ones(3), jnp.ones(3)))' in suite
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


AUGMENTATION = """

class Augmentation(nnx.Module):
    def __init__(self, strength: float = 0.5, *, deterministic: bool = False):
        if not 0 <= strength <= 1:
            raise ValueError(f"the strength is {strength}")
        self.strength = nnx.Param(jnp.full(3, strength, jnp.float32))
        self.deterministic = deterministic

    @abc.abstractmethod
    def apply(self, image: Float[Array, "height 3"]) -> Float[Array, "height 3"]: ...

    def __call__(self, image: Float[Array, "height 3"]) -> Float[Array, "height 3"]:
        return image if self.deterministic else self.strength[...] * self.apply(image)


class Flip(Augmentation):
    def apply(self, image: Float[Array, "height 3"]) -> Float[Array, "height 3"]:
        return image[:, ::-1]
"""


def test_a_subclass_inherits_the_constructor_of_a_base_that_leaves_methods_open(tmp_path: Path) -> None:
    said = generated(tmp_path, {"augmentation": HEAD + AUGMENTATION})
    emitted = (tmp_path / "nets/augmentation.py").read_text("utf-8")
    assert emitted.count("def __init__") == 1
    assert "not tested: it leaves methods to subclasses" in said
    assert "strength" in suite_text(tmp_path, "augmentation")


KERNELS = """
class Kernel(Abstract):
    def __call__(self, x: Float[Array, " d"], y: Float[Array, " d"]) -> Float[Array, ""]: ...

    def gram(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return jax.vmap(lambda a: jax.vmap(lambda b: self(a, b))(y))(x)


class Radial(Kernel):
    log_scale: Float[Array, " d"] = param("zeros")

    def __call__(self, x, y):
        return jnp.exp(-0.5 * jnp.sum(((x - y) * jnp.exp(-self.log_scale)) ** 2))


class Total(Kernel):
    left: Kernel
    right: Kernel

    def __call__(self, x, y):
        return self.left(x, y) + self.right(x, y)


class Regression(Module):
    kernel: Radial

    def quadratic(self, x: Float[Array, "n d"], y: Float[Array, " n"]) -> Float[Array, ""]:
        return y @ self.kernel.gram(x, x) @ y
"""


@pytest.mark.slow  # the classes of other subjects are tried in every run
def test_a_field_is_of_an_abstract_class_whose_methods_have_their_types_from_there(tmp_path: Path) -> None:
    tried(tmp_path, "kernels", HEAD + KERNELS, least=70)


ASKED = """
class Data(eqx.Module):
    x: Float[Array, " n"]

    def last(self) -> Float[Array, " n"]:
        if isinstance(self, Labelled):
            return self.y
        return self.x


class Labelled(Data):
    y: Float[Array, " n"]
"""


@pytest.mark.slow  # a run of its own
def test_what_asks_for_a_subclass_reads_what_that_has(tmp_path: Path) -> None:
    code = tried(tmp_path, "labelled", HEAD + ASKED)
    assert "return self.y" in code


CALLING = """
class Solver(eqx.Module):
    @abstractmethod
    def step(self, field, y: Float[Array, " n"]) -> Float[Array, " n"]: ...


class Euler(Solver):
    def step(self, field, y):
        return y + 0.1 * field(y)
"""


def test_an_argument_that_a_subclass_calls_is_no_number_of_its_base(tmp_path: Path) -> None:
    said = generated(tmp_path, {"euler": HEAD + CALLING})
    assert "Euler: not" not in said and "jnp.tanh" in suite_text(tmp_path, "euler")
