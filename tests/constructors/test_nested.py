"""Layout `nested`: groups of fields as classes of their own, for each way to build and to rebuild the large class."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from scaffold import find_layout, plan, publish
from scaffold.errors import ScaffoldError
from scaffold.spec.reading.read import read_spec
from tests.support.forking import forked_pytest
from tests.support.projects import checker, passed, run, scaffold
from tests.support.trees import write_tree

FORMS = {
    "Factory": {"kind": "module"},
    "Init": {"kind": "module", "constructor": "init"},
    "Bypass": {"kind": "pytree"},
    "BypassInit": {"kind": "pytree", "constructor": "init"},
    "Stored": {"kind": "pytree", "rebuild": "factory"},
    "Preset": {"kind": "pytree", "rebuild": "static"},
}
FIELDS = {
    "weight": {"type": "f[out_size,in_size]", "init": "lecun_normal"},
    "mean": {"type": "f[in_size]", "role": "buffer", "check": "mean.ndim == 1"},
    "bias": {"type": "f[out_size]", "init": "zeros", "optional": "use_bias"},
    "rate": {"type": "f[]", "role": "param", "preprocess": "jnp.log(rate)"},
    "power": {"type": "int", "default": 2, "check": "power > 0"},
    "layers": {"type": "list[f[out_size]]", "role": "param"},
    "speed": {"type": "f[]", "role": "derived", "init": "=jnp.exp(rate)"},
}
BODY = """
y = self.weight @ (x - self.mean)  # centred
y = y if self.bias is None else y + self.bias
return self.speed * y**self.power + sum(self.layers)
"""


def spec(name: str = "Whole", **parts: Any) -> dict[str, Any]:
    raw = {"name": name, "kind": "module", "layout": "nested", "fields": dict(FIELDS)}
    raw["groups"] = {"affine": ["weight", "bias", "mean"], "scale": {"fields": ["rate"], "readable": True}}
    raw["call"] = {"args": "x: f[in_size]", "returns": "f[out_size]", "body": BODY}
    return {**raw, **parts}


def in_form(name: str) -> dict[str, Any]:
    raw = spec(name, **FORMS[name])
    if name == "Preset":
        raw["fields"] = {
            **FIELDS,
            "table": {"type": "dict[str, f[]]", "role": "param", "preset": {"a": 42.0}},
        }
        raw["call"]["body"] = BODY.rstrip() + ' + self.table["a"] + self.table["b"]\n'
    return raw


@pytest.fixture(scope="module", name="project")
def _project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the class of every form, and its tests."""
    folder = tmp_path_factory.mktemp("nested")
    publish(plan([read_spec(in_form(name), name) for name in FORMS], find_layout(folder)))
    return folder


@pytest.fixture(name="modules")
def _modules(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    monkeypatch.syspath_prepend(str(project))
    stems = {name: "bypass_init" if name == "BypassInit" else name.lower() for name in FORMS}
    yield {name: importlib.import_module(stem) for name, stem in stems.items()}


def made(modules: dict[str, ModuleType], name: str, **changes: Any) -> Any:
    cls = getattr(modules[name], name)
    build = cls if FORMS[name].get("constructor") == "init" else cls.create
    table = {"table": {"b": 1.0}} if name == "Preset" else {}
    given = {"out_size": 2, "mean": jnp.ones(3), "rate": 0.5, "layers": [jnp.ones(2)], **table, **changes}
    return build(**given, key=jax.random.key(0))


@pytest.mark.slow
def test_the_generated_tests_pass(project: Path) -> None:
    """In the form that has most beside its groups, and in one of a Module."""
    files = ("tests/test_preset.py", "tests/test_init.py")
    assert passed(forked_pytest(project, *files)) > 20 * len(files)


@pytest.mark.slow
def test_the_generated_tests_pass_in_every_form(project: Path) -> None:
    assert passed(forked_pytest(project)) > 20 * len(FORMS)


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "format", "--isolated", "--check"),
        ("ruff", "check", "--isolated", "--ignore", "F722,UP037"),
        # The examples have classes with nested groups, too, which tests/house/test_quality.py looks at in each run.
        pytest.param(("mypy",), marks=pytest.mark.slow),
        pytest.param(("pyright",), marks=pytest.mark.slow),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_what_is_emitted_is_clean(command: tuple[str, ...], project: Path) -> None:
    # The law suite beside the tests is looked at where it is made.
    modules = sorted(path.name for path in project.glob("*.py"))
    result = run(checker(*command, *modules), project)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("name", FORMS)
def test_to_select_a_group_is_to_select_a_child(name: str, modules: dict[str, ModuleType]) -> None:
    whole = made(modules, name)
    assert type(whole.affine).__name__ == f"{name}Affine"
    assert whole.rate is whole.scale.rate and not hasattr(whole, "weight")
    small, rest = whole.partition_affine()
    assert jax.tree.structure(small.affine) == jax.tree.structure(whole.affine)
    assert (jax.tree.leaves(small.scale), jax.tree.leaves(rest.affine)) == ([], [])
    halved = eqx.tree_at(lambda one: one.affine, whole, jax.tree.map(lambda leaf: leaf / 2, whole.affine))
    assert jnp.array_equal(halved.affine.weight, whole.affine.weight / 2) and halved.rate is whole.rate


@pytest.mark.parametrize("name", FORMS)
def test_filter_specs_are_right_for_copies_ties_none_and_inside_jit(
    name: str, modules: dict[str, ModuleType]
) -> None:
    whole = made(modules, name, use_bias=False)
    copy = jax.tree.map(lambda leaf: leaf + 0, whole)
    tied = eqx.tree_at(lambda one: one.scale.rate, whole, whole.affine.mean)
    seen: list[Any] = []
    jax.jit(lambda one: (seen.append(one.select_affine()), one)[1])(whole)
    for spec_of in (whole.select_affine(), copy.select_affine(), tied.select_affine(), *seen):
        marks = [path[0].name for path, one in jax.tree_util.tree_leaves_with_path(spec_of) if one]
        assert marks == ["affine", "affine"] and spec_of.affine.bias is None


@pytest.mark.parametrize("name", FORMS)
def test_buffers_of_a_group_are_not_trained(name: str, modules: dict[str, ModuleType]) -> None:
    trained = made(modules, name).trainable()
    assert (trained.affine.weight, trained.affine.mean, trained.scale.rate) == (True, False, True)


def test_both_layouts_compute_the_same(modules: dict[str, ModuleType], tmp_path: Path) -> None:
    flat = spec("Flat", layout="flat", groups={"affine": ["weight", "bias", "mean"]})
    publish(plan([read_spec(flat, "flat")], find_layout(tmp_path)))
    namespace: dict[str, Any] = {"__name__": "flat"}
    exec((tmp_path / "flat.py").read_text(), namespace)
    given = {"out_size": 2, "mean": jnp.ones(3), "rate": 0.5, "layers": [jnp.ones(2)]}
    flat_one = namespace["Flat"].create(**given, key=jax.random.key(0))
    x = jnp.array([0.5, -1.0, 2.0])
    for name in ("Factory", "Init", "Bypass", "BypassInit", "Stored"):
        assert jnp.array_equal(made(modules, name)(x), flat_one(x))


GROUPS: dict[str, Any] = spec()["groups"]
# A row: what is wrong, and PLACE | WHAT | FIX of the one fault.
# fmt: off
ROWS = [
    ({"groups": {}}, "layout | `nested` makes a class of each group, and there are none | write `[groups]` and `small = [\"element1\", \"element2\"]`, or remove it"),
    ({"groups": {**GROUPS, "other": ["weight"]}}, "groups.other | `weight` is in `affine` and `other`, and can lie in one class alone | remove it from all groups but one, or write `layout = \"flat\"`"),
    ({"groups": {**GROUPS, "power": ["layers"]}}, "groups.power | `power` is a field, and what the class makes of the group | rename one of them"),
    ({"groups": {**GROUPS, "combine": ["layers"]}, "kind": "pytree"}, "groups.combine | `combine` is a name that the class uses itself | rename it, to `combined` for example"),
    ({"groups": {"affine": {"fields": ["weight"], "class": "Whole"}}}, "groups.affine | the class `Whole` of the group has the name of another | write `affine = { fields = [...], class = \"WholeGroup\" }`, for example"),
    ({"groups": {"affine": {"fields": ["weight"], "clas": "Small"}}}, "groups.affine | unknown key `clas` | did you mean `class`?"),
    ({"groups": {"affine": {"class": "Small"}}}, "groups.affine | `fields` is missing | write `fields = ...`: The fields of the group."),
    ({"groups": {"affine": {"fields": ["weight"], "readable": True}}, "layout": "flat"}, "groups.affine | `class` and `readable` are for a group that is a class of its own | write `layout = \"nested\"`, or the names of the fields alone"),
    ({"kind": "pytree", "rebuild": "flag"}, "layout | `flag` rebuilds through an `__init__` that takes the fields one by one, and jax hands it whole groups | write `rebuild = \"bypass\"` or `rebuild = \"factory\"`"),
    ({"kind": "closure", "call": {"args": "x: f[in_size]", "body": "return x"}}, "layout | a class of kind `closure` has no `layout` | remove it, or write `kind = \"module\"`"),
    ({"call": {"args": "", "body": "return self.affine"}}, "call.body | `self.affine` is no field | name its fields: they are read where they lie"),
    ({"layout": "nestd"}, "layout | `nestd` is not legal | did you mean `nested`?"),
]
# fmt: on


@pytest.mark.parametrize(("parts", "told"), ROWS, ids=[told.split(" |")[1].strip() for _, told in ROWS])
def test_what_cannot_be_nested_is_told_with_its_fix(parts: dict[str, Any], told: str) -> None:
    read_spec(spec(), "s")
    with pytest.raises(ScaffoldError) as caught:
        read_spec(spec(**parts), "s")
    assert [f"{fault.where[3:]} | {fault.what} | {fault.fix}" for fault in caught.value.faults] == [told]


def test_a_preset_of_the_treedef_stays_on_the_class() -> None:
    fields = {**FIELDS, "table": {"type": "dict[str, f[]]", "role": "param", "preset": {"a": 42.0}}}
    groups = {"tables": ["table"]}
    with pytest.raises(
        ScaffoldError,
        match="`preset` is for fields of the class itself, and this one lies in that of `tables`",
    ):
        read_spec(spec(kind="pytree", rebuild="static", fields=fields, groups=groups), "s")
    read_spec(spec(kind="pytree", rebuild="bypass", fields=fields, groups=groups), "s")


@pytest.mark.parametrize("role", ["data", "param"])
def test_trainable_finds_the_entries_beside_a_preset_of_the_treedef(role: str) -> None:
    from tests.emitted.plain_jax import executed

    table = {"type": "dict[str, f[]]", "role": role, "preset": {"a": 42.0}}
    mask = {"type": "f[]", "role": "buffer"}
    raw = {"name": "T", "kind": "pytree", "rebuild": "static", "fields": {"table": table, "mask": mask}}
    made = executed(read_spec(raw, "spec"))["T"].create({"b": 1.0}, 1.0)
    assert jax.tree.leaves(made.trainable()) == [role == "param", False]


BELL = """
from jaxtyping import Array, Float
from scaffold.skeleton import Module, groups, param


@groups(tone=["weight"])
class Bell(Module, layout="nested"):
    weight: Float[Array, " size"] = param("ones")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.weight * x

    def rung(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return 2 * self.weight * x
"""


def test_a_method_uses_a_field_by_its_place_in_the_group(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/bell.py": BELL})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/bell.py").returncode == 0
    assert 'used=("tone.weight",)' in (tmp_path / "tests/test_bell.py").read_text()
    assert passed(forked_pytest(tmp_path, "tests", "-k", "p05 or p08")) > 15
