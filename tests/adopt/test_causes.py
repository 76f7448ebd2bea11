"""What `scaffold adopt` says of many classes: one cause once, with its count and its first places, and all of it in a file."""

import re
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from msgspec.structs import replace

from scaffold.adopt.emit.class_suite import Adopted
from scaffold.adopt.emit.texts import on_a_line
from scaffold.adopt.report import Outcome, Report
from scaffold.adopt.report.causes import cause_lines, causes_of, united
from scaffold.files.fileset import File
from tests.support.projects import scaffold
from tests.support.trees import write_tree

CLASS = """
class {name}(eqx.Module):
    gain: jax.Array
    labels: list = eqx.field(static=True)

    def __init__(self, size: int):
        self.gain = jnp.full(size, {value})
        self.labels = ["a"]

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.gain * x

    def relabel(self, label: str) -> None:
        self.labels.append(label)
"""
HEAD = "import equinox as eqx\nimport jax\nimport jax.numpy as jnp\n"


def finding(what: str, **changes: Any) -> dict[str, Any]:
    usual = {
        "severity": "fault",
        "law": "P5",
        "name": "static",
        "where": "labels",
        "hint": "",
        "fix": "a tuple",
    }
    return {**usual, "what": what, **changes}


def test_one_cause_is_told_once_with_its_count_and_its_first_places() -> None:
    findings = [
        (f"net:{name}", finding(f"`{name}.labels` is a list of {i}")) for i, name in enumerate("ABCDE")
    ]
    [cause] = causes_of(findings)
    assert cause.brief == [
        "  fault  P5 static: `…` is a list of 0 (5 times)",
        "         at net:A, `labels`; net:B, `labels`; net:C, `labels` and 2 more",
    ]
    assert [*cause_lines([cause], 40, "")] == [*cause.brief, "         usual fix: a tuple"]


def test_numbers_of_an_array_are_one_cause() -> None:
    texts = ("it is [[nan] [0.5]]", "it is [[ 1.5 nan] [inf -2e-3]]")
    [cause] = causes_of((f"net:{i}", finding(text)) for i, text in enumerate(texts))
    assert len(cause.places) == 2


def test_treedefs_and_objects_of_several_classes_are_one_cause() -> None:
    treedef = (
        "changed the treedef from PyTreeDef(CustomNode({0}[()], [*])) to PyTreeDef(CustomNode({0}[1], [*]))"
    )
    for text in (treedef, "two have <grids.{0} object at 0x7f2c> and <grids.{0} object at 0x7f2d>"):
        [cause] = causes_of((f"net:{name}", finding(text.format(name))) for name in ("Linear", "Conv"))
        assert len(cause.places) == 2


def test_dtypes_are_said_and_others_are_another_cause() -> None:
    texts = [
        f"the next has '{now}' there, it was '{was}'"
        for now, was in (("float32", "bfloat16"), ("int8", "int32"))
    ]
    causes = causes_of((f"net:{i}", finding(text)) for i, text in enumerate([*texts, texts[0]]))
    assert {cause.text: len(cause.places) for cause in causes} == {texts[0]: 2, texts[1]: 1}


def test_what_other_methods_of_a_class_raise_as_well_is_no_other_cause() -> None:
    missing = "it raised AttributeError: module 'jax' has no attribute 'tree_map'"
    [cause] = causes_of([("a:A", finding(f"{missing}; so do merge")), ("a:B", finding(missing))])
    assert len(cause.places) == 2 and cause.text.endswith("; so do merge")


def test_a_class_that_is_the_place_is_named_once() -> None:
    for place in ("A", "TestA"):
        [cause] = causes_of([("net:A", finding("it is lost", where=place))])
        assert cause.places == ("net:A",)


def test_wrong_values_come_before_what_raises_and_faults_before_costs() -> None:
    often = [(f"net:{n}", finding("it is built anew", law="P1")) for n in "ABC"]
    cost = [(f"net:{n}", finding("it is another value", law="P7", severity="cost")) for n in "ABC"]
    twice = [(f"net:{n}", finding("it shares an array", law="P15")) for n in "AB"]
    wrong = finding("it is another value", law="P7")
    causes = causes_of([*cost, *often, ("net:A", finding("it is lost", law="P3")), *twice, ("net:A", wrong)])
    assert [one.first["law"] for one in causes] == ["P7", "P15", "P3", "P1", "P7"]


def test_texts_of_one_law_about_the_same_places_are_told_together() -> None:
    shown = finding("pickle changed it", law="P14", shows="assert False")
    texts = [finding("deepcopy changed it", law="P14"), shown, finding("it is saved as another", law="P14")]
    other = finding("it is frozen", law="P14", where="weight")
    [first, second] = united(causes_of(("net:A", one) for one in [*texts, other]))
    assert (first.first, first.times) == (shown, " (and 2 more of this law there)")
    assert (second.first, second.times) == (other, "")


def test_a_terminal_gets_three_causes_of_each_law_and_the_way_to_the_rest() -> None:
    many = [("net:A", finding(f"cause {word}")) for word in ("one", "two", "three", "four", "five")]
    causes = causes_of([*many, ("net:A", finding("it is lost", law="P3", severity="cost"))])
    lines = [*cause_lines(causes, 40, "all.md")]
    assert [line.split(":")[0] for line in lines if line.startswith(("  fault", "  cost"))] == [
        *["  fault  P5 static"] * 3,
        "  cost   P3 static",
    ]
    assert any("cause three" in line for line in lines) and not any("cause four" in line for line in lines)
    assert lines[-1] == "  2 more causes: `all.md` has them all, and `--json` prints them"


@pytest.mark.parametrize("most", [6, 9, 14, 30])
def test_a_terminal_gets_so_many_lines_of_the_gravest(most: int) -> None:
    shows = "import jax\ninstance = Net()\nassert instance"
    causes = causes_of(
        ("net:A", finding("it is lost", law=f"P{n}", severity="fault" if n < 5 else "advice", shows=shows))
        for n in range(1, 9)
    )
    lines = [*cause_lines(causes, most, "")]
    told = [line for line in lines if line.startswith(("  fault", "  advice"))]
    assert len(lines) <= most and told
    assert told[0].startswith("  fault  P2 static") and all("fault" in line for line in told[:4])
    assert ("             assert instance" in lines) == (most > 9)
    assert lines[-1].endswith("`--json` prints them") or len(told) == 8


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<Config object at 0x7f2a>", "<Config object>"),
        ("in /home/me/.venv/lib/python3.11/site-packages/pkg/mod.py", "in pkg/mod.py"),
        ("at /tmp/wheels/pytree_laws-0.2.0-py3-none-any.whl/pytree_laws/a.py:3", "at pytree_laws/a.py:3"),
        ("in `/home/me/net/layers.py`, half a/b", "in `layers.py`, half a/b"),
        (
            "it has no value. The error occurred while tracing the function run at /a/b.py:3 for jit. "
            "This concrete value was not available in Python because it depends on x.",
            "it has no value.",
        ),
        ("refused. See https://docs.jax.dev/en/latest/errors.html", "refused."),
        ("one\n  two", "one two"),
    ],
)
def test_no_address_and_no_folder_of_installed_packages_is_told(text: str, plain: str) -> None:
    assert on_a_line(text) == plain


@pytest.mark.slow
def test_the_report_of_a_package_groups_its_causes_and_is_written_whole(tmp_path: Path) -> None:
    classes = "\n".join(CLASS.format(name=f"Gain{letter}", value=f"{i}.5") for i, letter in enumerate("ABC"))
    write_tree(tmp_path, {"net.py": HEAD + classes, "pyproject.toml": '[project]\nname = "net"\n'})
    ran = scaffold(tmp_path, "adopt", "net.py", "--report", "report.md", "--dry-run")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert re.search(r"\nfindings:\n.*  fault  P5 static: .* \(3 times\)\n", ran.stdout, re.DOTALL)
    places = [f"net:Gain{letter}, `Gain{letter}.labels`" for letter in "ABC"]
    assert f"         at {'; '.join(places)}\n" in ran.stdout
    assert "             hash(instance.labels)  # raises TypeError: unhashable type: 'list'\n" in ran.stdout
    report = (tmp_path / "report.md").read_text()
    assert "| `net:GainA` | adopted, " in report and "\n## fault P5 static (3 times)\n" in report
    assert "\n- ".join(["\n", *places]) in report
    [code, *_] = re.findall(r"^```py\n(.*?)^```$", report, re.MULTILINE | re.DOTALL)
    assert code.startswith("from net import GainA\n\ninstance = GainA(")


COUNTED = (
    HEAD
    + """
CALLS = []


class Counted(eqx.Module):
    gain: jax.Array

    def __init__(self, size: int):
        self.gain = jnp.full(size, 0.5)

    def __call__(self, x: jax.Array) -> jax.Array:
        CALLS.append(1)
        return self.gain * x + len(CALLS)
"""
)


@pytest.mark.slow  # a search of its own in another interpreter
def test_a_finding_without_a_reproduction_is_told_with_its_example(tmp_path: Path) -> None:
    write_tree(tmp_path, {"net.py": COUNTED, "pyproject.toml": '[project]\nname = "net"\n'})
    ran = scaffold(tmp_path, "adopt", "net.py", "--report", "report.md", "--dry-run")
    assert ran.stdout.count("         example: Counted(size=3)(sample(seed, (3,)))\n") == 1
    assert ran.stdout.count("         at net:Counted") > 2
    assert "\nExample: `Counted(size=3)(sample(seed, (3,)))`\n" in (tmp_path / "report.md").read_text()


BROKEN_LAW = """
from pytree_laws.kinds import slopes

slopes.rounding_of = None  # as a mistake in the law would have it
"""


@pytest.mark.slow
def test_an_error_of_a_law_is_internal_and_no_finding(tmp_path: Path) -> None:
    gain = CLASS.replace("    labels: list = eqx.field(static=True)\n", "").replace(
        '        self.labels = ["a"]\n', ""
    )
    source = HEAD + BROKEN_LAW + gain.format(name="Gain", value="jnp.float32(0.5)")
    write_tree(tmp_path, {"net.py": source, "pyproject.toml": '[project]\nname = "net"\n'})
    ran = scaffold(tmp_path, "adopt", "net.py", "--dry-run")
    assert ran.returncode == 70, ran.stdout + ran.stderr
    assert re.search(r"Gain  adopted, \d+ tests pass, .*\d+ internal error", ran.stdout)
    told = " ".join(ran.stdout.split())
    assert "internal errors, which say nothing of the classes: test_p09_" in told
    assert "of net:Gain, in slopes.py:" in told and "TypeError: " in told
    assert "please report it with this line and the class" in told
    assert "fault  P9" not in told


FOUND = {
    **{"maker": "Net", "inputs": [["size", "3"]], "called": True, "method": "", "methods": ["scaled"]},
    **{"arguments": [["x", "sample(seed, (3,))", False]], "extra": [["scaled", [["by", "2.0", False]]]]},
}


def report_of(*findings: dict[str, Any]) -> Report:
    file = File(PurePosixPath("tests/test_net.py"), "")
    one = Adopted("nets", "Net", "net", FOUND)
    return Report((Outcome(one, file=file, report={"passed": 9, "findings": [*findings]}),))


def not_built(name: str, why: str) -> Outcome:
    return Outcome(Adopted("nets", name, name.lower(), {}), why)


def test_one_reason_for_which_several_classes_are_not_built_is_told_once() -> None:
    unset = "RuntimeError: the sites are not defined"
    report = Report((*(not_built(name, unset) for name in "ABCDE"), not_built("Other", "ValueError: no")))
    told = report.text().partition("not found:\n")[2]
    assert told.startswith(
        f"{unset} (5 times)\n  at nets:A, nets:B, nets:C and 2 more\n  give: --build 'A(...)', "
    )
    assert "--set 'NAME=(FIRST, VALUE)[1]'\n" in told
    assert told.endswith("nets:Other: ValueError: no\n  give: --build 'Other(...)'")
    assert "nets:D, nets:E\n" in report.markdown()
    assert len({*report.to_json()["classes"][0]["missing"]}) == 1


def test_advice_that_is_seldom_wanted_is_told_in_a_line_behind_everything() -> None:
    kinds = {
        "P4": "test_p04_the_class_is_registered_with_keys",
        "P17": "test_p17_the_treedef_names_the_class",
    }
    advice = [
        finding("no keys", where="gain", severity="advice", law=law, test=test) for law, test in kinds.items()
    ]
    report = report_of(finding("a list", test="test_p05_aux"), *advice)
    assert (
        "  in passing, of what is seldom wanted: P4 (1), P17 (1): `--report FILE.md` has it" in report.text()
    )
    assert "advice P4" not in report.text() and "fault  P5" in report.text()
    assert "## In passing" in report.markdown()
    assert (
        "- P4 registered without keys, so that paths of leaves are numbers: nets:Net, `gain`"
        in report.markdown()
    )
    assert len(report.to_json()["classes"][0]["findings"]) == 3
    assert "in passing" not in report_of(finding("a list", test="test_p05_aux")).text()


def test_advice_on_a_part_waits_for_what_is_worse_there() -> None:
    advice = finding("no array", severity="advice", law="P2")
    [cause] = report_of(finding("a list", severity="cost"), advice).causes
    assert cause.first["law"] == "P5"
    of_class = [finding("a list", where="Net"), finding("a subclass", where="Net", severity="advice")]
    assert len(report_of(*of_class, advice).causes) == 3


@pytest.mark.parametrize(
    ("changes", "example"),
    [
        ({"where": "output 0"}, "Net(size=3)(sample(seed, (3,)))"),
        ({"where": "scaled, output 0"}, "Net(size=3).scaled(2.0)"),
        ({"where": "reset", "test": "test_p07_methods_give_what_is_declared"}, "Net(size=3)"),
    ],
)
def test_the_example_is_of_the_method_that_a_finding_is_about(changes: dict[str, str], example: str) -> None:
    [cause] = report_of(finding("NaN", **changes)).causes
    assert cause.first["example"] == example


def test_a_cause_at_one_place_is_counted_once_though_two_tests_name_other_files() -> None:
    report = report_of(*(finding(f"no such file: '/tmp/{name}/saved'") for name in "ab"))
    assert "9 tests pass, 1 fault" in report.outcomes[0].line


def test_a_line_that_makes_a_wrong_number_is_told_beside_the_code_that_shows_it() -> None:
    [cause] = report_of(finding("NaN", made_at="net.py:7: x / x")).causes
    assert "         made at: net.py:7: x / x" in cause.block


def test_an_example_gives_by_name_what_is_given_by_name() -> None:
    extra = [["scaled", [["by", "2.0", True], ["x", "1.0", False]]]]
    outcome = report_of(finding("NaN", where="scaled, output 0")).outcomes[0]
    other = replace(outcome, one=replace(outcome.one, found={**FOUND, "extra": extra}))
    assert other.example_of(finding("NaN", where="scaled, output 0")) == "Net(size=3).scaled(1.0, by=2.0)"
