"""What is worked out once for each spec."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from scaffold.spec.model import ModuleSpec

Result = TypeVar("Result")


def once(function: Callable[[ModuleSpec], Result]) -> Callable[[ModuleSpec], Result]:
    """The function, which works its result out once for each spec."""

    @wraps(function)
    def of(spec: ModuleSpec) -> Result:
        if function not in spec.worked_out:
            spec.worked_out[function] = function(spec)
        return spec.worked_out[function]

    return of
