"""Mutants that no law can tell from the original, with the reason: by the mistake, and the examples in which it is so."""

EVERYWHERE = "*"
CALL_IN_PYTHON = "jax or a later statement refuses the same inputs"
NOT_GIVEN = "the example gives sizes, and no array, from which the argument is made"
IN_ONE_BRANCH = "the call reads it in one branch only, which the example does not take"
IN_EXPRESSION = "the spec gives an expression: nothing is declared of its spread"
NOTHING_TO_TRY = "sizes and depths of 0 are allowed on both sides of the bound"
BOOL = "the result is a bool: nothing is differentiated or rounded"
NO_FIELDS = "the names are none of its fields, or of an array of integers or keys"
A_LIST = "jax takes the children, or both parts, as a list too"
HIDDEN = "a value on the class, which every module hides by its own"
SQUARE = "the array is square, and its fans are equal"
EQUIVALENT: dict[str, dict[str, str]] = {
    "array or module made static": {"nnx_block": HIDDEN},
    "fans exchanged": dict.fromkeys(("coupling", "nnx_block", "tied_embedding"), SQUARE),
    "aux that is a list": dict.fromkeys(("table_flag", "table_factory", "table_static"), A_LIST),
    "final left out": {"max_norm": "a Module that is not marked as final is a pytree as before"},
    "dtype ignored": {
        "running_centre": "a state may keep a precision of its own, as statistics in 32 bits do"
    },
    "buffer not used": {"running_centre": "a state may be kept for others to read"},
    "stop_gradient on a parameter": {
        "tied_embedding": "the tied array has a gradient from its other use, and this may be meant"
    },
    "argument changed in place": {
        "loop_condition": "the argument is a tuple, which the mistake leaves alone"
    },
    "cast down on the way": {"loop_condition": BOOL},
    "field more in a filter": dict.fromkeys(
        ("key_cache", "low_rank_linear", "solver_term", "random_features"), NO_FIELDS
    ),
    "property cached": {
        "dropout": "the value is static, and an instance is never changed",
        "split_params_nested": "it gives a leaf as it is, and each edit makes another instance",
    },
    "value kept in the module": {"abstract_norm": "nobody calls the method of a base that is abstract"},
    "check on the values of arrays": {"layer_norm": "the first field is a shape, and no array"},
    "field less in a filter": {
        "random_features": NO_FIELDS,
        "running_centre": "`eqx.nn.make_with_state` takes the arrays of a state out of the instance",
    },
    "given model not copied": {"train_state": "no optimiser of the tests keeps the weights in its state"},
    "another spread": {"embedding": IN_EXPRESSION},
    "bound of a check": dict.fromkeys(("embedding", "mlp"), NOTHING_TO_TRY),
    "check left out": {
        **dict.fromkeys(
            ("embedding", "layer_norm", "linear", "max_norm", "nnx_block", "stack"), CALL_IN_PYTHON
        ),
        "smooth": "the factory makes a dtype of it, which refuses the same",
    },
    "constant instead of a static field": {
        **dict.fromkeys(("dropout", "mlp"), IN_ONE_BRANCH),
        "smooth": "it is the dtype of the sums, and another one changes no more than their rounding",
    },
    "given array not copied": {"embedding": NOT_GIVEN},
    "given array without its sign": {"loop_condition": "the example counts steps, which are positive"},
    "given array scaled": {"embedding": NOT_GIVEN},
    "given array kept as NumPy": {"embedding": NOT_GIVEN},
    "stop_gradient left out": {
        "dropout": "the example holds a Python number there",
        "loop_condition": BOOL,
    },
}


def reason(mistake: str, example: str) -> str | None:
    """Why the mutant cannot be told from the original, or None where it can."""
    rows = EQUIVALENT.get(mistake, {})
    return rows.get(example, rows.get(EVERYWHERE))
