"""What `forking` starts: a process that has imported what many runs need, and is forked for each that its input asks for.

The one for `pytest` has jax; the one for `scaffold` has the tool. It begins without the folder of this file on its path, as the
script `pytest` does.
"""

import gc
import importlib
import json
import os
import runpy
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn


def serve(program: str) -> None:
    sys.path[0] = str(Path(sys.executable).parent)
    {"pytest": import_jax, "scaffold": import_tool}[program]()
    gc.freeze()  # a collection in a child looks through what is its own, and copies no page of this process
    for line in sys.stdin:
        child = os.fork()
        if not child:
            run(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def import_tool() -> None:
    """Import what `new-module` needs."""
    for name in (
        "generate",
        "cli.commands.new_module",
        "cli.next_steps",
        "publish.run",
        "spec.skeletons.read",
    ):
        importlib.import_module(f"scaffold.{name}")


def import_jax() -> None:
    """Import what most suites need; jax starts no thread before its first computation."""
    for name in ("equinox", "flax.nnx", "optax"):
        importlib.import_module(name)
    import jaxtyping

    # It is a plugin of pytest, which warns that it cannot rewrite the asserts of one that is there, but of one that says so.
    jaxtyping.__doc__ = f"{jaxtyping.__doc__ or ''} PYTEST_DONT_REWRITE"


def run(request: dict[str, Any]) -> NoReturn:
    """Become the program in a folder, with its output in files."""
    code = 70
    try:
        for number, file in enumerate(("/dev/null", request["out"], request["err"])):
            os.dup2(os.open(file, os.O_RDWR | os.O_CREAT), number)
        os.chdir(request["folder"])
        sys.argv = request["command"]
        if "environment" in request:
            os.environ.clear()
            os.environ.update(request["environment"])
            sys.path[0] = request["folder"]
            runpy.run_module("scaffold", run_name="__main__")
        else:
            runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
