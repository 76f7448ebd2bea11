"""Edits in an encoder of point clouds, a piecewise linear curve, and a network for tables."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

POINTS: tuple[Edit, ...] = (
    declared(
        "points",
        "the noise is drawn in the default dtype",
        (
            "            noise = jax.random.normal(key, points.shape, points.dtype)\n",
            "            noise = jax.random.normal(key, points.shape)\n",
        ),
    ),
    declared(
        "points",
        "the largest features are taken of missing points as well",
        (
            "            seen = jnp.where(present[:, None], features, -jnp.inf)\n"
            "            return jnp.where(jnp.any(present), jnp.max(seen, axis=0), 0.0)\n",
            "            return jnp.where(jnp.any(present), jnp.max(features, axis=0), 0.0)\n",
        ),
    ),
    declared(
        "points",
        "the centre is read without a stop of the gradient",
        ("(points - jax.lax.stop_gradient(self.centre))", "(points - self.centre)"),
    ),
    declared(
        "points",
        "the name of the centre is misspelt in the filter spec",
        ('not in ("centre",)', 'not in ("center",)'),
    ),
    numbers(
        "points",
        "both clouds are moved to the centre of the first",
        (
            "            one = one - jnp.mean(one, axis=0)\n            other = other - jnp.mean(other, axis=0)\n",
            "            middle = jnp.mean(one, axis=0)\n            one, other = one - middle, other - middle\n",
        ),
    ),
    numbers(
        "points",
        "the mean divides by the number of all points",
        (
            "return total / jnp.maximum(jnp.sum(present), 1).astype(features.dtype)",
            "return total / features.shape[0]",
        ),
    ),
)

SPLINE: tuple[Edit, ...] = (
    declared(
        "spline",
        "the shifted curve is always clamped",
        (
            "return Spline(self.knots, self.levels + offset, self.outside, self.unit)",
            'return Spline(self.knots, self.levels + offset, "clamp", self.unit)',
        ),
    ),
    declared(
        "spline",
        "the unit is left out of the treedef, so that no other unit compiles anew",
        (
            "return (node.knots, node.levels), (node.outside, node.unit)",
            "return (node.knots, node.levels), (node.outside,)",
        ),
        (
            '(GetAttrKey("levels"), node.levels)), (\n        node.outside,\n        node.unit,\n    )',
            '(GetAttrKey("levels"), node.levels)), (\n        node.outside,\n    )',
        ),
        (
            '    fields["outside"], fields["unit"] = aux\n',
            '    (fields["outside"],) = aux\n    fields["unit"] = "V"\n',
        ),
    ),
    declared(
        "spline",
        "the number of levels is not compared with that of the knots",
        (
            "        (n,) = np.shape(knots)\n        _, channels = np.shape(levels)\n"
            "        if np.shape(levels) != (n, channels):\n"
            "            raise ValueError(\n"
            '                f"`levels` has shape {np.shape(levels)}, and `knots` {np.shape(knots)}"\n'
            "            )\n",
            "",
        ),
    ),
    declared(
        "spline",
        "slopes are computed in 32 bits, as small differences need",
        (
            "return jnp.diff(self.levels, axis=0) / jnp.diff(self.knots)[:, None]",
            "levels, knots = (a.astype(jnp.float32) for a in (self.levels, self.knots))\n"
            "        return jnp.diff(levels, axis=0) / jnp.diff(knots)[:, None]",
        ),
    ),
    declared(
        "spline",
        "the mean of the values at the knots has no gradient",
        (
            "return jnp.mean(self.levels, axis=0)",
            "return jnp.mean(jax.lax.stop_gradient(self.levels), axis=0)",
        ),
    ),
    numbers(
        "spline",
        "the mean takes the value at the left of each piece",
        ("middles = 0.5 * (self.levels[1:] + self.levels[:-1])", "middles = self.levels[:-1]"),
    ),
)

TABULAR: tuple[Edit, ...] = (
    declared(
        "tabular",
        "the head is cut off from the gradient of the embedding",
        ("return self.embedding.T", "return jax.lax.stop_gradient(self.embedding).T"),
    ),
    declared(
        "tabular",
        "the weights of the numbers begin with the spread of their outputs",
        (
            "self.numeric = jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(",
            "self.numeric = jax.nn.initializers.lecun_normal()(",
        ),
    ),
    declared(
        "tabular",
        "training with a key keeps all results for the way back",
        ("                jax.checkpoint(step), x, (arrays_2", "                step, x, (arrays_2"),
    ),
    declared(
        "tabular",
        "one draw says whether all blocks are left out",
        (
            "kept = jax.random.bernoulli(key, self.survival, (self.depth,)).astype(\n                x.dtype\n            )",
            "kept = jnp.broadcast_to(jax.random.bernoulli(key, self.survival), (self.depth,))\n"
            "            kept = kept.astype(x.dtype)",
        ),
    ),
    declared(
        "tabular",
        "a missing category is taken for the last one",
        (
            "        known = codes >= 0\n"
            "        rows = jnp.where(known[:, None], self.embedding[jnp.maximum(codes, 0)], 0)\n",
            "        rows = self.embedding[codes]\n",
        ),
    ),
    declared(
        "tabular",
        "the lengths behind the blocks are measured in 32 bits",
        ("lengths = jnp.linalg.norm(x)\n", "lengths = jnp.linalg.norm(x.astype(jnp.float32))\n"),
    ),
    numbers(
        "tabular",
        "value and gate of a block change places",
        ("value, gate = jnp.split(self.wide @ x, 2)", "gate, value = jnp.split(self.wide @ x, 2)"),
    ),
)

STATELESS = (*POINTS, *SPLINE, *TABULAR)
