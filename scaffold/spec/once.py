"""A cache of results on each spec."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from scaffold.spec.model import ModuleSpec

Result = TypeVar("Result")


def once(function: Callable[[ModuleSpec], Result]) -> Callable[[ModuleSpec], Result]:
    """Cache the result of `function` on each spec."""

    @wraps(function)
    def of(spec: ModuleSpec) -> Result:
        if function not in spec.worked_out:
            spec.worked_out[function] = function(spec)
        return spec.worked_out[function]

    return of
