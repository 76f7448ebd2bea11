"""What a suite may declare of its class, as text that can be pasted into it."""

import contextlib
from typing import Any

import pytest

from ..declare.render import written_outputs, written_static
from ..report import Fault
from .inference import inferred_outputs


def declaration(suite: Any, whole: bool = True) -> str:
    """What a suite may declare of the class, ready to paste; or what this one declares."""
    return "\n".join(filter(None, _parts(suite, whole)))


def _parts(suite: Any, whole: bool) -> list[str]:
    laws: Any = type(suite)
    found = dict(suite.statics_of(suite.specimen()))
    if not whole:
        own = suite.declares_statics()
        found = {
            n: v for n, v in found.items() if n in suite.static or own and "." not in n
        }
    arrays = whole or suite.declares_arrays()
    outputs = whole or suite.returns
    return [
        suite.written_manifest() if arrays else "",
        written_static(found),
        written_outputs(inferred_outputs(laws)) if outputs else "",
    ]


def _right_declaration(suite: Any) -> str:
    """What to declare where a declaration is wrong."""
    with contextlib.suppress(Exception, pytest.skip.Exception):  # it is broken
        return f"if the class is right, the declaration is\n{declaration(suite, False)}"
    return ""


def check_declared(
    suite: Any, holds: bool, where: str, what: str, hint: str = ""
) -> None:
    """`check` of something declared, which says what to declare instead."""
    __tracebackhide__ = True
    if not holds:
        hints = filter(None, [hint, _right_declaration(suite)])
        raise Fault(where, what, "\n  or: ".join(hints))
