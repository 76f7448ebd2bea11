"""The losses of the decoder on one device, on eight, on 2 by 4 and in two processes, as numbers and as a plot.

    python -m benchmarks.sharding_curves

writes `docs/sharding_losses.svg`, and prints how far each curve lies from that of one device.
"""

import json
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

REPOSITORY = Path(__file__).resolve().parents[1]
SCRIPT = REPOSITORY / "generated_examples/train_decoder.py"
PLOT = REPOSITORY / "docs/sharding_losses.svg"
STEPS = 40
VIRTUAL = ("--virtual", "8")
RUNS = {
    "1 device": ((),),
    "8 devices, model": ((*VIRTUAL, "--model", "8"),),
    "2 by 4 devices, data and model": ((*VIRTUAL, "--data", "2", "--model", "4"),),
    "2 processes of 4 devices": tuple(
        ("--virtual", "4", "--data", "2", "--model", "4", "--processes", "2", "--process", str(number))
        for number in (0, 1)
    ),
}


def losses(processes: tuple[tuple[str, ...], ...]) -> list[float]:
    """The losses of one run, which has one process or several."""
    with socket.socket() as one:
        one.bind(("localhost", 0))
        address = f"localhost:{one.getsockname()[1]}"
    shared = ("--coordinator", address) if len(processes) > 1 else ()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "losses.json"
        command = [sys.executable, str(SCRIPT), "--steps", str(STEPS), "--losses", str(file), *shared]
        started = [subprocess.Popen([*command, *own], stdout=subprocess.DEVNULL) for own in processes]
        codes = [one.wait() for one in started]
        if any(codes):
            raise SystemExit(f"a process ended with {codes}")
        return json.loads(file.read_text())


def draw(curves: dict[str, list[float]], path: Path) -> None:
    """The curves as an SVG with the same bytes for the same numbers."""
    matplotlib.rcParams["svg.hashsalt"] = "decoder"
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.add_subplot(xlabel="step", ylabel="cross entropy of the next token")
    for index, (name, values) in enumerate(curves.items()):
        # Equal curves lie on each other: each is drawn narrower than the one before.
        axes.plot([round(one, 3) for one in values], label=name, linewidth=8 - 2 * index)
    axes.legend()
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def main() -> None:
    curves = {name: losses(processes) for name, processes in RUNS.items()}
    draw(curves, PLOT)
    single = next(iter(curves.values()))
    print("| run | first loss | last loss | largest difference to one device, relative |")
    print("|---|---|---|---|")
    for name, values in curves.items():
        apart = max(abs(a - b) / b for a, b in zip(values, single, strict=True))
        print(f"| {name} | {values[0]:.4f} | {values[-1]:.4f} | {apart:.1e} |")


if __name__ == "__main__":
    main()
