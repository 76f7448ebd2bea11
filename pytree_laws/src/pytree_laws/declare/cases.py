"""Further configurations of a class, each a suite that inherits the declarations of the first.

    @case
    class TestAffineWithoutBias(TestAffine):
        leaves = (Leaf("weight", "param", (3, 2)),)

        def inputs(self, seed):
            return {**super().inputs(seed), "use_bias": False}

Cheap laws, and tests that the author wrote, run again for each configuration.
"""

import re
from typing import Any, TypeVar

Marked = TypeVar("Marked", bound=type)

CHEAP = (
    "p01_leaves_its_inputs_alone",
    "p01_keeps_",
    "p01_same_inputs",
    "p02_",
    "p03_round_trip_keeps_treedef",
    "p04_",
    "p05_aux",
    "p05_treedef",
    "p05_static",
    "p05_tuples",
    "p05_no_leaf",
    "p07_outputs",
    "p07_jit_equals_eager",
    "p07_methods_",
    "p07_nnx_jit",
    "p07_mixes_no",
    "p16_filter_specs",
    "p19_",
)
"""Prefixes, after `test_`, of the laws that run for each configuration."""
_OF_A_LAW = re.compile(r"test_p\d\d_")


def case(suite: Marked) -> Marked:
    """Mark a suite as a further configuration of the class of the suite that it inherits from."""
    for name in dir(suite):
        if _OF_A_LAW.match(name) and not name.startswith(CHEAP, len("test_")):
            setattr(suite, name, None)  # pytest then collects nothing of this name
    marked: Any = suite
    marked.tries_configurations = False  # the first suite tries them
    if "dtypes" not in vars(suite):
        marked.dtypes = ()  # the first suite tries them
    return suite
