"""The second configuration of the tests differs in what the instance itself holds."""

from typing import Any

import pytest

from scaffold.spec.reading.read import read_spec
from scaffold.suite.declarations.other import other_inputs
from scaffold.suite.examples.subject import Subject

STATE = {"type": "f[size]", "role": "state", "init": "zeros"}
ROWS: list[tuple[dict[str, Any], list[list[str]]]] = [
    ({"mean": STATE}, []),
    ({"mean": STATE, "gain": {"type": "f[size]", "init": "ones"}}, [["size", "3"]]),
    ({"mode": "Literal[1, True, '1']"}, [["mode", "'1'"]]),
    ({"mode": "Literal[1, True]"}, []),
    ({"mode": "Literal['a', 'b']"}, [["mode", "'b'"]]),
]


@pytest.mark.parametrize(("fields", "other"), ROWS)
def test_the_other_configuration_is_another(fields: dict[str, Any], other: list[list[str]]) -> None:
    spec = read_spec({"name": "Held", "fields": {"w": "f[3]@param", **fields}}, "spec")
    assert other_inputs(Subject(spec, {})) == other
