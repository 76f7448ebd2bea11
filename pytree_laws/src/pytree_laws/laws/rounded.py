"""Two results of one use that differ by rounding alone: a norm of few features, or the difference of large numbers, has no more."""

from typing import Any

from ..kinds.suite import Suite
from ..values.rounding import is_rounding


def rounds_so_far(subject: Suite, instance: Any, arguments: Any, got: Any, wanted: Any) -> bool:
    """Whether the last bits of the instance and of the arguments move the result as far: many norms do, and differences of large numbers."""
    arrays, back = subject.to_arrays(instance)

    def run(given: Any) -> Any:
        return subject.run(back(given[0]), *given[1])

    return is_rounding(got, wanted, run, (arrays, arguments))
