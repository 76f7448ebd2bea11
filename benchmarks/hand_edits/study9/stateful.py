"""Edits in cells of NNX, a battery with state, and a segmenter with its train state."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

CELLS: tuple[Edit, ...] = (
    declared(
        "cells",
        "cells are counted from which nothing is to be learnt",
        ("            self.seen[...] += 1\n", "        self.seen[...] += 1\n"),
    ),
    declared(
        "cells",
        "the running depth takes the place of its Variable",
        ("            self.depth[...] = self.memory", "            self.depth = self.memory"),
    ),
    declared(
        "cells",
        "a tenth of the rates is lost, whatever is asked",
        (
            "jax.random.bernoulli(lost, 1 - dropout, rates.shape)",
            "jax.random.bernoulli(lost, 0.9, rates.shape)",
        ),
    ),
    declared(
        "cells",
        "genes that are not counted are likely or not, where counts are those of Poisson",
        (
            "            each = counts * jnp.log(rates) - rates\n",
            "            return jnp.sum(counts * jnp.log(rates) - rates)\n",
        ),
    ),
    numbers(
        "cells",
        "what programs explain is taken from the hidden layer",
        ("hidden + code @ self.spread[...]", "hidden - code @ self.spread[...]"),
    ),
)

BATTERY: tuple[Edit, ...] = (
    declared(
        "battery",
        "voltages are noisy at inference",
        ("        if key is not None and not self.inference:\n", "        if key is not None:\n"),
    ),
    declared(
        "battery",
        "a second is in jax's own dtype",
        ("time = jnp.ones_like(current) if seconds", "time = jnp.ones(jnp.shape(current)) if seconds"),
    ),
    declared(
        "battery",
        "weight decay moves the rates",
        (
            '                not in ("rate", "curve", "charge", "voltages", "drawn", "readings")\n',
            '                not in ("curve", "charge", "voltages", "drawn", "readings")\n',
        ),
    ),
    declared(
        "battery",
        "a battery that does not age tells its size as a Python number",
        ("            return full\n", "            return self.capacity\n"),
    ),
    numbers(
        "battery",
        "a current charges it",
        (
            "                - current * time / self.size(state.get(self.drawn)),\n",
            "                + current * time / self.size(state.get(self.drawn)),\n",
        ),
    ),
)

SEGMENTER: tuple[Edit, ...] = (
    declared(
        "segmenter",
        "each step mirrors images alike",
        ("jax.random.fold_in(self.step_key, 1)", "jax.random.fold_in(self.key, 1)"),
    ),
    declared(
        "segmenter",
        "images are upside down where they are mirrored sideways",
        (
            "jnp.where(jax.random.bernoulli(down), image[:, ::-1], image)",
            "jnp.where(jax.random.bernoulli(sideways), image[:, ::-1], image)",
        ),
    ),
    declared(
        "segmenter",
        "an average of few bits has few bits",
        (
            "ema=_widened(eqx.filter(model, _trained(model)))",
            "ema=_copied(eqx.filter(model, _trained(model)))",
        ),
    ),
    declared(
        "segmenter",
        "pixels are counted in 32 bits",
        (
            "jax.nn.one_hot(labels, self.shown.shape[0], dtype=self.shown.dtype)",
            "jax.nn.one_hot(labels, self.shown.shape[0], dtype=jnp.float32)",
        ),
    ),
    declared(
        "segmenter",
        "chances are those of the last weights",
        ("        model = self.averaged()\n", "        model = self.model\n"),
    ),
    numbers(
        "segmenter",
        "channels that are kept are as large as before",
        ("jnp.where(kept, x / (1 - self.dropout), 0)", "jnp.where(kept, x, 0)"),
    ),
    numbers(
        "segmenter",
        "the classes of a pixel are compared with those of its row",
        ("jax.nn.log_softmax(logits, axis=1)", "jax.nn.log_softmax(logits, axis=3)"),
    ),
)

STATEFUL: tuple[Edit, ...] = (*CELLS, *BATTERY, *SEGMENTER)
