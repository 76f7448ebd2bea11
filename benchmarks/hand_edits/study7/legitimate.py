"""Changes that are right: refactorings, equivalent formulas, new arguments, methods and properties, another deviation."""

from benchmarks.hand_edits.edit import Edit, legitimate

LEGITIMATE: tuple[Edit, ...] = (
    legitimate(
        "kriging",
        "the variance is computed by an einsum",
        ("prior - jnp.sum(half**2, axis=0)", 'prior - jnp.einsum("nm,nm->m", half, half)'),
    ),
    legitimate(
        "kriging",
        "what the trend leaves of the measurements is a method",
        (
            "        weights = jax.scipy.linalg.cho_solve(\n            (factor, True),\n"
            "            jax.lax.stop_gradient(self.values)\n"
            "            - self.trend(jax.lax.stop_gradient(self.sites)),\n        )\n",
            "        weights = jax.scipy.linalg.cho_solve((factor, True), self.residuals())\n",
        ),
        (
            "            factor,\n            jax.lax.stop_gradient(self.values)\n"
            "            - self.trend(jax.lax.stop_gradient(self.sites)),\n            lower=True,\n",
            "            factor,\n            self.residuals(),\n            lower=True,\n",
        ),
        (
            '    def factor(self) -> Float[Array, "n n"]:',
            '    def residuals(self) -> Float[Array, " n"]:\n'
            '        """What the trend leaves of the measurements."""\n'
            "        sites = jax.lax.stop_gradient(self.sites)\n"
            "        return jax.lax.stop_gradient(self.values) - self.trend(sites)\n\n"
            '    def factor(self) -> Float[Array, "n n"]:',
        ),
    ),
    legitimate(
        "crystal",
        "a step replaces fields of the crystal that was moved",
        ("from dataclasses import dataclass\n", "from dataclasses import dataclass, replace\n"),
        (
            "        return Crystal(\n            self.cell,\n            places,\n            velocities,\n"
            "            self.masses,\n            self.depths,\n            self.species,\n            self.held,\n"
            "            self.steps + 1,\n            self.cutoff,\n            self.edges,\n        )\n",
            "        return replace(moved, velocities=velocities, steps=self.steps + 1)\n",
        ),
    ),
    legitimate(
        "crystal",
        "ways between atoms are brought into the world by an einsum",
        ("return apart @ self.cell", 'return jnp.einsum("abi,ij->abj", apart, self.cell)'),
    ),
    legitimate(
        "crystal",
        "a method gives the momentum",
        (
            "    def temperature(self,",
            '    def momentum(self) -> Float[Array, " 3"]:\n'
            '        """The momentum of all atoms."""\n'
            "        return self.masses[self.species] @ self.velocities\n\n"
            "    def temperature(self,",
        ),
    ),
    legitimate(
        "perceiver",
        "latents are divided before they are multiplied",
        (
            "            self.latents\n            @ ((inputs - jax.lax.stop_gradient(self.centre)) @ self.look.T).T\n"
            "            / math.sqrt(self.latents.shape[1])\n",
            "            (self.latents / math.sqrt(self.latents.shape[1]))\n"
            "            @ ((inputs - jax.lax.stop_gradient(self.centre)) @ self.look.T).T\n",
        ),
    ),
    legitimate(
        "perceiver",
        "scores are cast to the dtype that they have",
        (
            "scores = self.tell @ jnp.mean(x, axis=0)",
            "scores = (self.tell @ jnp.mean(x, axis=0)).astype(inputs.dtype)",
        ),
    ),
    legitimate(
        "perceiver",
        "doubts can be asked at a temperature",
        ("*, bits: bool = False", "*, bits: bool = False, temperature: float = 1.0"),
        ("jax.nn.log_softmax(self(inputs))", "jax.nn.log_softmax(self(inputs) / temperature)"),
    ),
    legitimate(
        "seasonal",
        "the period is a property",
        (
            '    def seasonal(self, ahead: int = 0) -> Float[Array, " size"]:',
            "    @property\n    def period(self) -> int:\n"
            '        """How many steps a season has, or 1 where there is none."""\n'
            "        return 1 if self.season is None else self.season[...].shape[0]\n\n"
            '    def seasonal(self, ahead: int = 0) -> Float[Array, " size"]:',
        ),
        ("at = self.seen[...] % self.season[...].shape[0]", "at = self.seen[...] % self.period"),
        ("(self.seen[...] + ahead) % self.season[...].shape[0]", "(self.seen[...] + ahead) % self.period"),
    ),
    legitimate(
        "seasonal",
        "seasons of a forecast are looked up at once",
        (
            "        seasons = jnp.stack([self.seasonal(ahead) for ahead in range(steps)])\n",
            "        if self.season is None:\n"
            "            seasons = jnp.zeros_like(self.level[...])\n"
            "        else:\n"
            "            ahead = self.seen[...] + jnp.arange(steps)\n"
            "            seasons = self.season[...][ahead % self.season[...].shape[0]]\n",
        ),
    ),
    legitimate(
        "fast_memory",
        "the outer product is a product of a column and a row",
        ("gain * jnp.outer(value, key)", "gain * value[:, None] * key[None]"),
    ),
    legitimate(
        "fast_memory",
        "how little must have been written can be told",
        (
            'self, query: Float[Array, " memory"], state: eqx.nn.State\n',
            'self,\n        query: Float[Array, " memory"],\n        state: eqx.nn.State,\n        *,\n        floor: float = 0.1,\n',
        ),
        (
            "jnp.abs(state.get(self.total) @ query) + 0.1\n",
            "jnp.abs(state.get(self.total) @ query) + floor\n",
        ),
    ),
    legitimate(
        "recommender",
        "items are meant to begin smaller",
        ("items=0.3 * jax.random.normal(", "items=0.2 * jax.random.normal("),
    ),
    legitimate(
        "recommender",
        "scores are products of the items with the person",
        (
            "self.sharpness * self.person(history) @ self.head",
            "self.sharpness * (self.items @ self.person(history))",
        ),
    ),
    legitimate(
        "recommender",
        "the loss is a product of two vectors",
        (
            "return jnp.sum(shares * jax.nn.softplus(against - scores))",
            "return shares @ jax.nn.softplus(against - scores)",
        ),
    ),
)
