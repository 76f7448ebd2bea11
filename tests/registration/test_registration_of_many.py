"""Many classes in one `__init__.py`: as one by one, and in one pass."""

import pytest

from scaffold.errors import ScaffoldError
from scaffold.registration.edits import register, register_all

MANY = [
    ("b2", "B2"),
    ("a", "A"),
    ("zeta", "Zeta"),
    ("b10", "B10"),
    ("long_" * 12, "Long" * 12),
    ("a", "Another"),
]


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b'"""Doc."""\n',
        b"from .a import A as A\n",
        b"from .b import B as B\nfrom .y import Y as Y",
        b"from lib.b2 import B2\n\nx = 1\n",
        b"import os\r\n\r\n# about c\r\nfrom .c import C\r\n\r\n\r\ndef f(): ...\r\n",
        b'from .b import B\n\n__all__ = ["B"]\n',
        b'from jaxtyping import install_import_hook\n\nwith install_import_hook("lib", "b.b"):\n    from .c import C as C\n',
        b"from .c import C\n\nif C:\n    from .d import D\nfrom .e import *\n",
    ],
)
def test_many_at_once_are_as_one_by_one(source: bytes):
    one_by_one = source
    for stem, name in MANY:
        one_by_one = register(one_by_one, stem, [name], package="lib")
    assert register_all(source, MANY, package="lib") == one_by_one
    assert register_all(one_by_one, MANY, package="lib") == one_by_one


def test_many_at_once_are_refused_together():
    source = b"from .c import C as C\n\nA = 1\nB10 = 2\n"
    with pytest.raises(ScaffoldError) as caught:
        register_all(source, [("x", "X"), *MANY], package="lib")
    assert [fault.where for fault in caught.value.faults] == ["__init__.py:3", "__init__.py:4"]
