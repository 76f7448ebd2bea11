"""Bases of classes with methods: by hand, as mixins, of a second level, and with type parameters."""

import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from scaffold import ScaffoldError, find_layout
from scaffold.convert.plan import meaning
from scaffold.convert.shortened import shortened
from scaffold.convert.write_skeleton import write_skeleton
from scaffold.render_class import module_files
from scaffold.spec import read_spec
from scaffold.spec.skeletons.read import skeletons_of
from scaffold.spec.tables.toml import write_toml
from scaffold.tidy import tidy
from tests.support.forking import forked_pytest
from tests.support.projects import checker, passed, run, scaffold
from tests.support.trees import write_tree

BY_HAND = '''
import abc

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class AbstractSolver(eqx.Module):
    """By hand: a field, a method that is asked for and one that is there."""

    order: eqx.AbstractVar[int]

    @abc.abstractmethod
    def step(self, y: Float[Array, " n"]) -> Float[Array, " n"]:
        """One step."""

    def steps(self, y: Float[Array, " n"], count: int) -> Float[Array, " n"]:
        """Several steps."""
        return jax.lax.fori_loop(0, count, lambda _, y: self.step(y), y)


class Counted:
    """A mixin, which is no Module."""

    def leaves(self) -> int:
        """How many arrays it holds."""
        return len(jax.tree.leaves(self))
'''
EULER = '''
import jax.numpy as jnp
from by_hand import AbstractSolver, Counted
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, static


class Euler(AbstractSolver):
    """Steps along a linear field."""

    matrix: Float[Array, "n n"] = param("lecun_normal")
    size: float = static(0.1)
    order: int = 1

    def step(self, y: Float[Array, " n"]) -> Float[Array, " n"]:
        """One step."""
        return y + self.size * (self.matrix @ y)

    def far(self, y: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.steps(y, 3)


class Held(Module, Counted):
    """An array, counted."""

    weight: Float[Array, " n"] = param("ones")

    def total(self) -> int:
        return self.leaves()
'''
BOXES = '''
from abc import abstractmethod
from typing import Generic, TypeVar

import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Abstract, Module, param, test


class AbstractMap(Abstract):
    """A map of vectors."""

    @abstractmethod
    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        """Map `x`."""

    def twice(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        """Map `x` two times."""
        return self(self(x))


class AbstractLinear(AbstractMap):
    """A map that is a matrix: a second level, which makes what the first asks for."""

    @abstractmethod
    def matrix(self) -> Float[Array, "n n"]:
        """The matrix."""

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.matrix() @ x


class Scale(AbstractLinear):
    gain: Float[Array, " n"] = param("ones")

    def matrix(self) -> Float[Array, "n n"]:
        return jnp.diag(self.gain)


T = TypeVar("T", bound=AbstractMap)


@test(sizes={"n": 3}, values={"inner": lambda: Scale.create(3)})
class Residual(Module, Generic[T]):
    """Adds what it maps."""

    inner: T
    bias: Float[Array, " n"] = param("zeros")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        """Map `x`."""
        return x + self.inner(x) + self.bias

    def held(self) -> T:
        """What it holds."""
        return self.inner
'''
USE = """
import jax, jax.numpy as jnp
from boxes import Residual, Scale
from euler import Euler, Held
euler = Euler.create(3, key=jax.random.key(0))
once = lambda y: y + euler.size * euler.matrix @ y
assert jnp.allclose(euler.far(jnp.ones(3)), once(once(once(jnp.ones(3))))) and euler.order == 1
assert Held.create(3).total() == 1
box = Residual.create(Scale.create(3), 3)
assert (box(jnp.ones(3)) == 2).all() and isinstance(box.held(), Scale)
assert (Scale.create(3).twice(jnp.arange(3.0)) == jnp.arange(3.0)).all()
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"by_hand.py": BY_HAND, "specs/euler.py": EULER, "specs/boxes.py": BOXES, ".git/": ""}
    folder = write_tree(tmp_path_factory.mktemp("bases"), files)
    result = scaffold(folder, "new-module", "--spec", "specs/euler.py", "specs/boxes.py")
    assert result.returncode == 0, result.stderr
    return folder


@pytest.mark.slow  # tests/roles/test_bases.py runs bases each time
def test_what_bases_make_is_there(project: Path) -> None:
    text = (project / "euler.py").read_text()
    assert "\nclass Euler(AbstractSolver):" in text
    assert "\nclass Held(Counted, eqx.Module):" in text
    text = (project / "boxes.py").read_text()
    assert "class AbstractLinear(AbstractMap):" in text
    assert 'T = TypeVar("T", bound=AbstractMap)\n\n\nclass Residual(eqx.Module, Generic[T]):' in text
    assert '-> "Residual[T]":' in text
    used = run([sys.executable, "-c", USE], project)
    assert used.returncode == 0, used.stderr
    assert passed(forked_pytest(project)) > 200


@pytest.mark.slow
def test_what_bases_make_is_typed(project: Path) -> None:
    for command in (("pyright", "."), ("mypy", *(one.name for one in project.glob("*.py")))):
        checked = run(checker(*command), project)
        assert "error" not in checked.stdout.replace("0 errors", ""), checked.stdout


@pytest.mark.parametrize(
    ("floor", "told"),
    [
        (">=3.11", "class Residual(eqx.Module, Generic[T]):"),
        (">=3.12,<4", "class Residual[T: AbstractMap](eqx.Module):"),
        ("", "class Residual(eqx.Module, Generic[T]):"),
    ],
)
def test_the_syntax_is_that_of_the_oldest_python(floor: str, told: str, tmp_path: Path) -> None:
    needs = f'requires-python = "{floor}"\n' if floor else ""
    write_tree(tmp_path, {"pyproject.toml": f'[project]\nname = "a"\nversion = "1"\n{needs}', ".git/": ""})
    spec = read_spec(raws_of(BOXES)["Residual"], "spec", is_class=lambda name: name == "Scale")
    text = tidy(module_files(spec, find_layout(tmp_path), {}))[0].text
    assert told in text and ("TypeVar" in text) == ("Generic" in told)
    assert "import AbstractMap" in text


def raws_of(text: str) -> dict[str, dict[str, Any]]:
    found = skeletons_of(text, "x.py")
    assert [one.faults for one in found] == [()] * len(found)
    return {one.tables["name"]: one.tables for one in found}


@pytest.mark.parametrize("text", [EULER, BOXES], ids=["bases", "type parameters"])
def test_bases_go_to_toml_and_back(text: str) -> None:
    for raw in raws_of(text).values():
        spec = read_spec(raw, "spec", is_class=lambda name: name == "Scale")
        toml = tomllib.loads(write_toml(shortened(raw), "x"))
        again = raws_of(write_skeleton([(toml, spec)], formatted=str))[spec.name]
        for one in (toml, again):
            assert meaning(read_spec(one, "spec", is_class=lambda name: name == "Scale")) == meaning(spec)


FIELDS: dict[str, Any] = {"inner": "T", "w": {"type": "f[n]", "init": "ones"}}


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({"generic": ["t"]}, "spec: generic: `t` is no name of a type parameter -> write `T`, for example"),
        ({"generic": ["Array"]}, "spec: generic: `Array` is no name of a type parameter"),
        ({"generic": ["T", "T"]}, "spec: generic: `T` is there twice -> remove one"),
        ({"generic": ["T: f["]}, "spec: generic: "),
        ({"generic": ["T"], "kind": "pytree"}, "spec: generic: a class of kind `pytree` has no `generic`"),
        ({"generic": "T"}, "spec: generic: 'T' is not an array of strings"),
    ],
)  # fmt: skip
def test_what_type_parameters_cannot_be(raw: dict[str, Any], told: str) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec({"name": "A", "fields": FIELDS, **raw}, "spec")
    found = [f"{fault.where}: {fault.what} -> {fault.fix}" for fault in caught.value.faults]
    assert any(one.startswith(told) for one in found), found


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.12 reads this syntax")
def test_the_new_syntax_says_the_same() -> None:
    text = BOXES.replace("(Module, Generic[T])", "[T: AbstractMap](Module)")
    text = text.replace('T = TypeVar("T", bound=AbstractMap)\n', "")
    assert raws_of(text)["Residual"]["generic"] == raws_of(BOXES)["Residual"]["generic"]
