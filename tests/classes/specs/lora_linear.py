import equinox as eqx
import jax
from equinox.nn import Linear
from jaxtyping import Array, Float, PRNGKeyArray

from scaffold.skeleton import Module, module, param, static, test


@test(values={"base": lambda seed: Linear(3, 5, key=jax.random.key(seed))})
class LoRALinear(Module):
    """A linear map that stays as it is, with a trained correction of low rank."""

    base: Linear = module(frozen=True)
    down: Float[Array, "rank in_size"] = param("lecun_normal")
    up: Float[Array, "out_size rank"] = param("zeros")
    scale: float = static(1.0)

    @classmethod
    def from_linear(cls, linear: Linear, rank: int, scale: float = 1.0, *, key: PRNGKeyArray) -> "LoRALinear":
        """The linear map with a correction that begins as zero."""
        out_size, in_size = linear.weight.shape
        return cls.create(linear, rank, in_size, out_size, scale, linear.weight.dtype, key=key)

    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
        """Map `x`, with the correction."""
        return self.base(x) + self.scale * (self.up @ (self.down @ x))

    def merge(self) -> Linear:
        """The corrected map as one linear map."""
        weight = self.base.weight + self.scale * self.up @ self.down
        return eqx.tree_at(lambda linear: linear.weight, self.base, weight)
