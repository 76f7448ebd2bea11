"""`[test]` gives the values of the call as it gives those of the constructor: they are arguments, and no constants."""

from pathlib import Path

from tests.forking import forked_pytest
from tests.projects import passed, scaffold
from tests.support import write_tree

SPEC = """
name = "Sinusoid"

[fields]
scale = "f[n]"
shift = "f[n]"

[call]
args = "x: f[n], step: i32[], *, key: key[], damped: bool = False"
returns = "f[n]"
body = '''
noise = 0.01 * jax.random.normal(key, x.shape, x.dtype)
y = self.scale * jnp.sin(x * step.astype(x.dtype)) + noise
return jnp.where(x > 0.0, y, y + self.shift) if damped else y
'''

[test]
sizes = { n = 2 }
values = { step = 3, key = "=jax.random.split(jax.random.key(seed))[0]", x = [0.5, 2.0], damped = true }
unused = ["shift"]
"""


def test_values_of_the_call_are_cast_mapped_and_differentiated(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/sinusoid.toml": SPEC})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/sinusoid.toml").returncode == 0
    tests = (tmp_path / "tests/test_sinusoid.py").read_text()
    for source in (
        "jnp.array((0.5, 2.0), float),",
        "jnp.array(3, jnp.int32),",
        "jax.random.split(jax.random.key(seed))[0],",
        "return instance(x, step, key=key, damped=True)",
        'Leaf("shift", "param", (2,), unused=True),',
    ):
        assert source in tests
    assert passed(forked_pytest(tmp_path)) > 50
