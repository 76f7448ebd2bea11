"""What the generated tests say of methods."""

import sys
from pathlib import Path

import pytest

from tests.methods.test_methods import CALL, CONDITION, DECLARED, FLOW
from tests.support.forking import forked_pytest
from tests.support.projects import failed_tests, passed, run, scaffold
from tests.support.trees import write_tree


@pytest.mark.slow  # tests/laws/mistakes/methods breaks methods in every run
def test_the_tests_declare_the_methods_and_notice_what_is_wrong_in_them(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/flow.toml": FLOW})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/flow.toml")
    assert result.returncode == 0, result.stderr
    suite = (tmp_path / "tests/test_flow.py").read_text()
    assert DECLARED in suite and CALL in suite and CONDITION in suite, suite
    assert 'Method("rate", returns=(Output((1,)),))' in suite  # in the further configuration
    assert passed(forked_pytest(tmp_path, "tests")) > 80
    code = (tmp_path / "flow.py").read_text()
    for right, wrong, told in (
        ("jnp.exp(-self.weight)", "jnp.exp(-jax.lax.stop_gradient(self.weight))", "P9 gradient and step, at `inverse`"),
        ("(1 - decay) * x", "0 * x", "P11 carry, at `update`"),
        ("jnp.exp(self.average)", "jnp.exp(self.averages)", "P7 jit equals eager, at `rate`"),
        ("(z - bias) * jnp", "(z + bias) * jnp", "does not hold"),
    ):  # fmt: skip
        assert right in code
        (tmp_path / "flow.py").write_text(code.replace(right, wrong))
        assert told in forked_pytest(tmp_path, "tests", "-k", "methods or undoes").stdout, wrong


KERNEL = '''
from abc import abstractmethod

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Abstract, Module, param


class AbstractKernel(Abstract):
    """How alike two points are."""

    @abstractmethod
    def __call__(self, x: Float[Array, " n"], y: Float[Array, " n"]) -> Float[Array, ""]:
        """The value for one pair."""

    @abstractmethod
    def diagonal(self, x: Float[Array, "m n"]) -> Float[Array, " m"]:
        """The value for each point with itself."""

    def gram(self, x: Float[Array, "m n"]) -> Float[Array, "m m"]:
        """The value for each pair."""
        return jax.vmap(lambda a: jax.vmap(lambda b: self(a, b))(x))(x)


class RBF(AbstractKernel):
    """A Gaussian of the distance."""

    scale: Float[Array, ""] = param("ones")

    def __call__(self, x: Float[Array, " n"], y: Float[Array, " n"]) -> Float[Array, ""]:
        return jnp.exp(-jnp.sum(((x - y) / self.scale) ** 2) / 2)

    def diagonal(self, x: Float[Array, "m n"]) -> Float[Array, " m"]:
        return jnp.ones(x.shape[0], x.dtype)

    def trace(self, x: Float[Array, "m n"]) -> Float[Array, ""]:
        return jnp.trace(self.gram(x))
'''


@pytest.mark.slow
def test_a_base_has_methods_and_asks_for_methods(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/kernels.py": KERNEL})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/kernels.py")
    assert result.returncode == 0, result.stderr
    base = (tmp_path / "kernels.py").read_text()
    assert "    @abc.abstractmethod\n    def diagonal(" in base and "    def gram(" in base
    assert '    methods = ("__call__", "diagonal")' in (tmp_path / "tests/test_kernels.py").read_text()
    use = "import jax.numpy as jnp\nfrom kernels import RBF\nx = jnp.arange(6.0).reshape(3, 2)\nkernel = RBF.create()\n"
    use += "assert jnp.allclose(jnp.diagonal(kernel.gram(x)), kernel.diagonal(x)) and kernel.trace(x) == 3\n"
    used = run([sys.executable, "-c", use], tmp_path)
    assert used.returncode == 0, used.stderr


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("    def diagonal(self, x: Float[Array, \"m n\"]) -> Float[Array, \" m\"]:\n        return", "    def other(self, x: Float[Array, \"m n\"]) -> Float[Array, \" m\"]:\n        return", "`AbstractKernel` asks for a method `diagonal`"),
        ("jnp.trace(self.gram(x))", "jnp.trace(self.grim(x))", "`self.grim` is no field"),
    ],
)  # fmt: skip
def test_what_a_base_asks_for_is_held(old: str, new: str, told: str, tmp_path: Path) -> None:
    assert old in KERNEL
    write_tree(tmp_path, {".git/": "", "specs/kernels.py": KERNEL.replace(old, new)})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/kernels.py")
    assert (result.returncode, told in result.stderr) == (2, True), result.stderr


INHERITED = """
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, static, test


@test(values={"integrate.a": 0.5, "integrate.b": 2, "broken.n": -1})
class Net(Module):
    weight: Float[Array, " n"] = param("ones")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.weight * x

    def integrate(self, a, b) -> Float[Array, " n"]:
        return (b - a) * self.weight

    def broken(self, n):
        if n < 0:
            raise ValueError("n is negative")
        return n * self.weight

    def unknown(self, other):
        return other

    @property
    def gain(self) -> Float[Array, " n"]:
        return self.weight

    @gain.setter
    def gain(self, value):
        raise AttributeError("an instance does not change")


@test(sizes={"n": 4}, values={"integrate.a": 1.5, "rate": 2.5})
class Sub(Net):
    rate: float = static()

    def __init__(self, weight: Float[Array, " n"], rate: float):
        super().__init__(weight + 0.0)
        self.rate = rate
"""


@pytest.mark.slow
def test_examples_of_methods_are_inherited_and_a_bad_one_is_that_of_its_method_alone(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/net.py": INHERITED})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/net.py")
    assert result.returncode == 0, result.stderr
    assert "Net: not tried: unknown (no example for other)" in result.stdout
    own, inherited = (tmp_path / "tests/test_net.py").read_text().split("class TestSub")
    assert "instance.integrate(a=0.5, b=2)" in own and "instance.integrate(a=1.5, b=2)" in inherited
    assert "Output((4,))" in inherited and 'Leaf("weight", "param"' in inherited and "2.5" in inherited
    assert 'Method("gain", returns=(Output(' in own  # as it is read, and not as it is set
    told = forked_pytest(tmp_path, "tests", "-k", "methods")
    assert failed_tests(told) == {"test_p07_methods_give_what_is_declared"}, told.stdout
    assert "at `broken`: it raised ValueError: n is negative" in told.stdout


LINE = """
from jaxtyping import Array, Float
from scaffold.skeleton import Module, TrainState, data, param


class Line(Module):
    '''A line.'''

    slope: Float[Array, "rows size"] = param("normal(1.0)")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " rows"]:
        '''The line at `x`.'''
        return self.slope @ x


class Scaled(TrainState):
    '''A train state whose losses are scaled.'''

    model: Line
    scale: Float[Array, ""] = data("full(8.0)")

    def scaled(self, loss: Float[Array, ""]) -> Float[Array, ""]:
        '''The loss to differentiate.'''
        return loss * self.scale

    def moved(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        '''What the model is given, scaled.'''
        return x * self.scale
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_a_method_of_a_train_state_is_no_step_of_training(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/line.py": LINE})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/line.py")
    assert result.returncode == 0, result.stderr
    # A dim that the methods and the model name has one size, in the examples of training too.
    assert passed(forked_pytest(tmp_path, "tests", "-k", "Scaled and (update or step or converges)")) > 10


KEYS = """
import jax
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Net(Module):
    weight: Float[Array, " n"] = param("ones")

    def sample(self, key: jax.Array, scale: float = 1.0) -> Float[Array, " n"]:
        return scale * jax.random.normal(key, self.weight.shape, self.weight.dtype) + self.weight

    def plain(self, rng_key) -> Float[Array, " n"]:
        return jax.random.normal(rng_key, self.weight.shape, self.weight.dtype) + self.weight

    def attend(self, query: Array, key: Array, value: Array) -> Float[Array, " n"]:
        return self.weight * jax.nn.dot_product_attention(query, key, value)[0, 0, 0]
"""


@pytest.mark.slow  # its neighbours are tried in every run
def test_an_argument_that_is_called_a_key_is_one_unless_it_is_attended_to(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/net.py": KEYS})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/net.py")
    assert "Net: not tried: attend (no example for query, key, value)" in result.stdout
    assert "def sample(self, key: jax.Array, scale: float = 1.0)" in (tmp_path / "net.py").read_text()
    suite = (tmp_path / "tests/test_net.py").read_text()
    assert suite.count('(sample(seed, (), "key"),)') == 2
    assert passed(forked_pytest(tmp_path)) > 0
