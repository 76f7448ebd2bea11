"""What a spec of `adopt --spec` imports for its examples."""

import re
from pathlib import Path

import pytest

from tests.adopt.test_spec import said
from tests.support.trees import write_tree

PACKAGE = {
    "pkg/__init__.py": "from pkg.maps import Affine, Reversed\n",
    "pkg/maps.py": '''\
import equinox as eqx
import jax
import jax.numpy as jnp


class Map(eqx.Module):
    pass


class Affine(Map):
    loc: jax.Array

    def __call__(self, x):
        return x + self.loc


class Reversed(Map):
    """The map after a flip.

    .. doctest::

        >>> import jax.numpy as jnp
        >>> from pkg import Affine, Reversed
        >>> Reversed(Affine(loc=jnp.arange(4.0)))
    """

    inner: Map

    def __call__(self, x):
        return self.inner(x[::-1])
''',
}


@pytest.mark.slow
def test_what_an_example_reads_is_imported_beside_the_class_itself(tmp_path: Path) -> None:
    write_tree(tmp_path, PACKAGE)
    told = said(tmp_path, "pkg:Reversed")["Reversed"]
    assert told["why"] is None, told
    assert "Affine(" in told["spec"] and re.search(r"from pkg(\.maps)? import Affine\n", told["spec"])
