"""P20, of NNX modules."""

from ...engine.runner import guard
from ...laws.sharding.p20_sharding import Sharding
from ...report import Law

LAW = Law(
    number="P20",
    name="sharding",
    statement="On an abstract mesh with explicit axes the call traces with each named dim on a mesh axis by which the record says that it shards.",
    mistake="A product contracts a sharded dim and states no `out_sharding`.",
    fix="State `out_sharding` where a sharded dim is contracted.",
    rests_on=("test_p02_variables_are_", "test_p03_round_trip", "test_p07_outputs_are"),
)


@guard
class NnxSharding(Sharding):
    """P20, of NNX modules."""
