import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from scaffold.skeleton import Module, module, param, static, test


class Lru(Module, save=True):
    """A linear recurrent unit: a diagonal recurrence with complex eigenvalues inside the unit circle."""

    nu_log: Float[Array, " state"] = param(
        lambda key, state, dtype: jnp.log(
            -0.5 * jnp.log(jax.random.uniform(key, (state,), dtype, 0.81, 0.998))
        ),
        decay=False,
    )
    theta: Float[Array, " state"] = param(
        lambda key, state, dtype: jax.random.uniform(key, (state,), dtype, 0.0, 2 * jnp.pi),
        decay=False,
    )
    inward: Float[Array, "2 state size"] = param("normal(1 / math.sqrt(2 * size))")
    """Real and imaginary part of the input's weights"""
    outward: Float[Array, "2 size state"] = param("normal(1 / math.sqrt(state))")
    skip: Float[Array, " size"] = param("normal(1.0)")
    normalise: bool = True

    @property
    def eigenvalues(self) -> Complex[Array, " state"]:
        """Those of the recurrence."""
        return jnp.exp(jax.lax.complex(-jnp.exp(self.nu_log), self.theta))

    def drive(self, x: Float[Array, " size"]) -> Float[Array, "2 state"]:
        """What an input adds to the state, real and imaginary part."""
        pushed = self.inward @ x
        if not self.normalise:
            return pushed
        return pushed * jnp.sqrt(-jnp.expm1(-2 * jnp.exp(self.nu_log)))

    def step(
        self, hidden: Float[Array, "2 state"], x: Float[Array, " size"]
    ) -> tuple[Float[Array, "2 state"], Float[Array, " size"]]:
        """The next state, as real and imaginary part, and the output."""
        radius = jnp.exp(-jnp.exp(self.nu_log))
        cosine, sine = radius * jnp.cos(self.theta), radius * jnp.sin(self.theta)
        real, imaginary = hidden
        turned = jnp.stack([cosine * real - sine * imaginary, sine * real + cosine * imaginary])
        hidden = turned + self.drive(x)
        return hidden, self.read(hidden, x)

    def read(self, hidden: Float[Array, "2 state"], x: Float[Array, " size"]) -> Float[Array, " size"]:
        """The output at a state."""
        real = self.outward[0] @ hidden[0] - self.outward[1] @ hidden[1]
        return real + self.skip * x

    def __call__(self, xs: Float[Array, "time size"], *, reverse: bool = False) -> Float[Array, "time size"]:
        """The outputs of a sequence that begins at state 0."""
        start = jnp.zeros((2, *self.nu_log.shape), self.nu_log.dtype)
        return jax.lax.scan(lambda hidden, x: self.step(hidden, x), start, xs, reverse=reverse)[1]


@test(sizes={"state": 5, "size": 4, "depth": 2, "time": 7})
class LruStack(Module, save=True):
    """Units behind each other, each behind a norm and beside a residual."""

    units: list[Lru] = module()
    scales: Float[Array, "depth size"] = param("ones", decay=False)
    head: Float[Array, "size size"] = param("lecun_normal")
    depth: int = static(2, check=lambda depth: depth > 0)
    both_ways: bool = False

    def __init__(
        self,
        state: int,
        size: int,
        depth: int = 2,
        both_ways: bool = False,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        self.depth = depth
        self.both_ways = both_ways
        self.units = [
            Lru.create(state, size, dtype=dtype, key=unit_key) for unit_key in jax.random.split(key, depth)
        ]

    def __call__(self, xs: Float[Array, "time size"]) -> Float[Array, "time size"]:
        """The outputs of a sequence."""
        for index, unit in enumerate(self.units):
            reverse = self.both_ways and index % 2 == 1
            xs = xs + jax.nn.gelu(unit(self.norm(xs, self.scales[index]), reverse=reverse))
        return xs @ self.head.T

    def summary(self, xs: Float[Array, "time size"]) -> Float[Array, " size"]:
        """The output of the whole sequence: the last, or the mean where units run both ways."""
        outputs = self(xs)
        return jnp.mean(outputs, axis=0) if self.both_ways else outputs[-1]

    @staticmethod
    def norm(xs: Float[Array, "time size"], scale: Float[Array, " size"]) -> Float[Array, "time size"]:
        """Rows with root mean square 1, scaled."""
        square = jnp.mean(xs**2, axis=-1, keepdims=True)
        return scale * xs * jax.lax.rsqrt(square + 1e-6)
