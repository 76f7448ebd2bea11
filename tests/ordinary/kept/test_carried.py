"""What is carried: Python that the tool does not read goes word for word to where it stood."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from scaffold import ScaffoldError, find_layout, plan, publish
from scaffold.convert.plan import meaning
from scaffold.convert.write_skeleton import write_skeleton
from scaffold.generate import load_specs, shown_files
from scaffold.spec.reading.read import read_spec
from scaffold.spec.skeletons.read import skeletons_of
from scaffold.spec.tables.toml import write_toml
from tests.support.forking import forked_pytest
from tests.support.trees import write_tree

NET = """\
import jax
from jax import numpy as np
from typing import Any
from jaxtyping import Array, Float
from scaffold.skeleton import Module, data, param, static

class Net(Module):
    weight: Float[Array, "out in_"] = param("lecun_normal")
    values: Float[Array, " n"] = data()
    name: str = static("net")

    def __call__(self, x, *args, scale=1.0, **kwargs):
        return scale * (self.weight @ x)

    def report(self) -> None:
        print(self.name)

    def __len__(self):
        return self.values.shape[0]

    def _helper(self, anything: Any) -> Any:
        return anything

    def norm(self, x: jax.Array) -> jax.Array:
        return np.sum(x**2)
"""
HEAD = """\
import functools
from collections.abc import Iterator
from typing import ClassVar, overload

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from scaffold.skeleton import Module, buffer, param, static

"""
ODD = (
    HEAD
    + '''
class Odd(Module):
    """Odd."""

    # shared by all
    count: ClassVar[int] = 3
    other = count + 1
    weight: Float[Array, "out in_"] = param("lecun_normal")
    # no hash
    __hash__ = None
    offset: Float[Array, " out"] = buffer()

    class Inner:
        def __init__(self):
            self.offset = 3

    _jitted = staticmethod(jax.jit(lambda x: x + 1))

    def __call__(self, x: Float[Array, " in_"], /, *args, by=1.0, **kwargs) -> Float[Array, " out"]:
        """Say."""
        return by * (self.weight @ x) + self.offset  # a buffer

    @overload
    def get(self, i: int) -> int: ...

    # the second
    @overload
    def get(self, i: str) -> str: ...

    def get(self, i):
        return i

    @property
    def area(self) -> float:
        return self.weight.sum() * self.offset.sum()

    @area.setter
    def area(self, value):
        raise AttributeError(value)

    @functools.cached_property
    def total(self):
        return jnp.sum(self.weight)

    def rows(self) -> Iterator[Array]:
        for row in self.weight:
            yield row

    def __eq__(self, other):
        return self is other

    async def wait(self):
        return 3

    try:
        fast = 1
    except Exception:
        fast = 2
'''
)

BESIDE = """\
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from jax import Array
from jaxtyping import Float

from scaffold.skeleton import Module, data, param, static

try:
    import scipy.special as special
except ImportError:
    special = None
if TYPE_CHECKING:
    from collections.abc import Iterator
else:
    Iterator = Any

T = TypeVar("T", int, float)
Shape = tuple[int, ...]
TABLE = {}
TABLE["a"] = 3


# of no jax
@dataclasses.dataclass(frozen=True)
class Config:
    n: int = 3


class Box(Module, Generic[T]):
    weight: Float[Array, "out in_"] = param("lecun_normal")
    shape: Shape = static((2, 3))
    config: Config = static(Config())

    def scaled(self, by: T, box: Box) -> T:
        return by


def area(box: Box) -> Array:
    return box.weight.sum()


if __name__ == "__main__":
    print(Box)
"""


def emitted(text: str, folder: Path) -> str:
    """The module that a skeleton gives."""
    write_tree(folder, {".git/": "", "specs/x.py": text})
    return shown_files(str(folder / "specs/x.py"), find_layout(folder))[0].text


def test_an_ordinary_class_is_its_text_and_a_constructor(tmp_path: Path) -> None:
    text = emitted(NET, tmp_path)
    methods = NET[NET.index("    def __call__") :]
    assert methods in text
    assert "from jax import numpy as np\n" in text and "\nimport numpy as np" not in text


def test_what_no_test_tries_is_told_in_one_line(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/net.py": NET})
    made = plan(load_specs([tmp_path / "specs/net.py"]), find_layout(tmp_path))
    told = [one for one in made.notes if "not tried" in one]
    assert told == ["Net: not tried: report (returns nothing)"]


def test_the_tests_of_an_ordinary_class_pass(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/net.py": NET})
    publish(plan(load_specs([tmp_path / "specs/net.py"]), find_layout(tmp_path)))
    done = forked_pytest(tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow  # the tests of an ordinary class are run in every run
def test_an_example_reaches_each_argument_by_the_name_of_its_method(tmp_path: Path) -> None:
    values = '@test(values={"x": lambda: np.ones(3), "norm.x": lambda: np.arange(4.0)})\nclass Net'
    text = NET.replace("class Net", values).replace("param, static", "param, static, test")
    write_tree(tmp_path, {".git/": "", "specs/net.py": text})
    made = plan(load_specs([tmp_path / "specs/net.py"]), find_layout(tmp_path))
    assert "Net: not tried: report (returns nothing)" in made.notes
    publish(made)
    tests = (tmp_path / "tests/test_net.py").read_text()
    assert 'Method("norm", lambda seed: (np.arange(4.0),))' in tests and "return (np.ones(3),)" in tests
    done = forked_pytest(tmp_path)
    assert done.returncode == 0, done.stdout


def test_everything_stands_where_it_stood_with_its_comments(tmp_path: Path) -> None:
    text = emitted(ODD, tmp_path)
    for part in (
        "    # shared by all\n    count: ClassVar[int] = 3\n    other = count + 1\n    weight: Float",
        '"out in_"]\n    # no hash\n    __hash__ = None\n    offset: Float',
        "    class Inner:\n        def __init__(self):\n            self.offset = 3\n\n    _jitted = ",
        "    @overload\n    def get(self, i: int) -> int: ...\n\n    # the second\n    @overload\n",
        "    @area.setter\n    def area(self, value):\n        raise AttributeError(value)\n",
        "    try:\n        fast = 1\n    except Exception:\n        fast = 2\n",
        'x: Float[Array, " in_"], /, *args, by=1.0, **kwargs',
    ):
        assert part in text, part


def test_a_buffer_is_cut_off_in_what_is_carried(tmp_path: Path) -> None:
    text = emitted(ODD, tmp_path)
    assert "(self.weight @ x) + jax.lax.stop_gradient(self.offset)  # a buffer" in text
    assert "self.weight.sum() * jax.lax.stop_gradient(self.offset).sum()" in text
    assert "            self.offset = 3\n" in text  # of another class


def test_the_tests_give_what_has_a_type(tmp_path: Path) -> None:
    (found,) = skeletons_of(ODD, "x.py")
    spec = read_spec(found.tables, "x.py")
    assert spec.call is not None
    assert [one.name for one in spec.call.args] == ["x"] and spec.call.returns


@pytest.mark.parametrize("text", [NET, ODD])
def test_both_forms_hold_what_is_carried(text: str) -> None:
    (found,) = skeletons_of(text, "x.py")
    spec = read_spec(found.tables, "x.py")
    toml: dict[str, Any] = tomllib.loads(write_toml(found.tables, "x"))
    assert meaning(read_spec(toml, "x.py")) == meaning(spec)
    (again,) = skeletons_of(write_skeleton([(toml, spec)], formatted=str), "x.py")
    assert meaning(read_spec(again.tables, "x.py")) == meaning(spec)


def test_the_statements_of_the_file_stand_around_the_class(tmp_path: Path) -> None:
    text = emitted(BESIDE, tmp_path)
    above, below = text.split("class Box(")
    assert text.startswith("from __future__ import annotations\n\nimport dataclasses\n")
    assert BESIDE[BESIDE.index("try:") : BESIDE.index("class Box")] in above
    assert below.startswith("eqx.Module, Generic[T]):") or below.startswith("Generic[T], eqx.Module):")
    assert below.endswith(BESIDE[BESIDE.index("\n\ndef area") :])


def test_a_class_without_a_word_of_the_vocabulary_is_carried(tmp_path: Path) -> None:
    specs = skeletons_of(BESIDE, "x.py")
    assert [one.tables["name"] for one in specs] == ["Box"]
    only = skeletons_of("class A:\n    w: int\n", "x.py")
    assert [one.tables["name"] for one in only] == ["A"]


def test_a_relative_import_is_one_of_the_package(tmp_path: Path) -> None:
    text = NET.replace("import jax\n", "import jax\nfrom .tools import square\n").replace("x**2", "square(x)")
    files = {".git/": "", "pyproject.toml": '[tool.scaffold]\npackage = "pkg"\n', "pkg/__init__.py": ""}
    write_tree(tmp_path, {**files, "specs/x.py": text})
    shown = shown_files(str(tmp_path / "specs/x.py"), find_layout(tmp_path))[0].text
    assert "from pkg.tools import square\n" in shown


FIELDS = (
    HEAD
    + """
class Holder(Module):
    weight: Float[Array, " n"] = param("zeros")
    function: Callable[[Array], Array] = static(jnp.tanh)
    table: dict[int, Array] = data()
    items: Array = param()
    anything: Any = static(None)
"""
)


def test_a_type_that_the_grammar_does_not_have_is_stored_as_it_is(tmp_path: Path) -> None:
    text = FIELDS.replace("import Iterator", "import Callable, Iterator").replace(
        "import ClassVar", "import Any, ClassVar"
    )
    text = text.replace(
        "class Holder", '@test(values={"table": {3: 1.0}, "items": lambda: jnp.ones(3)})\nclass Holder'
    )
    shown = emitted(text.replace("import Module", "import Module, data, test"), tmp_path)
    for line in ("table: dict[int, Array]\n", "items: Array\n", "anything: Any = eqx.field(static=True"):
        assert f"    {line}" in shown
    assert "items=jnp.array(items, jnp.result_type(items))," in shown and "anything: Any = None," in shown
    assert "raise TypeError" not in shown


def test_one_error_asks_for_the_roles_of_all_such_fields() -> None:
    raw = {"name": "A", "fields": {"w": "f[n]=ones", "a": {"type": "=Any"}, "b": {"type": "=dict[int, int]"}}}
    with pytest.raises(ScaffoldError) as caught:
        read_spec(raw, "spec")
    assert [one.what for one in caught.value.faults] == ["nothing says what is stored: `a`, `b`"]


ORDINARY = """\
import jax
import jax.tree_util
from typing import Generic, TypeVar
from jaxtyping import Array, Float, PRNGKeyArray, PyTree
from scaffold.skeleton import Module, param, static

_Value = TypeVar("_Value")


class _Hidden(Module, Generic[_Value]):
    weight: Float[Array, " n"] = param("zeros")
    structure: PyTree = static(None)
    operator: str = static("+")

    @property
    def __wrapped__(self):
        return self.weight

    def __call__(self, x: Float[Array, " n"], *, key: PRNGKeyArray | None = None) -> Float[Array, " n"]:
        leaves = jax.tree_util.tree_leaves(self.structure)
        return self.weight + x + len(leaves)
"""


def test_what_people_write_is_not_refused(tmp_path: Path) -> None:
    text = emitted(ORDINARY, tmp_path)
    for line in (
        "import jax.tree_util\n",
        "class _Hidden(Generic[_Value], eqx.Module):",
        "structure: PyTree = eqx.field(static=True, default=None)",
        "    @property\n    def __wrapped__(self):\n        return self.weight\n",
    ):
        assert line in text, line
    (tests,) = (one.text for one in shown_files(str(tmp_path / "specs/x.py"), find_layout(tmp_path))[1:])
    assert "ignores_key = True" in tests  # which the body never reads
