"""What `scaffold adopt` says of many classes: one cause once, with its count and its first places, and all of it in a file."""

import re
from pathlib import Path
from typing import Any

import pytest

from scaffold.adopt.causes import cause_lines, causes_of, on_a_line
from tests.projects import scaffold
from tests.support import write_tree

CLASS = """
class {name}(eqx.Module):
    gain: jax.Array
    labels: list = eqx.field(static=True)

    def __init__(self, size: int):
        self.gain = jnp.full(size, {value})
        self.labels = ["a"]

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.gain * x
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
    assert list(cause.lines) == [
        "    `A.labels` is a list of 0 (5 times)",
        "      at net:A, `labels`; net:B, `labels`; net:C, `labels` and 2 more",
    ]
    assert list(cause_lines([cause], 40)) == ["  fault  P5 static", *cause.lines, "    fix: a tuple"]


def test_faults_come_before_costs_and_what_is_found_often_first() -> None:
    often = [(f"net:{n}", finding("it shares an array", law="P15")) for n in "AB"]
    cost = [(f"net:{n}", finding("it compiles again", severity="cost")) for n in "ABC"]
    causes = causes_of([*cost, ("net:A", finding("it is lost", law="P3")), *often])
    assert [one.first["law"] for one in causes] == ["P15", "P3", "P5"]


def test_a_terminal_gets_three_causes_of_each_law_and_the_way_to_the_rest() -> None:
    many = [("net:A", finding(f"cause {word}")) for word in ("one", "two", "three", "four", "five")]
    causes = causes_of([*many, ("net:A", finding("it is lost", law="P3", severity="cost"))])
    lines = [*cause_lines(causes, 40)]
    assert [line for line in lines if line.startswith("  fault") or line.startswith("  cost")] == [
        "  fault  P5 static",
        "  cost   P3 static",
    ]
    assert "    cause three" in lines and "    cause four" not in lines
    assert lines[-1] == "  2 more causes: `--report FILE.md` writes all, and `--json` prints them"
    assert "    cause five" in [*cause_lines(causes, None)]


def test_a_terminal_gets_so_many_lines_of_the_gravest() -> None:
    causes = causes_of(
        ("net:A", finding("it is lost", law=f"P{n}", severity=severity))
        for n, severity in enumerate(("cost", "fault"))
    )
    assert [*cause_lines(causes, 5)] == [
        "  fault  P1 static",
        *causes[0].lines,
        "    fix: a tuple",
        "  1 more cause: `--report FILE.md` writes all, and `--json` prints them",
    ]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<Config object at 0x7f2a>", "<Config object>"),
        ("in /home/me/.venv/lib/python3.11/site-packages/pkg/mod.py", "in pkg/mod.py"),
        ("one\n  two", "one two"),
    ],
)
def test_no_address_and_no_folder_of_installed_packages_is_told(text: str, plain: str) -> None:
    assert on_a_line(text) == plain


def test_the_report_of_a_package_groups_its_causes_and_is_written_whole(tmp_path: Path) -> None:
    classes = "\n".join(CLASS.format(name=f"Gain{letter}", value=f"{i}.5") for i, letter in enumerate("ABC"))
    write_tree(tmp_path, {"net.py": HEAD + classes, "pyproject.toml": '[project]\nname = "net"\n'})
    ran = scaffold(tmp_path, "adopt", "net.py", "--report", "report.md", "--dry-run")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert re.search(r"\nfindings:\n.*  fault  P5 static\n    .* \(3 times\)\n", ran.stdout, re.DOTALL)
    assert (
        "      at net:GainA, `GainA.labels`; net:GainB, `GainB.labels`; net:GainC, `GainC.labels`\n"
        in ran.stdout
    )
    report = (tmp_path / "report.md").read_text()
    assert "| `net:GainA` | adopted, " in report and "  fault  P5 static\n" in report


BROKEN_LAW = """
from pytree_laws.kinds import slopes

slopes.MORE_POINTS = None  # as a mistake in the law would have it
"""


def test_an_error_of_a_law_is_internal_and_no_finding(tmp_path: Path) -> None:
    gain = CLASS.replace("    labels: list = eqx.field(static=True)\n", "").replace(
        '        self.labels = ["a"]\n', ""
    )
    source = HEAD + BROKEN_LAW + gain.format(name="Gain", value="jnp.float32(0.5)")
    write_tree(tmp_path, {"net.py": source, "pyproject.toml": '[project]\nname = "net"\n'})
    ran = scaffold(tmp_path, "adopt", "net.py", "--dry-run")
    assert ran.returncode == 70, ran.stdout + ran.stderr
    assert re.search(r"Gain  adopted, \d+ tests pass, \d+ internal error", ran.stdout)
    told = " ".join(ran.stdout.split())
    assert "internal errors, which say nothing of the classes: test_p09_" in told
    assert "of net:Gain, in slopes.py:" in told and "TypeError: " in told
    assert "please report it with this line and the class" in told
    assert "fault  P9" not in told
