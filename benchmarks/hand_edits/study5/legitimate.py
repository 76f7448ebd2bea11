"""Changes that are right: refactorings, equivalent formulas, new arguments, methods and properties, another default."""

from benchmarks.hand_edits.edit import Edit, legitimate

LEGITIMATE: tuple[Edit, ...] = (
    legitimate(
        "points",
        "the gated unit is written out",
        (
            "return jax.nn.silu(hidden) + self.gate * hidden",
            "return hidden * (jax.nn.sigmoid(hidden) + self.gate)",
        ),
    ),
    legitimate(
        "points",
        "the cosine has an optional exponent",
        (
            "        *,\n        centred: bool = False,\n",
            "        *,\n        centred: bool = False,\n        power: int = 1,\n",
        ),
        (
            "return jnp.vdot(a, b) / (jnp.linalg.norm(a) * jnp.linalg.norm(b) + 1e-6)",
            "cosine = jnp.vdot(a, b) / (jnp.linalg.norm(a) * jnp.linalg.norm(b) + 1e-6)\n        return cosine**power",
        ),
    ),
    legitimate(
        "points",
        "training moves points by half as much by default",
        ("        jitter: float = 0.1,\n", "        jitter: float = 0.05,\n"),
    ),
    legitimate(
        "spline",
        "a shifted curve replaces the levels",
        ("from dataclasses import dataclass\n", "from dataclasses import dataclass, replace\n"),
        (
            "return Spline(self.knots, self.levels + offset, self.outside, self.unit)",
            "return replace(self, levels=self.levels + offset)",
        ),
    ),
    legitimate(
        "spline",
        "a property says how long the curve is",
        (
            '    def slopes(self) -> Float[Array, "n-1=_ channels"]:\n',
            '    @property\n    def span(self) -> Float[Array, ""]:\n        """How far the last knot is from the first."""\n'
            "        return self.knots[-1] - self.knots[0]\n\n"
            '    def slopes(self) -> Float[Array, "n-1=_ channels"]:\n',
        ),
    ),
    legitimate(
        "spline",
        "the ends of a piece are mixed",
        (
            "        return self.levels[piece] + share[:, None] * (\n"
            "            self.levels[piece + 1] - self.levels[piece]\n        )\n",
            "        share = share[:, None]\n"
            "        return (1 - share) * self.levels[piece] + share * self.levels[piece + 1]\n",
        ),
    ),
    legitimate(
        "streaming",
        "the windows are added one by one",
        (
            "        windows = jnp.stack([past[at : at + x.shape[0]] for at in range(width)])\n"
            '        y = jnp.einsum("wtc,wc->tc", windows, self.taps[...])\n',
            "        taps = self.taps[...]\n"
            "        y = jnp.zeros_like(x)\n"
            "        for at in range(width):\n"
            "            y = y + past[at : at + x.shape[0]] * taps[at]\n",
        ),
    ),
    legitimate(
        "streaming",
        "a method says what the taps do to a constant",
        (
            '    def response(self, length: int = 4) -> Float[Array, "4 channels"]:\n',
            '    def constant(self) -> Float[Array, " channels"]:\n'
            '        """The answer of the taps to ones."""\n        return jnp.sum(self.taps[...], axis=0)\n\n'
            '    def response(self, length: int = 4) -> Float[Array, "4 channels"]:\n',
        ),
    ),
    legitimate(
        "streaming",
        "the level is read once, and the channels are mixed by an einsum",
        (
            "            self.level[...] = self.decay * self.level[...] + (1 - self.decay) * mean\n"
            "            y = y * jax.lax.rsqrt(self.level[...] + 1e-5)\n",
            "            level = self.decay * self.level[...] + (1 - self.decay) * mean\n"
            "            self.level[...] = level\n"
            "            y = y / jnp.sqrt(level + 1e-5)\n",
        ),
        ("y = jax.nn.gelu(y) @ self.mix[...]", 'y = jnp.einsum("tc,cd->td", jax.nn.gelu(y), self.mix[...])'),
    ),
    legitimate(
        "actnorm",
        "the state is read once",
        (
            "            state = state.set(\n"
            "                self.mean, jnp.where(state.get(self.begun), state.get(self.mean), mean)\n            )\n"
            "            state = state.set(\n                self.deviation,\n"
            "                jnp.where(state.get(self.begun), state.get(self.deviation), deviation),\n            )\n",
            "            begun = state.get(self.begun)\n"
            "            mean = jnp.where(begun, state.get(self.mean), mean)\n"
            "            deviation = jnp.where(begun, state.get(self.deviation), deviation)\n"
            "            state = state.set(self.mean, mean).set(self.deviation, deviation)\n",
        ),
    ),
    legitimate(
        "actnorm",
        "the way back divides, and the scales are an array of their own dtype",
        (
            "return z * jnp.exp(-self.scales()) - self.shift",
            "return z / jnp.exp(self.scales()).astype(self.log_scale.dtype) - self.shift",
        ),
    ),
    legitimate(
        "contrast",
        "a code is divided by its length",
        (
            "return code * jax.lax.rsqrt(jnp.sum(code**2) + 1e-6)",
            "length = jnp.sqrt(jnp.vdot(code, code) + 1e-6)\n        return code / length",
        ),
    ),
    legitimate(
        "contrast",
        "the loss is written with a log-sum-exp",
        (
            "        logits = jax.nn.log_softmax(self.model.logits(code, others))\n"
            "        return -(1 - self.smoothing) * logits[0] - self.smoothing * jnp.mean(logits)\n",
            "        logits = self.model.logits(code, others)\n"
            "        total = jax.scipy.special.logsumexp(logits)\n"
            "        aim = (1 - self.smoothing) * logits[0] + self.smoothing * jnp.mean(logits)\n"
            "        return total - aim\n",
        ),
    ),
    legitimate(
        "tabular",
        "the rows are taken, and multiplied by what is known",
        (
            "        rows = jnp.where(known[:, None], self.embedding[jnp.maximum(codes, 0)], 0)\n"
            "        return jnp.sum(rows, axis=0) + self.numeric @ jnp.tanh(numbers)\n",
            "        rows = jnp.take(self.embedding, jnp.maximum(codes, 0), axis=0)\n"
            "        known = known.astype(rows.dtype)\n"
            "        return known @ rows + self.numeric @ jnp.tanh(numbers)\n",
        ),
    ),
    legitimate(
        "tabular",
        "the encoding may be scaled",
        (
            '        self, codes: Int32[Array, " fields"], numbers: Float[Array, " columns"]\n'
            '    ) -> Float[Array, " size"]:\n',
            '        self,\n        codes: Int32[Array, " fields"],\n        numbers: Float[Array, " columns"],\n'
            '        scale: float = 1.0,\n    ) -> Float[Array, " size"]:\n',
        ),
        (
            "return jnp.sum(rows, axis=0) + self.numeric @ jnp.tanh(numbers)",
            "return scale * (jnp.sum(rows, axis=0) + self.numeric @ jnp.tanh(numbers))",
        ),
    ),
)
