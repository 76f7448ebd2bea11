"""Edits of pytrees written out by hand, of data, and of what selects and registers leaves."""

from benchmarks.hand_edits.edit import declared, numbers

DATA = (
    declared(
        "belief",
        "What no optimiser should move counts as trained.",
        ("jax.tree.map(lambda _: False, self)", "jax.tree.map(lambda _: True, self)"),
    ),
    declared(
        "belief",
        "Two fields changed places, so that positions mean something else.",
        (
            '    covariance: Float[Array, "size size"]\n    log_likelihood: Float[Array, ""]\n',
            '    log_likelihood: Float[Array, ""]\n    covariance: Float[Array, "size size"]\n',
        ),
    ),
    declared(
        "observation",
        "The name of the sensor is no longer static, and a string becomes a leaf.",
        ('dataclasses.field(metadata={"static": True})', "dataclasses.field()"),
    ),
    declared(
        "observation",
        "The noise is stored as it is given.",
        ("noise=_real(noise)", "noise=jnp.asarray(noise)"),
    ),
    declared(
        "observation",
        "Two observations are compared by value, which arrays do not allow.",
        ("frozen=True, eq=False", "frozen=True"),
    ),
    declared(
        "split_params",
        "The group is selected by identity of the leaves, not by field.",
        (
            'lambda path, _: path[0].name in ("element1", "element2"), self',
            "lambda _, leaf: leaf is self.element1 or leaf is self.element2, self",
        ),
    ),
    declared(
        "split_params",
        "The two parts of the partition are swapped.",
        (
            "return eqx.partition(self, self.select_small())",
            "return eqx.partition(self, self.select_small())[::-1]",
        ),
    ),
    numbers(
        "split_params",
        "The coefficients are taken in the reverse order.",
        (
            "(self.element1 * x + self.element2) * x + self.element3",
            "(self.element3 * x + self.element2) * x + self.element1",
        ),
    ),
    declared(
        "split_params_nested",
        "The accessor of one coefficient gives the other.",
        ("return self.small.element1", "return self.small.element2"),
    ),
    declared(
        "split_params_nested",
        "Two coefficients are stored in each other's place.",
        ("element1=_real(element1)", "element1=_real(element2)"),
        ("element2=_real(element2)", "element2=_real(element1)"),
    ),
    declared(
        "split_table",
        "The mask is stored as numbers.",
        ("mask=jnp.array(mask, jnp.bool_)", "mask=jnp.array(mask, dtype)"),
    ),
    declared(
        "split_table",
        "The two ways to flatten disagree on the order of two children.",
        (
            '        (GetAttrKey("gains"), node.gains),\n        (GetAttrKey("offsets"), node.offsets),\n',
            '        (GetAttrKey("offsets"), node.offsets),\n        (GetAttrKey("gains"), node.gains),\n',
        ),
    ),
    declared(
        "split_table",
        "The filter spec excludes a field by a name that is no longer its name.",
        ('not in ("mask",)', 'not in ("masks",)'),
    ),
    declared(
        "split_table",
        "A group lost one of its fields.",
        ('in ("offsets", "mask")', 'in ("offsets",)'),
    ),
    declared(
        "split_table",
        "The parts are put together without a word on None.",
        ("            is_leaf=lambda leaf: leaf is None,\n", ""),
    ),
    numbers(
        "split_table",
        "The mask is inverted: the channels that count stay as they are.",
        (
            "jnp.where(self.mask, self.gains * x + self.offsets, x)",
            "jnp.where(self.mask, x, self.gains * x + self.offsets)",
        ),
    ),
    declared(
        "table_bypass",
        "A value that is given takes precedence over the preset one.",
        (
            "table={name: _real(value, asked) for name, value in table.items()}\n"
            '            | {"a": jnp.array(42.0, dtype)},',
            'table={"a": jnp.array(42.0, dtype)}\n'
            "            | {name: _real(value, asked) for name, value in table.items()},",
        ),
    ),
    declared(
        "table_bypass",
        "A bool passes for an int.",
        ("if type(self.static) is not int:", "if not isinstance(self.static, int):"),
    ),
    numbers(
        "table_bypass",
        "The largest of the numbers is used, not their sum.",
        ("sum(self.table.values())", "jnp.max(jnp.stack(list(self.table.values())))"),
    ),
    numbers(
        "table_bypass",
        "The exponent is one too large.",
        ("x**self.static", "x ** (self.static + 1)"),
    ),
    declared(
        "table_factory",
        "Unflatten goes through the public constructor, and presets once more.",
        ("return TableFactory(table=table,", "return TableFactory.create(table=table,"),
    ),
    declared(
        "table_factory",
        "The static values are handed out as a list, which has no hash.",
        ("return (node.table, node.attr), (node.static,)", "return (node.table, node.attr), [node.static]"),
    ),
    declared(
        "table_flag",
        "Unflatten no longer says that it rebuilds.",
        ("static=static, _rebuild=True)", "static=static)"),
    ),
    declared(
        "table_flag",
        "The factor is stored as it is given.",
        ("            attr = _real(attr, asked)\n", ""),
    ),
    declared(
        "table_flag",
        "The sum of the table is kept on the instance after the first call.",
        (
            "        return self.attr * sum(self.table.values()) * x**self.static",
            '        if not hasattr(self, "_total"):\n'
            "            self._total = sum(self.table.values())\n"
            "        return self.attr * self._total * x**self.static",
        ),
    ),
    declared(
        "table_static",
        "The preset number has its digits swapped.",
        ('(("a", 42.0),)', '(("a", 24.0),)'),
    ),
    declared(
        "table_static",
        "The preset entry stays among the leaves as well, where it has no effect.",
        ('                if name != "a"\n', ""),
    ),
)
