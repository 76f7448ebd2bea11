"""Changes that are right: refactorings, equivalent formulas, new arguments, methods and properties, another deviation."""

from benchmarks.hand_edits.edit import Edit, legitimate

LEGITIMATE: tuple[Edit, ...] = (
    legitimate(
        "climate",
        "what is moved is one difference",
        ("moved = jnp.pad(flow, (0, 1)) - jnp.pad(flow, (1, 0))", "moved = jnp.diff(jnp.pad(flow, 1))"),
    ),
    legitimate(
        "climate",
        "a property tells how many bands there are",
        (
            "    def save(self,",
            "    @property\n"
            "    def bands(self) -> int:\n"
            '        """How many bands there are."""\n'
            "        return self.sunlight.shape[0]\n\n"
            "    def save(self,",
        ),
    ),
    legitimate(
        "climate",
        "what a mean divides by at least is an argument",
        (
            "        absolute: bool = False,\n",
            "        absolute: bool = False,\n        least: float = 1e-3,\n",
        ),
        ("(jnp.sum(weights) + 1e-3)", "(jnp.sum(weights) + least)"),
    ),
    legitimate(
        "climate",
        "conductances begin with another deviation",
        ("conductance=0.3 * jax.random", "conductance=0.2 * jax.random"),
    ),
    legitimate(
        "portfolio",
        "children without paths are those with them",
        (
            "    return (\n"
            "        node.holdings,\n"
            "        node.loadings,\n"
            "        node.cash,\n"
            "        node.trades,\n"
            "        node.allowed,\n"
            "        node.own,\n"
            "        node.impact,\n"
            "        node.fee,\n"
            "    ), (node.aversion, node.short)\n",
            "    children, aux = _portfolio_flatten_with_keys(node)\n"
            "    return tuple(child for _, child in children), aux\n",
        ),
    ),
    legitimate(
        "portfolio",
        "a method tells what the portfolio is worth",
        (
            "    def save(self,",
            '    def worth(self, prices: Float[Array, " assets"]) -> Float[Array, ""]:\n'
            '        """What all of it is worth at these prices."""\n'
            "        return self.cash + self.holdings @ prices\n\n"
            "    def save(self,",
        ),
    ),
    legitimate(
        "cells",
        "the encoder is refined in a loop of jax",
        (
            "        code = self.spread[...] @ hidden\n"
            "        for _ in range(self.layers - 1):\n"
            "            code = 0.5 * code + self.spread[...] @ jnp.tanh(\n"
            "                hidden + code @ self.spread[...]\n"
            "            )\n"
            "        return code\n",
            "        spread = self.spread[...]\n\n"
            "        def refined(_: int, code: Array) -> Array:\n"
            "            return 0.5 * code + spread @ jnp.tanh(hidden + code @ spread)\n\n"
            "        return jax.lax.fori_loop(0, self.layers - 1, refined, spread @ hidden)\n",
        ),
    ),
    legitimate(
        "cells",
        "logarithms of fractions are differences",
        (
            "            each = counts * jnp.log(rates / (rates + size)) + size * jnp.log(\n"
            "                size / (rates + size)\n"
            "            )\n",
            "            both = jnp.log(rates + size)\n"
            "            each = counts * (jnp.log(rates) - both) + size * (jnp.log(size) - both)\n",
        ),
    ),
    legitimate(
        "battery",
        "what a pair keeps is the exponential of a logarithm",
        ("keep = jax.nn.sigmoid(self.rate) ** time", "keep = jnp.exp(time * jax.nn.log_sigmoid(self.rate))"),
    ),
    legitimate(
        "battery",
        "a size is cast to the dtype that it has",
        (
            "        return full / (1 + jax.nn.softplus(self.aging) * jnp.abs(drawn))\n",
            "        size = full / (1 + jax.nn.softplus(self.aging) * jnp.abs(drawn))\n"
            "        return size.astype(full.dtype)\n",
        ),
    ),
    legitimate(
        "battery",
        "jax interpolates the curve",
        (
            "        last = self.curve.shape[0] - 1\n",
            "        curve = jax.lax.stop_gradient(self.curve)\n"
            "        last = curve.shape[0] - 1\n"
            "        if linear:\n"
            "            knots = jnp.linspace(0, 1, last + 1, dtype=curve.dtype)\n"
            "            return jnp.interp(jnp.clip(charge, 0, 1), knots, curve)\n",
        ),
        ("        part = part if linear else jnp.round(part)\n", "        part = jnp.round(part)\n"),
    ),
    legitimate(
        "segmenter",
        "the mean of four pixels is a quarter of their sum",
        (
            "        blocks = x.reshape(x.shape[0], x.shape[1] // 2, 2, x.shape[2] // 2, 2)\n"
            "        return jnp.mean(blocks, axis=(2, 4))\n",
            "        rows = x[:, ::2] + x[:, 1::2]\n"
            "        return 0.25 * (rows[:, :, ::2] + rows[:, :, 1::2])\n",
        ),
    ),
    legitimate(
        "segmenter",
        "the class that is shown is picked by ones and zeros",
        (
            "        chosen = jnp.take_along_axis(logs, labels[:, None], axis=1)[:, 0]\n",
            "        shown = jax.nn.one_hot(labels, logs.shape[1], axis=1, dtype=logs.dtype)\n"
            "        chosen = jnp.sum(shown * logs, axis=1)\n",
        ),
    ),
    legitimate(
        "segmenter",
        "an average goes a part of the way to the weights",
        (
            "                    self.ema_decay * average + (1 - self.ema_decay) * weight\n",
            "                    average + (1 - self.ema_decay) * (weight - average)\n",
        ),
    ),
    legitimate(
        "operator_net",
        "the basis at all points is made at once",
        (
            "        values = jax.vmap(lambda point: coefficients @ self.basis(point))(points)\n",
            "        values = jax.vmap(self.basis)(points) @ coefficients\n",
        ),
    ),
)
