"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "rumour",
        "Python floats are trained, too",
        (
            'return hasattr(node, "dtype") and jnp.issubdtype(node.dtype, jnp.inexact)',
            "return jnp.issubdtype(jnp.result_type(node), jnp.inexact)",
        ),
        file="filter_specs",
    ),
    declared(
        "rumour",
        "what is not to decay decays where it is trained",
        (
            "return jax.tree.map(lambda _: False, spec)",
            "return spec",
        ),
        file="weight_decay",
    ),
    declared(
        "telegraph",
        "only the type itself says what is done to a Variable",
        (
            "kind = next((kind for kind in type(node).__mro__ if kind in functions), None)",
            "kind = type(node) if type(node) in functions else None",
        ),
        file="nnx_state",
    ),
    declared(
        "telegraph",
        "a file tells no numbers of the configuration",
        (
            'if "__" not in name and not nnx.is_data(value):',
            'if "__" not in name and isinstance(value, str):',
        ),
        file="nnx_serialisation",
    ),
    declared(
        "kiln",
        "a checksum has to be there, and no more",
        ("if zlib.crc32(data) != sums.get(place):", "if place not in sums:"),
        file="serialisation",
    ),
    declared(
        "sundial",
        "keys are loaded as those of the default kind",
        ("jax.random.wrap_key_data(new, impl=_key_impl(like))", "jax.random.wrap_key_data(new)"),
        file="serialisation",
    ),
)
