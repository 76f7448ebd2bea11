"""Edits in a catchment, an arm of a robot, and a wavefront."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

CATCHMENT: tuple[Edit, ...] = (
    declared(
        "catchment",
        "rain in one basin and rain in all are drawn with one key",
        (
            "noise + 2 * jax.random.normal(shared, (days, 1), rain.dtype)",
            "noise + 2 * jax.random.normal(local, (days, 1), rain.dtype)",
        ),
    ),
    declared(
        "catchment",
        "areas have a gradient where damage is counted",
        (
            "jnp.sum(jax.lax.stop_gradient(self.area) * jax.nn.relu(above) ** 2)",
            "jnp.sum(self.area * jax.nn.relu(above) ** 2)",
        ),
    ),
    declared(
        "catchment",
        "days are not counted",
        ("self, moisture=moisture, day=self.day + 1\n", "self, moisture=moisture\n"),
    ),
    declared(
        "catchment",
        "the river is the caller's own array",
        ("river=_real(river, asked)", "river=jnp.asarray(river, asked)"),
    ),
    numbers(
        "catchment",
        "shares of water add up over the basins that it comes from",
        ("jax.lax.stop_gradient(self.river), axis=0)", "jax.lax.stop_gradient(self.river), axis=1)"),
    ),
)
ARM: tuple[Edit, ...] = (
    declared(
        "arm",
        "three steps are made, whatever is asked",
        ("        for _ in range(steps):\n", "        for _ in range(3):\n"),
    ),
    declared(
        "arm",
        "weights of what was seen have 32 bits",
        ("seen.astype(squares.dtype)", "seen.astype(jnp.float32)"),
    ),
    declared(
        "arm",
        "an even arm has four joints, whatever is asked",
        ("jnp.full((joints,), total / joints)", "jnp.full((4,), total / joints)"),
    ),
    declared(
        "arm",
        "the damping is a leaf",
        ("    damping: float = eqx.field(static=True, default=0.1)\n", "    damping: float = 0.1\n"),
    ),
    numbers(
        "arm",
        "a robust loss is not 0 where nothing is wrong",
        ("squares = 2 * (jnp.sqrt(1 + squares) - 1)", "squares = 2 * jnp.sqrt(1 + squares)"),
    ),
    numbers(
        "arm",
        "what is in the hand takes the place of the last link",
        (".at[-1].add(mass)", ".at[-1].set(mass)"),
    ),
)
WAVEFRONT: tuple[Edit, ...] = (
    declared(
        "wavefront",
        "the optics are never trained",
        (
            'but=("basis", "flat") + (("influence",) if self.keep_optics else ())',
            'but=("basis", "flat", "influence")',
        ),
    ),
    declared(
        "wavefront",
        "a gust is drawn with the key of calm air",
        (
            "jnp.exp(0.5 * jax.random.normal(gust, (), order.dtype))",
            "jnp.exp(0.5 * jax.random.normal(calm, (), order.dtype))",
        ),
    ),
    declared(
        "wavefront",
        "slopes count that are not lit",
        ("self.influence.T @ self.estimate(slopes, lit)", "self.influence.T @ self.estimate(slopes)"),
    ),
    declared(
        "wavefront",
        "a closed loop returns its frames first",
        (
            "        return jax.lax.scan(step, mirror, slopes)\n",
            "        last, frames = jax.lax.scan(step, mirror, slopes)\n        return frames, last\n",
        ),
    ),
    declared(
        "wavefront",
        "the optics are drawn with the key of the reconstructor",
        ("            influence_key, (modes, modes)", "            reconstructor_key, (modes, modes)"),
    ),
    numbers(
        "wavefront",
        "the mirror bends as its transpose",
        ("modes + self.influence @ mirror", "modes + self.influence.T @ mirror"),
    ),
)
STATELESS: tuple[Edit, ...] = (*CATCHMENT, *ARM, *WAVEFRONT)
