"""Changes that are right: refactorings, new arguments, methods and fields, equivalent formulas."""

from benchmarks.hand_edits.edit import Edit, legitimate

STATELESS: tuple[Edit, ...] = (
    legitimate(
        "antenna",
        "the noise has another name",
        ("level = 2 * self.hiss if warm else self.hiss", "noise = 2 * self.hiss if warm else self.hiss"),
        (
            "            heard + level * jax.random.normal(first",
            "            heard + noise * jax.random.normal(first",
        ),
        ("0.5 * heard + level * jax.random.normal(second", "0.5 * heard + noise * jax.random.normal(second"),
    ),
    legitimate(
        "antenna",
        "the nearest dish is found by distances that are not squared",
        (
            "jnp.sum(jnp.square(jax.lax.stop_gradient(self.place) - spot), axis=1)",
            "jnp.linalg.norm(jax.lax.stop_gradient(self.place) - spot, axis=1)",
        ),
    ),
    legitimate(
        "antenna",
        "a method tells how much all dishes hear at most",
        (
            "    def digitised(self",
            '    def most(self) -> Float[Array, ""]:\n'
            '        """What all dishes hear together at most."""\n'
            "        return jnp.sum(jnp.abs(jnp.where(self.working, self.gain, 0)))\n\n"
            "    def digitised(self",
        ),
    ),
    legitimate(
        "router",
        "what is said is weighed by a sum over named axes",
        ("result = weights @ said", 'result = jnp.einsum("c,cs->s", weights, said)'),
    ),
    legitimate(
        "router",
        "uneven loads are summed by a product",
        (
            "return jnp.sum(uneven * jnp.mean(jnp.square(weights), axis=0))",
            "return uneven @ jnp.mean(jnp.square(weights), axis=0)",
        ),
    ),
    legitimate(
        "router",
        "a router has a label",
        (
            "        residual: bool = False,\n        *,",
            '        residual: bool = False,\n        label: str = "",\n        *,',
        ),
        (
            "        self.residual = residual\n",
            "        self.residual = residual\n        self.label = label\n",
        ),
        (
            "    residual: bool = eqx.field(static=True)\n",
            "    residual: bool = eqx.field(static=True)\n    label: str = eqx.field(static=True)\n",
        ),
    ),
    legitimate(
        "portfolio",
        "the risk is the product of two vectors",
        (
            "jnp.sqrt(held @ self.covariance @ held + 1e-4)",
            "jnp.sqrt(jnp.vdot(held, self.covariance @ held) + 1e-4)",
        ),
    ),
    legitimate(
        "portfolio",
        "shares are found once for all scenarios",
        (
            "        return tuple(\n"
            "            weight * (self.shares() @ (self.loading @ one)) for one in self.scenarios\n"
            "        )\n",
            "        moved = self.shares() @ self.loading\n"
            "        return tuple(weight * (moved @ one) for one in self.scenarios)\n",
        ),
    ),
)
STATEFUL: tuple[Edit, ...] = (
    legitimate(
        "seismograph",
        "turns are made by a loop of jax",
        (
            "        for _ in range(self.order):\n            mean = self.turn @ mean\n",
            "        mean = jax.lax.fori_loop(0, self.order, lambda _, mean: self.turn @ mean, mean)\n",
        ),
    ),
    legitimate(
        "seismograph",
        "alarms of stations that are offline are taken out afterwards",
        (
            "        return jnp.sum(above & self.online, axis=0, dtype=jnp.int32)\n",
            "        counted = jnp.sum(above, axis=0, dtype=jnp.int32)\n"
            "        return jnp.where(self.online, counted, 0)\n",
        ),
    ),
    legitimate(
        "seismograph",
        "how wild a drawn ground is is an argument",
        (
            "self, belief: Belief, *, cold: bool = False, key: PRNGKeyArray\n",
            "self, belief: Belief, *, cold: bool = False, wild: float = 1.0, key: PRNGKeyArray\n",
        ),
        (
            "belief.mean + jnp.sqrt(belief.spread) * drawn",
            "belief.mean + wild * jnp.sqrt(belief.spread) * drawn",
        ),
    ),
    legitimate(
        "delay",
        "the line is rolled",
        (
            "jnp.concatenate([sound[None], self.line[...][:-1]])",
            "jnp.roll(self.line[...], 1, axis=0).at[0].set(sound)",
        ),
    ),
    legitimate(
        "delay",
        "echoes that are muted are taken out by a product",
        (
            "out = jnp.where(self.muted[...], 0, sample + self.wet[...] * wet)",
            "out = (sample + self.wet[...] * wet) * ~self.muted[...]",
        ),
    ),
    legitimate(
        "sprint",
        "the part of the warm-up is clipped",
        ("jnp.minimum((self.step + 1) / self.warmup, 1)", "jnp.clip((self.step + 1) / self.warmup, max=1)"),
    ),
    legitimate(
        "sprint",
        "a coach counts rests",
        ('    waited: Int32[Array, ""]\n', '    waited: Int32[Array, ""]\n    rests: Int32[Array, ""]\n'),
        (
            "            waited=jnp.zeros((), jnp.int32),\n",
            "            waited=jnp.zeros((), jnp.int32),\n            rests=jnp.zeros((), jnp.int32),\n",
        ),
    ),
)
LEGITIMATE: tuple[Edit, ...] = (*STATELESS, *STATEFUL)
