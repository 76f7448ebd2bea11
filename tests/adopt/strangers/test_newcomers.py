"""`scaffold adopt` on packages as strangers write them: odd names, imports that fail, what asks for more."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scaffold.adopt.processes.process import Child
from tests.support.projects import pytest_command, run, scaffold
from tests.support.trees import read_tree, write_tree

ODD = """
from collections.abc import Callable
from typing import Any, Protocol

import equinox as eqx
import flax.struct
import jax
import jax.numpy as jnp
import optax


class Λ(eqx.Module):
    größe: jax.Array

    def __call__(self, ξ):
        return self.größe * ξ


class _Private(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x


class __Mangled(_Private):
    pass


class Wide(_Private):
    pass


Alias = Wide


def made():
    class Local(eqx.Module):
        weight: jax.Array

        def __call__(self, x):
            return self.weight * x

    return Local


Local = made()


class Stack(eqx.Module):
    layers: list

    def __init__(self, sizes, key):
        keys = jax.random.split(key, len(sizes) - 1)
        self.layers = [eqx.nn.Linear(i, o, key=k) for i, o, k in zip(sizes, sizes[1:], keys)]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Built(eqx.Module):
    size: int
    weight: jax.Array = eqx.field(init=False)

    def __post_init__(self):
        self.weight = jnp.ones((self.size, self.size), jnp.float32)

    def __call__(self, x):
        return self.weight @ x


class Seeded(eqx.Module):
    weight: jax.Array

    def __init__(self, size: int, seed: int):
        self.weight = jax.random.normal(jax.random.key(seed), (size,))

    def __call__(self, x):
        return self.weight * x


class Two(eqx.Module):
    first: Seeded
    second: Seeded

    def __call__(self, x):
        return self.first(x) + self.second(x)


class Shaped(Protocol):
    def __call__(self, value: Any, /, *more: Any) -> Any: ...


class Applied(eqx.Module):
    should_be: Shaped

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.should_be(x)


@jax.tree_util.register_pytree_with_keys_class
class Sparse:
    def __init__(self, data):
        self.data = data

    def tree_flatten_with_keys(self):
        return ((jax.tree_util.GetAttrKey("data"), self.data),), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


class Training(flax.struct.PyTreeNode):
    params: jax.Array
    tx: optax.GradientTransformation = flax.struct.field(pytree_node=False)
"""


class Asked:
    """A child that has imported the classes."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(write_tree(folder, {"odd.py": ODD}))
        self.child = Child([sys.executable], folder)

    def list(self, module: str, name: str = "") -> dict[str, Any]:
        target = {"text": module, "module": module, "name": name, "whole": not name}
        return self.child.ask({"do": "list", "folders": [self.folder], "targets": [target]}, 60.0)

    def adopt(self, name: str) -> dict[str, Any]:
        request = {"do": "adopt", "module": "odd", "name": name, "seconds": 60.0, "folders": [self.folder]}
        return self.child.ask({**request, "said": {}, "build": "", "call": ""}, 60.0)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    asked = Asked(tmp_path_factory.mktemp("odd"))
    yield asked
    asked.child.close()


@pytest.mark.slow
def test_a_class_goes_by_its_own_name_and_private_ones_are_not_for_users(asked: Asked) -> None:
    found = {one["name"]: one["why"] for one in asked.list("odd")["classes"]}
    assert {name for name, why in found.items() if not why} == {
        *("Applied", "Built", "Local", "Seeded", "Sparse", "Stack", "Training", "Two", "Wide", "Λ"),
    }
    [one] = asked.list("odd", "__Mangled")["classes"]
    assert one["why"] == "Python takes its name for another within a class"


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", ["Λ", "_Private", "Local", "Built", "Two", "Applied"])
def test_it_is_built_and_called(asked: Asked, name: str) -> None:
    found = asked.adopt(name)
    assert (found["built"], found.get("called")) == (True, True), found


@pytest.mark.slow
def test_what_is_said_by_a_name_is_taken_for_that(asked: Asked) -> None:
    assert asked.adopt("Stack")["inputs"][0] == ["sizes", "(3, 5, 2)"]
    texts = [text for _, text in asked.adopt("Two")["inputs"]]
    assert len({*texts}) == 2 and all("seed=" in text for text in texts)


def test_an_optimiser_is_made_once(asked: Asked) -> None:
    found = asked.adopt("Training")
    assert ["tx", "OPTIMISER"] in found["inputs"]
    assert found["helpers"] == ["OPTIMISER = optax.adam(0.01)"]


def test_what_flattens_is_no_call(asked: Asked) -> None:
    assert asked.adopt("Sparse")["methods"] == []


def adopt(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return scaffold(folder, "adopt", *arguments, "--python", sys.executable)


TAKEN = """
import equinox as eqx
import jax


class NAME(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x
"""


@pytest.mark.slow  # its neighbours are tried in every run
@pytest.mark.spread(3)
@pytest.mark.parametrize("name", ["TestNet", "PytreeLaws"])
def test_a_name_that_means_something_else_in_a_test_file(tmp_path: Path, name: str) -> None:
    write_tree(tmp_path, {"nets/__init__.py": "", "nets/taken.py": TAKEN.replace("NAME", name)})
    result = adopt(tmp_path, "nets")
    assert result.returncode == 0, result.stdout + result.stderr
    [path] = [one for one in read_tree(tmp_path / "tests") if one.startswith("test_")]
    assert f"taken.{name}(" in (tmp_path / "tests" / path).read_text()
    assert run(pytest_command(f"tests/{path}", "-W", "error"), tmp_path).returncode == 0


@pytest.mark.slow
def test_an_import_that_ends_the_process_is_told(tmp_path: Path) -> None:
    write_tree(tmp_path, {"ends.py": "import os\n\nos._exit(4)\n"})
    result = adopt(tmp_path, "ends.py")
    assert (result.returncode, read_tree(tmp_path).keys()) == (2, {"ends.py"})
    told = "error: ends.py: the interpreter did not come back from the import: it ended with 4\n"
    assert result.stderr.startswith(told) and "--time-limit" in result.stderr
    assert adopt(tmp_path, "ends.py", "--spec").stderr.startswith(told)


@pytest.mark.slow
def test_an_import_that_breaks_down_is_told_with_its_line(tmp_path: Path) -> None:
    waits = "import threading\n\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    write_tree(tmp_path, {"breaks.py": f"{waits}import faulthandler\n\nfaulthandler._sigsegv()\n"})
    result = adopt(tmp_path, "breaks.py")
    assert (result.returncode, read_tree(tmp_path).keys()) == (2, {"breaks.py"})
    told = "error: breaks.py: the interpreter did not come back from the import: it was ended by SIGSEGV in "
    assert result.stderr.startswith(told)
    assert "breaks.py, line 6\n" in result.stderr


CAMERA = """
from typing import NamedTuple

import jax


class Camera(NamedTuple):
    pose: jax.Array

    def project(self, points):
        if self.pose.shape != (4, 4, 9):
            raise ValueError("no pose")
        return self.pose @ points
"""


LAZY = """
__all__ = ["Lazy"]


def __getattr__(name):
    if name == "Lazy":
        raise ImportError("Lazy needs an extra")
    raise AttributeError(name)
"""


@pytest.mark.slow
def test_what_is_passed_over_and_what_was_guessed_is_told(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {"nets/__init__.py": LAZY, "nets/camera.py": CAMERA, "nets/lacks.py": "import no_such_module\n"},
    )
    result = adopt(tmp_path, "nets", "--dry-run")
    assert (
        "nets.lacks: passed over, since it cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"
        in result.stdout
    )
    assert (
        "give: --call 'project(points)' with values for its names, as `jnp.ones(3)`; --with imports what they need, or --build 'Camera(...)', "
        "since the shape of `pose` is guessed" in result.stdout
    )
    assert "--no-register" not in result.stdout
    report = json.loads(adopt(tmp_path, "nets", "--dry-run", "--json").stdout)
    assert report["left_out"] == [
        {"module": "nets.lacks", "why": "ModuleNotFoundError: No module named 'no_such_module'"},
        {"module": "nets.Lazy", "why": "ImportError: Lazy needs an extra"},
    ]


REGISTERED_LATE = """
import jax


def register(cls):
    try:
        jax.tree_util.register_pytree_node_class(cls)
    except ValueError:
        pass  # at the second instance


class Jittable:
    def __new__(cls, *args, **kwargs):
        register(cls)
        return object.__new__(cls)

    def tree_flatten(self):
        names = tuple(sorted(vars(self)))
        return tuple(vars(self)[name] for name in names), names

    @classmethod
    def tree_unflatten(cls, names, children):
        self = object.__new__(cls)
        vars(self).update(zip(names, children))
        return self


class Shift(Jittable):
    def __init__(self, shift: jax.Array):
        self.shift = shift

    def forward(self, x: jax.Array) -> jax.Array:
        return x + self.shift


class Plain:
    def __new__(cls):
        return object.__new__(cls)
"""


@pytest.mark.slow  # a search of its own in another interpreter
def test_a_class_that_is_registered_when_its_first_instance_is_made_is_adopted(tmp_path: Path) -> None:
    write_tree(tmp_path, {"late.py": REGISTERED_LATE})
    ran = scaffold(tmp_path, "adopt", "late.py", "--python", sys.executable, "--json", "--dry-run")
    classes = {one["class"]: one for one in json.loads(ran.stdout)["classes"]}
    assert classes["late:Shift"]["call"] == "forward", ran.stdout
    assert not [one for one in classes["late:Shift"]["findings"] if one["severity"] == "fault"]
    assert "late:Plain" not in classes
