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


STACKED = """

class Post(NamedTuple):
    mean: Float[Array, " state"]


class Filter(Module):
    transition: Float[Array, "state state"] = param()

    def run(self, prior: Post, ys: Float[Array, "time state"]) -> Post:
        def step(post, y):
            post = Post(self.transition @ post.mean + y)
            return post, post

        return jax.lax.scan(step, prior, ys)[1]
"""


def test_records_that_a_scan_stacks_have_one_more_axis(tmp_path: Path) -> None:
    generated(tmp_path, {"filters": HEAD.replace("import typing", "from typing import NamedTuple") + STACKED})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off", "-k", "TestFilter")) > 50


SCANNED = """

class Norm(Module):
    mean: Float[Array, " d"] = buffer("zeros")

    def updated(self, x: Float[Array, " d"]) -> "Norm":
        return eqx.tree_at(lambda norm: norm.mean, self, 0.9 * self.mean + 0.1 * x)

    def scan(self, xs: Float[Array, "time d"]) -> tuple["Norm", Float[Array, "time d"]]:
        def body(norm, x):
            norm = norm.updated(x)
            return norm, x - norm.mean

        return jax.lax.scan(body, self, xs)
"""


def test_a_buffer_that_a_scan_updates_has_no_gradient(tmp_path: Path) -> None:
    generated(tmp_path, {"norms": HEAD.replace("data, param", "buffer") + SCANNED})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50
    module = tmp_path / "nets/norm.py"
    text = module.read_text("utf-8").replace("jax.lax.stop_gradient(self.mean)", "self.mean")
    module.write_text(text, "utf-8")
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "a gradient reaches the buffer `mean`" in ran.stdout


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


def test_an_example_of_an_inherited_method_may_be_for_what_it_can_do_without(tmp_path: Path) -> None:
    generated(tmp_path, {"square": HEAD.replace("data, param", "test") + OF_BASE})
    suite = (tmp_path / "nets/tests/test_square.py").read_text("utf-8")
    assert 'Method("scaled", lambda seed: (jnp.ones(3), jnp.ones(3)))' in suite
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


UNKNOWN = """

@test(values={"tree": lambda: jnp.ones(3), "other": lambda: Vector(jnp.ones(3))})
@jax.tree_util.register_pytree_node_class
class Vector:
    def __init__(self, tree):
        self.tree = tree

    def tree_flatten(self):
        return (self.tree,), None

    @classmethod
    def tree_unflatten(cls, _, args):
        return cls(*args)
"""


def test_a_value_of_no_argument_is_refused_of_a_class_as_it_is_written(tmp_path: Path) -> None:
    write_tree(tmp_path, {"vector.py": HEAD.replace("data, param", "test") + UNKNOWN})
    refused = scaffold(tmp_path, "new-module", "--spec=vector.py")
    assert refused.returncode == 2
    assert "test.values.other: `other` is no argument" in refused.stderr, refused.stderr


COMMENTED = """

class Pair(Module):
    first: Float[Array, " n"] = param("ones")

    def __iter__(self):  # type: ignore
        return iter((self.first,))

    def scaled(self, x: Float[Array, " n"]) -> Float[Array, " n"]:  # noqa: D102
        # the product
        return self.first * x
"""


def test_comments_of_signatures_stay(tmp_path: Path) -> None:
    generated(tmp_path, {"pair": HEAD + COMMENTED})
    text = (tmp_path / "nets/pair.py").read_text("utf-8")
    assert "def __iter__(self):  # type: ignore\n" in text
    assert ":  # noqa: D102\n        # the product\n" in text
    assert "instance.scaled(x)" in (tmp_path / "nets/tests/test_pair.py").read_text("utf-8")


EXAMPLES = """

class Rotation(NamedTuple):
    quaternion: jax.Array = data(example="f[4]")

    def inverse(self) -> "Rotation":
        return Rotation(-self.quaternion)


@as_written
class Scale(eqx.Module):
    weight: jax.Array = param(example="f[4]")

    def __call__(self, x: Float[Array, "4"]) -> jax.Array:
        return self.weight * x
"""


def test_an_example_of_a_class_as_it_is_written_is_for_its_tests_alone(tmp_path: Path) -> None:
    head = HEAD.replace("import typing", "from typing import NamedTuple").replace(
        "Module, data", "as_written, data"
    )
    said = generated(tmp_path, {"shapes": head + EXAMPLES})
    assert "not tested" not in said and passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 100
    text = (tmp_path / "nets/shapes.py").read_text("utf-8")
    assert "quaternion: jax.Array\n" in text and "weight: jax.Array\n" in text and "example" not in text
    constructed = EXAMPLES.replace(
        "    def __call__", "    def __init__(self):\n        self.weight = jnp.ones(4)\n\n    def __call__"
    )
    write_tree(tmp_path, {"scale.py": head + constructed})
    refused = scaffold(tmp_path, "new-module", "--spec=scale.py")
    assert refused.returncode == 2
    assert "`example` says nothing here: `__init__` takes what the class is built with" in refused.stderr


def test_a_class_with_an_abstract_variable_alone_is_abstract(tmp_path: Path) -> None:
    base = "\n\nclass Base(eqx.Module):\n    shape: AbstractVar[tuple[int, ...]]\n"
    assert "Base: not tested: it leaves methods to subclasses" in generated(tmp_path, {"base": HEAD + base})


EMPTY = """

class Point(Module):
    weight: Float[Array, " n"] = param()

    def scaled(self, x: Float[Array, " n"], shape: tuple[()] = ()) -> Float[Array, " n"]:
        return self.weight * x
"""


def test_a_tuple_of_nothing_has_no_dims(tmp_path: Path) -> None:
    generated(tmp_path, {"point": HEAD + EMPTY})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50
