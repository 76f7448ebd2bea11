"""Founding case 0 (equinox#711), an `__init__` that changes a dynamic field: every rebuild runs it again.

What was published, against today's jax; then the four answers, on which every transformation works, and the preset runs
once for each creation; then the answers changed back to the mistake.
"""

import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from scaffold import find_layout, plan, publish
from scaffold.spec.reading.read import read_spec
from tests.support.forking import forked_pytest
from tests.support.projects import EXAMPLES, copy_example, failed_laws, passed


class Published:
    """The class of the report: its `__init__` sets an entry of the dict, and unflatten calls `__init__`."""

    def __init__(self, table: Any, attr: Any, static: Any) -> None:
        self.table, self.attr, self.static = table, attr, static
        self.table["a"] = 42


class ByFactory(Published):
    """The first remedy: `__init__` only assigns, `create` sets the entry afterwards."""

    def __init__(self, table: Any, attr: Any, static: Any) -> None:
        self.table, self.attr, self.static = table, attr, static

    @classmethod
    def create(cls, table: Any, attr: Any, static: Any) -> "ByFactory":
        made = cls(table, attr, static)
        made.table["a"] = 42
        return made


class ByFlag(Published):
    """The second: `__init__` sets the entry unless it is told that it was set."""

    def __init__(self, table: Any, attr: Any, static: Any, modified: bool = False) -> None:
        self.table, self.attr, self.static = table, attr, static
        if not modified:
            self.table["a"] = 42


class ByConstant(ByFactory):
    """The third: the value is kept beside the fields, in aux; but unflatten does not read it from there."""

    fixed_value = 42


def children(node: Any) -> Any:
    return node.table, node.attr


for cls in (Published, ByFactory):
    jax.tree_util.register_pytree_node(
        cls,
        lambda node: (children(node), {"static": node.static}),
        lambda aux, parts, cls=cls: cls(*parts, aux["static"]),
    )
jax.tree_util.register_pytree_node(
    ByFlag,
    lambda node: (children(node), {"static": node.static}),
    lambda aux, parts: ByFlag(*parts, aux["static"], modified=True),
)
jax.tree_util.register_pytree_node(
    ByConstant,
    lambda node: (children(node), (node.static, node.fixed_value)),
    lambda aux, parts: ByConstant(*parts, aux[0]),
)


class TestWhatWasPublished:
    def made(self) -> Published:
        return Published({"a": 0.0, "b": 1.0}, 2.0, 1)

    @pytest.mark.parametrize(
        "where", [lambda one: one.attr, lambda one: one.table["b"]], ids=["attr", "entry"]
    )
    def test_tree_at_fails_for_any_field(self, where: Any) -> None:
        with pytest.raises(TypeError, match="42 is not a leaf"):
            eqx.tree_at(where, self.made(), 2.0)

    def test_the_entry_is_silently_put_back(self) -> None:
        shifted = jax.tree.map(lambda leaf: leaf + 1, self.made())
        assert (shifted.table["a"], shifted.table["b"]) == (42, 2.0)
        assert type(jax.jit(lambda one: one)(self.made()).table["a"]) is int

    def test_a_stack_cannot_be_mapped(self) -> None:
        stacked = jax.tree.map(
            lambda *leaves: jnp.stack(leaves), *map(jnp_leaves, (self.made(), self.made()))
        )
        with pytest.raises(ValueError, match="vmap"):
            jax.vmap(lambda one: one.table["b"])(stacked)

    @pytest.mark.parametrize("make", [ByFactory.create, ByFlag], ids=["factory", "flag"])
    def test_two_remedies_change_the_callers_dict_and_keep_one_in_aux(self, make: Any) -> None:
        given = {"a": 0.0, "b": 1.0}
        made = make(given, 2.0, 1)
        assert eqx.tree_at(lambda one: one.attr, made, 5.0).attr == 5.0
        assert given["a"] == 42
        [aux] = {type(jax.tree.structure(made).node_data()[1])}
        assert aux is dict

    def test_the_public_flag_can_be_set_wrongly(self) -> None:
        assert ByFlag({"a": 0.0}, 2.0, 1, modified=True).table["a"] == 0.0

    def test_the_third_remedy_forgets_what_flatten_stored(self) -> None:
        made = ByConstant.create({"b": 1.0}, 2.0, 1)
        made.fixed_value = 7
        rebuilt = jax.tree.map(lambda leaf: leaf, made)
        assert rebuilt.fixed_value == 42
        assert jax.tree.structure(rebuilt) != jax.tree.structure(made)


def jnp_leaves(tree: Any) -> Any:
    """The tree with arrays for leaves, its own `__init__` notwithstanding."""
    return jax.tree.map(jnp.asarray, tree)


FORMS = ("bypass", "flag", "factory", "static")


class ReadingSpy(dict[str, float]):
    """A dict that counts how often it is read as a whole, which is what presetting does to it."""

    reads = 0

    def items(self) -> Any:
        self.reads += 1
        return super().items()


@dataclass(frozen=True)
class Case:
    """One of the four classes, how to build it, and how to read its leaf `b`."""

    form: str
    build: Callable[..., Any]

    def entries(self, table: Any) -> Any:
        return table.table_entries if self.form == "static" else table.table

    def make(self) -> Any:
        return self.build({"a": 0.0, "b": 1.0}, 2.0, 3)


@pytest.fixture(params=FORMS)
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Case]:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    module = importlib.import_module(f"table_{request.param}")
    cls = getattr(module, f"Table{request.param.title()}")
    yield Case(request.param, cls if request.param == "flag" else cls.create)
    sys.modules.pop(module.__name__)


def test_the_entry_is_preset_and_the_callers_dict_unchanged(case: Case) -> None:
    given = {"a": 0.0, "b": 1.0}
    made = case.build(given, 2.0, 3)
    assert given == {"a": 0.0, "b": 1.0}
    assert (float(made.table["a"]), float(made.table["b"]), made.static) == (42.0, 1.0, 3)


def test_presetting_runs_once_for_a_creation_and_never_on_a_rebuild(case: Case) -> None:
    spy = ReadingSpy(a=0.0, b=1.0)
    made = case.build(spy, 2.0, 3)
    assert spy.reads == 1
    jax.tree.map(lambda leaf: leaf + 1, made)
    jax.jit(lambda table: table)(made)
    eqx.tree_at(lambda table: table.attr, made, jnp.float32(5.0))
    assert spy.reads == 1
    case.build(spy, 2.0, 3)
    assert spy.reads == 2


def test_a_rebuild_does_not_touch_what_creation_preset(case: Case) -> None:
    shifted = jax.tree.map(lambda leaf: leaf + 1, case.make())
    expected = 42.0 if case.form == "static" else 43.0
    assert (float(shifted.table["a"]), float(shifted.table["b"])) == (expected, 2.0)


def test_replace_keeps_what_has_changed_or_is_refused(case: Case) -> None:
    shifted = jax.tree.map(lambda leaf: leaf + 1, case.make())
    if case.form != "flag":
        assert jax.tree.leaves(replace(shifted)) == jax.tree.leaves(shifted)
        return
    assert repr(shifted).startswith("TableFlag(table={'a': Array(43., dtype=float32")
    with pytest.raises(TypeError, match="dataclass"):
        replace(shifted)


def test_tree_at_replaces_any_leaf(case: Case) -> None:
    made = case.make()
    by_attribute = eqx.tree_at(lambda table: table.attr, made, jnp.float32(5.0))
    by_entry = eqx.tree_at(lambda table: case.entries(table)["b"], made, jnp.float32(7.0))
    assert (float(by_attribute.attr), float(by_attribute.table["a"])) == (5.0, 42.0)
    assert (float(by_entry.table["b"]), float(by_entry.attr)) == (7.0, 2.0)


def test_jit_sees_every_value_and_traces_once_for_a_configuration(case: Case) -> None:
    traces: list[int] = []

    @jax.jit
    def call(table: Any, x: Any) -> Any:
        traces.append(1)
        return table(x)

    x = jnp.array([1.0, 2.0], jnp.float32)
    assert call(case.make(), x).tolist() == [86.0, 688.0]
    assert call(case.build({"b": 2.0}, 1.0, 3), x).tolist() == [44.0, 352.0]
    assert len(traces) == 1
    assert call(case.build({"b": 2.0}, 1.0, 2), x).tolist() == [44.0, 176.0]
    assert len(traces) == 2


def test_grad_has_the_structure_of_the_class(case: Case) -> None:
    gradient = jax.grad(lambda table: table(jnp.float32(2.0)))(case.make())
    assert jax.tree.structure(gradient) == jax.tree.structure(case.make())
    assert (float(gradient.attr), float(case.entries(gradient)["b"])) == (43.0 * 8, 2.0 * 8)
    assert case.form == "static" or float(gradient.table["a"]) == 2.0 * 8


def test_vmap_over_stacked_instances_is_the_loop(case: Case) -> None:
    made = [case.build({"b": float(number)}, 2.0, 1) for number in range(3)]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *made)
    one = jnp.float32(1.0)
    assert jax.vmap(lambda table: table(one))(stacked).tolist() == [float(table(one)) for table in made]


def test_vmap_maps_one_leaf_alone(case: Case) -> None:
    made = case.make()
    axes = eqx.tree_at(
        lambda table: table.attr, jax.tree.map(lambda _: None, made), 0, is_leaf=lambda leaf: leaf is None
    )
    widened = eqx.tree_at(lambda table: table.attr, made, jnp.arange(3, dtype=jnp.float32))
    result = jax.vmap(lambda table: table(jnp.float32(1.0)), in_axes=(axes,))(widened)
    assert result.tolist() == [0.0, 43.0, 86.0]


def test_statics_that_would_poison_the_treedef_are_refused(case: Case) -> None:
    with pytest.raises(TypeError, match="`static` is static and must be an int,"):
        case.build({"b": 1.0}, 2.0, jnp.int32(3))


@pytest.mark.slow
def test_the_flag_form_takes_the_size_of_a_preset_entry_and_keeps_none(tmp_path: Path) -> None:
    fields = {
        "table": {"type": "dict[str, f[n]]", "role": "param", "preset": {"a": 42.0}},
        "gain": {"type": "f[n]", "init": "ones"},
        "rate": {"type": "f[] | None", "role": "param", "preprocess": "jnp.exp(rate)"},
        "scale": {"type": "f[]", "role": "param", "optional": "use_scale", "preprocess": "jnp.exp(scale)"},
    }
    raw = {"name": "Sized", "kind": "pytree", "rebuild": "flag", "fields": fields}
    publish(plan([read_spec(raw, "sized")], find_layout(tmp_path)))
    namespace: dict[str, Any] = {"__name__": "sized"}
    exec((tmp_path / "sized.py").read_text(), namespace)
    made = namespace["Sized"].create(n=2, table={"b": jnp.ones(2)}, rate=None, scale=None)
    assert (made.rate, made.scale, made.table["a"].shape) == (None, None, (2,))
    without = namespace["Sized"].create(n=2, table={"b": jnp.ones(2)}, rate=0.5, scale=0.5, use_scale=False)
    assert without.scale is None and without.rate is not None
    assert passed(forked_pytest(tmp_path)) > 10


@dataclass(frozen=True)
class Break:
    """An edit of an answer: texts to replace, each of which is there once, and a law that must notice."""

    example: str
    edits: tuple[tuple[str, str], ...]
    law: str


FLATTENED = "return (node.table, node.attr), (node.static,)"
KEYED = """return ((GetAttrKey("table"), node.table), (GetAttrKey("attr"), node.attr)), (
        node.static,
    )"""
ALL_OF_UNFLATTEN = """    node = object.__new__(TableBypass)
    fields = node.__dict__
    fields["table"], fields["attr"] = children
    (fields["static"],) = aux
    return node"""
MISTAKES = {
    "unflatten calls the constructor that presets": Break(
        "table_bypass", ((ALL_OF_UNFLATTEN, "    return TableBypass.create(*children, *aux)"),), "P3"
    ),
    "unflatten forgets the rebuild flag": Break("table_flag", ((", _rebuild=True", ""),), "P3"),
    "the plain constructor presets again": Break(
        "table_factory",
        (
            (
                "return TableFactory(table=table, attr=attr",
                'return TableFactory(table={**table, "a": 42.0}, attr=attr',
            ),
        ),
        "P3",
    ),
    "a preset that unflatten derives again": Break(
        "table_static",
        (('fields["table_preset"], fields["static"] = aux', '_, fields["static"] = aux'),),
        "P3",
    ),
    "aux is a dict": Break(
        "table_bypass",
        (
            (FLATTENED, 'return (node.table, node.attr), {"static": node.static}'),
            (KEYED, KEYED.replace("(\n        node.static,\n    )", '{"static": node.static}')),
            ('(fields["static"],) = aux', 'fields["static"] = aux["static"]'),
        ),
        "P5",
    ),
    "inputs mutated": Break(
        "table_bypass",
        (
            (
                "        return cls(\n            table=",
                '        table["a"] = 42.0\n        return cls(\n            table=',
            ),
        ),
        "P1",
    ),
}


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", MISTAKES)
def test_the_mistake_is_noticed_by_the_generated_tests(name: str, tmp_path: Path) -> None:
    broken = MISTAKES[name]
    project = copy_example(broken.example, tmp_path / "project")
    module = project / f"{broken.example}.py"
    text = module.read_text()
    for old, new in broken.edits:
        assert text.count(old) == 1, f"the example no longer reads {old!r}"
        text = text.replace(old, new)
    module.write_text(text)
    result = forked_pytest(project, "-k", f"p{int(broken.law[1:]):02}")
    assert broken.law in failed_laws(result), result.stdout
