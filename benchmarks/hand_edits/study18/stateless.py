"""Edits of the classes without state: a beehive, a glacier, a caravan."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_APIARY: tuple[Edit, ...] = (
    declared(
        "apiary",
        "pollen has no gradient for the comb",
        ("        return self.comb.T\n", "        return jax.lax.stop_gradient(self.comb.T)\n"),
    ),
    declared(
        "apiary",
        "propolis is drawn up to three deviations",
        (
            "jax.random.truncated_normal(propolis_key, -2.0, 2.0,",
            "jax.random.truncated_normal(propolis_key, -3.0, 3.0,",
        ),
    ),
    declared(
        "apiary",
        "when a bee gains most is an integer of jax's default",
        ("return gain, jnp.argmax(gain, axis=0).astype(jnp.int32)", "return gain, jnp.argmax(gain, axis=0)"),
    ),
    declared(
        "apiary",
        "the queen is trained where she is crowned",
        ('(("royal",) if self.crowned else ())', '(() if self.crowned else ("royal",))'),
    ),
    declared(
        "apiary",
        "rain and wind are drawn with one key",
        ("jax.random.bernoulli(rain, 0.7,", "jax.random.bernoulli(wind, 0.7,"),
    ),
    numbers(
        "apiary",
        "a bee gains at the first flower, and not at the last",
        (
            "meadow[:, self.routes[:, 1]] - 0.5 * meadow[:, self.routes[:, 0]]",
            "meadow[:, self.routes[:, 0]] - 0.5 * meadow[:, self.routes[:, 1]]",
        ),
    ),
)
_GLACIER: tuple[Edit, ...] = (
    declared(
        "glacier",
        "cores of all strata are kept",
        ("found[slice(*self.kept)]", "found"),
    ),
    declared(
        "glacier",
        "the moraine is scaled by its stones",
        (") / math.sqrt(width)", ") / math.sqrt(stones)"),
    ),
    declared(
        "glacier",
        "grit decays",
        (
            '                path[0].name not in ("grit",) and eqx.is_inexact_array(leaf)\n',
            "                eqx.is_inexact_array(leaf)\n",
        ),
    ),
    declared(
        "glacier",
        "strata crack as the snow falls, whatever the key",
        ("jax.random.split(key, self.depth)", "jax.random.split(self.snow, self.depth)"),
    ),
    declared(
        "glacier",
        "more stones may rest than there are",
        ("if np.shape(resting) != (stones,):", "if len(np.shape(resting)) != 1:"),
    ),
    declared(
        "glacier",
        "what a quake computes is kept for the way back",
        (
            "jax.checkpoint(layer), flow, (arrays, jax.random.split",
            "layer, flow, (arrays, jax.random.split",
        ),
    ),
    numbers(
        "glacier",
        "a surge gathers from the other side",
        ("jnp.cumsum(flow) if", "jnp.flip(jnp.cumsum(jnp.flip(flow))) if"),
    ),
    numbers(
        "glacier",
        "a limit below zero calves at once",
        ("if limit is None else jnp.abs(limit)", "if limit is None else limit"),
    ),
)
_CARAVAN: tuple[Edit, ...] = (
    declared(
        "caravan",
        "worth is registered as value",
        ('(GetAttrKey("worth"), node.worth)', '(GetAttrKey("value"), node.worth)'),
    ),
    declared(
        "caravan",
        "the chain is not copied",
        ("chain = _integer(chain, jnp.int32)", "chain = jnp.asarray(chain, jnp.int32)"),
    ),
    declared(
        "caravan",
        "what is paid has no gradient for the worth",
        (
            "offers @ (self.worth + jax.lax.stop_gradient(self.sand))",
            "offers @ jax.lax.stop_gradient(self.worth + self.sand)",
        ),
    ),
    declared(
        "caravan",
        "a new caravan sings cosines",
        (
            "        song: Callable[..., Any] = jnp.sin,\n        dtype:",
            "        song: Callable[..., Any] = jnp.cos,\n        dtype:",
        ),
    ),
    numbers(
        "caravan",
        "a rest tells how strong the camels are, and not how strong they were",
        ("        return later, self.strength\n", "        return later, later.strength\n"),
    ),
)
STATELESS: tuple[Edit, ...] = (*_APIARY, *_GLACIER, *_CARAVAN)
