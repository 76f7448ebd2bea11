"""What a seventeenth set of ordinary classes has shown, as the smallest classes."""

from pathlib import Path

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

HEAD = """
import typing
from abc import abstractmethod
from collections.abc import Hashable, Sized

import equinox as eqx
import jax
import jax.numpy as jnp
from equinox import AbstractVar
from jaxtyping import Array, Float
from scaffold.skeleton import Module, data, param
"""
OF_CLASSES = """

class Search(Module):
    rate: Float[Array, " n"] = param()

    def init(self, x: Float[Array, " n"], like: jax.ShapeDtypeStruct) -> Float[Array, " n"]:
        return jnp.zeros(like.shape, like.dtype) + self.rate * x

    def placed(self, x: Float[Array, " n"], device: jax.Device, name: Hashable) -> Float[Array, " n"]:
        return jax.device_put(self.rate * x, device)

    def counted(self, x: Float[Array, " n"], parts: Sized, others: typing.SupportsInt) -> Float[Array, " n"]:
        return (len(parts) + int(others)) * self.rate * x
"""


def test_classes_of_jax_and_typing_are_classes_like_any_other(tmp_path: Path) -> None:
    said = generated(tmp_path, {"search": HEAD + OF_CLASSES})
    assert "init (no example for like); placed (no example for device, name)" in said, said
    assert "counted (no example for parts, others)" in said
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50
    text = (tmp_path / "nets/search.py").read_text("utf-8")
    assert "from collections.abc import Hashable, Sized\n" in text and "others: typing.SupportsInt" in text


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


def test_attributes_of_a_class_are_what_its_base_leaves_to_it(tmp_path: Path) -> None:
    said = generated(tmp_path, {"scales": HEAD + ATTRIBUTES})
    assert "Scale: not" not in said and "Bijection: not tested: it leaves methods to subclasses" in said, said
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


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
