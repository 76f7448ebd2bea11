"""Static values of every kind: in the constructor, in the treedef, in the body, and in the generated tests."""

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

from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

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
side = {{ type = "int", default = -1, check = "side in (-1, -2)" }}
share = {{ type = "float", role = "static", default = 0.25, check = "0 < share <= 1" }}
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
unused = ["modes", "side", "share", "limit", "table"]
values = {{ window = "=Window(3)", table = {{ b = 2, a = 1 }}, rates = [1, 3], eps = 2 }}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("statics")
    write_tree(folder, {"settings.py": SETTINGS, "pyproject.toml": ""})
    forms = {
        "module": "save = true",
        "pytree": 'rebuild = "flag"',
        "nnx": 'imports = ["from settings import Mode"]',
    }
    for kind, more in forms.items():
        text = SPEC.format(kind=kind, more=more).replace('"Patches"', f'"{kind.capitalize()}"')
        write_tree(folder, {f"specs/{kind}.toml": text})
    specs = [f"specs/{kind}.toml" for kind in forms]
    told = scaffold(folder, "new-module", "--spec", *specs)
    assert told.returncode == 0, told.stderr
    return folder


@pytest.mark.slow
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
        *('{"side": -2},', '{"share": 0.001},', '{"share": 1.0},'),
        *('({"share": 0.0}, ValueError),', '({"share": 1.001}, ValueError),'),
        *('({"side": 0}, ValueError),', '({"side": 1}, ValueError),', '({"side": -3}, ValueError),'),
        'kept = ("rates",)',
    ):
        assert row in tests
    assert passed(forked_pytest(project)) > 150


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
    with pytest.raises(TypeError, match=r"is static and must be |unhashable|as a data type"):
        getattr(modules, kind).create(**given_by(modules, **{name: value}))


CLASSES = """
name = "Holder"

[fields]
weight = "f[n]=ones"
value = {{ type = "settings:{name}", role = "static" }}

[test]
values = {{ value = "={made}" }}
"""


@pytest.mark.spread(2)
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
    assert told.returncode == 0 and not (tmp_path / "tests/test_holder.py").exists()
    assert "Holder: not tested: the tests cannot build a `settings:Window` for `value`" in told.stdout
    assert "next:" not in told.stderr  # there is neither a test to run nor a skeleton to fill in
    assert 'write `[test]` and `values = { value = "=Window(...)" }`' in told.stdout
