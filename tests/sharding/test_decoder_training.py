"""The decoder trains alike on one device, on several and in several processes, and goes on from a checkpoint anywhere."""

import json
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.support.projects import EXAMPLES

SCRIPT = EXAMPLES / "train_decoder.py"
FOUR_AND_FOUR = ("--data", "2", "--model", "4", "--virtual", "4")
EIGHT = ("--virtual", "8")


def start(folder: Path, name: str, *options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, str(SCRIPT), "--losses", str(folder / f"{name}.json"), *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def losses(folder: Path, name: str, *processes: "subprocess.Popen[str]") -> list[float]:
    for one in processes:
        told = one.communicate(timeout=300)[1]
        assert one.returncode == 0, told
    return json.loads((folder / f"{name}.json").read_text())


def free_address() -> str:
    with socket.socket() as one:
        one.bind(("localhost", 0))
        return f"localhost:{one.getsockname()[1]}"


def two_processes(folder: Path, name: str, *options: str) -> "list[subprocess.Popen[str]]":
    shared = ("--coordinator", free_address(), "--processes", "2", *FOUR_AND_FOUR)
    return [start(folder, name, *shared, "--process", str(number), *options) for number in (0, 1)]


@pytest.mark.slow
def test_two_processes_train_as_one_device_does(tmp_path: Path) -> None:
    one = start(tmp_path, "one", "--steps", "3")
    several = two_processes(tmp_path, "two", "--steps", "3")
    wanted = losses(tmp_path, "one", one)
    assert wanted[-1] < wanted[0]
    np.testing.assert_allclose(losses(tmp_path, "two", *several), wanted, rtol=1e-5)


@pytest.mark.slow
def test_a_checkpoint_of_eight_devices_goes_on_anywhere_with_the_same_loss(tmp_path: Path) -> None:
    kept = ("--save", str(tmp_path / "kept"))
    whole = losses(tmp_path, "whole", start(tmp_path, "whole", *EIGHT, "--model", "8", "--steps", "6"))
    losses(tmp_path, "first", start(tmp_path, "first", *EIGHT, "--model", "8", "--steps", "4", *kept))
    later = ("--restore", str(tmp_path / "kept"), "--first", "4", "--steps", "2")
    for name, mesh in {"one": (), "both": (*EIGHT, "--data", "2", "--model", "4")}.items():
        resumed = losses(tmp_path, name, start(tmp_path, name, *later, *mesh))
        np.testing.assert_allclose(resumed, whole[4:], rtol=1e-5)


@pytest.mark.slow
def test_where_one_process_is_killed_the_other_fails_and_the_last_checkpoint_stays(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    options = ("--steps", "100000", "--every", "4", "--save", str(folder), "--heartbeat", "10")
    first, second = two_processes(tmp_path, "two", *options)
    while not (folder / "8").is_dir():
        assert first.poll() is None, first.communicate()[1]
        time.sleep(0.1)
    second.kill()
    second.communicate()
    told = first.communicate(timeout=300)[1]
    assert first.returncode != 0
    assert "Connection closed by peer" in told or "heartbeat timeout" in told
    last = max(int(path.name) for path in folder.iterdir() if path.name.isdigit())
    wanted = losses(tmp_path, "whole", start(tmp_path, "whole", "--steps", str(last + 1)))
    later = ("--restore", str(folder / str(last)), "--first", str(last), "--steps", "1")
    resumed = losses(tmp_path, "resumed", start(tmp_path, "resumed", *later))
    np.testing.assert_allclose(resumed, wanted[-1:], rtol=1e-4)
