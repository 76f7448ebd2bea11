"""Temporary replacement of a private attribute of another package, if the attribute is as expected."""

import contextlib
import sys
from collections.abc import Callable, Generator
from typing import Any


@contextlib.contextmanager
def replaced(
    place: tuple[str, str], fits: Callable[[Any], bool], wrap: Callable[[Any], Any]
) -> Generator[None, None, None]:
    """Replace a private attribute of a module, or of a class in a module, by `wrap(attribute)`.

    Do nothing if the attribute is missing or does not fit.
    """
    module, path = place
    above, _, name = path.rpartition(".")
    owner: Any = sys.modules.get(module)
    owner = getattr(owner, above, None) if above else owner
    made = getattr(owner, name, None)
    if made is None or not fits(made):
        yield
        return
    setattr(owner, name, wrap(made))
    try:
        yield
    finally:
        setattr(owner, name, made)
