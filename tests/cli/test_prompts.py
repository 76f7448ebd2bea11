"""`scaffold new-module` without a name, on a terminal of its own."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from scaffold.kind import NAMES
from tests.support.projects import REPOSITORY
from tests.support.systems import NEEDS_TERMINAL
from tests.support.trees import read_tree

# jax warns of a fork where another test of this process has imported it; the child never uses it.
pytestmark = [pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning"), NEEDS_TERMINAL]
KIND = f"Kind ({', '.join(NAMES)}) [module]: "

PATIENCE = 30.0
"""Seconds until a dialogue that has stopped is given up."""


@dataclass
class Dialogue:
    """A process on a pseudo-terminal: what it shows, and what is typed."""

    process: subprocess.Popen[bytes]
    terminal: int
    shown: str = field(default="")

    def expect(self, text: str) -> None:
        """Wait until `text` is shown, and forget all up to it."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.shown:
            assert time.monotonic() < deadline and self._read(0.2), f"no {text!r} in {self.shown!r}"
        self.shown = self.shown.partition(text)[2]

    def _read(self, seconds: float) -> bool:
        """Read what comes; False where nothing more can."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return self.process.poll() is None
        try:
            data = os.read(self.terminal, 4096)
        except OSError:  # Linux: the other end is closed
            return False
        self.shown += data.decode()
        return bool(data)

    def answer(self, question: str, *lines: str) -> None:
        self.expect(question)
        os.write(self.terminal, "".join(f"{line}\n" for line in lines).encode())

    def press(self, question: str, letter: bytes) -> None:
        self.expect(question)
        time.sleep(0.5)  # an interrupt between the question and the waiting would be held back
        os.write(self.terminal, letter)

    def code(self) -> int:
        """The exit code, once all is shown."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self._read(0.2):
            pass
        return self.process.wait(timeout=PATIENCE)


@contextmanager
def dialogue(folder: Path, *arguments: str) -> Iterator[Dialogue]:
    """The tool on a terminal of its own; `new-module` in `folder` where no arguments are given."""
    import pty  # here, since Windows does not have it

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "scaffold", *(arguments or ("new-module", "--folder", str(folder)))],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        # prompt_toolkit would ask this terminal where its cursor is, and wait for an answer before each question.
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PROMPT_TOOLKIT_NO_CPR": "1"},
        start_new_session=True,
        preexec_fn=_own_terminal,
    )
    os.close(theirs)
    try:
        yield Dialogue(process, ours)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        os.close(ours)


def _own_terminal() -> None:
    """Make the terminal the process' own, so that ctrl-C reaches it."""
    import fcntl
    import termios

    # A run in the background may have been told to ignore it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def scaffold(folder: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "scaffold", "new-module", *arguments, "--folder", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=PATIENCE, env=environment)


def folder(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    (tmp_path / name / "pyproject.toml").touch()
    return tmp_path / name


def test_the_answers_write_what_the_command_line_writes(tmp_path: Path) -> None:
    asked, told = folder(tmp_path, "asked"), folder(tmp_path, "told")
    with dialogue(asked) as terminal:
        terminal.answer("Name of the class: ", "Affine")
        terminal.answer(KIND, "")
        terminal.answer("Docstring (empty for none): ", "An affine map.")
        terminal.answer("Constructor (factory, init) [factory]: ", "")
        terminal.answer("Field: ", "weight:f[out_size,in_size]=lecun_normal")
        terminal.answer("Field (empty to finish): ", "bias:f[out_size]=zeros")
        terminal.answer("Field (empty to finish): ", "")
        terminal.answer("(empty for none): ", "x:f[in_size] -> f[out_size]")
        terminal.answer("Body of the call: ", "return self.weight @ x + self.bias")
        assert terminal.code() == 0, terminal.shown
    scaffold(
        told,
        *(
            "Affine",
            "weight:f[out_size,in_size]=lecun_normal",
            "bias:f[out_size]=zeros",
            "--doc",
            "An affine map.",
        ),
        *("--call", "x:f[in_size] -> f[out_size]", "--body", "return self.weight @ x + self.bias"),
    )
    assert read_tree(asked) == read_tree(told)


def test_other_than_the_defaults(tmp_path: Path) -> None:
    asked, told = folder(tmp_path, "asked"), folder(tmp_path, "told")
    with dialogue(asked) as terminal:
        terminal.answer("Name of the class: ", "Table")
        terminal.answer(KIND, "pytree")
        terminal.answer("Docstring (empty for none): ", "")
        terminal.answer("Rebuild (bypass, flag, factory, static, dataclass) [bypass]: ", "flag")
        terminal.answer("Field: ", "scale:f[]")
        terminal.answer("Field (empty to finish): ", "")
        terminal.answer("(empty for none): ", "")
        assert terminal.code() == 0, terminal.shown
    scaffold(told, "Table", "scale:f[]", "--kind", "pytree", "--rebuild", "flag")
    assert read_tree(asked) == read_tree(told)


@pytest.mark.slow
def test_the_options_of_a_kind_are_asked(tmp_path: Path) -> None:
    asked, told = folder(tmp_path, "asked"), folder(tmp_path, "told")
    for one in (asked, told):
        scaffold(
            one, "Scale", "scale:f[n]=ones", "--call", "x:f[n] -> f[n]", "--body", "return self.scale * x"
        )
    with dialogue(asked) as terminal:
        terminal.answer("Name of the class: ", "TrainState")
        terminal.answer(KIND, "train-state")
        terminal.answer("Docstring (empty for none): ", "")
        terminal.answer("Constructor (factory, init) [factory]: ", "")
        terminal.expect("Decay of an average")
        terminal.answer("Option ema, a number (empty for none): ", "often")
        terminal.expect("Error: `often` is no value of TOML; write `0.99`, `true` or")
        terminal.answer("Option ema, a number (empty for none): ", "true")
        terminal.expect("Error: True is not a number; write `ema = 0.5`")
        terminal.answer("Option ema, a number (empty for none): ", "0.9")
        terminal.answer("Option key, a boolean (empty for none): ", "")
        terminal.answer("Option state, a boolean (empty for none): ", "")
        terminal.answer("Field: ", "model:Scale")
        terminal.answer("Field (empty to finish): ", "")
        terminal.answer("(empty for none): ", "")
        assert terminal.code() == 0, terminal.shown
    scaffold(told, "TrainState", "model:Scale", "--kind", "train-state", "--option", "ema=0.9")
    assert read_tree(asked) == read_tree(told)


def test_a_bad_answer_is_explained_and_asked_again(tmp_path: Path) -> None:
    asked = folder(tmp_path, "asked")
    with dialogue(asked) as terminal:
        terminal.answer("Name of the class: ", "float")
        terminal.expect("Error: `float` is a word of Python; write `floatModule`")
        terminal.answer("Name of the class: ", "../Evil")
        terminal.expect("Error: `../Evil` is not a name; use letters")
        terminal.answer("Name of the class: ", "Affine")
        terminal.answer("[module]: ", "modul")
        terminal.expect("Error: 'modul' is not one of")
        terminal.answer("[module]: ", "")
        terminal.answer("Docstring (empty for none): ", "")
        terminal.answer("[factory]: ", "init")
        terminal.answer("Field: ", "weight")
        terminal.expect("Error: a field is a name and a type; write NAME:TYPE")
        terminal.answer("Field: ", "weight:f[n]=zeross")
        terminal.expect("Error: there is no initialiser `zeross`; did you mean `zeros`? (legal: zeros, ones,")
        terminal.answer("Field: ", "rate:float")
        terminal.expect("Error: a bare float has no role; ")
        terminal.answer("Field: ", "weight:f[n]=zeros")
        terminal.answer("Field (empty to finish): ", "weight:f[m]")
        terminal.expect("Error: `weight` is there already; ")
        terminal.answer("Field (empty to finish): ", "")
        terminal.answer("(empty for none): ", "x:f[n -> f[n]")
        terminal.expect("Error: `f[n` is not a type; ")
        terminal.answer("(empty for none): ", "x:f[n] -> f[n]")
        terminal.answer("Body of the call: ", "return (x")
        terminal.expect("Error: not Python: ")
        terminal.answer("Body of the call: ", "return x + self.weight")
        assert terminal.code() == 0, terminal.shown
    assert "specs/affine.toml" in read_tree(asked)


def test_a_fault_that_shows_at_the_end_is_mended_and_the_other_answers_stay(tmp_path: Path) -> None:
    asked, told = folder(tmp_path, "asked"), folder(tmp_path, "told")
    with dialogue(asked) as terminal:
        terminal.answer("Name of the class: ", "Affine")
        terminal.answer("[module]: ", "")
        terminal.answer("Docstring (empty for none): ", "")
        terminal.answer("[factory]: ", "")
        terminal.answer("Field: ", "weight:f[n]==jnp.ones(m)")
        terminal.answer("Field (empty to finish): ", "")
        terminal.answer("(empty for none): ", "x:f[n] -> f[n]")
        terminal.answer("Body of the call: ", "return x + self.weigth")
        terminal.expect("Error: --body: `self.weigth` is no field; did you mean `weight`? (legal: weight)")
        terminal.expect("Error: field `weight`: init: the name `m` is not known here")
        assert set(read_tree(asked)) == {"pyproject.toml"}
        terminal.answer("Body of the call [return x + self.weigth]: ", "return x + self.weight")
        terminal.answer("Field [weight:f[n]==jnp.ones(m)]: ", "weight:f[n]==jnp.ones(n)")
        assert terminal.code() == 0, terminal.shown
    scaffold(
        told,
        *("Affine", "weight:f[n]==jnp.ones(n)"),
        *("--call", "x:f[n] -> f[n]", "--body", "return x + self.weight"),
    )
    assert read_tree(asked) == read_tree(told)


def test_a_role_that_nobody_can_know_is_asked(tmp_path: Path) -> None:
    asked, named, told = (folder(tmp_path, name) for name in ("asked", "named", "told"))
    mixed = ("Blend", "weight:f[n]=ones", "mask:f[n]", "points:f[n]?use_points")
    with dialogue(asked) as terminal:
        terminal.answer("Name of the class: ", "Blend", "", "", "", *mixed[1:], "", "")
        terminal.expect("Error: field `mask`: role: nothing says whether it is trained (other parts of")
        terminal.expect("As `param` it is trained; as `data` it is not, and gradients flow through it;")
        terminal.answer("Role of mask (param, data, buffer): ", "trained")
        terminal.expect("Error: 'trained' is not one of")
        terminal.answer("Role of mask (param, data, buffer): ", "buffer")
        terminal.answer("Role of points (param, data, buffer): ", "data")
        assert terminal.code() == 0, terminal.shown
    with dialogue(named, "new-module", *mixed) as terminal:
        terminal.answer("Role of mask (param, data, buffer): ", "buffer")
        terminal.answer("Role of points (param, data, buffer): ", "data")
        assert terminal.code() == 0, terminal.shown
    scaffold(told, *mixed[:2], "mask:f[n]@buffer", "points:f[n]?use_points@data")
    assert read_tree(asked) == read_tree(told) == read_tree(named)


def test_what_the_command_line_says_is_not_asked(tmp_path: Path) -> None:
    asked, told = folder(tmp_path, "asked"), folder(tmp_path, "told")
    given = ("--kind", "pytree", "--doc", "A table.", "--save", "--preset", "table.a=42.0")
    with dialogue(asked, "new-module", *given) as terminal:
        terminal.answer("Name of the class: ", "Table")
        terminal.answer("Rebuild (bypass, flag, factory, static, dataclass) [bypass]: ", "")
        terminal.answer("Field: ", "table:dict[str,f[]]")
        terminal.answer("Field (empty to finish): ", "")
        terminal.answer("(empty for none): ", "")
        assert terminal.code() == 0, terminal.shown
    scaffold(told, "Table", "table:dict[str,f[]]", *given)
    assert read_tree(asked) == read_tree(told)


def test_where_asking_cannot_mend_it_the_answers_come_back_as_a_command(tmp_path: Path) -> None:
    asked = folder(tmp_path, "asked")
    (asked / "scale.py").write_text("mine = 1\n")
    before = read_tree(asked)
    with dialogue(asked, "new-module", "--kind", "modul", "--call", "", "--doc", "It's mine.") as terminal:
        terminal.answer("Name of the class: ", "Scale")
        terminal.expect("Error: `modul` is not legal; write one of the legal values (legal: abstract,")
        terminal.answer("[module]: ", "")
        terminal.answer("[factory]: ", "")
        terminal.answer("Field: ", "scale:f[n]=ones")
        terminal.answer("Field (empty to finish): ", "")
        terminal.answer("Body of the call: ", "return self.scale")
        terminal.expect("your answers, as a command: scaffold new-module Scale 'scale:f[n]=ones' --call ''")
        terminal.expect("""--doc 'It'"'"'s mine.' --body 'return self.scale'""")
        terminal.expect("scale.py: exists, and differs")
        assert terminal.code() == 1
    assert read_tree(asked) == before


@pytest.mark.spread(2)
@pytest.mark.parametrize(("letter", "code"), [(b"\x04", 1), (b"\x03", 1)], ids=["ctrl-D", "ctrl-C"])
@pytest.mark.parametrize("late", [False, True], ids=["at-once", "later"])
def test_leaving_writes_nothing(tmp_path: Path, letter: bytes, code: int, late: bool) -> None:
    asked = folder(tmp_path, "asked")
    before = read_tree(asked)
    with dialogue(asked) as terminal:
        if late:
            terminal.answer("Name of the class: ", "Affine", "", "", "")
            terminal.press("Field: ", letter)
        else:
            terminal.press("Name of the class: ", letter)
        terminal.expect("Aborted!")
        assert terminal.code() == code
    assert read_tree(asked) == before


@pytest.mark.spread(3)
@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_a_terminal_has_colours_unless_they_are_refused(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with dialogue(folder(tmp_path, "shown"), "new-module", "Affine", "w:f[n]", "--dry-run") as terminal:
        assert terminal.code() == 0
    assert ("\x1b[32mcreate\x1b[0m" in terminal.shown) == (not variables)
    assert ("\x1b" in terminal.shown) == (not variables)
