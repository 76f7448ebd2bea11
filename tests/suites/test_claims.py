"""What `[test]` claims of a class: further configurations, conditions, dtypes, tolerances, the call in NumPy."""

import itertools
from typing import Any

import pytest

from scaffold.errors import ScaffoldError
from scaffold.spec.command_line import raw_spec
from scaffold.spec.reading.read import read_spec
from scaffold.suite.suites import emitted_suite

CALL = {
    "args": "x: f[n], *, back: bool = False",
    "returns": "f[n]",
    "body": "return x if self.w is None else self.w * x",
}
W = {"type": "f[n]", "init": "zeros", "optional": "use_w"}
BASE = {"kind": "abstract", "fields": {"w": "f[n]"}, "call": {**CALL, "body": "..."}}


def spec(*, test: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {"name": "Affine", "fields": {"w": W}, "call": CALL, **parts, "test": test}


def case(**table: Any) -> dict[str, Any]:
    return spec(test={"cases": [{"name": "one", **table}]})


def holds(that: str, name: str = "it holds", **parts: Any) -> dict[str, Any]:
    return spec(test={"holds": [{"name": name, "that": that}]}, **parts)


def reference(text: str, **parts: Any) -> dict[str, Any]:
    return spec(test={"reference": text}, **parts)


# A row: the bad spec, the good one, and PLACE | WHAT | FIX of the one fault.
# fmt: off
ROWS = [
    (case(), case(sizes={"n": 4}), "cases.0 | it changes nothing | write `values = { use_bias = false }`, or `sizes = { size = 4 }`"),
    (case(size=4, sizes={"n": 4}), case(sizes={"n": 4}), "cases.0 | unknown key `size` | did you mean `sizes`?"),
    (spec(test={"cases": [{"sizes": {"n": 4}}]}), case(sizes={"n": 4}), "cases.0 | `name` is missing | write `name = ...`: What the configuration is: `without a bias`."),
    (case(sizes={"m": 4}), case(sizes={"n": 4}), "cases.0.sizes | `m` is no dim | remove it"),
    (case(sizes={"n": 0}), case(sizes={"n": 1}), "cases.0.sizes.n | 0 is not a size | write an integer from 1, or an array of them for a dim such as `*shape`"),
    (case(values={"use_v": False}), case(values={"use_w": False}), "cases.0.values.use_v | `use_v` is no argument | did you mean `use_w`?"),
    (case(values={"use_w": 3}), case(values={"use_w": False}), "cases.0.values.use_w | 3 is not a bool | write a bool, or `=` and an expression"),
    (case(values={"use_w": "=bool("}), case(values={"use_w": "=bool()"}), "cases.0.values.use_w | not Python: '(' was never closed (line 1) | write an expression"),
    (case(values={"use_w": "=flag"}), case(values={"use_w": "=seed > 3"}), 'cases.0.values.use_w | the name `flag` is not known here | declare it in `arguments` or as a field, or write `imports = ["from ... import flag"]`'),
    (case(sizes={"n": 2**21}), case(sizes={"n": 2**10}), "cases.0.sizes | the arrays of the tests are too large: this one has 2097152 elements, and all may have 1048576 | give its large dims names, and small sizes in `[test]`: `sizes = { size = 3 }`"),
    (case(values={"x": "=None"}), case(values={"x": 3.0}), "cases.0.values | the call is given other arguments than in the example | leave them arrays, or None, as in the example"),
    (spec(test={"cases": [{"name": "of one", "sizes": {"n": 1}}, {"name": "Of one", "sizes": {"n": 2}}]}), case(sizes={"n": 4}), "cases.1.name | `Of one` is there twice | give each another name"),
    (spec(test={"cases": 3}), case(sizes={"n": 4}), "cases | 3 is not an array of tables | write `cases = [{ ... }]`: Further configurations, which the laws that cost little run on as well."),
    (holds("close(self(x), "), holds("close(self(x), x)"), "holds.0.that | not Python: '(' was never closed (line 1) | write an expression"),
    (holds("close(self(y), x)"), holds("close(self(x), x)"), 'holds.0.that | the name `y` is not known here | read an argument of the call, a field as `self.y`, or write `imports = ["from ... import y"]`'),
    (holds("close(self.v, x)"), holds("close(self.w, x)"), "holds.0.that | `self.v` is no field | declare it as a field"),
    (holds("close(self.inverse(self(x)), x)"), holds("close(self(self(x), back=True), x)"), "holds.0.that | `self.inverse` is no field | declare it as a field"),
    (holds("close(self(x, back=back), x)"), holds("close(self(x, back=True), x)"), "holds.0.that | `back` is no array that the example call is given | write its value in the place of `back`"),
    (holds("1 < 2"), holds("self.w is None or x.ndim == 1"), "holds.0.that | it says nothing of the class | write it over `self` and the arguments of the call: `close(self(self(x)), x)`"),
    (holds("self(x) # so"), holds("self(x)"), "holds.0.that | an expression holds no comment | put it into `doc`"),
    (spec(test={"holds": [{"name": "it holds"}]}), holds("self(x)"), "holds.0 | `that` is missing | write `that = ...`: An expression over `self` and the arguments of the call that must be true: `close(self(self(x)), x)`."),
    (holds("self(x)", "§"), holds("self(x)", "it isn't so"), "holds.0.name | `§` is no name of a test | write a few words, such as `without a bias` or `the inverse undoes the call`"),
    (holds("self(x)", "p07 is mine"), holds("self(x)", "mine is p07"), "holds.0.name | `p07 is mine` reads as the number of a law | begin it with another word"),
    (holds("close(self(close), 0)", call={**CALL, "args": "close: f[n]", "body": "return close"}), holds("jnp.all(self(close) == close)".replace("close", "near"), call={**CALL, "args": "near: f[n]", "body": "return near"}), "holds | `close` is an argument of the call, and the function that compares | rename the argument"),
    (holds("self(x)", **BASE), {**spec(test={}), **BASE}, "holds | a class of kind `abstract` has no `holds` | remove it"),
    (reference("self.w * (x"), reference("self.w * x"), "reference | not Python: '(' was never closed (line 1) | mend the statement"),
    (reference("y = self.w * x"), reference("y = self.w * x\nreturn y"), "reference | returns nothing | end it with `return ...`, or write one expression"),
    (reference("self.v * x"), reference("self.w * x"), "reference | `self.v` is no field | declare it as a field"),
    (reference("self.w * y"), reference("self.w * x"), "reference | the name `y` is not known here | read an argument of the call, a field as `self.y`, or write `imports = [\"from ... import y\"]`"),
    (reference("x if back else self.w * x"), reference("self.w * x"), "reference | `back` is no array that the example call is given | write its value in the place of `back`"),
    (reference("self.w = x\nreturn x"), reference("w = x\nreturn w"), "reference | assigns `self.w` | bind a local name, or return the new value: instances are immutable"),
    ({"name": "Affine", "fields": {"w": W}, "test": {"reference": "self.w"}}, reference("self.w"), "reference | there is no call to compare it with | remove it, or write `[call]`"),
    (reference("x - self.m", fields={"m": "f[n]@state=zeros"}, call={**CALL, "body": "self.m = x\nreturn x"}), holds("close(self(x, state)[0], x)", fields={"m": "f[n]@state=zeros"}, call={**CALL, "body": "self.m = x\nreturn x"}), 'reference | NumPy has no state to read and to set | say what holds, in `[[test.holds]]` with `that = "..."`'),
    (spec(test={"dtypes": ["bfloat16"]}), spec(test={"dtypes": ["bf16"]}), "dtypes | `bfloat16` is not legal | did you mean `bf16`?"),
    (spec(test={"dtypes": ["c64"]}), spec(test={"dtypes": ["c64"]}, fields={"w": "inexact[n]=zeros"}, call={**CALL, "args": "x: inexact[n]"}), "dtypes | an array `f[...]` is never complex, so `c64` is not tried | write `inexact[...]` for arrays that may be complex"),
    (spec(test={"dtypes": ["f16"]}, fields={"w": "f32[n]=zeros"}, call={**CALL, "args": "x: i32[n]"}), spec(test={"dtypes": ["f16"]}), "dtypes | no array has the dtype `f16` when it is chosen | remove it, or write `f[...]` for arrays whose dtype is chosen"),
    (spec(test={"tolerance": 0}), spec(test={"tolerance": 1e-3}), "tolerance | 0 is no tolerance | write a positive number, such as `1e-4`"),
    (spec(test={"tolerance": {"f16": "much"}}), spec(test={"tolerance": {"f16": 1}}), "tolerance.f16 | 'much' is no tolerance | write a positive number, such as `1e-4`"),
    (spec(test={"tolerance": {"half": 0.1}}), spec(test={"tolerance": {"f16": 0.1}}), "tolerance | `half` is no dtype of the tests | remove it"),
    (spec(test={"tolerance": "much"}), spec(test={"tolerance": 1}), "tolerance | 'much' is not a number or a table | write `tolerance = 1e-4`: How far two computations of one number may differ, relative to the largest: one number, or one by dtype."),
]
# fmt: on


@pytest.mark.parametrize(("bad", "good", "row"), ROWS)
def test_fault(bad: dict[str, Any], good: dict[str, Any], row: str) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec(bad, "spec")
    told = [
        f"{one.where.removeprefix('spec: test.')} | {one.what} | {one.fix}" for one in caught.value.faults
    ]
    assert [_stable(one) for one in told] == [_stable(row)]
    read_spec(good, "spec")


def _stable(row: str) -> str:
    """The text without the words of Python's own parser, which change from version to version."""
    place, what, fix = row.split(" | ")
    return f"{place} | {'not Python' if what.startswith('not Python: ') else what} | {fix}"


def test_all_faults_of_the_claims_are_told_at_once() -> None:
    test = {
        "cases": [{"name": "one", "sizes": {"m": 4}}],
        "holds": [{"name": "§", "that": "self.v"}],
        "reference": "jnp.sin(x",
        "dtypes": ["half"],
        "tolerance": {"f16": -1},
        "unused": ["v"],
    }
    with pytest.raises(ScaffoldError) as caught:
        read_spec(spec(test=test), "spec")
    places = [one.where.removeprefix("spec: test.") for one in caught.value.faults]
    assert sorted(places) == [
        *("cases.0.sizes", "dtypes", "holds.0.name", "holds.0.that", "reference", "tolerance.f16", "unused")
    ]


def test_the_command_line_says_what_is_unused() -> None:
    raw = raw_spec("Affine", ["w:f[n]"], {"unused": "key, w"}, {})
    assert raw["test"] == {"unused": ["key", "w"]}
    assert raw_spec("Affine", ["w:f[n]"], {"unused": " , "}, {}).get("test") is None


ODD = (
    "",
    "x",
    3,
    1.5,
    True,
    None,
    [],
    [3],
    ["x"],
    {},
    {"name": 3},
    [{}],
    [{"name": "a"}],
    [{"that": 3}],
    [[]],
)


@pytest.mark.parametrize(
    ("key", "value"),
    [*itertools.product(("cases", "holds", "dtypes", "tolerance", "reference", "unused"), ODD)],
)
def test_whatever_is_written_is_read_or_is_a_fault(key: str, value: Any) -> None:
    raw = spec(test={key: value})
    try:
        read_spec(raw, "spec")
    except ScaffoldError as error:
        assert all(one.where.startswith(f"spec: test.{key}") and one.fix for one in error.faults)


def suite(raw: dict[str, Any]) -> dict[str, Any]:
    return emitted_suite(read_spec(raw, "spec"), {})


def test_a_case_keeps_the_sizes_of_the_example_where_it_says_nothing() -> None:
    fields = {"w": {"type": "f[m,n]", "init": "zeros"}}
    call = {"args": "x: f[n]", "returns": "f[m]", "body": "return self.w @ x"}
    raw = spec(test={"cases": [{"name": "taller", "sizes": {"m": 7}}]}, fields=fields, call=call)
    (case,) = suite(raw)["cases"]
    name, doc, tables, attributes, extends, inputs, arguments = case
    assert (name, doc, attributes) == ("TestAffineTaller", '"""`Affine`: taller."""', [])
    assert tables == [
        ["leaves = (", ["Leaf('w', \"param\", (7, 3), value=0.0)"], ")"],
        ["returns = (", ["Output((7,))"], ")"],
    ]
    assert (extends, inputs, arguments) == (True, [["m", "7"]], [])


@pytest.mark.parametrize("setup", ["", "v = jnp.ones(3) if v is None else v"])
def test_what_is_none_in_a_configuration_is_no_leaf_there(setup: str) -> None:
    """Where `setup` makes something of it, it is one all the same."""
    fields = {"w": {"type": "f[m]", "init": "zeros"}, "v": {"type": "f[n] | None", "role": "param"}}
    raw = spec(test={"cases": [{"name": "without", "values": {"v": "=None"}}]}, fields=fields, setup=setup)
    shown = suite({**raw, "call": {"body": "return self.w"}})
    assert [row.split(",")[0] for row in shown["leaves"]] == ["Leaf('w'", "Leaf('v'"]
    rows = [row.split(",")[0] for _, rows, _ in shown["cases"][0][2] for row in rows]
    assert rows == ([] if setup else ["Leaf('w'"])


def test_a_condition_may_be_of_the_start_alone() -> None:
    rows = [{"name": "it begins so", "that": "close(self(x), x)", "at_start": True}]
    assert (
        "@holds(at_start=True)\n    def test_it_begins_so(" in suite(spec(test={"holds": rows}))["claims"][0]
    )


def test_conditions_read_fields_as_the_class_holds_them() -> None:
    fields = {"a": {"type": "f[n]", "init": "ones"}, "b": {"type": "f[n]", "init": "ones"}}
    call = {**CALL, "body": "return self.a * x + self.b"}
    nested = {"layout": "nested", "groups": {"small": ["a"]}}
    test = {
        "holds": [{"name": "It's so", "that": "close(self.a * x, self.b)"}],
        "reference": "self.a * x + self.b",
    }
    first, second = suite(spec(test=test, fields=fields, call=call, **nested))["claims"]
    assert "@holds\n    def test_its_so(" in first
    assert "return self.close(instance.small.a * x, instance.b)" in first
    assert "return instance.small.a * x + instance.b" in second


def test_what_is_meant_is_an_attribute_of_the_suite() -> None:
    said = {"narrowest": "bf16", "allows": ["truncated", "shares_noise"], "skip": ["p17_: a twin is meant"]}
    context = emitted_suite(read_spec(spec(test=said), "spec"), {})
    assert context["precisions"] == ["narrowest = 'bfloat16'", "truncated = True", "shares_noise = True"]
    assert context["skips"] == ["'p17_: a twin is meant'"]


def test_an_argument_that_is_left_unused_on_purpose_is_declared() -> None:
    call = {"args": "x: f[n], time: f[]", "returns": "f[n]", "body": "return self.w * x"}
    context = emitted_suite(
        read_spec(spec(test={"unused": ["time"]}, fields={"w": "f[n]"}, call=call), "spec"), {}
    )
    assert ["ignored", "('time',)"] in context["declared"]


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ({"narrowest": "f64"}, "`f64` is not legal"),
        ({"allows": ["reuses_keys"]}, "`reuses_keys` is not legal"),
        (
            {"unused": ["y"]},
            "`y` is no field that holds an array or a setting, and no array, key or flag that the call takes",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(test: dict[str, Any], told: str) -> None:
    with pytest.raises(ScaffoldError) as raised:
        read_spec(spec(test=test), "spec")
    assert [fault.what for fault in raised.value.faults] == [told]
