"""Edits of the six classes of `specs/`, most of them in methods beside the call and in branches behind flags."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

CLASSES: tuple[Edit, ...] = (
    declared(
        "mixture_head",
        "the prior begins as log probabilities in the place of zeros",
        ("jnp.zeros((components,), dtype) if", "jnp.full((components,), -math.log(components), dtype) if"),
    ),
    declared(
        "mixture_head",
        "a draw takes one key for the component and for the noise",
        ("which_key, noise_key = jax.random.split(key)", "which_key = noise_key = key"),
    ),
    declared(
        "mixture_head",
        "the index of a component is no longer cast to 32 bits",
        ("axis=-1)).astype(jnp.int32)", "axis=-1))"),
    ),
    declared(
        "mixture_head",
        "a gradient reaches the deviation in the last term of the log density",
        ("jnp.log(jax.lax.stop_gradient(self.deviation))", "jnp.log(self.deviation)"),
    ),
    declared(
        "mixture_head",
        "the marginal mean weights the components and forgets the sum",
        ("jnp.exp(log_weights) @ means", "jnp.exp(log_weights)[:, None] * means"),
    ),
    declared(
        "replay",
        "the count is that of the valid places, whose sum has 64 bits where jax has them",
        ("jnp.minimum(self.count + 1, capacity)", "jnp.minimum(jnp.sum(self.valid()) + 1, capacity)"),
    ),
    declared(
        "replay",
        "a cleared ring has the usual discount, not its own",
        ("count=start,\n            discount=self.discount,", "count=start,\n            discount=0.97,"),
    ),
    declared(
        "replay",
        "no gradient reaches the value behind the newest transition",
        ("jax.lax.scan(back, last, steps", "jax.lax.scan(back, jax.lax.stop_gradient(last), steps"),
    ),
    declared(
        "replay",
        "newer transitions are likelier whatever `recent` says",
        ("logits = fade if recent else jnp.zeros_like(fade)", "logits = fade"),
    ),
    declared(
        "replay",
        "whether the ring is full is a Python bool",
        ("return self.count == self.actions.shape[0]", "return bool(self.count == self.actions.shape[0])"),
    ),
    declared(
        "replay",
        "a cleared ring counts from the Python number 0",
        ("start = jnp.zeros_like(self.cursor)", "start: Any = 0"),
    ),
    declared(
        "graph_layer",
        "degrees are counted in floats",
        ("jnp.ones_like(receivers)", "jnp.ones(receivers.shape)"),
    ),
    declared(
        "graph_layer",
        "weight decay leaves the gate alone, too",
        ('not in ("bias",)', 'not in ("bias", "gate")'),
    ),
    declared(
        "lru",
        "the eigenvalues have 64 bits whatever the class has",
        (
            "return jnp.exp(jax.lax.complex(-jnp.exp(self.nu_log), self.theta))",
            "rates = jax.lax.complex(-jnp.exp(self.nu_log), self.theta)\n        return jnp.exp(rates.astype(jnp.complex64))",
        ),
    ),
    declared(
        "lru",
        "the state of a sequence begins in the default dtype",
        ("jnp.zeros((2, *self.nu_log.shape), self.nu_log.dtype)", "jnp.zeros((2, *self.nu_log.shape))"),
    ),
    declared(
        "lru",
        "weight decay leaves the head of a stack alone, too",
        ('but=("scales",)', 'but=("scales", "head")'),
    ),
    declared(
        "lru",
        "the summary of units that run both ways is the mean of all numbers",
        ("jnp.mean(outputs, axis=0) if self.both_ways", "jnp.mean(outputs) if self.both_ways"),
    ),
    declared(
        "scaled_state",
        "Python decides whether the factor grows",
        (
            "up = jnp.where(grows, self.scale * 2, self.scale)",
            "up = self.scale * 2 if grows else self.scale",
        ),
    ),
    declared(
        "scaled_state",
        "the average begins as the arrays of the model themselves",
        ("ema=_widened(eqx.filter(model, _trained(model)))", "ema=eqx.filter(model, _trained(model))"),
    ),
    declared(
        "scaled_state",
        "the drift has no gradient where weights and average agree",
        ("sum(jax.tree.leaves(squares)) + 1e-12", "sum(jax.tree.leaves(squares))"),
    ),
    declared(
        "scaled_state",
        "gradients take the dtype of the factor",
        ("g / self.scale.astype(g.dtype)", "g / self.scale"),
    ),
    declared(
        "monitor",
        "units are dropped outside of training, too",
        ("deterministic=not self.training", "deterministic=False"),
    ),
    declared(
        "monitor",
        "asking for the corrected mean corrects the running one",
        (
            "return self.mean[...] / jnp.where(self.batches[...] > 0, weight, 1)",
            "self.mean[...] = self.mean[...] / jnp.where(self.batches[...] > 0, weight, 1)\n        return self.mean[...]",
        ),
    ),
    numbers(
        "mixture_head",
        "the constant of the normal density is added whole, and not taken off by half",
        ("-0.5 * (errors**2 + constant)", "-0.5 * errors**2 + constant"),
    ),
    numbers(
        "replay",
        "the cursor runs past the end of the ring",
        ("cursor=(at + 1) % capacity", "cursor=at + 1"),
    ),
    numbers(
        "graph_layer",
        "edges that are kept are no longer scaled up",
        ("messages / (1 - self.drop), 0)", "messages, 0)"),
    ),
    numbers(
        "graph_layer",
        "the greatest message of a node that receives none is minus infinity",
        ("return jnp.where(jnp.isfinite(top), top, 0)", "return top"),
    ),
    numbers(
        "lru",
        "what drives the state is normalised by one minus the radius, not by that of its square",
        ("jnp.expm1(-2 * jnp.exp(self.nu_log))", "jnp.expm1(-jnp.exp(self.nu_log))"),
    ),
    numbers(
        "scaled_state",
        "the factor doubles a step later",
        ("grows = self.clean + 1 >= self.patience", "grows = self.clean >= self.patience"),
    ),
    numbers(
        "monitor",
        "the momentum is the share of the batch",
        (
            "return self.momentum * running + (1 - self.momentum) * batch",
            "return (1 - self.momentum) * running + self.momentum * batch",
        ),
    ),
)
