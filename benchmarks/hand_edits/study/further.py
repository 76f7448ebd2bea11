"""Edits of other classes, of the kinds that the study missed at first, written by somebody who knew the laws that were added for them.

They are no measure of an edit to come: `python -m benchmarks.hand_edits.study --further` runs them, and no count of the study has them.
"""

from benchmarks.hand_edits.edit import Edit, declared, numbers

FURTHER: tuple[Edit, ...] = (
    numbers(
        "running_centre",
        "From the second batch on the mean grows: what was there is added whole.",
        (
            "self.decay * state.get(self.mean) + (1 - self.decay) * mean",
            "state.get(self.mean) + (1 - self.decay) * mean",
        ),
    ),
    numbers(
        "nnx_block",
        "Calls are counted up to one.",
        ("self.calls[...] += 1", "self.calls[...] = jnp.minimum(self.calls[...] + 1, 1)"),
    ),
    numbers(
        "smooth",
        "The gain is squared, which shows at no gain of one.",
        ("return self.gain * smoothed", "return self.gain**2 * smoothed"),
    ),
    numbers(
        "low_rank_linear",
        "The factor of the correction is squared.",
        ("self.scale * (self.up", "self.scale**2 * (self.up"),
    ),
    declared(
        "whiten",
        "A deviation of another shape than the mean is taken.",
        (
            """\
        if np.shape(deviation) != (size,):
            raise ValueError(
                f"`deviation` has shape {np.shape(deviation)}, "
                f"and `mean` {np.shape(mean)}"
            )
""",
            "",
        ),
    ),
    declared(
        "key_cache",
        "A mask of another length than the cache is taken.",
        ("if np.shape(mask) != (length,):", "if np.ndim(mask) != 1:"),
    ),
    declared(
        "stack",
        "What a save that failed has written stays.",
        (
            """\
    finally:
        with contextlib.suppress(OSError):
            os.remove(temporary)
""",
            """\
    except ValueError:
        os.remove(temporary)
        raise
""",
        ),
        file="serialisation",
    ),
    declared(
        "decoder",
        "Weight decay moves real arrays alone.",
        ("jnp.issubdtype(node.dtype, jnp.inexact)", "jnp.issubdtype(node.dtype, jnp.floating)"),
        file="weight_decay",
    ),
    declared(
        "train_state",
        "The averaged model has the dtype of the average.",
        (
            "eqx.combine(jax.tree.map(_with_dtype_of, weights, self.ema), rest)",
            "eqx.combine(self.ema, rest)",
        ),
        (
            "weights, rest = eqx.partition(self.model, _trained(self.model))\n        return",
            "_, rest = eqx.partition(self.model, _trained(self.model))\n        return",
        ),
    ),
    declared(
        "so3",
        "The root of the logarithm is taken of what is zero for the identity.",
        ("sine = jnp.sqrt(jnp.where(is_small, 1.0, sine2))", "sine = jnp.sqrt(sine2)"),
    ),
)
