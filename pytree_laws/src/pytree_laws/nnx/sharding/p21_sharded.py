"""P21, of NNX modules: what a call leaves in its Variables is compared too."""

from ...engine.runner import guard
from ...laws.sharding.p21_sharded import Sharded
from ...report import Law
from .p20_sharding import NnxSharding

LAW = Law(
    number="P21",
    since="0.2",
    name="sharded equals single",
    statement="On every mesh of the devices of `--mesh` that divides its dims, with explicit axes and with those that the compiler chooses, the class gives the values, gradients, training step and draws of one device; no array with a mesh axis is replicated, and a step may take the memory of what it replaces.",
    protects="Results that depend on the number of devices: an average over one shard, or a key that each device draws for itself.",
    mistake="Something is computed from a part of an array, such as an average or a key that each device makes its own, or an array is replicated on the way.",
    fix="Compute on whole arrays and let jax divide the work; keep axis names and device numbers out of the class.",
    rests_on=("test_p20_the_call_shards",),
)


@guard
class NnxSharded(NnxSharding, Sharded):
    """P21, of NNX modules."""
