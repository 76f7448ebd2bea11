"""What `[test]` claims holds for classes of every kind: their generated tests pass, further configurations among them."""

from pathlib import Path

import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import failed_tests, passed, scaffold
from tests.support.trees import replace_in, write_tree

CENTRE = '''
name = "Centre"
kind = "nnx"
[fields]
weight = { type = "f[size,size]", init = "lecun_normal" }
shift = { type = "f[size]", role = "buffer", init = "ones" }
bias = { type = "f[size]", init = "zeros", optional = "use_bias" }
[call]
args = "x: f[size]"
returns = "f[size]"
body = """
y = self.weight @ (x - self.shift)
return y if self.bias is None else y + self.bias
"""
[test]
dtypes = ["f16"]
tolerance = 0.02
reference = "self.weight @ (x - self.shift) + (0 if self.bias is None else self.bias)"
[[test.cases]]
name = "without a bias"
values = { use_bias = false }
[[test.holds]]
name = "the shift gives the bias"
that = "close(self(self.shift), jnp.zeros_like(x))"
'''
RUNNING = '''
name = "Running"
[fields]
mean = { type = "f[size]", role = "state", init = "ones" }
gain = { type = "f[size]", init = "ones" }
[call]
args = "x: f[size]"
returns = "f[size]"
body = """
self.mean = 0.9 * self.mean + 0.1 * x
return self.gain * (x - self.mean)
"""
[test]
dtypes = ["bf16"]
[[test.cases]]
name = "of one"
sizes = { size = 1 }
[[test.holds]]
name = "what is at the mean is left there"
that = "close(self(self.mean, state)[0], 0 * x)"
'''
SCALER = '''
name = "Scaler"
kind = "pytree"
[fields]
factor = "f[n]"
offset = { type = "f[n] | None" }
power = { type = "int", default = 2, check = "power > 0" }
[call]
args = "x: f[n], instance: f[n]"
returns = "f[n], f[]"
body = """
y = self.factor * x ** self.power + instance
if self.offset is not None:
    y = y + self.offset
return y, jnp.sum(y)
"""
[test]
dtypes = ["f64"]
reference = """
y = self.factor * x ** self.power + instance
if self.offset is not None:
    y = y + self.offset
return y, np.sum(y)
"""
[[test.cases]]
name = "cubic, without an offset"
values = { power = 3, offset = "=None" }
[[test.holds]]
name = "the sum is the second"
that = "close(jnp.sum(self(x, instance)[0]), self(x, instance)[1])"
'''
LIMIT = """
name = "Limit"
kind = "closure"
[fields]
limit = { type = "f[]", role = "buffer" }
[call]
args = "value: f[size]"
returns = "bool[]"
body = "return jnp.max(value) > self.limit"
[test]
reference = "np.max(value) > self.limit"
[[test.cases]]
name = "of one"
sizes = { size = 1 }
[[test.holds]]
name = "what is above is above"
that = "self(value + 1 + self.limit)"
"""
SPECS = {"centre": CENTRE, "running": RUNNING, "scaler": SCALER, "limit": LIMIT}
MINE = "p02_leaves or p07_computes or p19_outputs or test_the_ or test_what_"


def generated(folder: Path) -> Path:
    write_tree(folder, {f"specs/{name}.toml": text for name, text in SPECS.items()})
    run = scaffold(
        folder, "new-module", *(part for name in SPECS for part in ("--spec", f"specs/{name}.toml"))
    )
    assert run.returncode == 0, run.stderr
    return folder


@pytest.mark.slow  # its neighbours are tried in every run
def test_claims_become_tests_that_pass_and_that_can_fail(tmp_path: Path) -> None:
    generated(tmp_path)
    shown = {name: (tmp_path / f"tests/test_{name}.py").read_text() for name in SPECS}
    for name, source in {
        "centre": "return self.close(instance(instance.shift[...]), jnp.zeros_like(x))",
        "running": "return self.close(instance(state.get(instance.mean), state)[0], 0 * x)",
        "scaler": "y = instance.factor * x**instance.power + instance_",
        "limit": "return instance(value + 1 + instance.limit)",
    }.items():
        assert source in shown[name]
    assert passed(forked_pytest(tmp_path, "-k", MINE)) > 25
    for name, (old, new) in {
        "centre": ("(x - ", "(x + "),
        "running": ("0.9 *", "0.8 *"),
        "scaler": ("jnp.sum(y)", "jnp.max(y)"),
        "limit": (") > ", ") < "),
    }.items():
        module = tmp_path / f"{name}.py"
        assert old in module.read_text()
        replace_in(module, old, new)
    assert failed_tests(forked_pytest(tmp_path, "-k", MINE)) == {
        "test_p19_outputs_are_those_of_the_reference",
        "test_the_shift_gives_the_bias",
        "test_what_is_at_the_mean_is_left_there",
        "test_the_sum_is_the_second",
        "test_what_is_above_is_above",
    }


@pytest.mark.slow
def test_every_law_holds_in_every_configuration(tmp_path: Path) -> None:
    assert passed(forked_pytest(generated(tmp_path))) > 400
