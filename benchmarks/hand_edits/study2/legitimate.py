"""Changes of the classes of `specs/` that are right: what a class does stays, or changes as it is meant to."""

from benchmarks.hand_edits.edit import Edit, legitimate

LEGITIMATE: tuple[Edit, ...] = (
    legitimate(
        "mixture_head",
        "the log softmax is written out",
        (
            "return jax.nn.log_softmax(logits / temperature), means, scales",
            "logits = logits / temperature\n        return logits - jax.nn.logsumexp(logits), means, scales",
        ),
    ),
    legitimate(
        "mixture_head",
        "a draw takes a temperature, 1 by default",
        (
            'self, x: Float[Array, " features"], *, key: PRNGKeyArray\n',
            'self,\n        x: Float[Array, " features"],\n        *,\n        temperature: float = 1.0,\n        key: PRNGKeyArray,\n',
        ),
        (
            "log_weights, means, scales = self(x)\n        which =",
            "log_weights, means, scales = self(x, temperature=temperature)\n        which =",
        ),
    ),
    legitimate(
        "mixture_head",
        "the means begin twice as far apart, as is meant",
        ("means=jax.random", "means=2.0 * jax.random"),
    ),
    legitimate(
        "replay",
        "a method gives the newest reward",
        (
            "    @property\n    def is_full",
            '    def latest(self) -> Float[Array, ""]:\n        """The reward of the newest transition."""\n        return self.rewards[self.cursor - 1]\n\n    @property\n    def is_full',
        ),
    ),
    legitimate(
        "replay",
        "a transition is added by `replace`, which keeps what is not named",
        ("from dataclasses import dataclass", "from dataclasses import dataclass, replace"),
        (
            "return Replay(\n            observations=self.observations.at",
            "return replace(\n            self,\n            observations=self.observations.at",
        ),
        ("capacity),\n            discount=self.discount,\n", "capacity),\n"),
    ),
    legitimate(
        "replay",
        "the end of an episode is a factor, and no branch",
        ("jnp.where(end, 0, total)", "(~end).astype(total.dtype) * total"),
    ),
    legitimate(
        "graph_layer",
        "messages are summed by an indexed update",
        (
            "total = jax.ops.segment_sum(messages, receivers, many)",
            "total = jnp.zeros_like(nodes).at[receivers].add(messages)",
        ),
    ),
    legitimate(
        "graph_layer",
        "messages may be reduced to the least as well",
        ('reduce: Literal["sum", "mean", "max"] = eqx', 'reduce: Literal["sum", "mean", "max", "min"] = eqx'),
        (
            'reduce: Literal["sum", "mean", "max"] = "mean"',
            'reduce: Literal["sum", "mean", "max", "min"] = "mean"',
        ),
        (
            'if self.reduce != "sum" and self.reduce != "mean" and self.reduce != "max":',
            'if self.reduce not in ("sum", "mean", "max", "min"):',
        ),
        ("'sum' or 'mean' or 'max', got", "'sum' or 'mean' or 'max' or 'min', got"),
        (
            '        if self.reduce == "max":',
            '        if self.reduce == "min":\n            low = jax.ops.segment_min(messages, receivers, many)\n            return jnp.where(jnp.isfinite(low), low, 0)\n        if self.reduce == "max":',
        ),
    ),
    legitimate(
        "lru",
        "rows are divided by the root of their mean square",
        ("return scale * xs * jax.lax.rsqrt(square + 1e-6)", "return scale * xs / jnp.sqrt(square + 1e-6)"),
    ),
    legitimate(
        "lru",
        "two steps of the scan are one step of the compiled loop",
        ("start, xs, reverse=reverse\n", "start, xs, reverse=reverse, unroll=2\n"),
    ),
    legitimate(
        "lru",
        "the root of the normaliser is safe where the radius is 1",
        (
            "return pushed * jnp.sqrt(-jnp.expm1(-2 * jnp.exp(self.nu_log)))",
            "square = -jnp.expm1(-2 * jnp.exp(self.nu_log))\n        return pushed * jnp.sqrt(jnp.maximum(square, 1e-7))",
        ),
    ),
    legitimate(
        "scaled_state",
        "the next factor is chosen by a `cond`",
        ("jnp.where(finite, up, down)", "jax.lax.cond(finite, lambda: up, lambda: down)"),
    ),
    legitimate(
        "monitor",
        "the variance is computed from the mean that is there",
        (
            "mean, variance = jnp.mean(xs, axis=0), jnp.var(xs, axis=0)",
            "mean = jnp.mean(xs, axis=0)\n            variance = jnp.mean((xs - mean) ** 2, axis=0)",
        ),
    ),
    legitimate(
        "monitor",
        "the activation is another one, as is meant",
        ("hidden = jax.nn.gelu(", "hidden = jax.nn.silu("),
    ),
    legitimate(
        "replay",
        "the metadata of a file is sorted",
        (
            '{"tree": json.dumps(told), "checksums": json.dumps(sums)}',
            '{\n        "tree": json.dumps(told, sort_keys=True),\n        "checksums": json.dumps(sums, sort_keys=True),\n    }',
        ),
        file="serialisation",
    ),
)
