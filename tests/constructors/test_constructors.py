"""Further constructors: `[constructors.NAME]`, and class methods of a skeleton that return an instance."""

import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from scaffold import ScaffoldError, find_layout
from scaffold.convert.plan import meaning
from scaffold.convert.write_skeleton import write_skeleton
from scaffold.render_class import module_files
from scaffold.spec import ModuleSpec, read_spec
from scaffold.spec.files import read_spec_file
from scaffold.spec.skeletons.read import skeletons_of
from scaffold.spec.tables.toml import write_toml
from scaffold.tidy import tidy
from tests.support.forking import forked_pytest
from tests.support.projects import passed, run, scaffold
from tests.support.trees import write_tree

POSE = '''
from typing import Self

import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import KIND, param


class Pose(KIND):
    """Where something is."""

    place: Float[Array, " n"] = param()

    @classmethod
    def origin(cls, n: int = 3) -> Self:
        """The pose at the origin."""
        return BUILD(jnp.zeros(n))  # no more

    # A unit vector.
    @classmethod
    def along(cls, axis: int, *, n: int = 3) -> "Pose":
        if axis < 0:
            return cls.origin(n)
        return BUILD(place=jnp.zeros(n).at[axis].set(1.0))

    def moved(self, by: Float[Array, " n"]) -> "Pose":
        return Pose(self.place + by)

    @classmethod
    def mean(cls, a: Float[Array, " n"], b: Float[Array, " n"]) -> "Pose":
        return BUILD((a + b) / 2)
'''
USE = """
import jax.numpy as jnp
from pose import Pose
assert (Pose.origin(2).place == 0).all() and Pose.origin().place.shape == (3,)
assert (Pose.along(1).place == jnp.array([0, 1.0, 0])).all() and (Pose.along(-1, n=4).place == jnp.zeros(4)).all()
assert (Pose.mean(jnp.ones(2), jnp.zeros(2)).moved(jnp.ones(2)).place == 1.5).all()
"""
FIELDS = {"w": {"type": "f[n]", "init": "ones"}, "v": {"type": "f[n]", "role": "data"}}


def raw_of(kind: str = "Module") -> dict[str, Any]:
    build = "cls" if kind in ("Nnx", "Namedtuple") else "cls.create"
    (found,) = skeletons_of(POSE.replace("KIND", kind).replace("BUILD", build), "x.py")
    assert found.faults == ()
    return found.tables


def emitted(raw: dict[str, Any], root: Path) -> str:
    (root / ".git").mkdir(exist_ok=True)
    spec = read_spec(raw, "spec")
    return tidy(module_files(spec, find_layout(root), {spec.name: spec}))[0].text


def faults_of(raw: dict[str, Any]) -> list[str]:
    with pytest.raises(ScaffoldError) as caught:
        read_spec({"name": "A", **raw}, "spec")
    return [f"{fault.where}: {fault.what} -> {fault.fix}" for fault in caught.value.faults]


@pytest.mark.parametrize("kind", ["Module", "Pytree", "Namedtuple", "Nnx"])
def test_both_doors_give_the_same_constructors(kind: str, tmp_path: Path) -> None:
    raw = raw_of(kind)
    assert list(raw["constructors"]) == ["origin", "along"]
    assert list(raw["methods"]) == ["moved", "mean"]
    assert "imports" not in raw, "`Self` is a word of types"
    toml = write_toml(raw, "x")
    assert "[constructors.origin]\nargs = " in toml and "classmethod" in toml.partition("[methods")[2]
    spec = read_spec(raw, "spec")
    (again,) = skeletons_of(write_skeleton([(tomllib.loads(toml), spec)], formatted=str), "x.py")
    texts = {emitted(one, tmp_path) for one in (raw, tomllib.loads(toml), again.tables)}
    assert len(texts) == 1
    assert meaning(read_spec(again.tables, "spec")) == meaning(spec)


@pytest.mark.spread(4)
@pytest.mark.parametrize("kind", ["Module", "Pytree", "Namedtuple", "Nnx"])
def test_constructors_stand_below_the_generated_one_and_build(kind: str, tmp_path: Path) -> None:
    text = emitted(raw_of(kind), tmp_path)
    names = ["def origin(", "def along(", "def moved(", "def mean("]
    assert sorted(names, key=text.index) == names
    assert '    @classmethod\n    def origin(cls, n: int = 3) -> "Pose":\n' in text
    assert "    # A unit vector.\n    @classmethod\n" in text and "# no more" in text
    assert "**Returns:**" not in text[text.index("def origin(") : text.index("def moved(")]
    (tmp_path / "pose.py").write_text(text)
    if kind == "Nnx":  # whose helpers lie beside it
        (tmp_path / "nnx_state.py").write_text("map_variables = restore_state = None\n")
    used = run([sys.executable, "-c", USE], tmp_path)
    assert used.returncode == 0, used.stderr


def test_a_method_that_returns_the_class_is_a_constructor_in_both_tables() -> None:
    table = {"args": "n: int", "body": "return cls.create(v=jnp.ones(n))"}
    as_method = {**table, "decorator": "classmethod", "returns": "A"}
    specs = [
        read_spec({"name": "A", "fields": FIELDS, name: {"ones": one}}, "spec")
        for name, one in (("constructors", table), ("methods", as_method))
    ]
    assert meaning(specs[0]) == meaning(specs[1])
    assert [one.name for one in specs[1].constructors] == ["ones"]


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({"body": "cls.create(1, v=2)"}, "spec: constructors.f.body: returns nothing -> end it with `return ...`"),
        ({"body": "return cls.create()"}, "spec: constructors.f.body: `cls.create(...)` does not fit the constructor: missing a required argument: 'v' -> it takes `(v, dtype=...)`"),
        ({"body": "return cls.create(3, jnp.ones(3), u=1)"}, "spec: constructors.f.body: `cls.create(...)` does not fit the constructor: got an unexpected keyword argument 'u'"),
        ({"body": "return cls.create(1, 2, 3, 4)"}, "spec: constructors.f.body: `cls.create(...)` does not fit the constructor: too many positional arguments -> it takes `("),
        ({"body": "return cls(v=jnp.ones(3))"}, "spec: constructors.f.body: `cls(...)` does not fit the constructor: missing a required argument: 'w'"),
        ({"body": "return cls.craete(v=1, n=3)"}, "spec: constructors.f.body: `cls.craete` is no method of the class, nor of its instances -> did you mean `create`?"),
        ({"body": "return self.w"}, "spec: constructors.f.body: the name `self` is not known here"),
        ({"body": "return cls.create(1, n=x)"}, "spec: constructors.f.body: the name `x` is not known here"),
        ({"body": "return cls.f(1)", "args": "*, k: int"}, "spec: constructors.f.body: `cls.f(...)` does not fit the constructor: too many positional arguments -> it takes `(*, k)`"),
        ({"body": "return cls.create(1, n=3)", "returns": "int"}, "spec: constructors.f: unknown key `returns`"),
        ({}, "spec: constructors.f: `body` is missing"),
        ("return 3", "spec: constructors.f: 'return 3' is not a table -> write `[constructors.f]`, and `body` below it"),
    ],
)  # fmt: skip
def test_what_a_constructor_cannot_be(raw: Any, told: str) -> None:
    found = faults_of({"fields": FIELDS, "constructors": {"f": raw}})
    assert any(one.startswith(told) for one in found), found


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({"constructor": "init"}, "`A` has no `create` -> write `cls(...)`"),
        ({"kind": "nnx"}, "`A` has no `create` -> write `cls(...)`"),
        ({"constructor": "init", "constructors": {}, "methods": {"g": {"source": "@classmethod\ndef g(cls, n):\n    return cls.create(n)"}}}, "spec: methods.g.body: `A` has no `create` -> write `cls(...)`"),
        ({"kind": "abstract", "fields": {"v": "f[n]"}}, "spec: constructors.f: an abstract class is not built -> put it into the subclass"),
        ({"methods": {"f": {"body": "return 3"}}}, "spec: methods.f: `f` is a constructor already -> rename one of them"),
        ({"fields": {**FIELDS, "f": "int"}}, "spec: constructors.f: `f` is a field too -> rename one of them"),
    ],
)  # fmt: skip
def test_a_constructor_goes_with_its_class(raw: dict[str, Any], told: str) -> None:
    made = {"f": {"args": "n: int", "body": "return cls.create(v=jnp.ones(n))"}}
    found = faults_of({"fields": FIELDS, "constructors": made, **raw})
    assert any(told in one for one in found), found


def test_groups_that_are_classes_are_made_by_the_factory() -> None:
    raw = {"fields": FIELDS, "layout": "nested", "groups": {"g": ["w"]}}
    direct = {"f": {"args": "w: f[n]", "body": "return cls(w=w, v=w)"}}
    (found,) = faults_of({**raw, "constructors": direct})
    assert found.endswith("`cls(...)` takes groups, as they are stored -> write `cls.create(...)`, which takes the fields one by one")  # fmt: skip


def test_faults_stand_where_the_constructor_does(tmp_path: Path) -> None:
    lines = [
        *('name = "A"', 'fields.v = "f[n]"', "[constructors.one]", 'args = "n: int"', 'body = "return 1"'),
        *("[constructors.two]", 'body = "return cls.create(u=1)"', "[call]", 'body = "return self.v"'),
    ]
    skeleton = "class A:\n    v: 'f[n]'\n    @classmethod\n    def one(cls) -> 'A':\n        return cls.create(u=1)\n"
    write_tree(tmp_path, {"a.toml": "\n".join(lines), "b.py": skeleton})
    with pytest.raises(ScaffoldError) as caught:
        read_spec_file(tmp_path / "a.toml", "a.toml")
    assert {one.place for one in caught.value.faults} == {
        "a.toml:7:1: constructors.two.body",
    }
    with pytest.raises(ScaffoldError) as caught:
        read_spec_file(tmp_path / "b.py", "b.py")
    assert {one.place for one in caught.value.faults} == {"b.py:5:9: constructors.one.body"}


KINDS = {
    "closure": {
        "fields": {"limit": {"type": "f[]", "role": "buffer"}},
        "call": {"args": "x: f[n]", "returns": "bool[]", "body": "return jnp.max(x) > self.limit"},
        "constructors": {
            "of_size": {"args": "n: int", "body": "return cls.create(1.0, (jnp.ones(n),))"}
        },
        "methods": {"raised": {"returns": "f[]", "body": "return self.limit + 1"}},
    },
    "train-state": {
        "fields": {"model": "equinox.nn:Linear"},
        "test": {"values": {"model": "=eqx.nn.Linear(2, 3, key=jax.random.key(seed))"}},
        "constructors": {
            "plain": {"args": "model: equinox.nn:Linear", "body": "return cls.create(model, optax.sgd(0.1))"}
        },
        "methods": {"age": {"decorator": "property", "returns": "i32[]", "body": "return self.step"}},
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_closures_and_train_states_have_methods(kind: str, tmp_path: Path) -> None:
    raw = {"name": "Held", "kind": kind, **KINDS[kind]}
    text = emitted(raw, tmp_path)
    assert text.count("def __call__(") == (kind == "closure")
    assert text.index("def create(") < text.index(f"def {next(iter(raw['constructors']))}(")
    wrong: dict[str, Any] = {"raised": {"body": "return self.limt"}, "as_function": {"body": "return 1"}}
    wrong = wrong if kind == "closure" else {"averaged": {"body": "return self.opt_stat"}}
    found = faults_of({**raw, "methods": wrong})
    assert any("is no field -> did you mean `" in one for one in found), found
    assert any("is a name that the class uses itself" in one for one in found), found


def test_a_named_tuple_stays_a_tuple() -> None:
    fields = {"v": {"type": "f[n]", "role": "data"}}
    methods = {"__len__": {"body": "return 3"}, "count": {"body": "return 3"}}
    methods["double"] = {"body": "return self._replace(v=2 * self.v)"}
    found = faults_of({"kind": "namedtuple", "fields": fields, "methods": methods})
    assert not any("double" in one for one in found), found
    assert sum("is what makes it a tuple" in one for one in found) == 2, found


def test_the_constructors_of_a_spec_are_in_order() -> None:
    spec: ModuleSpec = read_spec(raw_of(), "spec")
    assert [key for key, _ in spec.functions] == [
        *("constructors.origin", "constructors.along", "methods.moved", "methods.mean")
    ]


HELD = '''
import equinox as eqx
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int32
from scaffold.skeleton import Closure, Namedtuple, TrainState, buffer, data, module, test


class Limit(Closure):
    limit: Float[Array, ""] = buffer()

    @classmethod
    def of_size(cls, n: int) -> "Limit":
        """For vectors of this size."""
        return cls.create(jnp.ones(()), (jnp.ones(n),))

    def __call__(self, x: Float[Array, " n"]) -> Bool[Array, ""]:
        return jnp.max(x) > self.limit

    def raised(self) -> Float[Array, ""]:
        """A bit more."""
        return self.limit + 1


class Belief(Namedtuple):
    mean: Float[Array, " n"] = data()
    spread: Float[Array, " n"] = data()

    @classmethod
    def unit(cls, n: int) -> "Belief":
        return cls(jnp.zeros(n), jnp.ones(n))

    def moved(self, by: Float[Array, " n"]) -> "Belief":
        return self._replace(mean=self.mean + by)


@test(values={"model": lambda seed: eqx.nn.Linear(2, 3, key=jax.random.key(seed))})
class Trained(TrainState):
    model: eqx.nn.Linear

    @classmethod
    def plain(cls, model: eqx.nn.Linear) -> "Trained":
        """With a usual optimiser."""
        return cls.create(model, optax.sgd(0.1))

    @property
    def age(self) -> Int32[Array, ""]:
        return self.step
'''
USE_HELD = """
import equinox as eqx, jax, jax.numpy as jnp
from held import Belief, Limit, Trained
limit = Limit.of_size(3)
assert limit(jnp.arange(3.0)) and limit.raised() == 2
assert (Belief.unit(2).moved(jnp.ones(2)).mean == 1).all()
state = Trained.plain(eqx.nn.Linear(2, 3, key=jax.random.key(0)))
assert state.age == 0
"""


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_tree(tmp_path_factory.mktemp("held"), {".git/": "", "specs/held.py": HELD})
    result = scaffold(folder, "new-module", "--spec", "specs/held.py")
    assert result.returncode == 0, result.stderr
    return folder


@pytest.mark.slow
def test_closures_named_tuples_and_train_states_work(held: Path) -> None:
    used = run([sys.executable, "-c", USE_HELD], held)
    assert used.returncode == 0, used.stderr


@pytest.mark.slow  # the examples hold the laws of each kind in every run
def test_closures_named_tuples_and_train_states_hold_their_laws(held: Path) -> None:
    assert passed(forked_pytest(held)) > 150
