"""Example values: no two alike, of both signs, positive where that is asked for or can be read off the spec."""

import re
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytree_laws import sample
from tests.support.draws import share
from tests.support.projects import scaffold
from tests.support.trees import write_tree

SHAPES = st.lists(st.integers(1, 6), max_size=3).map(tuple)


@given(st.integers(0, 50), SHAPES)
@settings(max_examples=share(60))
def test_floats_differ_in_size_and_have_both_signs(seed: int, shape: tuple[int, ...]) -> None:
    values = np.asarray(sample(seed, shape))
    sizes = np.abs(values).ravel()
    assert values.shape == shape and len(set(sizes.tolist())) == values.size
    assert sizes.min() > 0.1 and sizes.max() < 1
    negative = int((values < 0).sum())
    assert abs(2 * negative - values.size) <= 1
    positive = np.asarray(sample(seed, shape, positive=True))
    assert np.array_equal(positive, np.abs(values))


@given(st.integers(0, 50), st.integers(2, 6))
@settings(max_examples=share(30))
def test_a_square_array_is_not_its_transpose_and_no_row_is_another(seed: int, size: int) -> None:
    square = np.asarray(sample(seed, (size, size)))
    assert not np.allclose(square, square.T)
    assert len({row.tobytes() for row in square}) == size


def test_the_sign_of_a_scalar_is_that_of_its_seed() -> None:
    assert [bool(sample(seed) > 0) for seed in range(4)] == [True, False, True, False]
    assert jnp.iscomplexobj(sample(0, (3,), "complex64"))


SPEC = """
name = "Likelihood"

[fields]
deviation = "f[n]@param"
shift = "f[n]@param"
width = {{ type = "f[n]", role = "param", preprocess = "eqx.error_if(width, width <= 0, 'not above 0')" }}
share = {{ type = "float", role = "static", default = 0.5 }}
depth = {{ type = "int", converter = "=int(depth)" }}

[call]
args = "x: f[n], rate: f[]"
returns = "f[n]"
body = '''
scaled = (x - self.shift) / self.width * self.share * self.depth
return scaled - jnp.log(self.deviation) + jnp.sqrt(rate)
'''

[test]
{said}
"""


@pytest.mark.parametrize(("said", "wanted"), [("", ""), ('positive = ["shift", "x"]', ", positive=True")])
def test_what_must_be_positive_is_so(tmp_path: Path, said: str, wanted: str) -> None:
    write_tree(
        tmp_path,
        {"specs/likelihood.toml": SPEC.replace("{{", "{").replace("}}", "}").replace("{said}", said)},
    )
    result = scaffold(tmp_path, "new-module", "--spec", "specs/likelihood.toml")
    assert result.returncode == 0, result.stderr
    tests = (tmp_path / "tests/test_likelihood.py").read_text()
    inputs = dict(re.findall(r'"(\w+)": sample\(seed(?: \+ \d+)?, \(2,\)(.*)\),', tests))
    assert inputs == {"deviation": ", positive=True", "shift": wanted, "width": ", positive=True"}
    arguments = re.findall(r"^ +sample\(seed(?: \+ \d+)?, \(.*?\)(.*)\),$", tests, re.MULTILINE)
    assert arguments == [wanted, ", positive=True"]
    assert '"share": 0.3,' in tests
    static = tests.partition("static: ClassVar = {")[2].partition("}")[0].split()
    assert static == ['"share":', "0.3,", '"depth":', "...,"]
