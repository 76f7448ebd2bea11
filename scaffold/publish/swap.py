"""Replacement of a file with expected content, without losing a concurrent save by another program."""

import errno
import os
from functools import cache
from pathlib import Path
from typing import Any

from scaffold.files.places import read_regular

_HERE = -100
"""`AT_FDCWD`, which resolves paths as the process does."""
_EXCHANGE = 2
"""`RENAME_EXCHANGE`."""
_CANNOT = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)


def replace_expected(new: Path, target: Path, expected: bytes, aside: Path) -> bool:
    """Put `new` in place of `target`, or return False and restore both if `target` is not as `expected`.

    If the system can exchange files, `new` then holds the replaced content. Otherwise `aside`, a hard link to
    the target, reveals a concurrent write.
    """
    if exchange(new, target):
        if read_regular(new) == expected:
            return True
        exchange(new, target)
        return False
    if read_regular(target) != expected:
        return False
    os.replace(new, target)
    if os.path.lexists(aside) and read_regular(aside) != expected:
        os.replace(aside, target)
        return False
    return True


def exchange(path: Path, other: Path) -> bool:
    """Swap the names of two files atomically, or return False if the system cannot."""
    call = _renameat2()
    if call is None:
        return False
    import ctypes  # here, because most runs replace nothing

    if call(_HERE, os.fsencode(path), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), str(other))


@cache
def _renameat2() -> Any:
    """Return the system call of Linux, or None elsewhere."""
    import ctypes

    try:
        return ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return None
