"""Checks of annotations at run time, which `pytest --jaxtyping-packages=...` adds to each function and dataclass of a package."""

import contextlib
import sys
from collections.abc import Generator


@contextlib.contextmanager
def without_type_checks() -> Generator[None, None, None]:
    """Switch the checks of jaxtyping off, where it is loaded.

    A law may hand on what no annotation allows. It asks what the class itself does with that, as it is in use without the checks.
    """
    config = getattr(sys.modules.get("jaxtyping"), "config", None)
    former = getattr(config, "jaxtyping_disable", None)
    if config is None or former is None:
        yield
        return
    config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        config.update("jaxtyping_disable", former)
