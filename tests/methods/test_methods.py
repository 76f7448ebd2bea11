"""Methods beside the call: what may be said of them, how they are emitted, and the same from TOML and from a skeleton."""

import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from scaffold import ScaffoldError, find_layout
from scaffold.convert.plan import meaning
from scaffold.convert.write_skeleton import write_skeleton
from scaffold.render_class import module_files
from scaffold.spec import read_spec
from scaffold.spec.files import read_spec_file
from scaffold.spec.skeletons.read import skeletons_of
from scaffold.spec.tables.toml import write_toml
from scaffold.tidy import tidy
from tests.support.forking import forked_pytest
from tests.support.projects import REPOSITORY, passed, run, scaffold
from tests.support.trees import write_tree

COUPLING = '''
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from scaffold.skeleton import KIND, buffer, param


class Coupling(KIND):
    """An affine coupling: one part of the input scales and shifts the other."""

    weight: Float[Array, "2*half half"] = param("lecun_normal")
    mean: Float[Array, " half"] = buffer("zeros")

    def forward(
        self, x: Float[Array, " half"], y: Float[Array, " half"]
    ) -> tuple[Float[Array, " half"], Float[Array, ""]]:
        """Map `y`, and the log-determinant."""
        shift, scale = self._parts(x)  # both

        # scale, then shift
        return y * jnp.exp(scale) + shift, jnp.sum(scale)

    def inverse(
        self, x: Float[Array, " half"], z: Float[Array, " half"]
    ) -> tuple[Float[Array, " half"], Float[Array, ""]]:
        """Map `z` back, and the log-determinant."""
        shift, scale = self._parts(x)
        return (z - shift) * jnp.exp(-scale), -jnp.sum(scale)

    def _parts(self, x: Float[Array, " half"]) -> tuple[Float[Array, " half"], Float[Array, " half"]]:
        shift, scale = jnp.split(self.weight @ (x - self.mean), 2)
        return shift, jnp.tanh(scale)

    @property
    def size(self) -> int:
        """How many entries each part has."""
        return self.weight.shape[1]

    @staticmethod
    @jax.jit
    def double(x: Float[Array, " half"]) -> Float[Array, " half"]:
        return 2 * x

    @classmethod
    def plain(cls) -> str:
        return cls.__name__

    def __matmul__(self, other: "Coupling") -> Float[Array, "half half"]:
        return self.weight[: self.size] @ other.weight[self.size :]

    def __len__(self) -> int:
        return self.size
'''
USE = """
import jax, jax.numpy as jnp
from coupling import Coupling
make = getattr(Coupling, "create", Coupling)
x, y = jnp.arange(3.0), jnp.ones(3)
node = make(KEYS)
forward, up = node.forward(x, y)
back, down = node.inverse(x, forward)
assert jnp.allclose(back, y) and jnp.allclose(up, -down)
shift, scale = jnp.split(node.weight @ x, 2)
assert jnp.allclose(forward, y * jnp.exp(jnp.tanh(scale)) + shift)
assert node.size == len(node) == 3 and (node @ node).shape == (3, 3)
assert (Coupling.double(x) == 2 * x).all() and Coupling.plain() == "Coupling"
assert (jax.grad(lambda x: node.forward(x, y)[1])(x) != 0).any()
"""


def raw_of(kind: str = "Module") -> dict[str, Any]:
    (found,) = skeletons_of(COUPLING.replace("KIND", kind), "x.py")
    assert found.faults == ()
    return found.tables


def faults_of(**methods: Any) -> list[str]:
    raw = {"name": "A", "fields": {"w": {"type": "f[n]", "init": "ones"}}, "methods": methods}
    with pytest.raises(ScaffoldError) as caught:
        read_spec(raw, "spec")
    return [f"{fault.where}: {fault.what} -> {fault.fix}" for fault in caught.value.faults]


@pytest.mark.parametrize("kind", ["Module", "Pytree", "Nnx"])
def test_both_doors_give_the_same_methods(kind: str, tmp_path: Path) -> None:
    raw = raw_of(kind)
    spec = read_spec(raw, "spec")
    assert [one.name for one in spec.methods] == [
        *("forward", "inverse", "_parts", "size", "double", "plain", "__matmul__", "__len__")
    ]
    toml = tomllib.loads(write_toml(raw, "x"))
    assert meaning(read_spec(toml, "spec")) == meaning(spec)
    (again,) = skeletons_of(write_skeleton([(toml, spec)], formatted=str), "x.py")
    assert meaning(read_spec(again.tables, "spec")) == meaning(spec)
    (tmp_path / ".git").mkdir()
    layout = find_layout(tmp_path)
    emitted = [tidy(module_files(read_spec(one, "spec"), layout, {})) for one in (raw, toml, again.tables)]
    assert emitted[0] == emitted[1] == emitted[2]


def test_methods_are_emitted_in_order_word_for_word_and_with_the_roles(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    text = tidy(module_files(read_spec(raw_of(), "spec"), find_layout(tmp_path), {}))[0].text
    places = [
        text.index(f"def {name}(") for name in ("create", "forward", "inverse", "_parts", "size", "__len__")
    ]
    assert places == sorted(places)
    assert "        shift, scale = self._parts(x)  # both\n\n        # scale, then shift\n" in text
    assert "x - jax.lax.stop_gradient(self.mean)" in text
    assert "    @staticmethod\n    @jax.jit\n    def double(x: Float[Array" in text
    assert "    @property\n    def size(self) -> int:\n" in text


@pytest.mark.parametrize(
    ("name", "table", "told"),
    [
        ("w", {"body": "return 1"}, "spec: methods.w: `w` is a field too -> rename one of them"),
        ("__init__", {"args": "other: A", "body": "return True"}, "spec: methods.__init__: `__init__` is a name that the class uses itself"),
        ("create", {"body": "return 1"}, "spec: methods.create: `create` is a name that the class uses itself"),
        ("if", {"body": "return 1"}, "spec: methods.if: `if` is a keyword of Python"),
        ("f", {"body": "return self.v"}, "spec: methods.f.body: `self.v` is no field"),
        ("f", {"body": "self.w = 1\nreturn 1"}, "spec: methods.f.body: assigns `self.w`"),
        ("f", {"body": "return y"}, "spec: methods.f.body: the name `y` is not known here"),
        ("f", {"body": "retrun 1"}, "spec: methods.f.body: not Python"),
        ("f", {"body": "pass"}, "spec: methods.f.body: returns nothing"),
        ("f", {"args": "x", "body": "return x"}, "spec: methods.f.args: `x` has no type"),
        ("f", {"args": "x: g[n]", "body": "return x"}, "spec: methods.f.args: "),
        ("f", {"decorator": "filter_jit", "body": "return 1"}, "spec: methods.f.decorator: the name `filter_jit` is not known here"),
        ("f", {"decorator": "staticmethod", "body": "return self.w"}, "spec: methods.f.body: the name `self` is not known here"),
        ("f", {"carry": "x", "args": "x: f[n]", "body": "return x"}, "spec: methods.f.carry: the next `x` is returned first, and `returns` does not say so -> write `returns`, with the next value first"),
        ("f", {"carry": "self", "returns": "f[n]", "body": "return self.w"}, "spec: methods.f.carry: the next instance is returned first, and `returns` does not say so -> write `returns = \"A\"`"),
        ("f", {"bdy": "return 1", "body": "return 1"}, "spec: methods.f: unknown key `bdy`"),
        ("f", {}, "spec: methods.f: `body` is missing"),
        ("f", "return 1", "spec: methods.f: 'return 1' is not a table"),
    ],
)  # fmt: skip
def test_what_a_method_cannot_be(name: str, table: Any, told: str) -> None:
    found = faults_of(**{name: table})
    assert any(one.startswith(told) for one in found), found


def test_the_call_keeps_its_place_among_the_methods(tmp_path: Path) -> None:
    call = """
    def __call__(self, x: Float[Array, " half"]) -> Float[Array, " 2*half"]:
        return self.weight @ x

"""
    before, after = COUPLING.replace("KIND", "Module").split("    @property\n")
    (found,) = skeletons_of(f"{before.rstrip()}\n{call}    @property\n{after}", "x.py")
    assert found.faults == ()
    spec = read_spec(found.tables, "spec")
    assert [one.name for _, one in spec.functions][2:5] == ["_parts", "__call__", "size"]
    toml = write_toml(found.tables, "x")
    assert "[methods.__call__]" in toml and "[call]" not in toml
    assert meaning(read_spec(tomllib.loads(toml), "spec")) == meaning(spec)
    assert meaning(read_spec(raw_of(), "spec")) != meaning(spec)
    written = write_skeleton([(found.tables, spec)], formatted=str)
    (tmp_path / ".git").mkdir()
    emitted = tidy(module_files(spec, find_layout(tmp_path), {}))[0].text
    for text in (toml, written, emitted):
        assert text.index("_parts") < text.index("__call__") < text.index("size", text.index("__call__"))


def test_a_call_among_the_methods_has_the_keys_and_the_faults_of_the_call(tmp_path: Path) -> None:
    lines = [
        *('name = "A"', 'fields.w = "f[n]=ones"', "[methods.size]", 'body = "return 1"'),
        *("[methods.__call__]", 'args = "x: f[n]"', 'carry = "y"', 'body = "return x"'),
    ]
    write_tree(
        tmp_path, {"a.toml": "\n".join(lines), "b.toml": "\n".join([*lines, '[call]\nbody = "return 2"'])}
    )
    with pytest.raises(ScaffoldError) as caught:
        read_spec_file(tmp_path / "a.toml", "a.toml")
    assert [one.place for one in caught.value.faults] == ["a.toml:7:1: call.carry"]
    with pytest.raises(ScaffoldError) as caught:
        read_spec_file(tmp_path / "b.toml", "b.toml")
    assert any("`__call__` is a name that the class uses itself" in one.what for one in caught.value.faults)


@pytest.mark.slow  # its neighbours are tried in every run
@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("kind", "keys"), [("Module", "half=3, key=jax.random.key(0)"), ("Nnx", "half=3, rngs=nnx.Rngs(0)")]
)  # fmt: skip
def test_a_class_with_methods_and_no_call_works_and_passes_its_tests(
    kind: str, keys: str, tmp_path: Path
) -> None:
    write_tree(tmp_path, {".git/": "", "specs/coupling.py": COUPLING.replace("KIND", kind)})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/coupling.py")
    assert result.returncode == 0, result.stderr
    use = USE.replace("KEYS", keys)
    (tmp_path / "use.py").write_text(f"from flax import nnx\n{use}" if kind == "Nnx" else use)

    used = run([sys.executable, "use.py"], tmp_path, env={"PYTHONPATH": str(REPOSITORY)})
    assert used.returncode == 0, used.stderr
    assert passed(forked_pytest(tmp_path, "tests")) > 20


FLOW = """
name = "Flow"

[fields]
weight = { type = "f[half]", init = "normal(1)" }
average = { type = "f[half]", init = "zeros", role = "data" }
rate = { type = "f[half]", role = "derived", init = "=jnp.exp(average)" }

[methods.forward]
args = "x: f[half], *, bias: f[half]"
returns = "f[half], f[]"
body = "return x * jnp.exp(self.weight) + bias, jnp.sum(self.weight)"

[methods.inverse]
args = "z: f[half], bias: f[half]"
returns = "f[half]"
body = "return (z - bias) * jnp.exp(-self.weight)"

[methods.update]
args = "x: f[half], decay: float = 0.9"
returns = "Flow"
carry = "self"
body = "return eqx.tree_at(lambda one: one.average, self, decay * self.average + (1 - decay) * x)"

[methods.scaled]
args = "x: f[half], *, by: int"
returns = "f[half]"
body = "return by * x"

[methods.size]
decorator = "property"
body = "return self.weight.size"

[test]
dtypes = ["bf16"]

[[test.cases]]
name = "of one"
sizes = { half = 1 }

[[test.holds]]
name = "the inverse undoes the forward map"
that = "close(self.inverse(self.forward(x, bias=bias)[0], bias), x)"

[[test.holds]]
name = "the forward map undoes the inverse"
that = "close(self.forward(self.inverse(z, bias), bias=bias)[0], z)"

[[test.holds]]
name = "the inverse takes off"
that = "close(self.inverse(z, x), (z - x) * jnp.exp(-self.weight))"
"""
DECLARED = """    methods = (
        Method("rate", returns=(Output((2,)),)),
        Method(
            "inverse",
            lambda seed: (sample(seed, (2,)), sample(seed + 1, (2,))),
            returns=(Output((2,)),),
            used=("weight",),
        ),
        Method("update", lambda seed: (sample(seed, (2,)),), carry="self"),
        Method(
            "scaled",
            lambda seed: (sample(seed, (2,)),),
            returns=(Output((2,)),),
            call=lambda instance, x: instance.scaled(x, by=3),
        ),
    )
"""
CALL = """    def call(self, instance: Any, *arguments: Any) -> Any:
        x, bias = arguments
        return instance.forward(x, bias=bias)
"""
CONDITION = """    @holds
    def test_the_inverse_undoes_the_forward_map(
        self, instance: Any, *arguments: Any
    ) -> Any:
        x, bias = arguments
        return self.close(instance.inverse(instance.forward(x, bias=bias)[0], bias), x)

    @holds(of="inverse")
    def test_the_forward_map_undoes_the_inverse(
        self, instance: Any, *arguments: Any
    ) -> Any:
        z, bias = arguments
        return self.close(instance.forward(instance.inverse(z, bias), bias=bias)[0], z)

    @holds(of=("call", "inverse"))
    def test_the_inverse_takes_off(self, instance: Any, *arguments: Any) -> Any:
        x, _, z, _ = arguments
"""
