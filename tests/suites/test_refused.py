"""The tests of a class give its constructor what its checks and its shapes refuse."""

from typing import Any

import pytest

from scaffold.spec.construction.arithmetic import evaluate
from scaffold.spec.reading.read import read_spec
from scaffold.suite.declarations.rejected import rejected_inputs
from scaffold.suite.examples.subject import Subject

HELD = {"w": "f[3]@param"}


def static(kind: str, check: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "role": "static", "check": check, **more}


ROWS: list[tuple[dict[str, Any], list[str]]] = [
    ({"axes": static("tuple[int, ...]", "len(axes) == 3", default="=(1, 2, 3)")}, ['{"axes": (1, 2, 3, 3)}']),
    ({"heads": static("int", "heads % 2 == 0", default="=4")}, ['{"heads": 5}']),
    ({"heads": static("int", "heads % 2 == 0 and heads > 0", default="=4")}, ['{"heads": 5}']),
    ({"heads": static("int", "not heads % 2 != 0", default="=4")}, ['{"heads": 5}']),
    ({"rate": static("float", "rate * 2 < 1", default="=0.3")}, ['{"rate": 0.6}']),
    ({"heads": static("int", "heads == 4", default="=4")}, ['{"heads": 3}', '{"heads": 5}']),
    ({"a": "f[size]@data", "b": "bool[size]@data"}, ['{"b": sample(0, (6,), "bool")}']),
    ({"a": "f[size]@data", "b": "f[other]@data"}, []),
    ({"kind": static("str", "kind.isidentifier()", default="a")}, []),
    ({"kind": static("str", "kind in ('a', 'b')", default="a")}, ["{\"kind\": 'another'}"]),
]


@pytest.mark.parametrize(("fields", "refused"), ROWS)
def test_what_a_check_or_a_shape_refuses_is_in_the_tests(fields: dict[str, Any], refused: list[str]) -> None:
    spec = read_spec({"name": "Held", "fields": {**HELD, **fields}}, "spec")
    rows = rejected_inputs(Subject(spec, {}))
    assert [changed for changed, error in rows if error == "ValueError"] == refused


def test_a_condition_of_anything_else_is_not_known() -> None:
    assert evaluate("a < 3 or len(b) == 2", {"a": 4, "b": (1, 2)})
    assert not evaluate("a < 3 and a < 2", {"a": 2})
    with pytest.raises(KeyError):
        evaluate("kind in ('a', 'b')", {"kind": "a"})
