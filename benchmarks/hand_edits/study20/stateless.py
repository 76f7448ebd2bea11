"""Edits of the classes without state: attention, a spectral convolution, a flow, a mixture."""

from benchmarks.hand_edits.edit import Edit, declared, legitimate, numbers

STATELESS: tuple[Edit, ...] = (
    declared(
        "rotary_attention",
        "The stop_gradient on the cosine table is gone, so the declared untrained buffer `cos` gets a gradient and is trained.",
        (
            "cos = jax.lax.stop_gradient(self.cos)[: x.shape[0], None, :]",
            "cos = self.cos[: x.shape[0], None, :]",
        ),
    ),
    declared(
        "rotary_attention",
        "The head is split off as (heads, seq, head_dim) by a bare reshape, which mixes positions and heads, so a position's features come from other positions and causality is lost; all shapes still agree.",
        (
            "heads = (seq, self.num_heads, dim // self.num_heads)",
            "heads = (self.num_heads, seq, dim // self.num_heads)",
        ),
        (
            "q, k, v = (\n            self.rotate(q.reshape(heads)),\n            self.rotate(k.reshape(heads)),\n            v.reshape(heads),\n        )",
            "q, k, v = (t.reshape(heads).swapaxes(0, 1) for t in (q, k, v))\n        q, k = self.rotate(q), self.rotate(k)",
        ),
    ),
    numbers(
        "rotary_attention",
        "The first half is rotated with the wrong sign (lo * cos plus hi * sin): not a rotation any more, scores do not depend on the distance alone.",
        ("lo * cos - hi * sin", "lo * cos + hi * sin"),
    ),
    legitimate(
        "rotary_attention",
        "The scale is applied to the queries ahead of the product and the mask is built from index comparison; same values.",
        (
            'scores = jnp.einsum("qhd,khd->hqk", q, k) / jnp.sqrt(q.shape[-1])',
            'scores = jnp.einsum("qhd,khd->hqk", q * q.shape[-1] ** -0.5, k)',
        ),
        (
            "mask = jnp.tril(jnp.ones(scores.shape[-2:], dtype=bool))",
            "pos = jnp.arange(scores.shape[-1])\n            mask = pos[:, None] >= pos[None, :]",
        ),
    ),
    declared(
        "spectral_conv1d",
        "irfft without n= always gives an even number of points, so for an odd grid `convolve` is one point short of the annotated `grid` and the sum with the skip path fails.",
        ("return jnp.fft.irfft(padded, n=grid, axis=-1)", "return jnp.fft.irfft(padded, axis=-1)"),
    ),
    declared(
        "spectral_conv1d",
        "One key feeds both real and imaginary initial weights, so the two parts are equal and every coefficient has phase 45 degrees.",
        ("scale * jax.random.normal(im_key, shape)", "scale * jax.random.normal(re_key, shape)"),
    ),
    numbers(
        "spectral_conv1d",
        "The penalty subtracts the imaginary part's square instead of adding it.",
        ("(self.weight_re**2 + self.weight_im**2)", "(self.weight_re**2 - self.weight_im**2)"),
    ),
    legitimate(
        "spectral_conv1d",
        "The spectrum is padded with jnp.pad rather than written into zeros; same values.",
        (
            "padded = jnp.zeros((mixed.shape[0], grid // 2 + 1), mixed.dtype)\n        padded = padded.at[:, : self.modes].set(mixed)",
            "padded = jnp.pad(mixed, ((0, 0), (0, grid // 2 + 1 - self.modes)))",
        ),
    ),
    declared(
        "real_nvp_flow",
        "The inverse scans the layers in the forward order, so it is not the inverse of `forward` when there are two layers or more.",
        (
            "lax.scan(body, (x, jnp.zeros(())), layers, reverse=True)",
            "lax.scan(body, (x, jnp.zeros(())), layers)",
        ),
    ),
    declared(
        "real_nvp_flow",
        "The masks are made float arrays, so they become differentiable leaves that an optimiser picks up as parameters, against their declared Bool type.",
        (
            "self.masks = (jnp.arange(dim)[None, :] + jnp.arange(layers)[:, None]) % 2 == 0",
            "parity = (jnp.arange(dim)[None, :] + jnp.arange(layers)[:, None]) % 2\n        self.masks = jnp.where(parity == 0, 1.0, 0.0)",
        ),
    ),
    numbers(
        "real_nvp_flow",
        "The inverse's log determinant has the wrong sign.",
        ("logdet - jnp.sum(log_scale)", "logdet + jnp.sum(log_scale)"),
    ),
    legitimate(
        "real_nvp_flow",
        "The standard normal log density is written out as -z^2/2 - log(2 pi)/2; same values.",
        (
            "return jnp.sum(jax.scipy.stats.norm.logpdf(z)) + logdet",
            "base = -0.5 * jnp.sum(z**2) - 0.5 * self.dim * jnp.log(2 * jnp.pi)\n        return base + logdet",
        ),
    ),
    declared(
        "diagonal_gaussian_mixture",
        "`from_samples` forgets to hand min_scale to the constructor, so the setting silently falls back to the default.",
        (
            "return cls(jnp.zeros(k), x[rows], log_scale, min_scale)",
            "return cls(jnp.zeros(k), x[rows], log_scale)",
        ),
    ),
    declared(
        "diagonal_gaussian_mixture",
        "The scale is worked out once in __post_init__ and kept as a leaf: a stale cache, log_scale gets no gradient and em_step's tree_at leaves the old scale in use.",
        (
            "    min_scale: float = eqx.field(static=True, default=1e-3)\n",
            '    min_scale: float = eqx.field(static=True, default=1e-3)\n    scale: Float[Array, "k dim"] = eqx.field(init=False)\n\n    def __post_init__(self):\n        self.scale = jnp.maximum(jnp.exp(self.log_scale), self.min_scale)\n',
        ),
        (
            '    @property\n    def scale(self) -> Float[Array, "k dim"]:\n        return jnp.maximum(jnp.exp(self.log_scale), self.min_scale)\n\n',
            "",
        ),
    ),
    numbers(
        "diagonal_gaussian_mixture",
        "EM puts log variance, not half of it, into log_scale: scales come out squared.",
        ("(jnp.log(total), loc, 0.5 * jnp.log(var))", "(jnp.log(total), loc, jnp.log(var))"),
    ),
    legitimate(
        "diagonal_gaussian_mixture",
        "A further property `weights` with the normalised component weights.",
        (
            "    def component_log_prob(self,",
            '    @property\n    def weights(self) -> Float[Array, " k"]:\n        return jax.nn.softmax(self.logits)\n\n    def component_log_prob(self,',
        ),
    ),
)
