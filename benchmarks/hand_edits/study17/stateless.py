"""Edits of the classes without state: a lighthouse, a knitting machine, moths."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_LIGHTHOUSE: tuple[Edit, ...] = (
    declared(
        "lighthouse",
        "the lens is the same from both sides",
        ("        return self.lens.T\n", "        return self.lens\n"),
    ),
    declared(
        "lighthouse",
        "the lens is drawn in as few bits as it is stored in",
        (
            "            lens_key, (lamps, lamps), np.promote_types(dtype, np.float32)\n        ).astype(dtype)\n",
            "            lens_key, (lamps, lamps), dtype\n        )\n",
        ),
    ),
    declared(
        "lighthouse",
        "the air is drawn in the default dtype",
        (
            "jax.random.normal(air, beams.shape, beams.dtype)",
            "jax.random.normal(air, beams.shape)",
        ),
    ),
    declared(
        "lighthouse",
        "ranges that are given are cast, asked for or not",
        ("self.ranges = _real(ranges, asked)", "self.ranges = _real(ranges, dtype)"),
    ),
    numbers(
        "lighthouse",
        "an occulting light is dark by the absolute value of a cosine",
        ("1 - jnp.square(jnp.cos(phase))", "1 - jnp.abs(jnp.cos(phase))"),
    ),
    numbers(
        "lighthouse",
        "sectors are where the light is bright",
        (
            "jnp.where(self.sectors, 0.2 * beam, beam)",
            "jnp.where(self.sectors, beam, 0.2 * beam)",
        ),
    ),
)
_KNITTING: tuple[Edit, ...] = (
    declared(
        "knitting",
        "the thread is parted where the bed is",
        ("spec = self.select_thread()", "spec = self.select_bed()"),
    ),
    declared(
        "knitting",
        "a swatch has a gradient for the dye",
        ("jnp.sum(jax.lax.stop_gradient(self.dye))", "jnp.sum(self.dye)"),
    ),
    declared(
        "knitting",
        "a fabric has no gradient for the weights",
        (
            "jax.lax.scan(course, self.weights, feeds)",
            "jax.lax.scan(course, jax.lax.stop_gradient(self.weights), feeds)",
        ),
    ),
    declared(
        "knitting",
        "a loose fabric is as tight as any",
        ("        keep = 0.8 if loose else self.tension\n", "        keep = self.tension\n"),
    ),
    declared(
        "knitting",
        "the cam keeps the integers that it is given in",
        ("cam=_integer(cam, jnp.int32)", "cam=_integer(cam)"),
    ),
    numbers(
        "knitting",
        "a cloth is felted to the other side of its mean",
        ("* (cloth - middle)", "* (middle - cloth)"),
    ),
)
_MOTH: tuple[Edit, ...] = (
    declared(
        "moth",
        "all wings begin alike",
        (
            "jax.random.split(wings_key, beats)",
            "jnp.repeat(wings_key[None], beats, axis=0)",
        ),
    ),
    declared(
        "moth",
        "the last wing beats first",
        (
            "jax.lax.scan(layer, course, arrays)",
            "jax.lax.scan(layer, course, arrays, reverse=True)",
        ),
    ),
    declared(
        "moth",
        "the wind is the key that was given, not a copy",
        ("self.wind = jnp.array(wind)", "self.wind = wind"),
    ),
    declared(
        "moth",
        "the hour is a leaf",
        (
            '    hour: Literal["dusk", "night", "dawn"] = eqx.field(static=True)\n',
            '    hour: Literal["dusk", "night", "dawn"]\n',
        ),
    ),
    numbers(
        "moth",
        "a lit course is turned around",
        ("course = course - self.lamp", "course = self.lamp - course"),
    ),
)
STATELESS: tuple[Edit, ...] = (*_LIGHTHOUSE, *_KNITTING, *_MOTH)
