"""Edits in a network of reactions, a truss, and a chain that folds: roles, copies, keys, dtypes, and methods."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

REACTIONS: tuple[Edit, ...] = (
    declared(
        "reactions",
        "a network with another feed follows the law of mass action",
        ("            feed,\n            self.law,\n", '            feed,\n            "mass",\n'),
    ),
    declared(
        "reactions",
        "reactions and the flow draw from one key",
        ("normal(flow_key, c.shape, c.dtype)", "normal(reaction_key, c.shape, c.dtype)"),
    ),
    declared(
        "reactions",
        "arrays that are given are not copied",
        (
            "    if dtype is None:\n"
            "        dtype = held if jnp.issubdtype(held, jnp.floating) else jnp.result_type(float)\n"
            "    return jnp.array(value, dtype)\n",
            "    if dtype is None:\n"
            "        dtype = held if jnp.issubdtype(held, jnp.floating) else jnp.result_type(float)\n"
            "    return jnp.asarray(value, dtype)\n",
        ),
    ),
    declared(
        "reactions",
        "the chance of the flow is drawn in jax's own dtype",
        ("normal(flow_key, c.shape, c.dtype)", "normal(flow_key, c.shape)"),
    ),
    declared(
        "reactions",
        "the barriers have no gradient",
        ("log_rate - self.barrier * colder", "log_rate - jax.lax.stop_gradient(self.barrier) * colder"),
    ),
    numbers(
        "reactions",
        "barriers make reactions faster where it is colder",
        ("log_rate - self.barrier * colder", "log_rate + self.barrier * colder"),
    ),
    numbers(
        "reactions",
        "the slope of the midpoint is taken at the end of the step",
        ("self(c + 0.5 * dt * slope)", "self(c + dt * slope)"),
    ),
)
TRUSS: tuple[Edit, ...] = (
    declared(
        "truss",
        "trusses are compared field by field",
        ("@dataclass(frozen=True, eq=False)", "@dataclass(frozen=True)"),
    ),
    declared(
        "truss",
        "a truss that was bent has borne no more loads",
        ("            self.loads + 1,\n", "            self.loads,\n"),
    ),
    declared(
        "truss",
        "places that were bent have no gradient by those before",
        (
            "self.places + share * response.displacement",
            "jax.lax.stop_gradient(self.places) + share * response.displacement",
        ),
    ),
    declared(
        "truss",
        "loads are counted in jax's own integers",
        ("loads=jnp.zeros((), jnp.int32)", "loads=jnp.zeros((), int)"),
    ),
    numbers(
        "truss",
        "bars that are longer push",
        (
            ".at[self.starts].add(along).at[self.ends].add(-along)",
            ".at[self.starts].add(-along).at[self.ends].add(along)",
        ),
    ),
)
FOLDING: tuple[Edit, ...] = (
    declared(
        "folding",
        "the projection is left out of what is trained even where it is not frozen",
        ('("distances",) + (("base",) if self.freeze else ())', '("distances", "base")'),
    ),
    declared(
        "folding",
        "weight decay moves the projection that is frozen",
        (
            'return decayed_fields(self, self.trainable(), but=("apart",))',
            'spec = trained_fields(self, but=("distances",))\n'
            '        return decayed_fields(self, spec, but=("apart",))',
        ),
    ),
    declared(
        "folding",
        "gradients go through each round of recycling",
        ("start + jax.lax.stop_gradient(pairs)", "start + pairs"),
    ),
    declared(
        "folding",
        "layers run from the last to the first",
        ("jax.checkpoint(step), pairs, arrays)", "jax.checkpoint(step), pairs, arrays, reverse=True)"),
    ),
    numbers(
        "folding",
        "a third residue that is not known is heard where edges come in, and the first is not",
        (
            "known[None, :, None] if self.outgoing else known[:, None, None], left, 0",
            "known[None, :, None], left, 0",
        ),
    ),
)
STATELESS: tuple[Edit, ...] = (*REACTIONS, *TRUSS, *FOLDING)
