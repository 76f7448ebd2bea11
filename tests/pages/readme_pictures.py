"""The pictures of the README, drawn of the classes that it shows."""

import re
from pathlib import Path

from tests.support.projects import REPOSITORY, scaffold

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURES = REPOSITORY / "docs/pictures"
TARGETS = {
    "gate": ("layers.py:Gate",),
    "batch_norm": ("equinox.nn:BatchNorm",),
    "whiten": ("specs/whiten.py",),
}
"""What is drawn in each file of `docs/pictures`."""


def blocks(language: str, text: str = README) -> list[str]:
    """The fenced blocks of a language, in order."""
    return [body for name, body in BLOCK.findall(text) if name == language]


def write_examples(folder: Path) -> None:
    """The class that exists, and the skeleton of the new one, as the README has them."""
    gate = next(one for one in blocks("python") if "class Gate" in one)
    imports = "import equinox as eqx\nimport jax\nimport jax.numpy as jnp\n"
    (folder / "layers.py").write_text(f"{imports}\n\n{gate}", encoding="utf-8")
    (folder / "specs").mkdir(exist_ok=True)
    (folder / "specs/whiten.py").write_text(blocks("py")[0], encoding="utf-8")


def drawn(folder: Path, name: str) -> str:
    """A picture, as `scaffold show` draws it in a folder with the examples."""
    result = scaffold(folder, "show", *TARGETS[name], "--format", "svg")
    assert result.returncode == 0, result.stderr
    return result.stdout
