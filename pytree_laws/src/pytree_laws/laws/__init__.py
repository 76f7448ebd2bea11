"""The pytree laws, one a file, and the suite that is composed of them."""

from collections.abc import Mapping

from ..engine.registry import with_tests_of
from ..kinds.pytree import PytreeSuite
from ..report import Law
from .effects import (
    p12_purity,
    p13_edit,
    p14_migrations,
    p14_save,
    p14_settings,
    p15_keys,
    p15_ownership,
    p16_helpers,
    processes,
    randomness,
)
from .sharding import p20_sharding, p21_sharded
from .structure import (
    p01_construct,
    p01_defaults,
    p01_draws,
    p01_kept_inputs,
    p02_manifest,
    p03_round_trip,
    p04_key_paths,
    p05_static,
    p17_identity,
)
from .transforms import (
    p06_one_trace,
    p07_compute,
    p07_jit_equals_eager,
    p07_outputs,
    p08_never_stale,
    p09_gradient,
    p10_vmap,
    p11_carry,
    p18_backend,
    p22_stacked,
)
from .values import p19_numbers, p19_snapshot
from .variants import (
    configuration_effects,
    configurations,
    declared_results,
    flags,
    idle_settings,
    method_carries,
    method_dependence,
    method_dtypes,
    method_gradients,
    method_keys,
    method_results,
    method_sizes,
    methods,
    next_instances,
)

# Causes come before what follows from them; first of all, the example is built.
CHECKS = (
    p01_construct.BUILDS,
    *(
        module.CHECKS
        for module in (
            p02_manifest,
            p01_construct,
            p01_draws,
            p01_defaults,
            p01_kept_inputs,
            p03_round_trip,
            p04_key_paths,
            method_results,  # which the call may use
            p07_outputs,
            configurations,
            flags,
            p12_purity,
            p05_static,
            p06_one_trace,
            p07_jit_equals_eager,
            p08_never_stale,
            p16_helpers,
            p09_gradient,
            p10_vmap,
            p11_carry,
            p13_edit,
            p14_save,
            p14_settings,
            p14_migrations,
            p15_ownership,
            p15_keys,
            processes,
            randomness,
            configuration_effects,
            p18_backend,
            p19_numbers,
            method_sizes,
            methods,
            method_keys,
            declared_results,
            method_dependence,
            method_dtypes,
            idle_settings,
            method_carries,
            method_gradients,
            next_instances,
            p19_snapshot,
            p20_sharding,
            p21_sharded,
            p07_compute,
            p17_identity,
            p22_stacked,
        )
    ),
)
LAWS: Mapping[str, Law] = dict(
    sorted(
        {checks.law.number: checks.law for checks in CHECKS if checks.law}.items(),
        key=lambda pair: int(pair[0][1:]),
    )
)


@with_tests_of(*CHECKS)
class PytreeLaws(PytreeSuite):
    """All laws of pytrees. Subclass it with a name that starts with `Test`."""
