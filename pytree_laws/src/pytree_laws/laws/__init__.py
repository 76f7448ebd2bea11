"""The pytree laws, each in a file, and the suite that is composed of them."""

from collections.abc import Mapping
from importlib import import_module

from ..engine.registry import with_tests_of
from ..kinds.pytree import PytreeSuite
from ..report import Law
from .structure import p01_construct

ORDER = (
    *(
        "structure.p02_manifest",
        "structure.p01_construct",
        "structure.p01_values",
        "structure.p03_round_trip",
    ),
    "structure.p04_key_paths",
    *("variants.method_results", "transforms.p07_outputs", "variants.configurations", "variants.flags"),
    *("effects.p12_purity", "structure.p05_static", "transforms.p06_one_trace"),
    *("transforms.p07_numbers", "transforms.p07_jit_equals_eager", "transforms.p08_never_stale"),
    "effects.p16_helpers",
    *("transforms.p09_gradient", "transforms.p09_edges", "transforms.p09_flow"),
    *("transforms.p10_vmap", "transforms.p11_carry", "effects.p13_edit"),
    *("effects.p14_save", "effects.p14_settings", "effects.p14_migrations", "effects.p15_ownership"),
    *("effects.p15_keys", "effects.processes", "effects.randomness", "variants.configuration_effects"),
    *("transforms.p18_backend", "values.p19_numbers", "variants.method_sizes", "variants.methods"),
    *("variants.method_keys", "variants.declared_results", "variants.method_dependence"),
    *("variants.method_dtypes", "variants.idle_settings", "variants.method_carries"),
    *("variants.method_gradients", "variants.next_instances", "values.p19_snapshot", "sharding.p20_sharding"),
    *("sharding.p21_sharded", "transforms.p07_compute", "structure.p17_identity", "transforms.p22_stacked"),
)
"""Modules of laws, with causes before their consequences."""
# First of all, the example is built.
CHECKS = (p01_construct.BUILDS, *(import_module(f".{name}", __name__).CHECKS for name in ORDER))
LAWS: Mapping[str, Law] = dict(
    sorted(
        {checks.law.number: checks.law for checks in CHECKS if checks.law}.items(),
        key=lambda pair: int(pair[0][1:]),
    )
)


@with_tests_of(*CHECKS)
class PytreeLaws(PytreeSuite):
    """The suite of a pytree, with all its laws. Subclass it with a name that starts with `Test`."""
