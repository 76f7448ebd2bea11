"""Run-time checks of annotations, which `pytest --jaxtyping-packages=...` adds to a package."""

import contextlib
import sys
from collections.abc import Generator


@contextlib.contextmanager
def without_type_checks() -> Generator[None, None, None]:
    """Switch the checks of jaxtyping off, if it is imported.

    A law may pass values that no annotation allows. It tests the class as it is used, which is without these
    checks.
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
