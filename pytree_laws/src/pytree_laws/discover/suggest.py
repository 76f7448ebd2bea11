"""What a suite may declare of its class, as text that can be pasted into it."""

import contextlib
from typing import Any

import pytest

from ..declare.render import block, render, render_static
from ..report import Fault
from .inference import inferred_outputs


def suggest_declaration(suite: Any, whole: bool = True) -> str:
    """What a suite may declare of the class, ready to paste; or what this one declares."""
    statics = dict(suite.statics_of(suite.cached_instance()))
    if not whole:
        are_declared = suite.declares_statics()
        statics = {n: v for n, v in statics.items() if n in suite.static or (are_declared and "." not in n)}
    arrays = whole or suite.declares_arrays()
    outputs = inferred_outputs(suite) if whole or suite.returns else ()
    parts = [suite.written_manifest() if arrays else "", render_static(statics)]
    return "\n".join(filter(None, [*parts, block("returns", [render(output) for output in outputs])]))


def check_declared(suite: Any, holds: bool, where: str, message: str, hint: str = "") -> None:
    """`check` of something declared, which says what to declare instead."""
    __tracebackhide__ = True
    if not holds:
        hints = [hint] if hint else []
        with contextlib.suppress(Exception, pytest.skip.Exception):  # it is broken
            hints.append(f"if the class is right, the declaration is\n{suggest_declaration(suite, False)}")
        raise Fault(where, message, "\n  or: ".join(hints))
