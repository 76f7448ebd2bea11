"""Edits in a Gaussian process, a crystal, and a perceiver: roles, copies, keys, dtypes, and methods."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

KRIGING: tuple[Edit, ...] = (
    declared(
        "kriging",
        "the covariance of the measurements has a gradient with respect to the sites",
        (
            "covariance = self.covariance(\n"
            "            jax.lax.stop_gradient(self.sites), jax.lax.stop_gradient(self.sites)\n"
            "        )\n",
            "covariance = self.covariance(self.sites, self.sites)\n",
        ),
    ),
    declared(
        "kriging",
        "the kernel is left alone where it is not frozen",
        ("        if frozen:\n", "        if not frozen:\n"),
    ),
    declared(
        "kriging",
        "all fields that are drawn share one noise",
        (
            "noise = jax.random.normal(noise_key, (count, x.shape[0]), x.dtype)",
            "noise = jax.random.normal(noise_key, (x.shape[0],), x.dtype)",
        ),
    ),
    declared(
        "kriging",
        "a field that is extended has the Gaussian kernel",
        (
            "            self.kernel,\n            self.jitter,\n",
            '            "gauss",\n            self.jitter,\n',
        ),
    ),
    declared(
        "kriging",
        "without a drift the trend has jax's own dtype",
        ("return jnp.zeros_like(x[:, 0]) if", "return jnp.zeros(x.shape[0]) if"),
    ),
    numbers(
        "kriging",
        "the determinant counts half in the likelihood",
        ("- jnp.sum(jnp.log(jnp.diag(factor)))", "- 0.5 * jnp.sum(jnp.log(jnp.diag(factor)))"),
    ),
    numbers(
        "kriging",
        "the Matern kernel begins by falling",
        ("* (1 + distance) * jnp.exp(-distance)", "* (1 - distance) * jnp.exp(-distance)"),
    ),
)

CRYSTAL: tuple[Edit, ...] = (
    declared(
        "crystal",
        "a crystal with other places has made no steps",
        (
            "            self.held,\n            self.steps,\n            self.cutoff,\n            self.edges,\n"
            "        )\n\n    def warmed(",
            "            self.held,\n            jnp.zeros_like(self.steps),\n            self.cutoff,\n"
            "            self.edges,\n        )\n\n    def warmed(",
        ),
    ),
    declared(
        "crystal",
        "which atoms are held belongs to the treedef",
        (
            "        node.held,\n        node.steps,\n    ), (node.cutoff, node.edges)",
            "        node.steps,\n    ), (node.cutoff, node.edges, node.held)",
        ),
        (
            '        (GetAttrKey("held"), node.held),\n        (GetAttrKey("steps"), node.steps),\n'
            "    ), (node.cutoff, node.edges)",
            '        (GetAttrKey("steps"), node.steps),\n    ), (node.cutoff, node.edges, node.held)',
        ),
        (
            '        fields["held"],\n        fields["steps"],\n    ) = children\n'
            '    fields["cutoff"], fields["edges"] = aux\n',
            '        fields["steps"],\n    ) = children\n'
            '    fields["cutoff"], fields["edges"], fields["held"] = aux\n',
        ),
    ),
    declared(
        "crystal",
        "forces act on the atoms that are held, and on no other",
        ("jnp.where(self.held[:, None], 0, forces)", "jnp.where(self.held[:, None], forces, 0)"),
    ),
    declared(
        "crystal",
        "steps are counted in 64 bits where jax has them",
        ("            self.steps + 1,\n", "            self.steps + jnp.ones((), int),\n"),
    ),
    declared(
        "crystal",
        "species keep the integer dtype that they are given in",
        ("species=_integer(species, jnp.int32)", "species=_integer(species)"),
    ),
    declared(
        "crystal",
        "velocities are drawn in jax's own dtype",
        (
            "jax.random.normal(key, self.velocities.shape, self.velocities.dtype)",
            "jax.random.normal(key, self.velocities.shape)",
        ),
    ),
    numbers(
        "crystal",
        "atoms that leave an open cell come back at the other side",
        (
            '        if self.edges == "periodic":\n            places = places - jnp.floor(places)\n',
            "        places = places - jnp.floor(places)\n",
        ),
    ),
    numbers(
        "crystal",
        "the velocity of the centre is the mean of velocities, whatever the masses",
        (
            "            velocities = velocities - jnp.sum(masses * velocities, axis=0) / jnp.sum(\n"
            "                masses\n            )\n",
            "            velocities = velocities - jnp.mean(velocities, axis=0)\n",
        ),
    ),
)

PERCEIVER: tuple[Edit, ...] = (
    declared(
        "perceiver",
        "the gain is rounded to 16 bits, too",
        ("return (self.gain * wide *", "return (self.gain.astype(x.dtype).astype(jnp.float32) * wide *"),
    ),
    declared(
        "perceiver",
        "with a key the mask is not heeded",
        ("            mask = kept if mask is None else mask & kept\n", "            mask = kept\n"),
    ),
    declared(
        "perceiver",
        "what a latent looks at most is told in jax's own dtype",
        (
            "                jnp.argmax(scores, axis=1), scores.shape[1], dtype=scores.dtype\n",
            "                jnp.argmax(scores, axis=1), scores.shape[1]\n",
        ),
    ),
    declared(
        "perceiver",
        "layers draw from a key that was split before",
        ("(jax.random.split(thoughts_key, depth))", "(jax.random.split(key, depth))"),
    ),
    numbers(
        "perceiver",
        "bits are fewer than nats",
        ("return entropy / math.log(2) if bits", "return entropy * math.log(2) if bits"),
    ),
)

STATELESS: tuple[Edit, ...] = (*KRIGING, *CRYSTAL, *PERCEIVER)
