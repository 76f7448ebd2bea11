"""Edits of the classes that change: a receiver with its lock, a hive of NNX, a rower in a season."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_RECEIVER: tuple[Edit, ...] = (
    declared(
        "receiver",
        "a lock begins with a level of the default dtype",
        ("jnp.ones((), self.antenna.dtype),", "jnp.ones(()),"),
    ),
    declared(
        "receiver",
        "the set is dithered with the key that is handed on",
        ("jax.random.normal(draw, signal.shape", "jax.random.normal(key, signal.shape"),
    ),
    declared(
        "receiver",
        "the memory of a lock is cut off",
        ("(1 - pace) * lock.memory + pace", "(1 - pace) * jax.lax.stop_gradient(lock.memory) + pace"),
    ),
    declared(
        "receiver",
        "a retuned lock has a Python number of losses",
        ("losses=jnp.zeros_like(lock.losses), key=key)", "losses=0, key=key)"),
    ),
    declared(
        "receiver",
        "the patience of every receiver is the default one",
        ("(1 if strict else self.patience)", "(1 if strict else 3)"),
    ),
    declared(
        "receiver",
        "of a transmission only the last row is given, where the last is asked for",
        (
            "        return lock, jnp.where(\n"
            "            jnp.arange(len(waves))[:, None] < len(waves) - 1, 0, words\n"
            "        ) if last else words\n",
            "        return lock, words[-1:] if last else words\n",
        ),
    ),
    numbers(
        "receiver",
        "the best word is sought among the quiet ones",
        ("jnp.where(quiet, -jnp.inf, heard)", "jnp.where(quiet, heard, -jnp.inf)"),
    ),
)
_HIVE: tuple[Edit, ...] = (
    declared(
        "hive",
        "honey is a statistic of the batch",
        ("self.honey = Store(", "self.honey = nnx.BatchStat("),
    ),
    declared(
        "hive",
        "flights are an array, and no Variable, once a bee has flown",
        ("self.flights[...] += 1\n", "self.flights = self.flights[...] + 1\n"),
    ),
    numbers(
        "hive",
        "a gentle harvest tells a half and takes the whole",
        (
            "        if gentle:\n"
            "            taken = 0.5 * taken\n"
            "        self.honey[...] = self.honey[...] - taken\n",
            "        self.honey[...] = self.honey[...] - taken\n"
            "        if gentle:\n"
            "            taken = 0.5 * taken\n",
        ),
    ),
    numbers(
        "hive",
        "ligustica brings more",
        ("brought + 0.1 * jnp.square(brought)", "brought + jnp.square(brought)"),
    ),
)
_ROWING: tuple[Edit, ...] = (
    declared(
        "rowing",
        "the state of the model stays what it was",
        ("            state=state,\n            ema=ema,\n", "            ema=ema,\n"),
    ),
    declared(
        "rowing",
        "who is first is asked in Python",
        ("jnp.where(first, prize, 0)", "(prize if first else 0)"),
    ),
    declared(
        "rowing",
        "what sleep does is told and not kept",
        (
            "        state = state.set(self.fatigue, 0.5 * left if slept else left)\n"
            "        return state.get(self.fatigue), state\n",
            "        state = state.set(self.fatigue, left)\n"
            "        return (0.5 * left if slept else left), state\n",
        ),
    ),
    declared(
        "rowing",
        "the current keeps its dtype, whatever is asked for",
        ("current=_real(current, asked),", "current=_real(current),"),
    ),
    numbers(
        "rowing",
        "the average keeps the share that the weights should have",
        (
            "self.ema_decay * average + (1 - self.ema_decay) * weight",
            "(1 - self.ema_decay) * average + self.ema_decay * weight",
        ),
    ),
)
STATEFUL: tuple[Edit, ...] = (*_RECEIVER, *_HIVE, *_ROWING)
