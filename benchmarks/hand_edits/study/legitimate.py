"""Changes that are right: refactorings, additions, settings that are meant to be others."""

from benchmarks.hand_edits.edit import Edit, legitimate

LEGITIMATE: tuple[Edit, ...] = (
    legitimate(
        "rotary_attention",
        "What is not seen has the least finite score in the place of minus infinity.",
        (
            'weights = jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1)\n        return self.merged(jnp.einsum("hqk,khd->qhd", weights, values)), state',
            'scores = jnp.where(seen, scores, jnp.finfo(scores.dtype).min)\n        weights = jax.nn.softmax(scores, axis=-1)\n        return self.merged(jnp.einsum("hqk,khd->qhd", weights, values)), state',
        ),
    ),
    legitimate(
        "rotary_attention",
        "The rates are written as an exponential.",
        (
            "rates = self.base ** -(jnp.arange(half, dtype=x.dtype) / half)",
            "rates = jnp.exp(jnp.arange(half, dtype=x.dtype) * (-math.log(self.base) / half))",
        ),
    ),
    legitimate(
        "invertible_linear",
        "The lower factor begins nearer to the identity.",
        ("lower=0.1 * jax.random.normal", "lower=0.05 * jax.random.normal"),
    ),
    legitimate(
        "invertible_linear",
        "A property gives the whole matrix.",
        (
            "    def log_prob(self,",
            """\
    @property
    def matrix(self) -> Float[Array, "size size"]:
        \"\"\"The matrix of the linear map.\"\"\"
        lower, upper, _ = self.factors()
        return (lower @ upper)[self.order]

    def log_prob(self,""",
        ),
    ),
    legitimate(
        "spectral_block",
        "How the transform is normalised is an argument, by default as before.",
        (
            "    activation: Callable[..., Any] = eqx.field(static=True, default=jax.nn.gelu)\n",
            "    activation: Callable[..., Any] = eqx.field(static=True, default=jax.nn.gelu)\n"
            '    norm: str = eqx.field(static=True, default="backward")\n',
        ),
        (
            "        activation: Callable[..., Any] = jax.nn.gelu,\n",
            '        activation: Callable[..., Any] = jax.nn.gelu,\n        norm: str = "backward",\n',
        ),
        (
            "            activation=activation,\n",
            "            activation=activation,\n            norm=norm,\n",
        ),
        ("irfft(mixed, n=x.shape[1], axis=1)", "irfft(mixed, n=x.shape[1], axis=1, norm=self.norm)"),
        ("rfft(x.astype(jnp.float32), axis=1)", "rfft(x.astype(jnp.float32), axis=1, norm=self.norm)"),
    ),
    legitimate(
        "spectral_block",
        "Channels are mixed by a batched product of matrices.",
        (
            'mixed = jnp.einsum("kij,jk->ik", self.mix[: spectrum.shape[1]], spectrum)',
            "mixed = (self.mix[: spectrum.shape[1]] @ spectrum.T[:, :, None])[:, :, 0].T",
        ),
    ),
    legitimate(
        "vector_quantizer",
        "The squared distance is expanded, so that no array has an axis for each of the three.",
        (
            "distance = jnp.sum((z[:, None] - self.codebook[...][None]) ** 2, axis=-1)",
            """\
codebook = self.codebook[...]
        products = z @ codebook.T
        distance = jnp.sum(codebook**2, axis=-1)[None] - 2 * products""",
        ),
    ),
    legitimate(
        "vector_quantizer",
        "Counts are kept away from zero by a maximum.",
        ("jnp.where(used, self.counts[...], 1)[:, None]", "jnp.maximum(self.counts[...], 1e-3)[:, None]"),
    ),
    legitimate(
        "quantity",
        "Quantities are divided.",
        (
            "    def power(self, exponent",
            """\
    def __truediv__(self, other: "Quantity") -> "Quantity":
        \"\"\"The quotient, in the quotient of the units.\"\"\"
        value = self.value / other.value
        variance = (self.variance + value**2 * other.variance) / other.value**2
        dimension = tuple(
            a - b for a, b in zip(self.dimension, other.dimension, strict=True)
        )
        return Quantity.create(value, variance, dimension, self.scale / other.scale)

    def power(self, exponent""",
        ),
    ),
    legitimate(
        "quantity",
        "The deviation has a gradient of zero where the variance is zero.",
        (
            "return jnp.sqrt(self.variance)",
            """\
positive = self.variance > 0
        return jnp.where(positive, jnp.sqrt(jnp.where(positive, self.variance, 1)), 0)""",
        ),
    ),
    legitimate(
        "flow_state",
        "The best loss is chosen by the comparison that is there already.",
        ("best = jnp.minimum(loss, self.best)", "best = jnp.where(better, loss, self.best)"),
    ),
    legitimate(
        "flow_state",
        "The patience is five validations by default.",
        ("patience: int = 3,", "patience: int = 5,"),
    ),
    legitimate(
        "stack",
        "The layers before the last are scanned over.",
        (
            """\
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        return self.layers[-1](x)
""",
            """\
        *hidden, last = self.layers
        if hidden:
            stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *hidden)
            x, _ = jax.lax.scan(
                lambda x, layer: (self.activation(layer(x)), None), x, stacked
            )
        return last(x)
""",
        ),
    ),
    legitimate(
        "stack",
        "A file is read by pathlib.",
        (
            """\
        with open(path, "rb") as file:
            data = file.read()
""",
            "        data = Path(path).read_bytes()\n",
        ),
        ("from os import PathLike\n", "from os import PathLike\nfrom pathlib import Path\n"),
        file="serialisation",
    ),
    legitimate(
        "autoencoder",
        "The activation is that of jax.",
        ("return jnp.where(x > 0, x, SLOPE * x)", "return jax.nn.leaky_relu(x, SLOPE)"),
    ),
)
