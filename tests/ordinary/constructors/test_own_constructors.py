"""Constructors that do more than assign are their author's, and calls of the class have to fit what is emitted."""

from pathlib import Path
from typing import Any

import jax
import pytest

from scaffold import ScaffoldError, find_layout, plan, publish
from scaffold.generate import load_specs
from tests.ordinary.generated import tried
from tests.ordinary.kept.test_carried import HEAD, NET, emitted
from tests.support.forking import forked_pytest

OWN = (
    HEAD
    + """
class Own(Module):
    weight: Float[Array, "out in_"] = param()
    bias: Float[Array, " out"] | None = param()
    size: int = static()

    def __init__(self, in_: int, out: int, use_bias: bool = True, *, key: PRNGKeyArray, **kwargs):
        # mine
        self.size = out
        if use_bias:
            self.bias = jnp.zeros(self.size)
        else:
            self.bias = None
        self.weight = self._draw(in_, key)

    def _draw(self, in_, key):
        return jax.random.normal(key, (self.size, in_))

    def __call__(self, x: Float[Array, " in_"]) -> Float[Array, " out"]:
        y = self.weight @ x
        return y if self.bias is None else y + self.bias
"""
)
OWN = OWN.replace("import Array, Float", "import Array, Float, PRNGKeyArray")
OWN_NNX = """
import jax
from flax import nnx
from jaxtyping import Array, Float

from scaffold.skeleton import Nnx, param, static


class Own(Nnx):
    weight: Float[Array, "out in_"] = param()
    size: int = static()

    def __init__(self, in_: int, out: int, *, rngs: nnx.Rngs, **kwargs):
        super().__init__()
        self.size = out
        self.weight = nnx.Param(jax.random.normal(rngs.params(), (self.size, in_)))

    def __call__(self, x: Float[Array, " in_"]) -> Float[Array, " out"]:
        return self.weight[...] @ x
"""
PYTREE = OWN.replace("(Module)", "(Pytree)").replace("import Module", "import Pytree")


@pytest.mark.spread(5)
@pytest.mark.parametrize("text", [OWN, PYTREE, OWN_NNX], ids=["module", "pytree", "nnx"])
def test_a_constructor_that_does_more_than_assign_is_the_author_s(text: str, tmp_path: Path) -> None:
    shown = emitted(text, tmp_path)
    constructor = text[text.index("    def __init__") : text.index("    def __call__")]
    words = "".join(constructor.split())
    assert words in "".join(shown.split()) and shown.count("def __init__") == 1
    assert "def create" not in shown and "_check" not in shown
    publish(plan(load_specs([tmp_path / "specs/x.py"]), find_layout(tmp_path)))
    done = forked_pytest(tmp_path)
    assert done.returncode == 0, done.stdout


CHECKED = "static(check=lambda size: size > 2)"


def test_a_check_stands_beside_the_author_s_constructor(tmp_path: Path) -> None:
    shown = emitted(OWN.replace("static()", CHECKED), tmp_path)
    assert shown.index("def __init__") < shown.index("def __check_init__") < shown.index("def _draw")
    made: dict[str, Any] = {}
    exec(shown, made)
    assert made["Own"](2, 3, key=jax.random.key(0)).size == 3
    with pytest.raises(ValueError, match="`size` must satisfy `size > 2`, got 2"):
        made["Own"](2, 2, key=jax.random.key(0))


CHECKS_ITSELF = "\n    def __check_init__(self):\n        pass\n"


@pytest.mark.parametrize(
    ("text", "method"), [(PYTREE, "__init__"), (OWN_NNX, "__init__"), (OWN + CHECKS_ITSELF, "__check_init__")]
)
def test_a_check_that_would_be_lost_is_refused(text: str, method: str, tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError) as caught:
        emitted(text.replace("static()", CHECKED), tmp_path)
    (fault,) = caught.value.faults
    assert fault.what == f"nothing is added to the author's `{method}`, so this check would be lost"
    assert fault.fix == "write it there: `if not (size > 2): raise ValueError(...)`"


def test_what_the_author_writes_is_not_emitted_again(tmp_path: Path) -> None:
    more = "\n    def __repr__(self):\n        return 'own'\n\n    def __check_init__(self):\n        pass\n"
    for text in (PYTREE, NET.replace("(Module)", "(Pytree)").replace("import Module", "import Pytree"), NET):
        shown = emitted(text + more, tmp_path)
        assert shown.count("def __repr__") == shown.count("def __check_init__") == 1


CALLS = (
    HEAD
    + """
class Geometry(Module):
    points: Float[Array, " n"] = param()
    scale: float = static(1.0)

    def moved(self, by):
        CALL
"""
)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            "return Geometry(self.points + by, b=3)",
            "`Geometry(...)` does not fit the constructor: got an unexpected keyword argument 'b'",
        ),
        (
            "return Geometry(scale=2.0)",
            "`Geometry(...)` does not fit the constructor: missing a required argument: 'points'",
        ),
        (
            "return type(self).create(self.points, sale=2.0)",
            "`type(self).create(...)` does not fit the constructor: got an unexpected keyword argument 'sale'",
        ),
        (
            "return self.__class__(1, 2, 3)",
            "`self.__class__(...)` does not fit the constructor: too many positional arguments",
        ),
    ],
)
def test_a_call_of_the_class_that_does_not_fit_its_constructor_is_a_fault(
    call: str, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.py"
    path.write_text(CALLS.replace("CALL", call))
    with pytest.raises(ScaffoldError) as caught:
        load_specs([path])
    assert [one.what for one in caught.value.faults][-1:] == [told]
    assert caught.value.faults[-1].line == 17
    path.write_text(CALLS.replace("CALL", "return Geometry(points=self.points + by, scale=self.scale)"))
    load_specs([path])


BETWEEN = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, data, module, param, static


class Deck(Module):
    table: Float[Array, "lanes joints"] = param("glorot_normal")
    limit: Float[Array, " joints"] = data()
    spans: list[eqx.nn.Linear] = module()
    lanes: int = static()

    def __init__(self, limit: Float[Array, " joints"], lanes: int = 3, *, key: PRNGKeyArray):
        rows = [limit]
        self.limit = rows[0]
        # As many as there are limits.
        joints = limit.shape[0]
        self.lanes = lanes
        STATEMENT
        self.spans = [eqx.nn.Linear(joints, joints, key=k) for k in jax.random.split(key, lanes)]

    def __call__(self, x: Float[Array, " joints"]) -> Float[Array, " lanes"]:
        for span in self.spans:
            x = span(x)
        return self.table @ jnp.minimum(x, self.limit)
"""


@pytest.mark.slow  # a run of its own
def test_statements_between_assignments_leave_the_rest_to_the_tool(tmp_path: Path) -> None:
    skeleton = BETWEEN.replace("STATEMENT", "heights = limit.max()")
    module = tried(tmp_path, "deck", skeleton)
    assert module.index("joints = limit.shape[0]") < module.index("self.table =")
    assert "# As many as there are limits." in module


@pytest.mark.parametrize("statement", ["print(lanes)", "rows = [jnp.abs(limit)]", "last = rows.pop()"])
def test_a_statement_that_may_change_what_was_assigned_keeps_its_place(
    tmp_path: Path, statement: str
) -> None:
    """The constructor stays as it is, and then nobody would make the table."""
    path = tmp_path / "deck.py"
    path.write_text(BETWEEN.replace("STATEMENT", statement))
    with pytest.raises(ScaffoldError) as caught:
        load_specs([path])
    assert [fault.what for fault in caught.value.faults] == [
        "`__init__` is kept as it is, and does not make `table`"
    ]


@pytest.mark.parametrize(
    "made",
    [
        "key, own = jax.random.split(key)\n        self.weight = jax.random.normal(own, (n,))",
        "self.weight = jax.random.normal(key, (n,)) + jax.random.uniform(key, (n,))",
    ],
)
def test_a_constructor_that_deals_with_its_key_itself_is_kept(tmp_path: Path, made: str) -> None:
    text = f"""{HEAD}
class Drawn(Module):
    weight: Float[Array, " n"] = param()

    def __init__(self, n: int, *, key):
        {made}

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.weight * x
"""
    assert made in emitted(text, tmp_path)


def test_type_parameters_of_a_kind_that_has_none_are_carried(tmp_path: Path) -> None:
    text = """
from typing import Generic, TypeVar

import jax.numpy as jnp
from flax import nnx

T = TypeVar("T")


class Held(nnx.Module, Generic[T]):
    def __init__(self, n: int):
        self.w = nnx.Param(jnp.ones(n))
"""
    made = emitted(text, tmp_path)
    assert 'T = TypeVar("T")' in made and "class Held(nnx.Module, Generic[T]):" in made
