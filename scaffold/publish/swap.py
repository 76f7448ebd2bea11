"""Put a file in place of another that holds what is expected, without losing what another program saves at that moment."""

import errno
import os
from functools import cache
from pathlib import Path
from typing import Any

from scaffold.files.places import read_regular

_HERE = -100
"""`AT_FDCWD`: paths are as the process sees them."""
_EXCHANGE = 2
"""`RENAME_EXCHANGE`."""
_CANNOT = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)


def replace_expected(new: Path, target: Path, expected: bytes, aside: Path) -> bool:
    """Put `new` in place of `target`, which holds `expected`; False, and both as they were, where it holds something else.

    Where the system can exchange two files, `new` holds afterwards what was replaced. Elsewhere `aside`, a hard link to the
    target, shows whether another program wrote into it meanwhile.
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
    """Give each of two files the other's name in one step; False where the system or the file system cannot."""
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
    """The system call of Linux, None elsewhere."""
    import ctypes

    try:
        return ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return None
