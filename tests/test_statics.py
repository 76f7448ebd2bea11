"""Static values of every kind: in the constructor, in the treedef, in the body, and in the generated tests."""

import ast
import dataclasses
import enum
import math
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scaffold import ScaffoldError, load_spec
from scaffold.emit.construct import copy_source
from scaffold.spec.read import read_spec
from scaffold.spec.statics import as_given, stored_value
from scaffold.spec.tokens import parse_field_text
from scaffold.spec.types import parse_type
from tests.projects import bare_pytest, passed, scaffold
from tests.support import write_tree

SETTINGS = """
import enum
from dataclasses import dataclass, field


class Mode(enum.Enum):
    FAST = "fast"
    EXACT = "exact"


@dataclass(frozen=True)
class Window:
    width: int
    scale: float = 1.0


@dataclass
class Loose:
    width: int


class ByIdentity:
    def __init__(self, width: int) -> None:
        self.width = width


@dataclass(frozen=True)
class Nested:
    parts: object


@dataclass(frozen=True)
class Forgets:
    width: int = field(compare=False, default=1)
    cache: list[int] = field(default_factory=list)
"""
SPEC = """
name = "Patches"
kind = "{kind}"
{more}

[fields]
weight = {{ type = "f[n]", init = "ones" }}
mode = {{ type = "settings:Mode", role = "static", default = "Mode.FAST" }}
modes = {{ type = "frozenset[settings:Mode]", default = "{{Mode.FAST}}" }}
window = {{ type = "settings:Window", role = "static" }}
windows = {{ type = "tuple[settings:Window, ...]", default = "=()" }}
compute = {{ type = "dtype", default = "float32" }}
kept = {{ type = "slice", check = "kept.step is None" }}
parts = {{ type = "tuple[slice, ...]", default = "=(slice(1), slice(None, None))" }}
pair = {{ type = "tuple[slice, int]", default = "=(slice(1), 2)" }}
maybe = {{ type = "slice | None", default = "=None" }}
names = {{ type = "frozenset[str]", default = ["a", "b"] }}
eps = {{ type = "float", role = "static", default = 1 }}
rates = {{ type = "tuple[float, ...]", default = [1, 2] }}
both = {{ type = "tuple[int, float]", default = [1, 2] }}
limit = {{ type = "float | None", role = "static", default = 3 }}
table = {{ type = "dict[str, float]", role = "static" }}
first = {{ type = "f[]", role = "derived", init = "=self.weight[self.kept][0]" }}

[call]
args = "x: f[n]"
returns = "f[n]"
body = '''
y = (self.weight * x).astype(jnp.promote_types(self.compute, x.dtype)).astype(x.dtype)
y = y + jnp.sum(x[self.kept]) * self.eps * self.rates[0] + self.first
for part in self.parts:
    y = y + jnp.sum(x[part])
y = y + jnp.sum(x[self.pair[0]])
if self.maybe is not None:
    y = y + jnp.sum(y[self.maybe])
if self.mode is Mode.FAST:
    y = 2 * y
return y + self.window.width + len(self.names) + self.both[1]
'''

[test]
strict = false
values = {{ window = "=Window(3)", table = {{ b = 2, a = 1 }}, rates = [1, 3], eps = 2 }}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("statics")
    write_tree(folder, {"settings.py": SETTINGS, "pyproject.toml": ""})
    forms = {"module": "", "pytree": 'rebuild = "flag"', "nnx": 'imports = ["from settings import Mode"]'}
    for kind, more in forms.items():
        text = SPEC.format(kind=kind, more=more).replace('"Patches"', f'"{kind.capitalize()}"')
        write_tree(folder, {f"specs/{kind}.toml": text})
    specs = [f"specs/{kind}.toml" for kind in forms]
    told = scaffold(folder, "new-module", "--spec", *specs)
    assert told.returncode == 0, told.stderr
    return folder


def test_the_generated_tests_pass(project: Path) -> None:
    tests = (project / "tests/test_module.py").read_text()
    for row in (
        '"modes": frozenset({Mode.FAST}),',
        '"compute": np.dtype(jnp.float32),',
        '"kept": (None, 2, None),',
        '"eps": 2.0,',
        '"rates": (1.0, 3.0),',
        '"table": (("a", 1.0), ("b", 2.0)),',
        '({"window": 1j}, TypeError),',
    ):
        assert row in tests
    assert passed(bare_pytest(project)) > 150


@pytest.fixture(scope="module")
def modules(project: Path) -> Any:
    """The emitted modules, imported."""
    sys.path.insert(0, str(project))
    try:
        import module  # pyright: ignore
        import pytree  # pyright: ignore
        import settings  # pyright: ignore

        yield types.SimpleNamespace(module=module.Module, pytree=pytree.Pytree, settings=settings)  # pyright: ignore
    finally:
        sys.path.remove(str(project))
        for name in ("module", "pytree", "settings"):
            sys.modules.pop(name, None)


def given_by(modules: Any, **changes: Any) -> dict[str, Any]:
    return {
        "n": 3,
        "window": modules.settings.Window(3),
        "kept": slice(None, 2),
        "table": {"a": 1},
        **changes,
    }


@pytest.mark.parametrize("kind", ["module", "pytree"])
def test_values_that_are_equal_are_one_treedef_and_one_trace(modules: Any, kind: str) -> None:
    make, settings = getattr(modules, kind).create, modules.settings
    one = make(**given_by(modules, compute="bfloat16", names=["b", "a", "a"], eps=1, limit=2))
    two = make(
        **given_by(
            modules,
            window=settings.Window(3, 1.0),
            compute=jnp.bfloat16,
            names={"a", "b"},
            eps=1.0,
            limit=2.0,
        )
    )
    assert jax.tree.structure(one) == jax.tree.structure(two)
    assert hash(jax.tree.structure(one)) == hash(jax.tree.structure(two))
    assert type(one.eps) is float and type(one.limit) is float and one.rates == (1.0, 2.0)
    assert type(one.both[0]) is int and type(one.both[1]) is float
    assert one.compute == np.dtype(jnp.bfloat16) and one.names == frozenset({"a", "b"})
    assert one.kept == (None, 2, None) and one.parts == ((None, 1, None), (None, None, None))
    for change in (
        {"kept": slice(None, 1)},
        {"window": settings.Window(4)},
        {"mode": settings.Mode.EXACT},
        {"compute": jnp.float16},
        {"names": ["a"]},
        {"maybe": slice(1)},
        {"eps": 3},
    ):
        assert jax.tree.structure(one) != jax.tree.structure(make(**given_by(modules, **change))), change


def refusals(settings: Any) -> dict[str, Any]:
    return {
        "eps": np.float64(1.0),
        "both": (np.int64(1), 1.0),
        "rates": (np.float32(0.5),),
        "limit": math.nan,
        "window": settings.ByIdentity(3),
        "mode": "fast",
        "kept": (None, np.int64(2), None),
        "names": [1],
        "compute": 1j,
        "pair": (slice(1),),
    }


@pytest.mark.filterwarnings("ignore:A JAX array is being set as static:UserWarning")  # Equinox' own word
@pytest.mark.parametrize("kind", ["module", "pytree"])
@pytest.mark.parametrize("name", list(refusals(types.SimpleNamespace(ByIdentity=object.__class__))))
def test_what_is_no_such_value_is_a_type_error(modules: Any, kind: str, name: str) -> None:
    value = refusals(modules.settings)[name]
    with pytest.raises(TypeError) as caught:
        getattr(modules, kind).create(**given_by(modules, **{name: value}))
    if isinstance(value, np.generic) or (isinstance(value, tuple) and isinstance(value[0], np.generic)):
        assert "(a NumPy scalar has `.item()`)" in str(caught.value)


CLASSES = """
name = "Holder"

[fields]
weight = "f[n]=ones"
value = {{ type = "settings:{name}", role = "static" }}

[test]
values = {{ value = "={made}" }}
"""


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("Loose", "Loose(1)"),
        ("ByIdentity", "ByIdentity(1)"),
        ("Nested", "Nested([1])"),
        ("Nested", "Nested({})"),
        ("Forgets", "Forgets()"),
    ],
)
def test_a_class_without_a_hash_or_without_values_is_refused(tmp_path: Path, name: str, made: str) -> None:
    write_tree(tmp_path, {"settings.py": SETTINGS, "specs/holder.toml": CLASSES.format(name=name, made=made)})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/holder.toml").returncode == 0
    program = f"import settings, holder\nholder.Holder.create(2, settings.{made})"
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert "TypeError: " in run.stderr and ("unhashable" in run.stderr or "equal by value" in run.stderr)


def test_the_tests_need_an_instance_and_say_so(tmp_path: Path) -> None:
    text = CLASSES.format(name="Window", made="0").replace('values = { value = "=0" }', "")
    write_tree(tmp_path, {"specs/holder.toml": text})
    told = scaffold(tmp_path, "new-module", "--spec", "specs/holder.toml")
    assert told.returncode == 2
    assert "the tests cannot build a `settings:Window` for `value`" in told.stderr
    assert 'write `[test]` and `values = { value = "=Window(...)" }`' in told.stderr


# -- what needs no jax -------------------------------------------------------------------------------------------------


class Mode(enum.Enum):
    FAST = 1


@dataclasses.dataclass(frozen=True)
class Window:
    width: int


NUMBERS = st.integers(-5, 5) | st.floats(-2, 2)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "float": NUMBERS,
    "int": st.integers(-5, 5),
    "float | None": NUMBERS | st.none(),
    "int | float": NUMBERS,
    "tuple[float, ...]": st.lists(NUMBERS, max_size=3).map(tuple),
    "tuple[int, float]": st.tuples(st.integers(), NUMBERS),
    "tuple[tuple[int, float], ...]": st.lists(st.tuples(st.integers(), NUMBERS), max_size=2).map(tuple),
    "frozenset[float]": st.frozensets(NUMBERS, max_size=3),
    "frozenset[tuple[float, ...]]": st.frozensets(st.tuples(NUMBERS), max_size=2),
    "list[float]": st.lists(NUMBERS, max_size=3),
    "list[tuple[int, float]]": st.lists(st.tuples(st.integers(), NUMBERS), max_size=2),
    "dict[str, float]": st.dictionaries(st.sampled_from("abc"), NUMBERS),
    "dict[str, tuple[float, ...]]": st.dictionaries(st.sampled_from("abc"), st.tuples(NUMBERS)),
}


@pytest.mark.parametrize("kind", VALUES)
def test_the_constructor_stores_what_the_tests_declare(kind: str) -> None:
    source = copy_source(parse_type(kind), "given", static=True)

    @given(VALUES[kind])
    def agree(value: Any) -> None:
        stored = eval(source, {"given": value})
        assert repr(stored) == repr(stored_value(parse_type(kind), value))
        assert (
            hash(stored) == hash(eval(source, {"given": stored}))
            if not isinstance(value, dict)
            else hash(stored)
        )

    agree()


PARTS = st.none() | st.integers(-3, 3)
SLICES = st.builds(slice, PARTS, PARTS, PARTS.filter(lambda one: one != 0))
SLICED: dict[str, st.SearchStrategy[Any]] = {
    "slice": SLICES,
    "slice | None": SLICES | st.none(),
    "tuple[slice, ...]": st.lists(SLICES, max_size=3).map(tuple),
    "tuple[slice, int]": st.tuples(SLICES, st.integers()),
    "list[slice]": st.lists(SLICES, max_size=3).map(tuple),
    "tuple[tuple[slice, ...], ...]": st.lists(st.tuples(SLICES), max_size=2).map(tuple),
}


@pytest.mark.parametrize("kind", SLICED)
def test_the_body_reads_a_slice_as_it_was_given(kind: str) -> None:
    role = {"role": "static"} if "None" in kind else {}
    spec = read_spec({"name": "A", "fields": {"kept": {"type": kind, **role}}}, "spec")
    store, read = copy_source(spec.static[0].type, "given", static=True), as_given(spec, "self.kept")

    @given(SLICED[kind])
    def agree(value: Any) -> None:
        stored = eval(store, {"given": value})
        hash(stored)
        assert eval(read, {"self": types.SimpleNamespace(kept=stored)}) == value

    agree()
    assert as_given(spec, "self.kept is None") == "self.kept is None"


@pytest.mark.parametrize(
    ("token", "default"),
    [
        ("dtype=jnp.bfloat16", "jnp.bfloat16"),
        ("slice=slice(1, 2)", "slice(1, 2)"),
        ("frozenset[str]={'a'}", "frozenset({'a'})"),
        ("pkg.modes:Mode@static=Mode.FAST", "Mode.FAST"),
        ("float@static=1", "1.0"),
    ],
)
def test_a_token_gives_a_default(token: str, default: str) -> None:
    spec = read_spec({"name": "A", "fields": {"w": "f[n]=ones", "value": parse_field_text(token)}}, "spec")
    field = spec.field("value")
    assert field is not None and (field.role, field.default) == ("static", default)
    ast.parse(default)


@pytest.mark.parametrize("name", ["bfloat16", "bf16", "float32", "f32", "int8", "i8", "bool"])
def test_a_dtype_is_written_by_any_of_its_names(name: str) -> None:
    spec = read_spec({"name": "A", "fields": {"value": {"type": "dtype", "default": name}}}, "spec")
    default = spec.fields[0].default or ""
    assert np.dtype(eval(default, {"jnp": jnp})).name in (
        name,
        *{"bf16": "bfloat16", "f32": "float32", "i8": "int8"}.values(),
    )


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ({"type": "frozenset[slice]"}, "`frozenset[slice]` holds what has no hash"),
        ({"type": "frozenset[f[n]]"}, "`frozenset[f[n]]` holds what has no hash"),
        ({"type": "set[int]"}, "`set[int]` is not a type"),
        ({"type": "slice", "default": 3}, "3 is not a slice"),
        ({"type": "dtype", "default": 3}, "3 is not a dtype"),
        ({"type": "frozenset[str]", "default": [1]}, "(1,) is not a frozenset of the declared type"),
        ({"type": "pkg:Mode", "role": "static", "default": 3}, "3 is not a Mode"),
        ({"type": "Affine", "role": "static"}, "role `static` does not go with type `Affine`"),
        ({"type": "slice", "role": "buffer"}, "role `buffer` does not go with type `slice`"),
    ],
)
def test_what_is_wrong_is_told(table: dict[str, Any], what: str) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec({"name": "Other", "fields": {"value": table}}, "spec")
    assert what in [fault.what for fault in caught.value.faults]


def test_the_example_is_read() -> None:
    assert load_spec(Path("generated_examples/specs/smooth.toml")).field("kept") is not None
