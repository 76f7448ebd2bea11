"""What the generated tests give and declare: arrays that may be left out, states of methods, and fans as products have them."""

from pathlib import Path

import pytest

from tests.support.projects import scaffold
from tests.support.trees import write_tree


def written(folder: Path, spec: str) -> tuple[str, str]:
    """The class `Layer` of a spec and its tests, as they are emitted."""
    write_tree(folder, {".git/": "", "specs/layer.toml": 'name = "Layer"\n' + spec})
    result = scaffold(folder, "new-module", "--spec", "specs/layer.toml")
    assert result.returncode == 0, result.stderr
    return (folder / "layer.py").read_text(), (folder / "tests/test_layer.py").read_text()


MASKED = """
[fields]
weight = { type = "f[size,size]", init = "lecun_normal" }

[call]
args = "x: f[length,size], mask: bool[length] | None = None, *, key: key[] | None = None"
returns = "f[length,size]"
body = \"\"\"
if key is not None:
    x = x + jax.random.normal(key, x.shape, x.dtype)
y = x @ self.weight
return y if mask is None else jnp.where(mask[:, None], y, 0)
\"\"\"
"""


def test_an_array_that_may_be_left_out_is_given(tmp_path: Path) -> None:
    _, tests = written(tmp_path, MASKED)
    assert 'sample(seed + 1, (3,), "bool"),' in tests
    assert "return instance(x, mask, key=key)" in tests


def test_it_is_left_out_where_the_spec_says_so(tmp_path: Path) -> None:
    _, tests = written(tmp_path, MASKED + '\n[test]\nvalues = { mask = "=None" }\n')
    assert '"bool"' not in tests


RUNNING = """
[fields]
total = { type = "f[size]", role = "state", init = "zeros" }
gain = { type = "f[size]", init = "ones" }

[call]
args = "x: f[size]"
returns = "f[size]"
body = \"\"\"
self.total = self.total + x
return self.gain * self.total
\"\"\"

[methods.apart]
args = "x: f[size]"
returns = "f[size]"
body = "return x - self.total"

[methods.__len__]
returns = "int"
body = "return self.gain.shape[0]"
"""


def test_methods_with_state_and_operators_are_declared(tmp_path: Path) -> None:
    _, tests = written(tmp_path, RUNNING)
    assert "state_at=1, returns=(Output((2,)), Output((2,)))" in " ".join(tests.split())
    assert 'Method("__len__")' in tests


@pytest.mark.parametrize(
    ("product", "axes"),
    [
        ("self.weight @ jnp.tanh(x)", "in_axis=-1, out_axis=-2"),
        ("self.weight @ jnp.ones(4, x.dtype) + x", "in_axis=-1, out_axis=-2"),
        ("x @ self.weight", "in_axis=-2, out_axis=-1"),
        ("self.weight.T @ x", "in_axis=-2, out_axis=-1"),
        ("jnp.ones(4, x.dtype) @ self.weight.T + x", "in_axis=-1, out_axis=-2"),
        ('jnp.einsum("ij,i->j", self.weight, x)', "in_axis=-2, out_axis=-1"),
    ],
)
def test_the_fan_is_counted_along_the_axis_that_a_product_sums_over(
    tmp_path: Path, product: str, axes: str
) -> None:
    spec = f"""
[fields]
weight = {{ type = "f[size,4]", init = "lecun_normal" }}

[call]
args = "x: f[size]"
body = '''return {product}'''
"""
    code, _ = written(tmp_path, spec)
    assert axes in code


def test_a_flag_that_is_there_for_others_is_said_to_be_unused(tmp_path: Path) -> None:
    spec = MASKED.replace("mask: bool[length] | None = None", "training: bool = False").replace(
        "return y if mask is None else jnp.where(mask[:, None], y, 0)", "return y"
    )
    _, tests = written(tmp_path, spec + '\n[test]\nunused = ["training"]\n')
    assert 'ignored = ("training",)' in tests
