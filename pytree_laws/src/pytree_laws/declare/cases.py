"""Further configurations of a class, each a suite that inherits what the first one declares.

    @case
    class TestAffineWithoutBias(TestAffine):
        leaves = (Leaf("weight", "param", (3, 2)),)

        def inputs(self, seed):
            return {**super().inputs(seed), "use_bias": False}

The laws that cost little are held again, and the tests that the author wrote.
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
"""How the tests of laws begin that each configuration is held to."""
_OF_A_LAW = re.compile(r"test_p\d\d_")


def case(suite: Marked) -> Marked:
    """Marks a suite as a further configuration of the class of the suite that it inherits."""
    for name in dir(suite):
        if _OF_A_LAW.match(name) and not name.startswith(CHEAP, len("test_")):
            setattr(suite, name, None)  # pytest then collects nothing of this name
    marked: Any = suite
    marked.tries_configurations = False  # the first suite tries them
    if "dtypes" not in vars(suite):
        marked.dtypes = ()  # the first suite tries them
    return suite
