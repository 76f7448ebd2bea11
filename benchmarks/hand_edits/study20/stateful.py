"""Edits of the classes that hold or carry a state: statistics, codes, a buffer, a filter, training, chains, messages, layers that recur."""

from benchmarks.hand_edits.edit import Edit, declared, legitimate, numbers

STATEFUL: tuple[Edit, ...] = (
    declared(
        "running_normalizer",
        "The call observes into a local state but returns the state it was given, so statistics never build up.",
        (
            "            state = self.observe(x, state)\n        mean, var = self.moments(state)",
            "            new_state = self.observe(x, state)\n        else:\n            new_state = state\n        mean, var = self.moments(new_state)",
        ),
    ),
    declared(
        "running_normalizer",
        "`inference` is made a static field, hence no leaf: eqx.nn.inference_mode and tree_at can no longer switch it to evaluation.",
        ("    inference: bool\n", "    inference: bool = eqx.field(static=True)\n"),
    ),
    numbers(
        "running_normalizer",
        "Chan's cross term is scaled by count/total without the batch's n, so the variance misses most of the shift between batches.",
        ("delta**2 * (count * n / total)", "delta**2 * (count / total)"),
    ),
    legitimate(
        "running_normalizer",
        "An optional method argument: `moments` may give the unbiased variance, default as before.",
        (
            '        self, state: eqx.nn.State\n    ) -> tuple[Float[Array, " dim"], Float[Array, " dim"]]:\n        """Running mean',
            '        self, state: eqx.nn.State, ddof: int = 0\n    ) -> tuple[Float[Array, " dim"], Float[Array, " dim"]]:\n        """Running mean',
        ),
        ("m2 / jnp.maximum(count, 1.0), 1.0)", "m2 / jnp.maximum(count - ddof, 1.0), 1.0)"),
    ),
    declared(
        "vector_quantizer",
        "The updated counts replace the Variable by a bare array, so `ema_count` leaves the module's CodebookStat state (the next read and jit go on silently, a checkpoint or filter on CodebookStat no longer has it).",
        ("        self.ema_count[...] = count\n", "        self.ema_count = count\n"),
    ),
    declared(
        "vector_quantizer",
        "The straight-through pass stops the gradient of the whole sum, so nothing reaches the encoder through the output.",
        ("straight = z + jax.lax.stop_gradient(q - z)", "straight = jax.lax.stop_gradient(z + (q - z))"),
    ),
    declared(
        "vector_quantizer",
        "The codebook is an nnx.Param, so it counts as trainable (weight decay moves it) and filters on CodebookStat miss what is meant to be collected by moving averages only.",
        ("self.codebook = CodebookStat(codes)", "self.codebook = nnx.Param(codes)"),
    ),
    declared(
        "vector_quantizer",
        "The codebook is updated without regard to `deterministic`, so evaluation changes the model.",
        (
            "        if not self.deterministic:\n            self.update_codebook(z, idx)\n",
            "        self.update_codebook(z, idx)\n",
        ),
    ),
    numbers(
        "vector_quantizer",
        "The smoothing denominator forgets the number of codes, so the smoothed counts do not add up to n.",
        ("(n + self.num_codes * self.eps)", "(n + self.eps)"),
    ),
    declared(
        "edge_message_layer",
        "segment_sum for the totals has no num_segments: under jit it fails, and in eager nodes after the highest receiver are cut off.",
        (
            "            msg * weight[:, None], receivers, num_segments=num_nodes\n",
            "            msg * weight[:, None], receivers\n",
        ),
    ),
    declared(
        "edge_message_layer",
        "Messages are summed unmasked while the degree counts real edges only, so padding edges reach the nodes they point to.",
        ("            msg * weight[:, None], receivers, num", "            msg, receivers, num"),
    ),
    numbers(
        "edge_message_layer",
        "The gate lacks its factor 2, so at initial zero weights messages are halved and not passed unchanged.",
        ("gate = 2.0 * jax.nn.sigmoid", "gate = jax.nn.sigmoid"),
    ),
    legitimate(
        "edge_message_layer",
        "The silu is written as x * sigmoid(x) on a named local; same values.",
        (
            "return gate[:, None] * self.message_out(jax.nn.silu(self.message_in(joined)))",
            "pre = self.message_in(joined)\n        return self.message_out(pre * jax.nn.sigmoid(pre)) * gate[:, None]",
        ),
    ),
    declared(
        "replay_buffer",
        "`size` is moved to the meta fields: an array in the treedef, unhashable and a tracer leak under jit and scan.",
        (
            '"done", "head", "size"],\n    meta_fields=["gamma"],',
            '"done", "head"],\n    meta_fields=["size", "gamma"],',
        ),
    ),
    declared(
        "replay_buffer",
        "Samples are drawn over the whole capacity, so a buffer that is not full gives back empty slots.",
        ("(n,), 0, jnp.maximum(self.size, 1))", "(n,), 0, self.capacity)"),
    ),
    legitimate(
        "replay_buffer",
        "`extend` writes all rows at once with scattered indices of the ring when they fit, and scans otherwise; same buffer.",
        (
            "        return jax.lax.scan(lambda buf, t: (buf.add(*t), None), self, batch)[0]",
            '        n = batch[0].shape[0]\n        if n > self.capacity:\n            return jax.lax.scan(lambda buf, t: (buf.add(*t), None), self, batch)[0]\n        idx = (self.head + jnp.arange(n, dtype=jnp.int32)) % self.capacity\n        names = ("obs", "action", "reward", "next_obs", "done")\n        new = {name: getattr(self, name).at[idx].set(v) for name, v in zip(names, batch)}\n        head = (self.head + n) % self.capacity\n        return dataclasses.replace(self, head=head, size=jnp.minimum(self.size + n, self.capacity), **new)',
        ),
    ),
    declared(
        "kalman_belief",
        "tree_flatten gives (jitter, names) while unflatten reads (names, jitter): after any jit, scan or tree map the two are swapped.",
        (
            "(self.mean, self.cov), (self.names, self.jitter)",
            "(self.mean, self.cov), (self.jitter, self.names)",
        ),
    ),
    declared(
        "kalman_belief",
        "`diffuse` stores the names as a list, which goes into the auxiliary data: fine in eager, unhashable treedef as soon as a belief is an argument of jit.",
        ("tuple(names), jitter)", "list(names), jitter)"),
    ),
    numbers(
        "kalman_belief",
        "Samples multiply by the Cholesky factor, not by its transpose: the covariance of the draws is L^T L.",
        ("(key, (n, self.mean.shape[0])) @ root.T", "(key, (n, self.mean.shape[0])) @ root"),
    ),
    legitimate(
        "kalman_belief",
        "The gain is solved with a Cholesky factor of the symmetric S; same values.",
        (
            "gain = jnp.linalg.solve(S, H @ self.cov).T",
            "gain = jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(S, lower=True), H @ self.cov).T",
        ),
    ),
    declared(
        "ema_train_state",
        "The new optimiser state is not stored (the old one is kept), so moments and step counts of the optimiser never advance.",
        ("            opt_state=keep(opt_state, self.opt_state),\n", ""),
    ),
    declared(
        "ema_train_state",
        "A python `if` on the traced finiteness flag returns early: works in eager, TracerBoolConversionError under jit and scan.",
        (
            "        updates, opt_state = self.tx.update(",
            "        if not ok:\n            return self.replace(skipped=self.skipped + 1)\n        updates, opt_state = self.tx.update(",
        ),
    ),
    numbers(
        "ema_train_state",
        "The debiasing weight uses one step too many, 1 - decay^(step+1), so the average is too small early on.",
        ("self.decay ** self.step.astype(jnp.float32)", "self.decay ** (self.step + 1).astype(jnp.float32)"),
    ),
    declared(
        "mala_chain",
        "The key of the chain is not advanced (the old one stays in the carry), so every step uses the same noise and the same uniform.",
        ("            count=self.count + 1,\n            key=key,\n", "            count=self.count + 1,\n"),
    ),
    declared(
        "mala_chain",
        "`accepted` takes the acceptance as a float, so the scan carry changes type from int32 to float32 and `run` fails.",
        ("self.accepted + accept.astype(jnp.int32)", "self.accepted + jnp.minimum(1.0, jnp.exp(log_ratio))"),
    ),
    legitimate(
        "mala_chain",
        "The proposal's mean is a named local, the noise is scaled by exp(0.5 log(2 step)); same values.",
        (
            "proposal = self.position + step * self.grad + jnp.sqrt(2.0 * step) * noise",
            "drift = self.position + step * self.grad\n        proposal = drift + jnp.exp(0.5 * (jnp.log(2.0) + self.log_step)) * noise",
        ),
    ),
    numbers(
        "mala_chain",
        "The proposal's log density divides by 2 step where the noise has variance 2 step (so 4 step), the acceptance is biased.",
        ("/ (4.0 * step)", "/ (2.0 * step)"),
    ),
    declared(
        "stacked_gru_forecaster",
        "All norms are one shared object repeated: after the first gradient step the layers' norms part company, and parameter counts count it per layer.",
        ("[eqx.nn.LayerNorm(hidden) for _ in range(layers)]", "[eqx.nn.LayerNorm(hidden)] * layers"),
    ),
    declared(
        "stacked_gru_forecaster",
        "The key is not split over time: the same dropout masks at every time step.",
        (
            "        keys = jax.random.split(key, xs.shape[0])\n        body = lambda carry, inp: self.step(carry, inp[0], key=inp[1])\n        return jax.lax.scan(body, self.initial, (xs, keys))[1]",
            "        body = lambda carry, x: self.step(carry, x, key=key)\n        return jax.lax.scan(body, self.initial, xs)[1]",
        ),
    ),
    legitimate(
        "stacked_gru_forecaster",
        "A further method `init_carry` that gives the learned first state, and rollout uses it.",
        (
            "    def step(\n",
            '    def init_carry(self) -> Float[Array, "layers hidden"]:\n        return self.initial\n\n    def step(\n',
        ),
        (
            "        carry, forecasts = jax.lax.scan(\n            lambda carry, x: self.step(carry, x), self.initial, xs\n",
            "        carry, forecasts = jax.lax.scan(\n            lambda carry, x: self.step(carry, x), self.init_carry(), xs\n",
        ),
    ),
)
