"""The laws of NNX modules: what every `flax.nnx.Module` must hold, as tests.

Subclass `NnxLaws` in a test file, declare the Variables, and say how to build and call the
module; pytest then runs every law on it:

    class TestCounter(NnxLaws):
        variables = (
            Var("scale", nnx.Param, (3,)),
            Var("calls", nnx.BatchStat, (), "int32"),
        )
        updates = ("calls",)

        def inputs(self, seed):
            return {"size": 3, "rngs": nnx.Rngs(seed)}

        def build(self, **inputs):
            return Counter(**inputs)

        def arguments(self, seed):
            return (sample(seed, (3,)),)

        def call(self, counter, *arguments):
            return counter(*arguments)

The laws have the numbers of the pytree laws. P4 is about key paths, which Flax makes for its
modules, and is left out; so is P22, for Flax stacks layers itself, with `nnx.vmap` and `nnx.scan`.
"""

from collections.abc import Mapping
from typing import ClassVar

from ..engine.registry import with_tests_of
from ..laws import CHECKS
from ..laws.effects import p12_purity as pytree_p12
from ..laws.effects import p15_ownership as pytree_p15
from ..laws.effects import p16_helpers as pytree_p16
from ..laws.effects import randomness
from ..laws.structure import p01_construct as pytree_p01
from ..laws.structure import p01_kept_inputs
from ..laws.structure import p02_manifest as pytree_p02
from ..laws.transforms import p07_jit_equals_eager as pytree_p07
from ..laws.transforms import p18_backend as pytree_p18
from ..laws.values import p19_invariants as pytree_p19_invariants
from ..laws.values import p19_numbers as pytree_p19
from ..laws.values import p19_snapshot as pytree_p19_snapshot
from ..laws.variants import configurations, flags
from ..report import Law
from .effects import p12_purity, p13_edit, p14_save, p15_ownership, p16_helpers
from .sharding import p20_sharding, p21_sharded
from .structure import p01_construct, p02_manifest, p03_round_trip, p05_static, p17_identity, ties
from .subject.variables import Var
from .transforms import (
    p06_one_trace,
    p07_jit_equals_eager,
    p08_never_stale,
    p08_sizes,
    p09_gradient,
    p10_vmap,
    p11_carry,
    p18_backend,
)
from .variants import methods, p19_snapshot

__all__ = ["LAWS", "NnxLaws", "Var"]

LAWS: Mapping[str, Law] = {
    module.LAW.number: module.LAW
    for module in (
        p01_construct,
        p02_manifest,
        p03_round_trip,
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
        p19_snapshot,
        p20_sharding,
        p21_sharded,
    )
}


# pytest runs the tests of the last base first: causes come before what follows from them.
@with_tests_of(*(each for each in CHECKS if each.law.number == "P17"))
class NnxLaws(
    p21_sharded.NnxSharded,
    p20_sharding.NnxSharding,
    p19_snapshot.NnxRecord,
    pytree_p19_snapshot.NumbersOfRecord,
    methods.NnxMethods,
    pytree_p19.Numbers,
    pytree_p19_invariants.Invariants,
    pytree_p18.Backend,
    ties.NnxTies,
    p16_helpers.NnxHelpers,
    pytree_p16.Keys,
    randomness.Randomness,
    randomness.Processes,
    p15_ownership.NnxOwnership,
    pytree_p15.Ownership,
    p14_save.NnxSave,
    p13_edit.NnxEdit,
    p12_purity.NnxPurity,
    pytree_p12.Purity,
    p11_carry.NnxCarry,
    p10_vmap.NnxVmap,
    p09_gradient.NnxStep,
    p09_gradient.NnxGradient,
    p08_sizes.NnxSizes,
    p08_never_stale.NnxNeverStale,
    p07_jit_equals_eager.NnxJitEqualsEager,
    p06_one_trace.NnxOneTrace,
    p05_static.NnxStatic,
    flags.Flags,
    configurations.Configurations,
    pytree_p07.JitEqualsEager,  # first of all: the call works
    p03_round_trip.NnxRoundTrip,
    p02_manifest.NnxManifest,
    pytree_p02.Manifest,
    p01_construct.NnxConstruct,
    p01_kept_inputs.Kept,
    pytree_p01.Construct,
):
    """All laws of NNX modules. Subclass it with a name that starts with `Test`."""

    laws_by_number: ClassVar[Mapping[str, Law]] = LAWS
