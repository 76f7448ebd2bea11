"""A private attribute of another package, replaced for a while, where it is there and as it was known."""

import contextlib
import sys
from collections.abc import Callable, Generator
from typing import Any


@contextlib.contextmanager
def replaced(
    place: tuple[str, str], fits: Callable[[Any], bool], wrap: Callable[[Any], Any]
) -> Generator[None, None, None]:
    """Within it the function of a module, or what a class of it has, is another, made of it, where it is there and fits."""
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
