"""Changes that are right: refactorings, new arguments and methods, equivalent formulas."""

from benchmarks.hand_edits.edit import Edit, legitimate

STATELESS: tuple[Edit, ...] = (
    legitimate(
        "choir",
        "voices are counted by a comparison",
        (
            "count = jax.ops.segment_sum(jnp.ones_like(levels), self.section, self.sections)",
            "same = self.section == jnp.arange(self.sections)[:, None]\n"
            "        count = jnp.sum(same, axis=1).astype(levels.dtype)",
        ),
    ),
    legitimate(
        "choir",
        "a method tells how far apart the voices stand",
        (
            "    def performed(self",
            '    def apart(self) -> Float[Array, "voices voices"]:\n'
            '        """How far each voice stands from each other."""\n'
            "        return jnp.sum(jnp.abs(self.place[:, None] - self.place), axis=-1)\n\n"
            "    def performed(self",
        ),
    ),
    legitimate(
        "choir",
        "how far notes go astray is an argument",
        ("rate: float = 0.2, key: PRNGKeyArray", "rate: float = 0.2, far: float = 0.1, key: PRNGKeyArray"),
        ("astray = notes + 0.1 * jax", "astray = notes + far * jax"),
    ),
    legitimate(
        "glacier",
        "the law is matched",
        (
            '        if self.law == "linear":\n'
            "            return self.softness * driven\n"
            '        if self.law == "plastic":\n'
            "            return self.softness * jnp.tanh(driven)\n"
            "        return (\n"
            "            self.softness * jnp.sign(driven) * (jnp.abs(driven) + 0.01) ** self.exponent\n"
            "        )\n",
            "        match self.law:\n"
            '            case "linear":\n'
            "                speed = driven\n"
            '            case "plastic":\n'
            "                speed = jnp.tanh(driven)\n"
            "            case _:\n"
            "                speed = jnp.sign(driven) * (jnp.abs(driven) + 0.01) ** self.exponent\n"
            "        return self.softness * speed\n",
        ),
    ),
    legitimate(
        "glacier",
        "what is lost in place is a part of the flow",
        (
            "moved = self.flow @ lost + lost",
            "moved = (self.flow + jnp.eye(len(lost), dtype=self.flow.dtype)) @ lost",
        ),
    ),
    legitimate(
        "glacier",
        "an exponent that is refused is told more shortly",
        (
            "            raise ValueError(\n"
            '                f"`exponent` must satisfy `exponent >= 1`, got {self.exponent!r}"\n'
            "            )\n",
            '            raise ValueError(f"`exponent` is {self.exponent}, and must be 1 or more")\n',
        ),
    ),
    legitimate(
        "bridge",
        "the cables are added before they pull",
        (
            "        for pull in self.cables.values():\n            strain = strain - 0.1 * pull\n",
            "        if self.cables:\n            strain = strain - 0.1 * sum(self.cables.values())\n",
        ),
    ),
    legitimate(
        "bridge",
        "traffic on lanes that are open is a function",
        (
            "class Bridge(eqx.Module):",
            "def _open(closed: Array, traffic: Array) -> Array:\n"
            '    """The traffic on lanes that are not closed."""\n'
            "    return jnp.where(closed, 0, traffic)\n\n\n"
            "class Bridge(eqx.Module):",
        ),
        ("crossing = jnp.where(self.closed, 0, traffic)", "crossing = _open(self.closed, traffic)"),
        ("jnp.sum(jnp.where(self.closed, 0, traffic) > 1,", "jnp.sum(_open(self.closed, traffic) > 1,"),
    ),
    legitimate(
        "bridge",
        "spans are reduced",
        (
            "        for span in self.spans:\n            load = span(load, windy=windy)\n",
            "        load = functools.reduce(lambda load, span: span(load, windy=windy), self.spans, load)\n",
        ),
        ("import math\n", "import functools\nimport math\n"),
    ),
)
STATEFUL: tuple[Edit, ...] = (
    legitimate(
        "receiver",
        "the short band has a function of jax",
        ("heard * jax.nn.sigmoid(heard)", "jax.nn.silu(heard)"),
    ),
    legitimate(
        "receiver",
        "words before the last are set to 0",
        (
            "        return lock, jnp.where(\n"
            "            jnp.arange(len(waves))[:, None] < len(waves) - 1, 0, words\n"
            "        ) if last else words\n",
            "        return lock, words.at[:-1].set(0) if last else words\n",
        ),
    ),
    legitimate(
        "receiver",
        "how many taps there are is read off the antenna",
        ("size = self.hiss.shape[0]", "size = self.antenna.shape[0]"),
    ),
    legitimate(
        "hive",
        "the breed is matched",
        (
            '        if self.breed == "carnica":\n'
            "            return brought\n"
            '        if self.breed == "buckfast":\n'
            "            return 1.2 * jnp.tanh(brought)\n"
            "        return brought + 0.1 * jnp.square(brought)\n",
            "        match self.breed:\n"
            '            case "carnica":\n'
            "                return brought\n"
            '            case "buckfast":\n'
            "                return 1.2 * jnp.tanh(brought)\n"
            '            case "ligustica":\n'
            "                return brought * (1 + 0.1 * brought)\n",
        ),
    ),
    legitimate(
        "hive",
        "all places at which a state does not fit are told",
        (
            "        path = wrong[0]\n"
            "        raise ValueError(\n"
            '            f"the state does not fit at {path}: it has {there.get(path)}, "\n'
            '            f"the module has {here.get(path)}"\n'
            "        )\n",
            "        told = [\n"
            '            f"the state does not fit at {path}: it has {there.get(path)}, "\n'
            '            f"the module has {here.get(path)}"\n'
            "            for path in wrong\n"
            "        ]\n"
            '        raise ValueError("\\n".join(told))\n',
        ),
        file="nnx_state",
    ),
    legitimate(
        "rowing",
        "the prize is added where there is one",
        (
            "budget = self.budget - self.entry + jnp.where(first, prize, 0)",
            "budget = jnp.where(first, self.budget + prize, self.budget) - self.entry",
        ),
    ),
)
LEGITIMATE: tuple[Edit, ...] = (*STATELESS, *STATEFUL)
