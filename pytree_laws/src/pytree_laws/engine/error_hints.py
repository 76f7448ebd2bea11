"""What an error of the example says about its cause: advice by what raised it, where the law knows no better."""

import re
from typing import Any

from ..values.example_sizes import hint_of

RESTS = "what raises there; the laws that depend on it are skipped until it works"
_BY_TYPE = {
    "FrozenInstanceError": "an instance is frozen: return the new value, or a new instance (`eqx.tree_at`)",
    "TracerArrayConversionError": "a function of NumPy on a traced array: its twin of `jnp` in its place",
    "TracerIntegerConversionError": "an index or a size that is traced: make it static, or index with `jnp.take`",
    "TracerBoolConversionError": "a branch that depends on values: `jnp.where`, `lax.cond`, or a static argument",
    "ConcretizationTypeError": "a size or a number of Python that depends on values: a static argument, or `jnp` instead",
    "NonConcreteBooleanIndexError": "a mask as an index: `jnp.where`, or `jnp.nonzero` with a `size`",
}
_BY_WORDS = {
    "numpy_rank_promotion": "arrays of several ranks: say which axis is meant, as `self.skip[None]`",
    r"unexpected keyword argument|missing \d+ required|positional arguments? but": (
        "parameters that were renamed, added or taken out: say the same in `inputs`, `arguments` and `call` of the tests"
    ),
}


def advice_on(suite: Any, error: BaseException | None, otherwise: str = RESTS) -> str:
    """What to look for: sizes of the example that do not fit, or what such an error usually comes from, or else `otherwise`."""
    name, text = type(error).__name__, str(error)
    by_words = (advice for words, advice in _BY_WORDS.items() if re.search(words, text))
    return next(by_words, "") or hint_of(suite, error) or _BY_TYPE.get(name, otherwise)
