"""The pytree laws, one a file, and the suite that is composed of them."""

from collections.abc import Mapping
from typing import ClassVar

from ..engine.registry import with_tests_of
from ..report import Law
from .effects import p12_purity, p13_edit, p14_save, p15_ownership, p16_helpers, randomness
from .sharding import p20_sharding, p21_sharded
from .structure import (
    p01_construct,
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
    p08_never_stale,
    p08_sizes,
    p09_gradient,
    p10_vmap,
    p11_carry,
    p18_backend,
    p22_stacked,
)
from .values import p19_invariants, p19_numbers, p19_snapshot
from .variants import configurations, flags, methods

LAWS: Mapping[str, Law] = {
    module.LAW.number: module.LAW
    for module in (
        p01_construct,
        p02_manifest,
        p03_round_trip,
        p04_key_paths,
        p05_static,
        p06_one_trace,
        p07_jit_equals_eager,
        p08_never_stale,
        p09_gradient,
        p10_vmap,
        p11_carry,
        p12_purity,
        p13_edit,
        p14_save,
        p15_ownership,
        p16_helpers,
        p17_identity,
        p18_backend,
        p19_numbers,
        p20_sharding,
        p21_sharded,
        p22_stacked,
    )
}


CHECKS = (p07_compute.CHECKS, p17_identity.CHECKS, p22_stacked.CHECKS)


# pytest runs the tests of the last base first: causes come before what follows from them.
@with_tests_of(*CHECKS)
class PytreeLaws(
    p21_sharded.Sharded,
    p20_sharding.PytreeSharding,
    p20_sharding.Sharding,
    p19_snapshot.PytreeRecord,
    p19_snapshot.NumbersOfRecord,
    methods.PytreeMethods,
    p19_numbers.Numbers,
    p19_invariants.Invariants,
    p18_backend.Backend,
    p16_helpers.Helpers,
    p16_helpers.Keys,
    randomness.Randomness,
    randomness.Processes,
    p15_ownership.PytreeOwnership,
    p15_ownership.Ownership,
    p14_save.Save,
    p13_edit.Edit,
    p12_purity.PytreePurity,
    p12_purity.Purity,
    p11_carry.Carry,
    p10_vmap.Vmap,
    p09_gradient.Step,
    p09_gradient.Gradient,
    p08_sizes.Sizes,
    p08_never_stale.NeverStale,
    p07_jit_equals_eager.PytreeJitEqualsEager,
    p06_one_trace.OneTrace,
    p05_static.Static,
    flags.Flags,
    configurations.Configurations,
    p07_jit_equals_eager.JitEqualsEager,  # first of all: the call works
    p04_key_paths.KeyPaths,
    p03_round_trip.RoundTrip,
    p02_manifest.PytreeManifest,
    p02_manifest.Manifest,
    p01_construct.PytreeConstruct,
    p01_kept_inputs.Kept,
    p01_construct.Construct,
):
    """All laws of pytrees. Subclass it with a name that starts with `Test`."""

    laws_by_number: ClassVar[Mapping[str, Law]] = LAWS
