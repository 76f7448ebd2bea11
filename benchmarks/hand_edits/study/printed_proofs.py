"""Prove that each edit of a list changes what its class does.

A proof is a few lines that print. They run beside the right modules and beside the edited ones, and must print other text.
"""

import contextlib
import importlib
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import jax

from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.study.suites import Folders

BEGIN = """
import os, tempfile, warnings
warnings.simplefilter("ignore")
os.environ["JAX_PLATFORMS"] = "cpu"
import equinox as eqx, jax, jax.numpy as jnp, numpy as np, optax
key = jax.random.key(0)
half = jnp.bfloat16
def draw(*shape):
    return jax.random.normal(jax.random.key(7), shape)
"""
"""The lines with which all proofs begin."""


def prove(specs: Path, study: Sequence[Edit], prints: Mapping[str, str]) -> int:
    """Print what each proof gives before and after its edit, and return 1 where one gives the same.

    A proof is what `prints` has of an edit by what is done, after `BEGIN`.
    """
    sys.dont_write_bytecode = True
    with TemporaryDirectory() as root:
        folders = Folders(Path(root), specs)
        mistakes = [edit for edit in study if edit.tag != "legitimate"]
        scripts = {edit.done: f"{BEGIN}\n{prints[edit.done]}" for edit in mistakes}
        unproven = [edit for edit in mistakes if not differs(folders, edit, scripts[edit.done])]
    print("\n".join(f"prints the same: {edit.place}: {edit.done}" for edit in unproven) or "each edit shows")
    return len(unproven) > 0


def differs(folders: Folders, edit: Edit, script: str) -> bool:
    """Return whether the lines of the proof print other text where the edit was made."""
    folder = folders.folder_of(edit.example)
    right = (folder / edit.place).read_text(encoding="utf-8")
    texts: list[str] = []
    for source in (edit.applied(right), right):
        (folder / edit.place).write_text(source, encoding="utf-8")
        texts.append(printed(folder, script))
    print(f"{edit.done}: {texts[1].strip()!r} became {texts[0].strip()!r}", flush=True)
    return texts[0] != texts[1]


def printed(folder: Path, script: str) -> str:
    """Run the script with the modules of a folder, and return what it prints or raises."""
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(str(folder.parent)):
            del sys.modules[name]
    importlib.invalidate_caches()
    output = io.StringIO()
    sys.path.insert(0, str(folder))
    try:
        with contextlib.redirect_stdout(output):
            exec(script, {})
    except Exception as error:
        return type(error).__name__
    finally:
        sys.path.remove(str(folder))
        jax.config.update("jax_enable_x64", False)
    return output.getvalue()
