"""A small class for each law that breaks it, as the pages of the laws show them, and how it is built and called."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pytree_laws import Leaf


class Broken(NamedTuple):
    """How the class of a file is built and called, as source over `seed`, and what its suite declares."""

    build: str
    arguments: str = "sample(seed, (3,)),"
    declared: Mapping[str, Any] = {}
    where: str = ""
    """Of which place the finding is, where the first one tells random numbers."""


def reference(self: Any, instance: Any, x: Any) -> Any:
    """The formula of the docstring, in NumPy."""
    import numpy as np

    return np.logaddexp(0, 2.0 * x) / 2.0


CLASSES = {
    "p01_construct": Broken("Noisy(3, key=jax.random.key(seed))", where="build"),
    "p02_manifest": Broken("Shifted(3, key=jax.random.key(seed))"),
    "p03_round_trip": Broken("Line(sample(seed, ()), sample(seed + 1, ()))"),
    "p04_key_paths": Broken("Line(sample(seed, ()), sample(seed + 1, ()))"),
    "p05_static": Broken("Scaled(3)"),
    "p06_one_trace": Broken("Layer(3)"),
    "p07_jit_equals_eager": Broken("Clipped(3)"),
    "p08_never_stale": Broken(
        "Softplus(3)", declared={"leaves": (Leaf("raw", "param", (3,)), Leaf("scale", "data", (3,)))}
    ),
    "p09_gradient_and_step": Broken("Linear(3, key=jax.random.key(seed))"),
    "p10_vmap_equals_loop": Broken("Centred(3)"),
    "p11_carry": Broken("Average()", "sample(seed, ()), sample(seed + 1, ())", {"carry": 0}),
    "p12_purity": Broken("Logged(3)"),
    "p13_edit": Broken("Scale(3, 'a')", ""),
    "p14_save_and_load": Broken("Guarded(3)"),
    "p15_ownership": Broken("Tied(3, key=jax.random.key(seed))"),
    "p16_helpers": Broken("Half(3)"),
    "p17_identity": Broken("Mean(sample(seed, (3,)))"),
    "p18_backend": Broken("Placed(3)"),
    "p19_numbers": Broken("Softplus()", declared={"reference": reference}),
    "p22_stacked_layers": Broken("Tower(3, 2, key=jax.random.key(seed))", declared={"stacked": ("layers",)}),
}
"""By the name of the file; the laws of sharding need several devices, and docs/sharding.md shows what they find."""
