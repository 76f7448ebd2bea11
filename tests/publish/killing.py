"""Runs that are stopped before a call that changes the disk: each in a child that is forked from the warm process."""

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from scaffold.errors import ScaffoldError
from scaffold.publish import swap
from scaffold.publish.signals import stoppable

T = TypeVar("T")
_CHANGES = {
    "os.rename",
    "os.link",
    "os.mkdir",
    "os.remove",
    "os.rmdir",
    "os.chmod",
    "os.truncate",
    "shutil.copyfile",
}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def in_child(action: Callable[[], object]) -> int:
    """How a forked child ends that does this: its exit code, or minus the signal that ended it."""
    return wait_for(fork(action))


def fork(action: Callable[[], object]) -> int:
    """The number of a child that does this, and ends."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other tests have threads; the child needs none of them
        child = os.fork()
    if child:
        return child
    code = 70
    try:
        action()
        code = 0
    except SystemExit as stop:
        code = int(str(stop.code))
    except ScaffoldError as error:
        code = error.exit_code
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def wait_for(child: int) -> int:
    """How it ends."""
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def stopped_before_each_change(
    action: Callable[[], object], number: signal.Signals, fresh: Callable[[], object]
) -> Iterator[tuple[int, int]]:
    """Stop a run of `action` before its first, second, third… change, each after `fresh`, until a run has no more of them.

    Gives the number of the change and how the run ended.
    """
    for k in range(1, 1000):
        fresh()
        code = in_child(lambda k=k: _stopped_at(k, number, action))
        if code == 0:
            return
        yield k, code
    raise AssertionError("a run without an end")


def _stopped_at(k: int, number: signal.Signals, action: Callable[[], object]) -> None:
    count = 0

    def change(*_: object) -> None:
        nonlocal count
        count += 1
        if count == k:
            os.kill(os.getpid(), number)

    with stoppable():
        _call_before_each_change(change)
        action()
    if count >= k:
        raise AssertionError("it went on")


def _call_before_each_change(change: Callable[..., None]) -> None:
    """By Python's own audit, which sees every call, and by hand for those that it does not see."""

    def audit(event: str, arguments: tuple[object, ...]) -> None:
        opens_to_write = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITES
        if event in _CHANGES or opens_to_write:
            change()

    sys.addaudithook(audit)
    for name in ("write", "fsync"):
        setattr(os, name, before_each(change, getattr(os, name)))
    swap.exchange = before_each(change, swap.exchange)


def before_each(change: Callable[..., None], call: Callable[..., T]) -> Callable[..., T]:
    """The call, before each of which there is a change."""

    def called(*arguments: object, **options: object) -> T:
        change()
        return call(*arguments, **options)

    return called


def left_overs(root: Path) -> list[str]:
    """What a run leaves for itself alone."""
    return sorted(path.name for path in root.rglob(".scaffold-*"))
