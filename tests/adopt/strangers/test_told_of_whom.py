"""What is told of a class is its own doing: not that of its parts, of the example, or of what it does on purpose."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.projects import scaffold
from tests.support.trees import write_tree

Findings = Mapping[str, list[Mapping[str, Any]]]
SOURCE = """
import dataclasses
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree


class Minus(eqx.Module):
    gain: jax.Array
    fn: object

    def __init__(self, gain: jax.Array):
        self.gain = gain
        self.fn = lambda y: -y

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.fn(self.gain * x)


class Named(eqx.Module):
    gain: jax.Array
    names: list = eqx.field(static=True)

    def __init__(self, gain: jax.Array):
        self.gain, self.names = gain, ["named"]

    def rename(self, name: str) -> None:
        self.names.append(name)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.gain * x


class Both(eqx.Module):
    first: Minus
    second: Named

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.first(self.second(x))


@jax.tree_util.register_pytree_node_class
class Rules:
    '''Rules by rank.

    ```python
    op = Rules(gain=jnp.ones(3), rules={2: lambda x: 3 * x})
    ```
    '''

    def __init__(self, gain: jax.Array, rules: dict | None = None):
        self.gain = gain
        self.rules = {1: jnp.negative, **(rules or {})}

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.rules[x.ndim](self.gain * x)

    def tree_flatten(self):
        return (self.gain,), tuple(sorted(self.rules.items()))

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, dict(aux))


@jax.tree_util.register_pytree_node_class
class Makes(Rules):
    def __init__(self, gain: jax.Array, rules: dict | None = None):
        super().__init__(gain, {2: lambda x: 3 * x, **(rules or {})})


@jax.tree_util.register_pytree_node_class
class Gain:
    def __init__(self, value: jax.Array, locked: bool = True):
        self.value = value
        self.locked = locked

    def unlocked(self, yes: bool = True) -> 'Gain':
        self.locked = not yes
        return self

    def widened(self, x: jax.Array) -> jax.Array:
        self.locked = False
        return 2 * self.value * x

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.value * x if self.locked else self.value * x + 1

    def tree_flatten(self):
        return (self.value,), (self.locked,)

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, *aux)


class Cell:
    def __init__(self, size: int):
        self.size = size

    def sample(self, key: jax.Array) -> jax.Array:
        return jax.random.randint(key, (), 0, self.size)


class Row:
    def __init__(self, cells: list[Cell], least: int = 0):
        self.cells = tuple(cells)
        self.count = len(self.cells)
        self.least = least

    def sample(self, key: jax.Array) -> tuple:
        keys = jax.random.split(key, self.count)
        return tuple(self.least + cell.sample(keys[i]) for i, cell in enumerate(self.cells))


class Forgets(Row):
    pass


jax.tree_util.register_pytree_node(Row, lambda row: (row.cells, row.least), lambda least, cells: Row(cells, least))
jax.tree_util.register_pytree_node(Forgets, lambda row: (row.cells, None), lambda _, cells: Forgets(cells))


class Cooling(NamedTuple):
    temperatures: jax.Array = jnp.array([])


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Motor:
    torque_max: float = 3000.0
    friction: bool = dataclasses.field(default=True, metadata=dict(static=True))

    def flatten(self) -> jax.Array:
        return ravel_pytree(self)[0]
"""


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    folder: Path = tmp_path_factory.mktemp("whom")
    write_tree(folder, {"lib.py": SOURCE})
    told = json.loads(scaffold(folder, "adopt", "lib.py", "--dry-run", "--json").stdout)
    return {each["class"].rpartition(":")[2]: each["findings"] for each in told["classes"]}


def texts(findings: list[Mapping[str, Any]], *severities: str) -> list[str]:
    return [
        f"{each['law']} {each['where']}: {each['what']}"
        for each in findings
        if each["severity"] in severities
    ]


@pytest.mark.slow
def test_what_a_part_does_is_told_at_its_class_alone(findings: Findings) -> None:
    assert any("was traced anew" in text for text in texts(findings["Minus"], "cost"))
    assert any("static is ['named'], a list" in text for text in texts(findings["Named"], "fault"))
    assert not texts(findings["Both"], "fault", "cost", "advice")


def test_a_function_of_a_docstring_is_the_same_in_each_build(findings: Findings) -> None:
    assert not texts(findings["Rules"], "fault", "cost")
    assert any("a local function, Makes.__init__" in text for text in texts(findings["Makes"], "fault"))


def test_a_method_that_sets_an_attribute_and_gives_the_instance_back_does_so_on_purpose(
    findings: Findings,
) -> None:
    assert texts(findings["Gain"], "fault") == ["P12 widened: it changed what the instance holds: `locked`"]


def test_a_tuple_of_children_is_no_setting(findings: Findings) -> None:
    assert not texts(findings["Row"], "fault", "cost")
    assert [text.partition(":")[0] for text in texts(findings["Forgets"], "fault")] == ["P3 least"]


def test_a_default_that_is_one_array_for_all_is_told_once(findings: Findings) -> None:
    told = texts(findings["Cooling"], "fault", "cost", "advice")
    assert {*told} == {"P15 another instance's temperatures: it shares its buffer with `temperatures`"}


def test_what_flattens_the_whole_instance_reads_each_setting(findings: Findings) -> None:
    assert not any(text.startswith("P8") for text in texts(findings["Motor"], "advice"))
