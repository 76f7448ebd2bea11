"""Edits of the classes that change: an orchard with state, a loom of NNX, a bidder in a market."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_ORCHARD: tuple[Edit, ...] = (
    declared(
        "orchard",
        "days are counted at inference too",
        (
            "            state = state.set(self.days, state.get(self.days) + 1)\n",
            "        state = state.set(self.days, state.get(self.days) + 1)\n",
        ),
    ),
    declared(
        "orchard",
        "frost cuts the gradient",
        ("thirst = 0.1 * thirst\n", "thirst = jax.lax.stop_gradient(0.1 * thirst)\n"),
    ),
    declared(
        "orchard",
        "rain makes stress in the place of moisture",
        (
            "state = state.set(self.moisture, jnp.minimum(full, self.capacity))",
            "state = state.set(self.stress, jnp.minimum(full, self.capacity))",
        ),
    ),
    declared(
        "orchard",
        "how many rows there are is found from the values",
        ("jnp.where(ripe, fruit, 0), self.row, self.rows)", "jnp.where(ripe, fruit, 0), self.row)"),
    ),
    declared(
        "orchard",
        "there is a pump, asked for or not",
        (
            "pump=jnp.full((trees,), 0.3, dtype) if use_pump else None,",
            "pump=jnp.full((trees,), 0.3, dtype),",
        ),
    ),
    numbers("orchard", "mulch keeps less", ("lost = 0.02 if", "lost = 0.05 if")),
)
_LOOM: tuple[Edit, ...] = (
    declared(
        "loom",
        "the stiffness is trained",
        ("self.stiffness = Frozen(", "self.stiffness = nnx.Param("),
    ),
    declared(
        "loom",
        "a repair is told and not made",
        (
            "        self.wear[...] = jnp.maximum(self.wear[...] - worn, 0)\n        return self.wear[...]\n",
            "        return jnp.maximum(self.wear[...] - worn, 0)\n",
        ),
    ),
    declared(
        "loom",
        "satin is shifted as twill is",
        ('step = 1 if self.kind == "twill" else 2', 'step = 1 if self.kind != "plain" else 2'),
    ),
    declared(
        "loom",
        "a snapshot is the state itself",
        ("return map_variables({}, self)", "return nnx.state(self)"),
    ),
    numbers("loom", "strict is three times the wear", ("(2 if strict else 1)", "(3 if strict else 1)")),
)
_AUCTION: tuple[Edit, ...] = (
    declared(
        "auction",
        "each step draws the same lots",
        ("            self.step_key, self.reserve.shape", "            self.key, self.reserve.shape"),
    ),
    declared(
        "auction",
        "the average begins as the weights themselves",
        (
            "ema=_widened(eqx.filter(model, _trained(model))),",
            "ema=eqx.filter(model, _trained(model)),",
        ),
    ),
    declared("auction", "steps are not counted", ("            step=self.step + 1,\n", "")),
    declared(
        "auction",
        "the table and the hidden layer are drawn from one key",
        ("eqx.nn.Linear(size, size, key=hidden_key)", "eqx.nn.Linear(size, size, key=table_key)"),
    ),
    declared(
        "auction",
        "the purse has 32 bits once something is paid",
        (
            "return eqx.tree_at(lambda market: market.purse, self, self.purse - 0.5 * amount)",
            "purse = jnp.asarray(self.purse - 0.5 * amount, jnp.float32)\n"
            "        return eqx.tree_at(lambda market: market.purse, self, purse)",
        ),
    ),
    numbers("auction", "fees are a half", ("paid = 1.05 * paid", "paid = 1.5 * paid")),
)
STATEFUL: tuple[Edit, ...] = (*_ORCHARD, *_LOOM, *_AUCTION)
