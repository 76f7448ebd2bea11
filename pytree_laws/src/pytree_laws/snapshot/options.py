"""What a class gives with options that the example leaves at their default, and what it holds of whole numbers, as a record has it."""

import contextlib
import warnings
from typing import Any

import numpy as np

from ..inspect.arrays import is_array, is_floating, is_key
from ..values.edge_values import is_finite
from .configurations import outputs
from .format import Entry, entries
from .methods import OPTIONS, numbers_of_methods


def of_options(suite: Any) -> dict[str, Entry]:
    """Entries of the call and of methods with other options, and of the leaves of whole numbers."""
    if not suite.tries_configurations:
        return {}
    of_call = outputs(suite)[OPTIONS] if suite.called() else {}
    every = {**of_call, **numbers_of_methods(suite)[OPTIONS]}.items()
    numbers = entries({name: v for name, v in every if is_finite(v)})
    return dict(sorted({**numbers, **_of_integers(suite)}.items()))


def _of_integers(suite: Any) -> dict[str, Entry]:
    """The form of each leaf where the constructor is given integers in the place of its floats."""
    given = suite.inputs(0)
    whole = {name: _whole(value) for name, value in given.items() if _is_float(value)}
    with contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        built = suite.named(suite.build(**{**given, **whole})) if whole else {}
        return {
            f"{name} of whole numbers": Entry(np.dtype(v.dtype).name, v.shape, ())
            for name, v in built.items()
            if is_array(v) and not is_key(v)
        }
    return {}  # it refuses them


def _is_float(value: Any) -> bool:
    return type(value) is float or is_floating(value)


def _whole(value: Any) -> Any:
    """A number of Python, or an array of NumPy, which has no dtype of jax."""
    return 1 if np.ndim(value) == 0 else np.ones(np.shape(value), int)
