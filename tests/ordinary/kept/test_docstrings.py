"""The docstrings that an author writes: of a constructor whose statements the tool takes over, and of fields that no constructor lists."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried

SKELETON = '''
import jax
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, buffer, param, static


class Mixing(Module):
    rows: int = static()
    weight: Float[Array, "rows 3"] = param()
    r"""How much of each, \\\\alpha."""
    shift: Float[Array, " 3"] = param()

    def __init__(self, rows: int, shift: Float[Array, " 3"], key: PRNGKeyArray):
        """Draw the mixing matrix.

        Args:
            rows: how many rows it has
            key: the key
        """
        self.rows = rows
        # At first it does
        # nearly nothing.
        self.weight = jax.random.normal(key, (rows, 3)) * 0.1
        self.shift = shift  # as it is
        # Nothing follows.

    def __call__(self, x: Float[Array, " 3"]) -> Float[Array, " rows"]:
        return self.weight @ (x + self.shift)


class Gain(Module):
    weight: Float[Array, " n"] = param()
    """What is given,
    in two lines.

    And more of it.
    """
    gain: Float[Array, " n"] = param("ones")
    """The gain."""

    def __call__(self, h: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.weight * h + self.gain
'''


@pytest.mark.slow
def test_the_docstrings_of_constructors_and_fields_are_kept(tmp_path: Path) -> None:
    module = tried(tmp_path, "mixing", SKELETON)
    assert '    weight: Float[Array, "rows 3"]\n    r"""How much of each, \\\\alpha."""\n' in module
    doc = (
        '        """Draw the mixing matrix.\n\n        Args:\n            rows: how many rows it has\n'
        '            key: the key\n        """\n'
    )
    assert doc in module
    assert '    gain: Float[Array, " n"]\n    """The gain."""\n' in module
    assert "        - `weight`: What is given, in two lines.\n\n            And more of it.\n" in module


def test_comments_on_what_makes_a_field_stand_above_the_field_and_others_are_told(tmp_path: Path) -> None:
    said = generated(tmp_path, {"mixing": SKELETON})
    module = (tmp_path / "nets/mixing.py").read_text("utf-8")
    assert "    # At first it does\n    # nearly nothing.\n    weight: " in module
    assert '    # as it is\n    shift: Float[Array, " 3"]\n' in module
    assert [line for line in said.splitlines() if "comment" in line] == [
        "note       the comment in mixing.py, line 25, has no place in what is written: # Nothing follows."
    ]
