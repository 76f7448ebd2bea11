"""What Windows lacks, as marks of the tests that need it."""

import os

import pytest

_IS_WINDOWS = os.name == "nt"
NEEDS_SHELL = pytest.mark.skipif(
    _IS_WINDOWS, reason="Windows has no POSIX shell for the commands of this test"
)
NEEDS_LINKS = pytest.mark.skipif(_IS_WINDOWS, reason="Windows makes symbolic links for administrators alone")
NEEDS_MODES = pytest.mark.skipif(_IS_WINDOWS, reason="Windows has no permission bits")
NEEDS_TERMINAL = pytest.mark.skipif(_IS_WINDOWS, reason="Windows has no pseudo-terminals")
NEEDS_SPECIAL_FILES = pytest.mark.skipif(
    _IS_WINDOWS, reason="Windows has no pipes, sockets and devices among its files"
)
