"""What a class gives with options that the example leaves at their default, and what it holds of whole numbers, as a record has it."""

import contextlib
import warnings
from typing import Any

import jax
import numpy as np

from ..discover.method_programs import arrays_given, the_call, usable
from ..discover.method_uses import example_use
from ..inspect.arrays import is_array, is_floating, is_key
from ..inspect.trees import bfloat16
from .configurations import outputs
from .format import Entry, finite_entries
from .methods import OPTIONS, numbers_of_methods


def of_options(suite: Any) -> dict[str, Entry]:
    """Entries of the call and of methods with other options, and of the leaves of whole numbers."""
    of_call = outputs(suite)[OPTIONS] if suite.called() else {}
    numbers = finite_entries({**of_call, **numbers_of_methods(suite)[OPTIONS]})
    return dict(sorted({**numbers, **_of_integers(suite), **_beside_complex(suite)}.items()))


def _beside_complex(suite: Any) -> dict[str, Entry]:
    """The forms of results in bfloat16, of a class with complex arrays, which have no such dtype and decide the rest."""
    instance = suite.cached_instance()
    if not any(np.dtype(v.dtype).kind == "c" for v in suite.named(instance).values() if not is_key(v)):
        return {}
    methods = [method for method in usable(suite) if not method.found]
    entries_by_name: dict[str, Entry] = {}
    for method in [*methods, *([the_call(suite)] if suite.called() else [])]:
        with contextlib.suppress(Exception):  # there is no such operation in bfloat16
            run, given = arrays_given(suite, example_use(method, instance))
            forms = jax.eval_shape(run, *bfloat16(given))
            names = (f"{method.name} in bfloat16, output {i}" for i in range(len(forms)))
            entries_by_name |= {n: Entry(np.dtype(v.dtype).name, v.shape, ()) for n, v in zip(names, forms)}
    return entries_by_name


def _of_integers(suite: Any) -> dict[str, Entry]:
    """The form of each leaf where the constructor is given integers in the place of its floats."""
    inputs = suite.inputs(0)
    whole = {
        name: _whole(value) for name, value in inputs.items() if type(value) is float or is_floating(value)
    }
    with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
        built = suite.named(suite.build(**{**inputs, **whole})) if whole else {}
        return {
            f"{name} of whole numbers": Entry(np.dtype(v.dtype).name, v.shape, ())
            for name, v in built.items()
            if is_array(v) and not is_key(v)
        }
    return {}  # it refuses them


def _whole(value: Any) -> Any:
    """A number of Python, or an array of NumPy, which has no dtype of jax."""
    return 1 if np.ndim(value) == 0 else np.ones(np.shape(value), int)
