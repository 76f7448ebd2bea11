"""NNX modules of many styles that hold every law: what the laws must not refuse."""
# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

import jax
import jax.numpy as jnp
from flax import nnx
from harness.nnx_modules import Output, SizedLaws, Var, sample


class Dense(nnx.Module):
    """As Flax writes it: kernel on the right, an optional bias, settings kept as attributes."""

    def __init__(self, size, use_bias=True, activation=jnp.tanh, *, rngs):
        kernel = nnx.initializers.lecun_normal()(rngs.params(), (size, size), jnp.float32)
        self.kernel = nnx.Param(kernel)
        self.bias = (
            nnx.Param(nnx.initializers.zeros(rngs.params(), (size,), jnp.float32)) if use_bias else None
        )
        self.size, self.use_bias, self.activation = size, use_bias, activation

    def __call__(self, x):
        y = x @ self.kernel
        return self.activation(y if self.bias is None else y + self.bias)


class DenseLaws(SizedLaws):
    cls = Dense
    variables = (
        Var("kernel", nnx.Param, (3, 3), std=3**-0.5),
        Var("bias", nnx.Param, (3,), value=0.0),
    )
    static = {"size": 3, "use_bias": True, "activation": ...}
    other = {"use_bias": False}
    drawn = ("kernel",)
    used = ("activation",)


class Redrawn(Dense):
    """A kernel that is drawn by a constant key, and replaced at once."""

    def __init__(self, size, use_bias=True, activation=jnp.tanh, *, rngs):
        super().__init__(size, use_bias, activation, rngs=nnx.Rngs(0))
        self.kernel[...] = nnx.initializers.lecun_normal()(rngs.params(), (size, size), jnp.float32)


class RedrawnLaws(DenseLaws):
    cls = Redrawn


class Normed(nnx.Module):
    """BatchNorm and Dropout of Flax, which keep statistics and streams of keys."""

    def __init__(self, size, *, rngs):
        self.linear = nnx.Linear(size, size, rngs=rngs)
        self.norm = nnx.BatchNorm(size, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.dropout(self.norm(self.linear(x)))


class NormedLaws(SizedLaws):
    cls = Normed
    variables = tuple(Var(name, nnx.Module) for name in ("linear", "norm", "dropout"))
    drawn = ("linear",)
    returns = (Output((5, 3)),)

    def arguments(self, seed):
        return (sample(seed, (5, 3)),)


class Stack(nnx.Module):
    """An nnx.List of modules of one's own, nested twice, and an nnx.Dict of Variables."""

    def __init__(self, size, depth=2, *, rngs):
        self.blocks = nnx.List([nnx.List([Dense(size, rngs=rngs)]) for _ in range(depth)])
        self.scales = nnx.Dict({"a": nnx.Param(jnp.ones((size,), jnp.float32))})

    def __call__(self, x):
        for block in self.blocks:
            x = x + block[0](x)
        return x * self.scales["a"][...]


class StackLaws(SizedLaws):
    cls = Stack
    variables = (Var("blocks", nnx.Param, below=True), Var("scales.a", nnx.Param, (3,), value=1.0))
    other = {"depth": 1}
    drawn = ("blocks",)


class Adapter(nnx.Module):
    """A low-rank adapter: its first matrix has no gradient until the second one has moved from zero."""

    def __init__(self, size, rank=2, *, rngs):
        self.inner = nnx.Linear(size, size, use_bias=False, rngs=rngs)
        self.down = nnx.LoRAParam(jax.random.normal(rngs.lora(), (size, rank), jnp.float32))
        self.up = nnx.LoRAParam(jnp.zeros((rank, size), jnp.float32))

    def __call__(self, x):
        return self.inner(x) + x @ self.down @ self.up


class AdapterLaws(SizedLaws):
    cls = Adapter
    variables = (
        Var("inner", nnx.Module),
        Var("down", nnx.LoRAParam, (3, 2), std=1.0),
        Var("up", nnx.LoRAParam, (2, 3), value=0.0),
    )
    drawn = ("inner", "down")


class Cell(nnx.Module):
    """A recurrent cell, whose carry comes and goes as an argument."""

    def __init__(self, size, *, rngs):
        self.inner = nnx.SimpleCell(size, size, rngs=rngs)

    def __call__(self, carry, x):
        return self.inner(carry, x)


class CellLaws(SizedLaws):
    cls = Cell
    variables = (Var("inner", nnx.Module),)
    carry = 0
    returns = (Output((3,)), Output((3,)))

    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed + 1, (3,))


class Tied(nnx.Module):
    """One Variable under two names, which Flax keeps once, and a flag."""

    def __init__(self, size, bounded: bool = True, *, rngs):
        self.table = nnx.Param(jax.random.normal(rngs.params(), (size, size), jnp.float32))
        self.head, self.bounded = self.table, bounded

    def __call__(self, index):
        row = self.table[...][index]
        return self.head[...] @ (jnp.tanh(row) if self.bounded else row)


class TiedLaws(SizedLaws):
    cls = Tied
    variables = (Var("head", nnx.Param, (3, 3), std=1.0),)
    tied = ("head",)

    def arguments(self, seed):
        return (sample(seed, (), "int32", high=3),)


class Noisy(nnx.Module):
    """Noise from its own stream, from an argument, and a counter; the module is no pytree."""

    def __init__(self, size, rate=0.1, *, rngs):
        self.scale = nnx.Param(jnp.ones((size,), jnp.float32))
        self.calls = nnx.Variable(jnp.zeros((), jnp.int32))
        self.rngs = rngs.fork() if hasattr(rngs, "fork") else rngs
        self.rate = rate

    @property
    def size(self):
        return self.scale.shape[0]

    def __call__(self, x, key):
        self.calls[...] += 1
        own = jax.random.normal(self.rngs.noise(), x.shape, x.dtype)
        return self.scale * (x + self.rate * (own + jax.random.normal(key, x.shape, x.dtype)))


class NoisyLaws(SizedLaws):
    cls = Noisy
    variables = (
        Var("scale", nnx.Param, (3,), value=1.0),
        Var("calls", nnx.Variable, (), "int32", value=0),
        Var("rngs", nnx.Module),
    )
    static = {"rate": 0.1}
    used = ("rate",)
    updates = ("calls",)

    def arguments(self, seed):
        return sample(seed, (3,)), jax.random.key(seed)


class Spectrum(nnx.Module, pytree=False):
    """Complex weights, and a class that does not want to be a pytree."""

    def __init__(self, size, *, rngs):
        self.weight = nnx.Param(jax.random.normal(rngs.params(), (size,), jnp.complex64))

    def __call__(self, x):
        return jnp.real(self.weight * x.astype(jnp.complex64))


class SpectrumLaws(SizedLaws):
    cls = Spectrum
    variables = (Var("weight", nnx.Param, (3,), "complex64", std=1.0),)


class Pool(nnx.Module):
    """A module without a Variable, and without a random draw."""

    def __init__(self, window=3):
        self.window = window

    def __call__(self, x):
        return jnp.convolve(x, jnp.ones((self.window,), x.dtype) / self.window, "same")


class PoolLaws(SizedLaws):
    cls = Pool
    static = {"window": 3}
    used = ("window",)

    def inputs(self, seed):
        return {"window": 3}


class Part(nnx.Module):
    """Reads a half of its table in each call: the other half is declared as unused."""

    def __init__(self, size, *, rngs):
        self.table = nnx.Param(jax.random.normal(rngs.params(), (2, size), jnp.float32))

    def __call__(self, x):
        return self.table[0] * x

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)


class PartLaws(SizedLaws):
    cls = Part
    variables = (Var("table", nnx.Param, (2, 3), std=1.0, unused=True),)


class Given(nnx.Module):
    """Holds the arrays and the modules that it is given."""

    def __init__(self, centre, layers):
        self.centre = nnx.Variable(jnp.array(centre))
        self.layers = nnx.List(layers)

    def __call__(self, x):
        x = x - jax.lax.stop_gradient(self.centre[...])
        for layer in self.layers:
            x = layer(x)
        return x


class GivenLaws(SizedLaws):
    cls = Given
    variables = (Var("centre", nnx.Variable, (3,)), Var("layers", nnx.Module))
    kept = ("centre",)
    used = ("centre",)

    def inputs(self, seed):
        layers = [Dense(3, rngs=nnx.Rngs(seed)), nnx.Linear(3, 3, rngs=nnx.Rngs(seed + 1))]
        return {"centre": sample(seed, (3,)), "layers": layers}


GOOD = [one for one in list(globals().values()) if isinstance(one, type) and "cls" in vars(one)]
