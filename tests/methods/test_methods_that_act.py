"""Methods that return nothing: the tests of an NNX module hold them to the Variables that they update."""

from pathlib import Path

from tests.support.forking import forked_pytest
from tests.support.projects import failed_tests, scaffold
from tests.support.trees import write_tree

HEARD = """
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32
from scaffold.skeleton import Nnx, param, state


class Heard(Nnx):
    '''Scales what it hears, and counts it.'''

    gain: Float[Array, " n"] = param("ones")
    level: Float[Array, " n"] = state("ones", variable="BatchStat")
    heard: Int32[Array, ""] = state("zeros", variable="Count")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        '''The input, scaled.'''
        self.heard += 1
        self.level = 0.5 * self.level + x**2
        return self.gain * x / (1 + self.level)

    def reset(self) -> None:
        '''Forget how often it heard something.'''
        self.heard = jnp.zeros_like(self.heard)
"""


def test_a_method_that_returns_nothing_updates_what_it_declares_and_nothing_else(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/heard.py": HEARD})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/heard.py")
    assert (result.returncode, "not tried" in result.stdout) == (0, False), result.stderr
    assert "Method('reset', updates=('heard',))" in (tmp_path / "tests/test_heard.py").read_text().replace(
        '"', "'"
    )
    module = tmp_path / "heard.py"
    text = module.read_text()
    old = "self.heard[...] = jnp.zeros_like(self.heard[...])\n"
    assert old in text
    module.write_text(text.replace(old, f"{old}        self.level[...] = jnp.ones_like(self.level[...])\n"))
    told = forked_pytest(tmp_path, "tests", "-k", "methods")
    assert "test_p12_methods_update_what_they_declare_and_nothing_else" in failed_tests(told), told.stdout
    assert "at `reset`: it updates `level`" in told.stdout
