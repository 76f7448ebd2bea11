"""Optional parts that are used without a question: a fault where it is certain, a failing law where it is not."""

from typing import Any

import pytest

from scaffold.errors import ScaffoldError
from scaffold.spec.reading.read import read_spec
from scaffold.suite.declarations.other import absent_inputs

FIELDS = {
    "w": "f[n]@param",
    "use": "bool",
    "bias": {"type": "f[n]", "optional": "use", "init": "zeros"},
    "norm": "f[n] | None@param",
}


def spec(body: str, **fields: Any) -> dict[str, Any]:
    call = {"args": "x: f[n]", "returns": "f[n]", "body": body}
    return {"name": "Affine", "fields": {**FIELDS, **fields}, "call": call}


CERTAIN = {
    "return self.w + self.bias": "`self.bias` is None where `use` is false, and `self.w + self.bias` fails then",
    "y = self.w * x\nreturn y + 2 * self.bias": "`self.bias` is None where `use` is false, and `2 * self.bias` fails then",
    "return jnp.tanh(-self.bias)": "`self.bias` is None where `use` is false, and `-self.bias` fails then",
    "return x + self.bias[0]": "`self.bias` is None where `use` is false, and `self.bias[0]` fails then",
    "return self.norm.T + x": "`self.norm` may be None, and `self.norm.T` fails then",
    "x += self.norm * 2\nreturn x": "`self.norm` may be None, and `self.norm * 2` fails then",
    "return self.norm(x)": "`self.norm` may be None, and `self.norm(x)` fails then",
}
GUARDED = (
    "if self.bias is not None:\n    x = x + self.bias\nreturn x",
    "if self.use:\n    x = x + self.bias\nreturn x",
    "if not self.use:\n    return x\nreturn x + self.bias",
    "return x if self.bias is None else x + self.bias",
    "return self.bias is not None and self.bias + x",
    "return (self.norm or 1) + x",
    "match self.bias:\n    case None:\n        return x\n    case bias:\n        return x + bias\nreturn x + self.bias",
    "try:\n    return x + self.bias\nexcept TypeError:\n    return x",
    "assert self.use\nreturn x + self.bias",
    "bias = self.bias\nreturn x if bias is None else x + bias",
    "return jax.lax.cond(True, lambda: x, lambda: x + self.bias)",
    "return sum([b + x for b in [self.bias] if b is not None], start=x)",
    "return jnp.add(x, self.bias)",
    'return x if "%s" % self.bias else -x',
    "return x + (0.0 if self.norm is None else self.norm)",
    "with jax.named_scope('a'):\n    y = x + self.bias\nreturn y",
)


@pytest.mark.parametrize(("body", "what"), CERTAIN.items())
def test_a_use_that_fails_for_none_is_a_fault(body: str, what: str) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec(spec(body), "spec")
    (fault,) = caught.value.faults
    assert (fault.where, fault.what) == ("spec: call.body", what)
    assert fault.fix.startswith("ask before: `if self.")


@pytest.mark.parametrize("body", GUARDED)
def test_no_guard_is_overlooked(body: str) -> None:
    assert read_spec(spec(body), "spec").call


def test_a_derived_field_asks_too() -> None:
    derived = {"type": "f[n]", "role": "derived", "init": "=self.w + self.bias"}
    with pytest.raises(ScaffoldError, match=r"fields\.d\.init: `self\.bias` is None where `use` is false"):
        read_spec(spec("return x", d=derived), "spec")


def test_the_tests_leave_out_each_optional_part_and_all_of_them() -> None:
    assert absent_inputs(read_spec(spec("return x"), "spec")) == [
        '{"use": False}',
        '{"norm": None}',
        '{"use": False, "norm": None}',
    ]


def test_what_a_check_reads_is_not_left_out() -> None:
    checked = {
        "bias": {**FIELDS["bias"], "check": "use"},
        "norm": {"type": "f[n] | None", "role": "param", "check": "norm is not None"},
    }  # type: ignore[dict-item]
    assert absent_inputs(read_spec(spec("return x", **checked), "spec")) == []
