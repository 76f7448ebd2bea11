"""What a suite may declare of its class, as text that can be pasted into it."""

import contextlib
from typing import Any

import pytest

from ..declare.render import render_outputs, render_static
from ..report import Fault
from .inference import inferred_outputs


def suggest_declaration(suite: Any, whole: bool = True) -> str:
    """What a suite may declare of the class, ready to paste; or what this one declares."""
    return "\n".join(filter(None, _parts(suite, whole)))


def _parts(suite: Any, whole: bool) -> list[str]:
    statics = dict(suite.statics_of(suite.cached_instance()))
    if not whole:
        are_declared = suite.declares_statics()
        statics = {n: v for n, v in statics.items() if n in suite.static or (are_declared and "." not in n)}
    arrays = whole or suite.declares_arrays()
    outputs = whole or suite.returns
    return [
        suite.written_manifest() if arrays else "",
        render_static(statics),
        render_outputs(inferred_outputs(suite)) if outputs else "",
    ]


def _right_declaration(suite: Any) -> str:
    """What to declare where a declaration is wrong."""
    with contextlib.suppress(Exception, pytest.skip.Exception):  # it is broken
        return f"if the class is right, the declaration is\n{suggest_declaration(suite, False)}"
    return ""


def check_declared(suite: Any, holds: bool, where: str, message: str, hint: str = "") -> None:
    """`check` of something declared, which says what to declare instead."""
    __tracebackhide__ = True
    if not holds:
        hints = filter(None, [hint, _right_declaration(suite)])
        raise Fault(where, message, "\n  or: ".join(hints))
