"""Changes that are right: refactorings, equivalent formulas, new arguments, methods and properties, another deviation."""

from benchmarks.hand_edits.edit import Edit, legitimate

LEGITIMATE: tuple[Edit, ...] = (
    legitimate(
        "reactions",
        "steps are taken in a loop of jax",
        (
            "        for _ in range(steps):\n"
            "            slope = self(c)\n"
            "            if midpoint:\n"
            "                slope = self(c + 0.5 * dt * slope)\n"
            "            c = c + dt * slope\n"
            "        return c\n",
            "        def step(_: int, c: Array) -> Array:\n"
            "            slope = self(c)\n"
            "            if midpoint:\n"
            "                slope = self(c + 0.5 * dt * slope)\n"
            "            return c + dt * slope\n\n"
            "        return jax.lax.fori_loop(0, steps, step, c)\n",
        ),
    ),
    legitimate(
        "reactions",
        "a property tells how many particles a reaction takes",
        (
            "    def save(self,",
            "    @property\n"
            '    def order(self) -> Int32[Array, " reactions"]:\n'
            '        """How many particles each reaction takes."""\n'
            "        return jnp.sum(self.used, axis=1, dtype=jnp.int32)\n\n"
            "    def save(self,",
        ),
    ),
    legitimate(
        "reactions",
        "how much colder it is is written as one fraction",
        (
            "colder = 1 / (0.1 + jnp.abs(temperature)) - 1 / (0.1 + self.reference)",
            "warm, warmth = 0.1 + self.reference, 0.1 + jnp.abs(temperature)\n"
            "            colder = (warm - warmth) / (warm * warmth)",
        ),
    ),
    legitimate(
        "truss",
        "how much longer bars are is computed by an einsum",
        (
            "jnp.sum(moved * self.spans(), axis=1) / lengths",
            'jnp.einsum("bp,bp->b", moved, self.spans()) / lengths',
        ),
    ),
    legitimate(
        "truss",
        "how fast a truss relaxes is an option",
        (
            '        self, load: Float[Array, "joints plane"], *, steps: int = 3\n    ) -> Response:\n',
            '        self,\n        load: Float[Array, "joints plane"],\n        *,\n        steps: int = 3,\n        pace: float = 0.02,\n    ) -> Response:\n',
        ),
        ("displacement + 0.02 * self.residual", "displacement + pace * self.residual"),
    ),
    legitimate(
        "truss",
        "pulls are summed by segments",
        (
            "            jnp.zeros_like(load).at[self.starts].add(along).at[self.ends].add(-along)\n",
            "            jax.ops.segment_sum(along, self.starts, load.shape[0])\n"
            "            - jax.ops.segment_sum(along, self.ends, load.shape[0])\n",
        ),
    ),
    legitimate(
        "sparse_coder",
        "the dictionary and the threshold are read once",
        (
            "        step = 1 / (1 + jnp.sum(self.dictionary[...] ** 2))\n",
            "        atoms = self.dictionary[...]\n        step = 1 / (1 + jnp.sum(atoms**2))\n",
        ),
        (
            "code + step * self.dictionary[...] @ (x - code @ self.dictionary[...]),",
            "code + step * atoms @ (x - code @ atoms),",
        ),
    ),
    legitimate(
        "sparse_coder",
        "the reconstruction is cast to the dtype that it has",
        ("        return self.rebuilt(code)\n", "        return self.rebuilt(code).astype(x.dtype)\n"),
    ),
    legitimate(
        "equaliser",
        "samples enter the line in a method",
        (
            "            x = x + 0.1 * jax.random.normal(key, x.shape, x.dtype)\n"
            "        state = state.set(self.line, jnp.roll(state.get(self.line), 1).at[0].set(x))\n"
            "        state = state.set(self.heard, state.get(self.heard) + 1)\n",
            "            x = x + 0.1 * jax.random.normal(key, x.shape, x.dtype)\n"
            "        state = self._entered(x, state)\n",
        ),
        (
            '        """Take a sample whose target is known, forget a share of the taps, and give the error."""\n'
            "        state = state.set(self.line, jnp.roll(state.get(self.line), 1).at[0].set(x))\n"
            "        state = state.set(self.heard, state.get(self.heard) + 1)\n",
            '        """Take a sample whose target is known, forget a share of the taps, and give the error."""\n'
            "        state = self._entered(x, state)\n",
        ),
        (
            "    def save(self,",
            '    def _entered(self, x: Float[Array, ""], state: eqx.nn.State) -> eqx.nn.State:\n'
            '        """The state in which a sample is the newest."""\n'
            "        line = jnp.concatenate([x[None], state.get(self.line)[:-1]])\n"
            "        state = state.set(self.line, line)\n"
            "        return state.set(self.heard, state.get(self.heard) + 1)\n\n"
            "    def save(self,",
        ),
    ),
    legitimate(
        "equaliser",
        "a method tells how loud the line is",
        (
            "    def save(self,",
            '    def loudness(self, state: eqx.nn.State) -> tuple[Float[Array, ""], eqx.nn.State]:\n'
            '        """The mean power of what the line holds, and the state as it is."""\n'
            "        return jnp.mean(state.get(self.line) ** 2), state\n\n"
            "    def save(self,",
        ),
    ),
    legitimate(
        "equaliser",
        "the running mean of the power moves by a tenth of the way",
        (
            "state = state.set(self.power, 0.9 * state.get(self.power) + 0.1 * x**2)",
            "power = state.get(self.power)\n            state = state.set(self.power, power + 0.1 * (x**2 - power))",
        ),
    ),
    legitimate(
        "survival",
        "how likely somebody is alive is a product over intervals",
        (
            "jnp.exp(-jnp.cumsum(self(x) * self.widths))",
            "jnp.cumprod(jnp.exp(-self(x) * self.widths))",
        ),
    ),
    legitimate(
        "survival",
        "the risk at death is picked by a comparison",
        (
            "        died = jnp.take_along_axis(jnp.log(risks), when[:, None], axis=1)[:, 0]\n",
            "        at_death = jnp.arange(count) == when[:, None]\n"
            "        died = jnp.sum(jnp.where(at_death, jnp.log(risks), 0), axis=1)\n",
        ),
    ),
    legitimate(
        "folding",
        "the projection is applied to all pairs at once",
        (
            "jax.vmap(jax.vmap(self.base))(both) + self.apart[far]",
            "both @ self.base.weight.T + self.base.bias + self.apart[far]",
        ),
    ),
    legitimate(
        "folding",
        "kinds of residues begin closer to each other",
        ("self.kind = 0.5 * jax.random.normal(", "self.kind = 0.3 * jax.random.normal("),
    ),
)
