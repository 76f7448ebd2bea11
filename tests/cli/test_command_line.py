"""What the command line says, and in which form: help, failures of every sort, next steps and colours."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scaffold.cli import main
from scaffold.errors import Fault, ScaffoldError, shown
from scaffold.kind import NAMES
from tests.support.draws import share
from tests.support.projects import AFFINE, EXAMPLES, REPOSITORY
from tests.support.systems import NEEDS_SHELL
from tests.support.trees import read_tree, write_tree

COMMANDS = ("new-module", "new-project", "kinds", "schema", "show", "laws")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which commands run, with nothing in the environment that speaks of colour."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "SCAFFOLD_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def told(*arguments: str, **more: Any) -> Result:
    return CliRunner().invoke(main, arguments, **more)


def faults(result: Result) -> list[dict[str, Any]]:
    """The faults of a refusal in JSON."""
    document = json.loads(result.stdout)
    assert not document["ok"] and all(
        sorted(one) == ["column", "fix", "legal", "line", "what", "where"] for one in document["faults"]
    )
    return document["faults"]


# -- the process -------------------------------------------------------------------------------------------------------


def test_the_process_ends_with_its_code_after_all_that_is_to_happen_at_exit() -> None:
    end = "lambda prog_name: (atexit.register(print, 'closed', flush=True), sys.exit(3))"
    code = f"import atexit, sys, scaffold.cli; from scaffold.__main__ import main; scaffold.cli.main = {end}; main()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (3, "closed\n", "")


# -- help --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
@NEEDS_SHELL
def test_the_first_words_lead_to_a_first_class_in_one_screen(arguments: tuple[str, ...], here: Path) -> None:
    result = told(*arguments)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) <= 30
    assert all(f"\n  {command} " in result.stdout for command in COMMANDS)
    assert "..." not in result.stdout.partition("Commands:")[2]
    example = result.stdout.partition("A first class:\n")[2].partition("\n\n")[0]
    words = example.replace("\\\n", " ")
    done = subprocess.run(
        ["sh", "-ec", words.replace("scaffold", f"{sys.executable} -m scaffold", 1)],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert {"affine.py", "tests/test_affine.py", "specs/affine.toml"} <= set(read_tree(here))


def test_the_help_lists_what_is_legal() -> None:
    help_text = " ".join(told("new-module", "--help").stdout.split())
    assert f"--kind [{'|'.join(NAMES)}]" in help_text
    for words in (
        "--rebuild [bypass|flag|factory|static|dataclass]",
        "--layout [flat|nested]",
        "[cpu|cuda|rocm|tpu]",
    ):
        assert words in help_text
    project = told("new-project", "--help").stdout
    assert "Keys of --data:\n  name  " in project and "[kidger|scientific-python]" in " ".join(
        project.split()
    )


# -- failures ----------------------------------------------------------------------------------------------------------

USAGE = [
    (("new-modul",), "scaffold", "there is no command `new-modul`", "did you mean `new-module`?"),
    (("new-module", "--kidn", "x"), "scaffold new-module", "there is no option `--kidn`", "did you mean `--kind`?"),
    (("update", "--spec", "x.py"), "scaffold update", "there is no option `--spec`", "name the class or its file without an option: `scaffold update NAME`"),
    (("--colour",), "scaffold", "there is no option `--colour`", "`scaffold --help` says what it takes"),
    (("show",), "scaffold show", "`NAME|SPEC|CLASS...` is missing", "`scaffold show --help` says what it takes"),
    (("new-module", "--doc"), "scaffold new-module", "Option '--doc' requires an argument", "`scaffold new-module --help` says what it takes"),
    (("kinds", "more"), "scaffold kinds", "Got unexpected extra argument (more)", "`scaffold kinds --help` says what it takes"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "where", "what", "fix"), USAGE, ids=[row[2] for row in USAGE])
def test_a_wrong_use_is_told_as_any_fault_is(
    arguments: tuple[str, ...], where: str, what: str, fix: str, here: Path
) -> None:
    result = told(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    first, *rest = result.stderr.splitlines()
    assert (first, rest[-1]) == (f"error: {where}: {what}", f"  fix: {fix}")
    if "--doc" in arguments:
        return  # it would take `--json` for the text
    as_json = told(*arguments, "--json")
    assert (as_json.exit_code, as_json.stderr) == (2, "")
    if "more" not in arguments:  # with two arguments too many the text is another
        assert [(one["where"], one["what"], one["fix"]) for one in faults(as_json)] == [(where, what, fix)]


def test_a_fault_names_the_argument_that_said_it(here: Path) -> None:
    arguments = (
        *("new-module", "float", "weight:f[n]=zeross", "rate:float", "d:dict[str,f[]]"),
        *("--call", "x:f[n -> f[n]", "--body", "return self.wieght", "--kind", "modul", "--layout", "nest"),
        *("--backend", "gpu", "--lower-for", "tpuu", "--group", "g=wait", "--option", "key=true"),
        *("--constructor", "fact", "--rebuild", "flags"),
    )
    result = told(*arguments, "--json")
    assert result.exit_code == 2 and read_tree(here) == {}
    places = {one["where"] for one in faults(result)}
    options = {
        "--call",
        "--body",
        "--kind",
        "--layout",
        "--backend",
        "--lower-for",
        "--constructor",
        "--rebuild",
    }
    assert {"NAME", "field `weight`: init", "field `rate`", *options} <= places
    assert not [place for place in places if ".toml" in place or "command line" in place]


def test_an_option_of_the_wrong_type_is_no_fault_of_the_tool(here: Path) -> None:
    result = told(
        "new-module", "Train", "model:Net", "--kind", "train-state", "--option", 'ema="x"', "--json"
    )
    assert [one["where"] for one in faults(result)] == ["--option ema"]


def test_a_fault_of_the_tool_is_no_traceback(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise KeyError("kinds")

    monkeypatch.setattr("scaffold.kind.described", broken)
    result = told("kinds")
    assert result.exit_code == 70
    assert result.stderr == (
        "error: scaffold: a fault of the tool, and not of what you wrote: KeyError: 'kinds'\n"
        "  fix: report it, with what SCAFFOLD_TRACEBACK=1 shows when the command runs again\n"
    )
    assert faults(told("kinds", "--json"))[0]["what"].endswith("KeyError: 'kinds'")
    monkeypatch.setenv("SCAFFOLD_TRACEBACK", "1")
    assert "in broken\n" in told("kinds").stderr


@pytest.mark.parametrize("error", [RecursionError, MemoryError])
def test_what_is_too_deep_is_the_fault_of_the_input(
    error: type[Exception], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise error

    monkeypatch.setattr("scaffold.kind.described", broken)
    result = told("kinds")
    assert (
        result.exit_code == 2 and "is nested too deeply, goes in a circle, or is too large" in result.stderr
    )


def test_the_caller_of_the_command_gets_the_exception(here: Path) -> None:
    with pytest.raises(ScaffoldError):
        main(["show", "Nothing"], standalone_mode=False)


SHELL = """
"$@" kinds > /dev/full; echo $?
"$@" schema > /dev/full; echo $?
"$@" --help > /dev/full; echo $?
"$@" kinds --json > /dev/full; echo $?
"$@" new-module <&-; echo $?
"$@" new-module <&- >&-; echo $?
"$@" kinds | true
PYTHONIOENCODING=ascii "$@" show caf\u00e9.toml; echo $?
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_closed_and_full_streams_are_told(here: Path) -> None:
    result = subprocess.run(
        ["sh", "-c", SHELL, "sh", sys.executable, "-m", "scaffold"],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert result.stdout.split() == ["1", "1", "1", "1", "2", "2", "2"]
    assert result.stderr.count("error: output: the system refuses: No space left on device") == 3
    assert result.stderr.count("there is no NAME and no terminal to ask on") == 2
    assert "Traceback" not in result.stderr and "Exception ignored" not in result.stderr


@pytest.mark.slow
def test_what_is_echoed_is_escaped_and_bounded(here: Path) -> None:
    name = "\x1b[31mRed\u202e\ud800" + "x" * 500_000
    for result in (told(name), told("new-module", "Affine", f"w:f[n]={name}"), told("laws", name)):
        assert result.exit_code == 2 and len(result.stderr) < 5000
        assert "[31mRed\\u202e" in result.stderr and "\x1b" not in result.stderr
    many = told("new-module", "Many", *(f"f{number}:nothing" for number in range(3000)))
    assert len(many.stderr) < 25_000 and ", and 2979 more\n" in many.stderr
    as_json = told(name, "--json")
    assert len(as_json.stdout) < 5000 and "`\\x1b[31mRed" in faults(as_json)[0]["what"]


@pytest.mark.slow
@settings(max_examples=share(300), deadline=None)
@given(st.text(max_size=3000), st.integers(20, 1000))
def test_any_text_can_be_shown(text: str, longest: int) -> None:
    safe = shown(text, longest)
    assert safe.isprintable() and len(safe) <= 10 * (longest + 40)
    assert not (text.isprintable() and len(text) <= longest) or safe == text


@given(st.lists(st.text(max_size=300), max_size=2000))
@settings(max_examples=share(30), deadline=None)
def test_any_number_of_legal_values_can_be_told(legal: list[str]) -> None:
    text = str(Fault("here", "wrong", "mend it", tuple(legal)))
    assert len(text) < 40_000
    assert text.endswith("\n  fix: mend it")


PIECES = st.sampled_from(
    [
        *COMMANDS,
        *("--json", "--kind", "--spec", "--doc", "--save", "--option", "--data", "--folder", "--diff", "--force", "--", "-h"),
        *("Affine", "w:f[n]", "w:f[n", "pytree", "train-state", "x:f[n] -> f[n]", "return self.w", "key=true", "ema=1"),
        *("P3", "nothing.toml", ".", "..", "/dev/null", "name=x", "style=", "=", "\x1b[0m", "\u202e", "-" * 50_000),
    ]
)  # fmt: skip


@settings(max_examples=share(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, max_size=7))
def test_any_arguments_are_taken_or_refused_in_few_words(here: Path, arguments: list[str]) -> None:
    if "new-project" not in arguments[:1]:
        result = told(*arguments, "--dry-run")
        assert result.exit_code in (0, 1, 2), result.stderr
        assert len(result.stderr) < 20_000
        assert result.exit_code == 0 or result.stderr or "--json" in arguments or "faults" in result.stdout
        assert read_tree(here) == {}


# -- next steps --------------------------------------------------------------------------------------------------------


def next_line(result: Result) -> str:
    assert result.exit_code == 0, result.stderr
    [line] = result.stderr.splitlines()
    return line


def environment(folder: Path, *names: str) -> dict[str, str]:
    write_tree(folder, {f"lib/python3.11/site-packages/{name}/": "" for name in names or ("nothing",)})
    return {"VIRTUAL_ENV": str(folder), "CONDA_PREFIX": ""}


def test_the_next_step_runs_the_tests(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tree(here, {"pyproject.toml": "", "sub/": ""})
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    assert next_line(told("new-module", *AFFINE)) == "next: pytest tests/test_affine.py"
    assert told("new-module", *AFFINE, "--json").stderr == ""
    monkeypatch.chdir(here / "sub")
    assert next_line(told("new-module", *AFFINE)) == "next: pytest ../tests/test_affine.py"
    assert (
        next_line(told("new-module", *AFFINE, "--dry-run"))
        == "nothing is written yet: run it without --dry-run"
    )
    (here / "uv.lock").touch()
    assert next_line(told("new-module", *AFFINE)) == "next: uv run pytest ../tests/test_affine.py"


def test_what_only_explains_has_a_next_step_too(here: Path) -> None:
    affine = str(EXAMPLES / "specs/affine.toml")
    assert next_line(told("kinds")) == "next: scaffold new-module NAME FIELD... --kind KIND"
    assert next_line(told("laws", "manifest")) == "next: `pytest -k p02` runs the tests of P2"
    assert (
        next_line(told("show", "--code", affine))
        == "next: `scaffold new-module --spec` with its spec writes it"
    )
    for arguments in (("kinds",), ("laws", "P2"), ("show", affine), ("schema",)):
        assert told(*arguments, "--json").stderr == ""


def test_the_next_step_names_what_is_missing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = environment(here / "bare", "jax", "jaxtyping", "numpy")
    for name, value in bare.items():
        monkeypatch.setenv(name, value)
    line = next_line(told("new-module", *AFFINE))
    assert line.endswith("-m pip install equinox pytest, then pytest tests/test_affine.py")


# -- colours -----------------------------------------------------------------------------------------------------------

COLOURS = [
    ({"FORCE_COLOR": "1"}, True),
    ({}, False),
    ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ({"TERM": "dumb"}, False),
    ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
]


@pytest.mark.parametrize(("variables", "coloured"), COLOURS)
def test_the_environment_decides_over_colours(
    variables: dict[str, str], coloured: bool, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    plan, diff = told("new-module", *AFFINE, "--dry-run"), told("new-module", *AFFINE, "--diff")
    wrong = told("new-module", "affine")
    assert ("\x1b[32mcreate\x1b[0m     affine.py" in plan.stdout) == coloured
    assert ("\n\x1b[32m+class Affine(eqx.Module):\x1b[0m" in diff.stdout) == coloured
    assert ("\x1b[31merror: \x1b[0m" in wrong.stderr) == coloured
    assert ("\x1b" in plan.output + diff.output + wrong.output) == coloured
