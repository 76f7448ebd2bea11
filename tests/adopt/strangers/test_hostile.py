"""Code that `scaffold adopt` runs may print, fork, forge, hang and take memory as it likes: it costs its own class alone."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scaffold import streams
from scaffold.adopt.processes import memory, process
from scaffold.adopt.processes.process import Child, NoAnswerError
from scaffold.errors import ScaffoldError
from tests.support.projects import run
from tests.support.trees import write_tree

READY = 'import json, os, subprocess, sys, time\nprint(json.dumps({"ready": True, "why": ""}), flush=True)\n'
ASKED = "request = json.loads(sys.stdin.readline())\n"
ANSWER = 'print(json.dumps({"id": request["id"], "answer": 1}), flush=True)\n'
pytestmark = pytest.mark.skipif(os.name == "nt", reason="groups of processes are those of POSIX")


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Child]:
    """A process that does as it is written, in place of one that imports jax."""

    def started(program: str, limit: int = 0) -> Child:
        write_tree(tmp_path, {"child.py": program})
        monkeypatch.setattr(process, "CHILD", tmp_path / "child.py")
        return Child([sys.executable], tmp_path, limit)

    return started


def refusal(child: Child, seconds: float = 20.0) -> str:
    with pytest.raises(NoAnswerError) as caught:
        child.ask({"do": "list"}, seconds)
    return str(caught.value)


@pytest.mark.parametrize(
    "line",
    ['{"id": 0, "built": true}', '{"built": true}', "[1]", "Loading...", '{"id": ', "\xff", "[" * 5000],
)
def test_what_is_no_answer_to_this_request_is_none(child: Callable[..., Child], line: str) -> None:
    forger = child(f"{READY}{ASKED}print({line!r}, flush=True)\n{ANSWER}time.sleep(60)\n")
    assert refusal(forger).startswith("something in it wrote what is no answer: ")


def test_what_an_interpreter_prints_when_it_starts_is_passed_over(child: Callable[..., Child]) -> None:
    noisy = child(f'print("welcome")\nprint("{{}}")\n{READY}{ASKED}{ANSWER}')
    assert noisy.ask({"do": "list"}, 20.0)["answer"] == 1
    noisy.close()


def test_an_answer_without_an_end_is_cut_off(
    child: Callable[..., Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "LONGEST_ANSWER", 2**20)
    endless = child(f'{READY}{ASKED}\nwhile True:\n    sys.stdout.write("x" * 65536)\n')
    assert "MiB where an answer belongs" in refusal(endless)


def test_gigabytes_of_prints_are_read_and_not_kept(child: Callable[..., Child]) -> None:
    program = f'{READY}{ASKED}\nfor _ in range(20_000):\n    sys.stderr.write("x" * 65536)\n{ANSWER}'
    chatty = child(program)
    before = memory._bytes_of(str(os.getpid()))
    assert chatty.ask({"do": "list"}, 60.0)["answer"] == 1
    assert memory._bytes_of(str(os.getpid())) - before < 100 * 2**20
    chatty.close()


def test_many_lines_wait_until_they_are_read(child: Callable[..., Child]) -> None:
    flood = child(f'{READY}{ASKED}\nfor _ in range(2_000_000):\n    print("x" * 1000)\n')
    time.sleep(0.5)
    assert "no answer" in refusal(flood)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="memory is watched on Linux")
@pytest.mark.parametrize("who", ["itself", "a child of it"])
def test_a_process_that_takes_too_much_memory_is_ended(child: Callable[..., Child], who: str) -> None:
    take = "many = [bytes(2**20) + bytes([1]) * 2**20 for _ in range(400)]; time.sleep(60)"
    own = (
        f"{take}\n" if who == "itself" else f"subprocess.run([sys.executable, '-c', 'import time; {take}'])\n"
    )
    assert refusal(child(f"{READY}{ASKED}{own}", 200 * 2**20)) == (
        "it took more than 0.2 GiB of memory, which is its limit"
    )


def exists(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.spread(3)
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for the process in /proc")
@pytest.mark.parametrize("ends", ["time.sleep(60)\n", "sys.exit(3)\n"])
def test_what_it_has_started_ends_with_it(child: Callable[..., Child], ends: str, tmp_path: Path) -> None:
    sleeper = "one = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    noted = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(one.pid))\n"
    refusal(child(f"{READY}{ASKED}{sleeper}{noted}{ends}"), 2.0)
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 5
    while exists(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    survives = exists(pid)
    if survives:
        os.kill(pid, signal.SIGKILL)
    assert not survives


def test_a_process_that_closes_its_streams_and_stays_is_ended(
    child: Callable[..., Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "ENDS", 0.5, raising=False)
    silent = child(f"{READY}{ASKED}os.close(1)\nos.close(2)\ntime.sleep(30)\n")
    start = time.monotonic()
    assert refusal(silent) == "it closed its streams"
    assert time.monotonic() - start < 10


# -- the command itself ------------------------------------------------------------------------------------------------

HOSTILE = """
import equinox as eqx
import jax
import jax.numpy as jnp

ARMED = []


class NoLook(type(eqx.Module)):
    def __getattribute__(cls, name):
        if ARMED and name in ("__module__", "__name__", "__mro__", "__qualname__"):
            raise RuntimeError("no looking")
        return super().__getattribute__(name)


class NoCheck(type(eqx.Module)):
    def __instancecheck__(cls, value):
        if ARMED:
            raise RuntimeError("no isinstance")
        return super().__instancecheck__(value)

    def __repr__(cls):
        raise RuntimeError("no repr")


class NoEqual(type):
    def __eq__(cls, other):
        raise RuntimeError("no eq")

    def __hash__(cls):
        raise RuntimeError("no hash")


class Look(eqx.Module, metaclass=NoLook):
    weight: jax.Array


class Check(eqx.Module, metaclass=NoCheck):
    weight: jax.Array


class Equal(metaclass=NoEqual):
    pass


class NoText(Exception):
    def __str__(self):
        raise RuntimeError("no str")


class Raises(eqx.Module):
    weight: jax.Array

    def __init__(self):
        raise NoText()


class Fine(eqx.Module):
    weight: jax.Array

    def __init__(self):
        self.weight = jnp.ones(3)

    def __call__(self, x):
        return x * self.weight


ARMED.append(1)
"""
LYING = """
import equinox as eqx
import jax


class Liar:
    @property
    def __class__(self):
        raise RuntimeError("no class")


liar = Liar()


class Scale(eqx.Module):
    factor: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return x * self.factor
"""
FORGING = """
import os

for number in range(1, 20):
    for line in (b'{"id": 0, "classes": [{}], "faults": [], "taken": [], "passed_over": []}', b"[]", b"{"):
        try:
            os.write(number, line + b"\\n")
        except OSError:
            pass
"""
HANGING = "import time\n\ntime.sleep(600)\n"
HUGE = "many = [bytearray(b'1') * 2**20 for _ in range(3000)]\n"


def adopt(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scaffold", "adopt", *arguments, "--python", sys.executable]
    return run(command, folder)


@pytest.mark.slow  # the smaller processes above are tried in every run
def test_hostile_metaclasses_cost_their_own_classes_alone(tmp_path: Path) -> None:
    write_tree(tmp_path, {"hostile.py": HOSTILE, "lying.py": LYING})
    result = adopt(tmp_path, "hostile.py", "--dry-run")
    assert result.returncode == 3, result.stdout + result.stderr
    lines = result.stdout.split("\n")
    assert lines[0].startswith("Check ") and lines[1].startswith("Fine ") and "adopted, " in lines[1]
    assert "hostile:Raises: left out: it is abstract: its constructor raises, whatever it is given" in lines
    assert "hostile:Equal: left out: it cannot be looked at: RuntimeError: no hash" in lines
    assert "hostile:Look: left out: it cannot be looked at: RuntimeError: no looking" in lines
    assert adopt(tmp_path, "hostile.py:Look").returncode == 2
    specs = adopt(tmp_path, "hostile.py", "lying.py", "--spec")
    assert specs.returncode in (0, 1) and "# --- lying:Scale" in specs.stdout, specs.stderr


@pytest.mark.slow
def test_forged_answers_at_the_import_are_a_clear_error(tmp_path: Path) -> None:
    write_tree(tmp_path, {"forging.py": FORGING})
    result = adopt(tmp_path, "forging.py")
    assert (result.returncode, result.stdout) == (2, "")
    what = "error: forging.py: the interpreter did not come back from the import: something in it wrote"
    assert result.stderr.startswith(what)


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("source", "arguments", "told"),
    [
        (HANGING, ("--time-limit", "2"), "it took more than 4 seconds"),
        (HUGE, ("--memory", "1"), "it took more than 1.0 GiB of memory, which is its limit"),
    ],
)
def test_the_import_obeys_the_limits(
    tmp_path: Path, source: str, arguments: tuple[str, ...], told: str
) -> None:
    write_tree(tmp_path, {"mine.py": source})
    result = adopt(tmp_path, "mine.py", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    first, fix = result.stderr.rstrip("\n").split("\n")
    assert first == f"error: mine.py: the interpreter did not come back from the import: {told}"
    assert "`--time-limit` or `--memory`" in fix


EXITS = """
import equinox as eqx
import jax
import jax.numpy as jnp


class Fine(eqx.Module):
    weight: jax.Array

    def __init__(self):
        self.weight = jnp.ones(3)

    def __call__(self, x):
        return x * self.weight


class NotBuilt(eqx.Module):
    weight: jax.Array

    def __init__(self, registry):
        self.weight = registry["weight"]


class Wrong(eqx.Module):
    weight: jax.Array
    scale: dict

    def __init__(self):
        self.weight, self.scale = jnp.ones(3), {}

    def __call__(self, x):
        self.scale["x"] = x
        return x * self.weight
"""


@pytest.mark.spread(3)
@pytest.mark.parametrize(("name", "code"), [("Fine", 0), ("Wrong", 1), ("Missing", 2), ("NotBuilt", 3)])
def test_the_exit_code_says_what_happened(tmp_path: Path, name: str, code: int) -> None:
    write_tree(tmp_path, {"mine.py": EXITS})
    result = adopt(tmp_path, f"mine.py:{name}", "--json")
    assert result.returncode == code, result.stdout + result.stderr
    assert f'"ok": {"false" if code else "true"}' in result.stdout


def test_nobody_waits_for_an_interpreter_that_says_nothing(
    child: Callable[..., Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "STARTS", 0.5)
    with pytest.raises(ScaffoldError, match="cannot look at classes: it took more than"):
        child("import time\n\nwhile True:\n    print('{}', flush=True)\n    time.sleep(0.01)\n")
