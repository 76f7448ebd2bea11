"""Edits of the classes without state: dishes that listen, a router of experts, a portfolio."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_ANTENNA: tuple[Edit, ...] = (
    declared(
        "antenna",
        "the taper has the default dtype",
        ("jnp.arange(count, dtype=self.gain.dtype) + 0.5", "jnp.arange(count, dtype=float) + 0.5"),
    ),
    declared(
        "antenna",
        "calibrations are not counted",
        ("(drift, self.calibrations + 1),", "(drift, self.calibrations),"),
    ),
    declared(
        "antenna",
        "the coupling decays",
        ('"wavelength",\n                    "coupling",\n', '"wavelength",\n'),
    ),
    declared(
        "antenna",
        "which dishes work is not copied",
        ("working=jnp.array(working, jnp.bool_)", "working=jnp.asarray(working, jnp.bool_)"),
    ),
    numbers(
        "antenna",
        "a Hann window has half a period",
        ("1 - jnp.cos(2 * jnp.pi * at)", "1 - jnp.cos(jnp.pi * at)"),
    ),
    numbers(
        "antenna",
        "distances are summed over dishes",
        (
            "jnp.sum(jnp.square(jax.lax.stop_gradient(self.place) - spot), axis=1)",
            "jnp.sum(jnp.square(jax.lax.stop_gradient(self.place) - spot), axis=0)",
        ),
    ),
)
_ROUTER: tuple[Edit, ...] = (
    declared(
        "router",
        "what was sent has a gradient",
        (
            "sent = jax.lax.stop_gradient(jnp.mean(weights, axis=0) + self.load)",
            "sent = jnp.mean(weights, axis=0) + self.load",
        ),
    ),
    declared(
        "router",
        "the jitter is drawn from a key of its own",
        (
            "                key, scores.shape, scores.dtype\n",
            "                jax.random.key(0), scores.shape, scores.dtype\n",
        ),
    ),
    declared(
        "router",
        "one expert stands for all",
        (
            "        self.experts = tuple(\n"
            "            Expert.create(hidden, size, key=one)\n"
            "            for one in jax.random.split(experts_key, prior.shape[0])\n"
            "        )\n",
            "        self.experts = (Expert.create(hidden, size, key=experts_key),) * crew\n",
        ),
    ),
    declared(
        "router",
        "a load never follows fast",
        ("rate = 0.5 if fast else 0.1", "rate = 0.1"),
    ),
    declared(
        "router",
        "experts have the activation that is the default",
        ("inner = self.activation(inner)", "inner = jax.nn.gelu(inner)"),
    ),
    numbers(
        "router", "what experts say is not divided", ("return sum(said) / len(said)", "return sum(said)")
    ),
)
_PORTFOLIO: tuple[Edit, ...] = (
    declared(
        "portfolio",
        "score and idle change places where no paths are asked for",
        (
            "        node.score,\n        node.loading,\n        node.idle,\n",
            "        node.idle,\n        node.loading,\n        node.score,\n",
        ),
    ),
    declared(
        "portfolio",
        "the best of all days is sought",
        (
            "jnp.argmax(jnp.where(self.tradable, returns, -1e4), axis=1)",
            "jnp.argmax(jnp.where(self.tradable, returns, -1e4), axis=0)",
        ),
    ),
    declared(
        "portfolio",
        "risk is the loading alone",
        (
            'lambda path, _: path[0].name in ("loading", "idle"), self',
            'lambda path, _: path[0].name in ("loading",), self',
        ),
    ),
    declared(
        "portfolio",
        "neutral is written otherwise",
        ('if self.style == "neutral":', 'if self.style == "Neutral":'),
    ),
    declared(
        "portfolio",
        "cash is left in the dtype in which it is given",
        ("cash=_real(cash, asked)", "cash=_real(cash)"),
    ),
    numbers(
        "portfolio",
        "idle is a variance",
        ("jnp.diag(jnp.square(self.idle))", "jnp.diag(self.idle)"),
    ),
)
STATELESS: tuple[Edit, ...] = (*_ANTENNA, *_ROUTER, *_PORTFOLIO)
