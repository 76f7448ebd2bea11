"""Calls of the classes of a file: they fit the constructors that these have, and say what they take."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.projects import scaffold
from tests.support.trees import write_tree

HEAD = """
import equinox as eqx
import jax
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, buffer, module, param
"""


BESIDE = """
class Cell(Module):
    weight: Float[Array, "out in_"] = param("lecun_normal")
    scale: Float[Array, " out"] = buffer("ones")

    def __call__(self, x: Float[Array, " in_"]) -> Float[Array, " out"]:
        return self.scale * (self.weight @ x)


class Pair(Module):
    cells: list[Cell]

    def __init__(self, width: int, *, key: PRNGKeyArray):
        self.cells = [{first} for k in jax.random.split(key, 2)]

    def __call__(self, x: Float[Array, " width"]) -> Float[Array, " width"]:
        for cell in self.cells:
            x = cell(x)
        return x

    def wider(self, key: PRNGKeyArray) -> "Pair":
        return eqx.tree_at(lambda one: one.cells[0], self, {second})
"""
FITS = "Cell.create(width, width, key=k)"
FOR_TWO = "Cell.create(2, 2, key=key)"


@pytest.mark.parametrize(
    ("first", "second", "place", "fix"),
    [
        (
            "Cell(width, width, key=k)",
            FOR_TWO,
            "fields.cells.init",
            "write `Cell.create(...)`, which takes `(out, in_,",
        ),
        (FITS, "Cell(2, key=key)", "methods.wider.body", "it takes `(weight, scale)`"),
        (
            FITS,
            "Cell.create(2, 2, depth=2, key=key)",
            "methods.wider.body",
            "it takes `(out, in_, dtype=..., *, key)`",
        ),
    ],
)
def test_a_call_of_another_class_of_the_file_fits_its_constructor(
    first: str, second: str, place: str, fix: str, tmp_path: Path
) -> None:
    write_tree(tmp_path, {"specs/pair.py": HEAD + BESIDE.format(first=first, second=second)})
    made = scaffold(tmp_path, "new-module", "--spec=specs/pair.py")
    assert made.returncode == 2 and not (tmp_path / "pair.py").exists()
    assert f"Pair: {place}: `Cell" in made.stderr and "does not fit the constructor" in made.stderr
    assert fix in made.stderr, made.stderr


def test_calls_of_another_class_that_fit_are_taken(tmp_path: Path) -> None:
    generated(tmp_path, {"pair": HEAD + BESIDE.format(first=FITS, second=FOR_TWO)})


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


@pytest.mark.slow  # a run of its own, as others near it
def test_the_constructor_takes_what_lambdas_alone_name_in_their_order(tmp_path: Path) -> None:
    tried(tmp_path, "mixed", HEAD + MIXED)
    source = (tmp_path / "nets/mixed.py").read_text("utf-8")
    assert source.count("def create(cls, size: int, states: int, *, key: PRNGKeyArray)") == 2, source


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


STARTS = """
class State(Module):
    board: Array = data(lambda: jax.numpy.zeros(4))


{beside}
"""


@pytest.mark.parametrize(
    "beside",
    [
        "def start() -> State:\n    return State()",
        "class Game:\n    def start(self) -> State:\n        return State()",
    ],
)
def test_what_stands_beside_a_class_calls_it_as_it_is_emitted(beside: str, tmp_path: Path) -> None:
    head = HEAD.replace("Module, buffer", "Module, data, buffer")
    write_tree(tmp_path, {"state.py": head + STARTS.format(beside=beside)})
    made = scaffold(tmp_path, "new-module", "--spec=state.py")
    assert made.returncode == 2
    assert (
        "below: `State(...)` does not fit the constructor: missing a required argument: 'board'"
        in made.stderr
    )
    assert "write `State.create(...)`, which takes `()`" in made.stderr


SETTINGS = """

class Camera(Module):
    near: float = static(2.0)
    samples: int = static(64)

    def depths(self) -> Array:
        return jax.numpy.linspace(self.near, 2 * self.near, self.samples)


def wide() -> Camera:
    return Camera(0.5)
"""


def test_the_class_itself_has_the_defaults_of_its_last_static_fields(tmp_path: Path) -> None:
    head = HEAD.replace("Module, buffer", "Module, static")
    write_tree(tmp_path, {"specs/camera.py": head + SETTINGS})
    made = scaffold(tmp_path, "new-module", "--spec=specs/camera.py")
    assert made.returncode == 0, made.stderr
    code = (tmp_path / "camera.py").read_text("utf-8")
    assert "near: float = eqx.field(static=True, default=2.0)" in code and "return Camera(0.5)" in code


PAIR = """

class Pair(Namedtuple):
    first: Array = data(example="f[n]")
    second: Array | None = data(example="f[n]")

    def twice(self):
        return Pair(2 * self.first)
"""


def test_a_class_without_defaults_in_its_statement_is_called_with_all_fields(tmp_path: Path) -> None:
    head = HEAD.replace("Module, buffer", "Namedtuple, data")
    write_tree(tmp_path, {"specs/pair.py": head + PAIR})
    made = scaffold(tmp_path, "new-module", "--spec=specs/pair.py")
    assert made.returncode == 2 and "missing a required argument: 'second'" in made.stderr, made.stderr
