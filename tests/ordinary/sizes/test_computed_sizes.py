"""Sizes that a constructor computes, or has by default: the tests take them for those of its dims."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Complex, Float, Int, PRNGKeyArray
from scaffold.skeleton import Module, Pytree, buffer, data, param, static, test
"""


SPECTRAL = """class Spectral(Module):
    weight: Complex[Array, "channels half"] = param()
    window: Float[Array, " width"] = buffer()
    hidden: Float[Array, "h channels"] = param()

    def __init__(self, channels: int, n: int = 16, depth: int = 3, *, key: PRNGKeyArray):
        modes = n // 2 + 1
        self.weight = jax.random.normal(key, (channels, modes), jnp.complex64)
        self.window = jnp.hanning(2 * depth + 1)
        self.hidden = jax.random.normal(key, (4 * channels, channels))

    def __call__(self, x: Float[Array, "channels n"]) -> Float[Array, "h n"]:
        return self.hidden @ jnp.fft.irfft(self.weight * jnp.fft.rfft(x), x.shape[-1]) * self.window.sum()
"""


@pytest.mark.slow  # classes below have such dims
def test_dims_that_a_constructor_computes_have_the_sizes_that_it_gives_them(tmp_path: Path) -> None:
    generated(tmp_path, {"spectral": HEAD + SPECTRAL})
    tests = suite_text(tmp_path, "spectral")
    assert '"weight", "param", (2, 9), "complex64"' in tests and '"n": 16' in tests, "16 // 2 + 1"
    assert '"window", "buffer", (7,)' in tests and '"hidden", "param", (8, 2)' in tests
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 80


DECAY = """class Decay(Module):
    rate: Float[Array, ""] = param(lambda: jnp.array(0.5))
    pull: Float[Array, ""] = param(lambda: jnp.array(0.3))
    steps: int = static(8)

    def __call__(self, x: Float[Array, ""]) -> Float[Array, " steps"]:
        def body(carry, _):
            x, v = carry
            return (self.rate * x + v, v + self.pull * (1 - v)), x

        return jax.lax.scan(body, (x, jnp.full_like(x, 0.5)), None, length=self.steps)[1]
"""


@pytest.mark.slow  # dims that a constructor computes are tried in every run
def test_a_dim_with_a_small_default_has_that_size(tmp_path: Path) -> None:
    generated(tmp_path, {"decay": HEAD + DECAY})
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 80, "of two steps `pull` moves nothing"


TREE = """class Tree(Module):
    children: Int[Array, "inner 2"] = buffer()
    log_branch: Float[Array, " edges"] = param()

    def __init__(self, tips: int, length: float = 0.1):
        rows = [(0, 1)] + [(tips + i - 1, i + 1) for i in range(1, tips - 1)]
        self.children = jnp.asarray(rows, jnp.int32)
        self.log_branch = jnp.full((2 * tips - 2,), jnp.log(length))

    def __call__(self, x: Float[Array, "tips sites"]) -> Float[Array, " sites"]:
        return x[self.children[:, 1]].sum(0) * jnp.exp(self.log_branch).sum()
"""


@pytest.mark.slow  # dims that a constructor computes are tried in every run
def test_a_dim_of_which_nothing_says_the_size_is_left_open(tmp_path: Path) -> None:
    generated(tmp_path, {"tree": HEAD + TREE})
    tests = suite_text(tmp_path, "tree")
    assert (
        'Leaf("children", "buffer", None, "int32")' in tests and 'Leaf("log_branch", "param", (8,))' in tests
    )
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 80


SPREAD = """

def knots_between(intervals: int, degree: int):
    return jnp.linspace(-1.0, 1.0, intervals + 2 * degree + 1)


class Spread(Module):
    weight: Float[Array, " parts"] = param()
    knots: Float[Array, " knots"] = buffer()

    def __init__(self, parts: int, intervals: int = 5, degree: int = 2, *, key: PRNGKeyArray):
        self.weight = jax.random.normal(key, (parts,))
        self.knots = knots_between(intervals, degree)

    def __call__(self, x: Float[Array, ""]) -> Float[Array, " parts"]:
        return self.weight * jnp.sum(jnp.abs(x - self.knots))
"""


@pytest.mark.slow
def test_a_number_that_a_function_of_the_file_takes_is_no_size_of_what_it_gives(tmp_path: Path) -> None:
    tried(tmp_path, "spread", HEAD + SPREAD)
    suite = suite_text(tmp_path, "spread")
    assert 'Leaf("knots", "buffer", None)' in suite, suite


LAYERS = """

class Layers(Module):
    params: dict[str, Float[Array, "..."]] = param()
    depth: int = static()

    def __init__(self, sizes: tuple[int, ...], *, key: PRNGKeyArray):
        params = {}
        for i, (n, m) in enumerate(zip(sizes[:-1], sizes[1:])):
            params[f"w{i}"] = jax.random.normal(jax.random.fold_in(key, i), (m, n))
        self.params = params
        self.depth = len(sizes) - 1

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " m"]:
        for i in range(self.depth):
            x = jnp.tanh(self.params[f"w{i}"] @ x)
        return x
"""


@pytest.mark.slow
def test_a_name_that_a_loop_binds_is_no_size_of_a_call(tmp_path: Path) -> None:
    tried(tmp_path, "layers", HEAD + LAYERS, least=80)


CLASSES = {
    "heads": """
class Heads(eqx.Module):
    lin: eqx.nn.Linear
    heads: int = eqx.field(static=True)

    def __init__(self, dim: int, heads: int = 2, *, key: PRNGKeyArray):
        if dim % (2 * heads) != 0:
            raise ValueError("dim must be divisible by 2 * heads")
        self.lin = eqx.nn.Linear(dim, dim, key=key)
        self.heads = heads

    def __call__(self, x: Float[Array, " dim"]) -> Float[Array, "heads d"]:
        return self.lin(x).reshape(self.heads, -1)
""",
    "rotary": """
class Rotary(eqx.Module):
    cos: Float[Array, "n half"] = buffer()

    def __init__(self, head_dim: int, n: int = 8):
        self.cos = jnp.cos(jnp.arange(n)[:, None] * 2.0 ** -jnp.arange(0, head_dim, 2))

    def __call__(self, x: Float[Array, "seq head_dim"]) -> Float[Array, "seq head_dim"]:
        a, b = jnp.split(x, 2, axis=-1)
        cos = self.cos[: x.shape[0]]
        return jnp.concatenate([a * cos, b * cos], axis=-1)

    def pairs(self, x: Float[Array, "seq head_dim"]) -> Float[Array, "seq half"]:
        return x[..., ::2] - x[..., 1::2]
""",
    "spectral": """
class Spectral(eqx.Module):
    weight: Float[Array, "cin cout modes"] = param()
    modes: int

    def __init__(self, cin: int, cout: int, modes: int, *, key: PRNGKeyArray):
        self.weight = jax.random.normal(key, (cin, cout, modes))
        self.modes = modes

    def __call__(self, x: Float[Array, "cin n"]) -> Float[Array, "cout n"]:
        n = x.shape[-1]
        x_hat = jnp.fft.rfft(x)[:, : self.modes]
        y_hat = jnp.einsum("im,iom->om", x_hat, self.weight[:, :, : x_hat.shape[-1]])
        return jnp.fft.irfft(y_hat, n=n)
""",
    "causal": """
class Causal(eqx.Module):
    query: eqx.nn.Linear
    key: eqx.nn.Linear
    positions: Float[Array, "block size"] = param("normal")
    mask: Float[Array, "block block"] = buffer()

    def __init__(self, size: int, block: int, *, key: PRNGKeyArray):
        first, second, third = jax.random.split(key, 3)
        self.query = eqx.nn.Linear(size, size, key=first)
        self.key = eqx.nn.Linear(size, size, key=second)
        self.positions = jax.random.normal(third, (block, size))
        self.mask = jnp.where(jnp.tril(jnp.ones((block, block))) > 0, 0.0, -1e9)

    def __call__(self, x: Float[Array, "length size"]) -> Float[Array, "length size"]:
        length = x.shape[0]
        x = x + self.positions[:length]
        scores = jax.vmap(self.query)(x) @ jax.vmap(self.key)(x).T + self.mask[:length, :length]
        return jax.nn.softmax(scores, axis=-1) @ x
""",
    "attend": """
class Attend(eqx.Module):
    att: Float[Array, "heads per_head"]
    heads: int

    def __init__(self, out_dim: int, heads: int = 2, concat: bool = True, *, key: PRNGKeyArray):
        per_head = out_dim // heads if concat else out_dim
        self.att = jax.random.normal(key, (heads, per_head))
        self.heads = heads

    def __call__(self, x: Float[Array, " out_dim"]) -> Float[Array, " heads"]:
        return (x.reshape(self.heads, -1) * self.att).sum(-1)
""",
    "frames": """
class Frames(eqx.Module):
    window: Float[Array, " n_fft"] = buffer()

    def __init__(self, n_fft: int = 16):
        self.window = 0.5 - 0.5 * jnp.cos(2 * jnp.pi * jnp.arange(n_fft) / n_fft)

    def __call__(self, signal: Float[Array, " samples"]) -> Float[Array, " samples"]:
        return jnp.convolve(signal, self.window, mode="same")
""",
    # The constructor divides a size; a part may have no arrays.
    "attention": """
class Attention(Module):
    qkv: eqx.nn.Linear
    norm: eqx.Module
    heads: int = static()

    def __init__(self, size: int, heads: int, *, norms: bool = False, key: PRNGKeyArray):
        head_size = size // heads
        assert head_size * heads == size, "size must be divisible by heads"
        self.qkv = eqx.nn.Linear(size, 3 * size, key=key)
        self.norm = eqx.nn.LayerNorm(head_size) if norms else eqx.nn.Identity()
        self.heads = heads

    def __call__(self, x: Float[Array, "n size"]) -> Float[Array, "n size"]:
        q, k, v = jnp.split(jax.vmap(self.qkv)(x).reshape(x.shape[0], self.heads, -1), 3, axis=-1)
        weights = jax.nn.softmax(jnp.einsum("nhd,mhd->hnm", jax.vmap(jax.vmap(self.norm))(q), k))
        return jnp.einsum("hnm,mhd->nhd", weights, v).reshape(x.shape)
""",
}
IN_TESTS = {
    "frames": 'Leaf("window", "buffer", (16,))',
}


@pytest.mark.spread(24)
@pytest.mark.parametrize("name", CLASSES)
def test_sizes_are_those_that_the_constructor_computes(tmp_path: Path, name: str) -> None:
    tried(tmp_path, name, HEAD + CLASSES[name])
    suite = suite_text(tmp_path, name)
    assert IN_TESTS.get(name, "") in suite


WIDE = """
import jax.numpy as jnp
from flax import nnx


class Wide(nnx.Module):
    def __init__(self, size: int, width: int = 1024, most: int = 512, seed: int = 5000, *, rngs: nnx.Rngs):
        sizes = [width] * 2
        self.first = nnx.Linear(size, sizes[0], rngs=rngs)
        self.hidden = nnx.List([nnx.Linear(sizes[1], most, rngs=rngs), nnx.Linear(most, width, rngs=rngs)])
        self.seed = seed

    def __call__(self, x):
        x = self.first(x)
        for layer in self.hidden:
            x = layer(jnp.tanh(x))
        return x + self.seed
"""


def test_a_size_with_a_large_default_is_small_in_the_tests(tmp_path: Path) -> None:
    generated(tmp_path, {"wide": WIDE})
    tests = suite_text(tmp_path, "wide")
    assert '"size": 2,\n            "width": 3,\n            "most": 5,\n            "rngs"' in tests, (
        "and no other default is replaced"
    )


HEADS = """
class Heads(eqx.Module):
    out: eqx.nn.Linear
    heads: int = eqx.field(static=True)

    def __init__(self, size: int, heads: int, *, key: PRNGKeyArray):
        if size % (2 * heads) != 0:
            raise ValueError("a head has an even size")
        self.out = eqx.nn.Linear(size, size, key=key)
        self.heads = heads

    def split(self, x: Float[Array, " size"]) -> Float[Array, "heads rest"]:
        return x.reshape(self.heads, x.shape[0] // self.heads)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.out(self.split(x).reshape(-1))
"""


@pytest.mark.slow
def test_a_size_is_the_least_multiple_of_all_that_divides_it(tmp_path: Path) -> None:
    tried(tmp_path, "heads", HEAD + HEADS)
    assert '"size": 12,\n            "heads": 3,' in suite_text(tmp_path, "heads")


BINS = """

@test(values={"edges": [0.0, 0.5, 1.5, 3.0]})
class Bins(Pytree):
    edges: Float[Array, " bins+1"] = data()
    counts: Float[Array, " bins"] = data("zeros")

    def __call__(self, x: Float[Array, ""]) -> Float[Array, " bins"]:
        return x * self.counts * (self.edges[1:] - self.edges[:-1])
"""


@pytest.mark.slow
def test_an_example_array_says_the_size_that_is_read_off_it_through_arithmetic(tmp_path: Path) -> None:
    assert "bins = np.shape(edges)[0] - 1" in tried(tmp_path, "bins", HEAD + BINS)
    assert 'Leaf("counts", "data", (3,), value=0.0)' in suite_text(tmp_path, "bins")
