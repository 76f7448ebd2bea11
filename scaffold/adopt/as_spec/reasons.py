"""Why what is written is otherwise than what is there, as far as that is known."""

from collections.abc import Iterable

WHY_ADDED = {
    "__repr__": "a plain class has none that shows what it holds",
    "create": "it builds the class, since the fields say no more than what they hold",
    "__check_init__": "what is static is checked, since an array or a list in the treedef would poison it",
    "trainable": "it leaves buffers out of what is trained, since weight decay moves what only gradients skip",
    "save": "the project saves its classes",
    "load": "the project saves its classes",
    "snapshot": "the state that Flax hands out follows what the module does later",
    "restore": "what Flax takes over may fit in its paths and not in its shapes",
}
WHY_LOST = {
    **dict.fromkeys(
        ("tree_flatten", "tree_unflatten", "tree_flatten_with_keys"),
        "it is registered by functions beside it",
    ),
    "__check_init__": "a spec says what has to hold by the `check` of a field",
    "trainable": "it is written where the class has buffers",
}
WHY_HEAD = {
    "@typing.final": "what a subclass changes, no spec says",
}
WHY_ARGUMENT = {
    "dtype": "the dtype of the arrays is chosen by who builds it",
    "key": "what is drawn is drawn from it",
}
_WHYS: Iterable[tuple[str, str]] = (
    ("stop_gradient", "no gradient reaches a buffer"),
    ("jnp.array(", "what is given is copied"),
    ("jax.numpy.array(", "what is given is copied"),
    ("asarray(", "its dtype is explicit"),
    ("result_type", "its dtype is explicit"),
    ("tuple(", "a list in a field could be changed behind the treedef's back"),
    ("StateIndex", "the state is kept by `equinox.nn.State`"),
    ("static=True", "it belongs to the treedef"),
    ("float(", "an int is taken for the float that is declared"),
    ("raise", "what must hold is checked"),
)


def why_value(before: str, after: str) -> str:
    """Why a value is another one, by what is in it now and was not before."""
    if "static=True" in before and "static=True" not in after:
        return "an array has no equality that the treedef could use"
    return next((why for part, why in _WHYS if part in after and part not in before), "")
