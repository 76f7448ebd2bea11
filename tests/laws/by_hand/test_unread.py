"""A declaration with a slip in its name is an error where the suite is defined, with the nearest name."""

import functools
from typing import Any

import pytest

from pytree_laws import PytreeLaws, StepLaws


@pytest.mark.parametrize(
    ("laws", "body", "told"),
    [
        (
            PytreeLaws,
            {"leafs": ()},
            "`leafs` of TestIt is read by no law and by no method; did you mean `leaves`?",
        ),
        (PytreeLaws, {"tolerances": 1e-3}, "did you mean `tolerance`?"),
        (PytreeLaws, {"zebra": 3}, "`zebra` of TestIt is read by no law and by no method; remove it"),
        (StepLaws, {"frozn": ("a",)}, "did you mean `frozen`?"),
    ],
)
def test_a_slip_is_refused(laws: type, body: dict[str, Any], told: str) -> None:
    with pytest.raises(TypeError) as caught:
        type("TestIt", (laws,), body)
    assert told in str(caught.value)


def test_all_slips_are_told_at_once() -> None:
    with pytest.raises(TypeError, match=r"`leafs`.*; .*`statics_`"):
        type("TestIt", (PytreeLaws,), {"leafs": (), "statics_": {}})


def test_what_the_author_reads_or_names_as_his_own_is_no_slip() -> None:
    class Sized(PytreeLaws):
        size = 3
        SIZE = 4
        _size = 5
        double = functools.cached_property(lambda self: 2 * self.size)

        def build(self, seed: int) -> Any:
            return [self.size for _ in range(seed)]

    class Larger(Sized):
        size = 6

    assert Larger.size == 6
