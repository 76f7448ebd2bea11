"""What the generated tests say of methods."""

import sys
from pathlib import Path

import pytest

from tests.forking import forked_pytest
from tests.projects import passed, run, scaffold
from tests.support import write_tree
from tests.test_methods import CALL, CONDITION, DECLARED, FLOW


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
