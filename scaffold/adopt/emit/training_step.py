"""A suite of `pytree_laws.StepLaws` for an existing training step."""

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from scaffold.adopt.targets.targets import Target, read_targets
from scaffold.errors import Fault, ScaffoldError
from scaffold.files.fileset import File, Plan
from scaffold.fit.fit import Wishes, plan_in_project
from scaffold.import_lines import import_lines
from scaffold.in_project.formatter import style_of
from scaffold.in_project.layout import Layout
from scaffold.render_class import conftest_file
from scaffold.rendering.render import render
from scaffold.spec.names import IMPORTS
from scaffold.tidy import tidy

TEMPLATE = "adopt-step"
FORM = "pkg.mod:function"
_LAWS = {name: f"from pytree_laws import {name}" for name in ("StepLaws", "sample")}
_LIBRARIES = {"optax": "import optax", "nnx": "from flax import nnx"}


class StepWanted(Struct, frozen=True):
    """A training step, and expressions over the names of its module that build its arguments."""

    step: str
    state: str
    """Expression of a new state, over `seed`."""
    batch: str
    """Expression of a batch, over `seed`."""
    call: str = ""
    """Call over `state` and `batch`, if it is not `step(state, batch)`."""
    frozen: tuple[str, ...] = ()
    force: bool = False


def plan_step_tests(wanted: StepWanted, layout: Layout, here: Path) -> Plan:
    """Plan the tests of a training step.

    Raises `ScaffoldError` with all faults of the target and of the expressions.
    """
    [target] = read_targets([wanted.step], here)
    _check(wanted, target)
    [(path, text)] = render(TEMPLATE, _context(wanted, target, layout))
    [file] = tidy([File(path, text)], style_of(layout))
    wishes = Wishes(register=False, force=wanted.force)
    return plan_in_project(layout, [file, conftest_file(layout)], (), (), wishes)


def _check(wanted: StepWanted, target: Target) -> None:
    faults = [*_target_faults(wanted, target), *_expression_faults(wanted)]
    if faults:
        raise ScaffoldError.of(faults)


def _target_faults(wanted: StepWanted, target: Target) -> Iterator[Fault]:
    if not target.name.isidentifier() or target.folder:
        yield Fault(
            f"--step {wanted.step}", "names no function of an importable module", f"write `{FORM}`", (FORM,)
        )


def _expression_faults(wanted: StepWanted) -> Iterator[Fault]:
    expressions = {"--state": (wanted.state, "create(seed)"), "--batch": (wanted.batch, "batch_of(seed)")}
    if wanted.call:
        expressions["--call"] = wanted.call, "train_step(*state, batch)"
    for option, (text, example) in expressions.items():
        if not text:
            yield Fault(option, "is not given, and a training step needs it", f"write {option} '{example}'")
            continue
        try:
            ast.parse(text, mode="eval")
        except SyntaxError as error:
            yield Fault(option, f"is no expression: {error.msg}", f"write one, such as '{example}'")


def _context(wanted: StepWanted, target: Target, layout: Layout) -> dict[str, Any]:
    function = target.name
    context = {
        "tests_folder": layout.tests.as_posix(),
        "stem": function,
        "function": function,
        "name": "".join(part.capitalize() for part in re.split("_+", function)),
        "state": wanted.state,
        "batch": wanted.batch,
        "step": wanted.call or f"{function}(state, batch)",
        "frozen": [repr(path).replace("'", '"') for path in wanted.frozen],
        "test_imports": [],
    }
    [(_, text)] = render(TEMPLATE, context)
    return {**context, "test_imports": _imports(text, wanted, target)}


def _imports(text: str, wanted: StepWanted, target: Target) -> list[str]:
    """Return the import lines for the names in the file, from libraries or from the step's module."""
    known: Mapping[str, str] = {**IMPORTS, **_LAWS, **_LIBRARIES}
    names = {target.name, *_free_names(wanted)} - known.keys()
    lines = {**_LAWS, **_LIBRARIES, **{name: f"from {target.module} import {name}" for name in names}}
    return import_lines(text, lines, [target.module.partition(".")[0]])


def _free_names(wanted: StepWanted) -> set[str]:
    """Return the names that the expressions read from the step's module.

    The test method binds `seed`, or `state` and `batch`.
    """
    of_seed = [(text, {"seed"}) for text in (wanted.state, wanted.batch)]
    names = (_names_read(text) - bound for text, bound in (*of_seed, (wanted.call, {"state", "batch"})))
    return set[str]().union(*names) - {*vars(builtins)}


def _names_read(text: str) -> set[str]:
    """Return the names that an expression reads but does not bind."""
    nodes = [node for node in ast.walk(ast.parse(text or "None")) if isinstance(node, ast.Name)]
    read = {node.id for node in nodes if isinstance(node.ctx, ast.Load)}
    return read - {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
