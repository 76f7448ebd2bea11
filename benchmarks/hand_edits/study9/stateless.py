"""Edits in the climate of a planet, a portfolio, and an operator between functions."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

CLIMATE: tuple[Edit, ...] = (
    declared(
        "climate",
        "the light of a dimmed planet has 32 bits",
        (
            "            jax.lax.stop_gradient(self.sunlight) * (1 - share),\n",
            "            jnp.float32(jax.lax.stop_gradient(self.sunlight) * (1 - share)),\n",
        ),
    ),
    declared(
        "climate",
        "the weather of bands and that of the planet are one draw",
        ("jax.random.normal(second, (), t.dtype)", "jax.random.normal(first, t.shape, t.dtype)[0]"),
    ),
    declared(
        "climate",
        "the sharp edge of ice is in 32 bits",
        ("(frozen > 0).astype(t.dtype)", "(frozen > 0).astype(jnp.float32)"),
    ),
    declared(
        "climate",
        "areas of land have a gradient",
        ("else jnp.where(land, jax.lax.stop_gradient(self.area), 0)", "else jnp.where(land, self.area, 0)"),
    ),
    numbers(
        "climate",
        "heat flows from cold to warm",
        ("* (t[1:] - t[:-1])", "* (t[:-1] - t[1:])"),
    ),
    numbers(
        "climate",
        "a symmetric planet has two norths",
        ("jnp.concatenate([half[::-1], half])", "jnp.concatenate([half, half])"),
    ),
)

PORTFOLIO: tuple[Edit, ...] = (
    declared(
        "portfolio",
        "without paths cash comes before the loadings",
        (
            "        node.holdings,\n        node.loadings,\n        node.cash,\n",
            "        node.holdings,\n        node.cash,\n        node.loadings,\n",
        ),
    ),
    declared(
        "portfolio",
        "what may not be traded is traded",
        ("        order = jnp.where(self.allowed, order, 0)\n", ""),
    ),
    declared(
        "portfolio",
        "the risk is that of what is held, whatever is asked",
        ("weights = self.holdings if weights is None else weights", "weights = self.holdings"),
    ),
    declared(
        "portfolio",
        "the fee has no gradient",
        (
            "moved + jax.nn.softplus(self.fee) * jnp.sum(jnp.abs(order))",
            "moved + jax.lax.stop_gradient(jax.nn.softplus(self.fee)) * jnp.sum(jnp.abs(order))",
        ),
    ),
    declared(
        "portfolio",
        "cash is trained",
        (
            'not in ("holdings", "loadings", "cash", "trades", "allowed")',
            'not in ("holdings", "loadings", "trades", "allowed")',
        ),
    ),
    numbers(
        "portfolio",
        "an investor is twice as averse to risk",
        ("- 0.5 * self.aversion * self.risk()", "- self.aversion * self.risk()"),
    ),
)

OPERATOR: tuple[Edit, ...] = (
    declared(
        "operator_net",
        "all layers begin alike",
        (
            "(jax.random.split(layers_key, depth))",
            "(jnp.broadcast_to(layers_key, (depth,)))",
        ),
    ),
    declared(
        "operator_net",
        "the last layer comes first",
        (
            "jax.lax.scan(jax.checkpoint(step), x, arrays)",
            "jax.lax.scan(jax.checkpoint(step), x, arrays, reverse=True)",
        ),
    ),
    declared(
        "operator_net",
        "errors are squared where their size is asked for",
        (
            "return jnp.mean(jnp.abs(errors)) if absolute else jnp.mean(errors**2)",
            "return jnp.mean(errors**2)",
        ),
    ),
    declared(
        "operator_net",
        "sensors that fail are used all the same",
        (
            "            u + 0.1 * jax.random.normal(noise, u.shape, u.dtype), known\n",
            "            u + 0.1 * jax.random.normal(noise, u.shape, u.dtype)\n",
        ),
    ),
    numbers(
        "operator_net",
        "cosines stand before sines",
        ("[jnp.sin(phase), jnp.cos(phase)]", "[jnp.cos(phase), jnp.sin(phase)]"),
    ),
)

STATELESS: tuple[Edit, ...] = (*CLIMATE, *PORTFOLIO, *OPERATOR)
