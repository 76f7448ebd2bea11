"""P20, of NNX modules, whose Variables say in their metadata where they lie."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from flax import nnx

from ...engine.runner import guard
from ...inspect.arrays import is_floating
from ...laws.sharding.p20_sharding import Sharding
from ...report import Law
from ..subject.suite import NnxSuite
from ..subject.variables import variables_of

LAW = Law(
    number="P20",
    since="0.2",
    name="sharding",
    statement="On an abstract mesh with explicit axes the call traces with each dim of `sharding` on its mesh axis, results are sharded as their dims say, the metadata of each Variable has the axes of its named dims, and a training step keeps the sharding of each Variable.",
    mistake="A product contracts a sharded dim and states no `out_sharding`, or the `out_sharding` of a Variable is transposed or left out.",
    fix="State `out_sharding` where a sharded dim is contracted, and let that of a Variable name the dims in the order of the annotation.",
    rests_on=("test_p02_variables_are_", "test_p03_round_trip", "test_p07_outputs_are"),
)


@guard
class NnxSharding(Sharding, NnxSuite):
    """P20, of NNX modules."""

    def trained_names(self) -> AbstractSet[str]:
        held = variables_of(self.cached_instance()).items()
        return {
            path
            for path, variable in held
            if isinstance(variable, nnx.Param) and is_floating(variable.get_value())
        }

    def specs_of_leaves(self, instance: Any) -> Sequence[Any] | None:
        held = variables_of(instance).values()
        said = [getattr(one, "out_sharding", None) for one in held]
        return [each or () for each in said] if any(said) else None

    def call_with_state(self, instance: Any, *arguments: Any) -> Any:
        output, state = self.run(instance, *arguments)
        return output, {path: state[path] for path in self.updated()}
