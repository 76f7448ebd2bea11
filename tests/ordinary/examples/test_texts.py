"""Arguments that are texts, of which no type says which there are: a file, or the name of an entry."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

SKELETON = """
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, static, test


CLASS
    weight: Float[Array, " n"] = param("ones")
    names: tuple[str, ...] = static(("M2", "S2"))

    @classmethod
    def from_file(cls, path: str) -> "Table":
        with open(path) as file:
            return cls(jnp.array([float(line) for line in file]), ("M2",))

    def __getitem__(self, name: str) -> Float[Array, ""]:
        return self.weight[self.names.index(name)]

    def scaled(self, unit: str) -> Float[Array, ""]:
        return self.weight.sum() * {"m": 1.0, "km": 1000.0}[unit.lower()]
"""


def test_a_text_that_does_not_fit_is_told_and_no_fault(tmp_path: Path) -> None:
    generated(tmp_path, {"table": SKELETON.replace("CLASS", "class Table(Module):")})
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert passed(ran) > 50
    for name, error in (
        ("from_file", "FileNotFoundError: [Errno 2] No such file or directory: 'path'"),
        ("__getitem__", "ValueError: tuple.index(x): x not in tuple"),
        ("scaled", "KeyError: 'unit'"),
    ):
        said = f"tests/test_table.py::TestTable: not tried: the example of `{name}` is a guess, and does not fit ({error})"
        assert ran.stdout.count(f"\n{said}") == 1, ran.stdout


@pytest.mark.slow
def test_a_text_that_is_given_is_held_to(tmp_path: Path) -> None:
    values = '@test(values={"name": lambda: "S2", "unit": lambda: "mm"})\nclass Table(Module):'
    generated(tmp_path, {"table": SKELETON.replace("CLASS", values)})
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert ran.returncode == 1 and "KeyError: 'mm'" in ran.stdout
    assert "`__getitem__`" not in ran.stdout, "it works"


TOKENS = """
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int
from scaffold.skeleton import Module, static


class Tokens(Module):
    vocabulary: tuple[str, ...] = static()
    lower: bool = static(True)

    def encode(self, text: str) -> Int[Array, " n"]:
        text = text.lower() if self.lower else text
        return jnp.array([self.vocabulary.index(c) if c in self.vocabulary else 0 for c in text], jnp.int32)

    def decode(self, ids) -> str:
        return "".join(self.vocabulary[i] for i in np.asarray(ids))
"""


def test_a_text_may_show_no_setting_and_be_made_outside_of_programs(tmp_path: Path) -> None:
    tried(tmp_path, "tokens", TOKENS)
