"""Mutants that no law can tell from the original, with the reason: by the mistake, and the examples in which it is so."""

EVERYWHERE = "*"
CALL_IN_PYTHON = "jax or a later statement refuses the same inputs"
NOT_GIVEN = "the example gives sizes, and no array, from which the argument is made"
IN_ONE_BRANCH = "the call reads it in one branch only, which the example does not take"
IN_EXPRESSION = "the spec gives an expression: nothing is declared of its spread"
NOTHING_TO_TRY = "sizes and depths of 0 are allowed on both sides of the bound"
BOOL = "the result is a bool: nothing is differentiated or rounded"
NO_FIELDS = "the names are none of its fields, or of an array of integers"
HIDDEN = "a value on the class, which every module hides by its own"
SQUARE = "the array is square, and its fans are equal"
EQUIVALENT: dict[str, dict[str, str]] = {
    "array or module made static": {"nnx_block": HIDDEN},
    "fans exchanged": {"nnx_block": SQUARE},
    "argument changed in place": {
        "loop_condition": "the argument is a tuple, which the mistake leaves alone"
    },
    "cast down on the way": {"loop_condition": BOOL},
    "field more in a filter": dict.fromkeys(("loop_condition", "solver_term"), NO_FIELDS),
    "field less in a filter": {"loop_condition": NO_FIELDS},
    "given model not copied": {"train_state": "no optimiser of the tests keeps the weights in its state"},
    "another spread": dict.fromkeys(("embedding", "gru_cell", "linear"), IN_EXPRESSION),
    "bound of a check": dict.fromkeys(("embedding", "mlp"), NOTHING_TO_TRY),
    "check left out": dict.fromkeys(
        ("embedding", "layer_norm", "linear", "nnx_block", "stack"), CALL_IN_PYTHON
    ),
    "constant instead of a static field": dict.fromkeys(("dropout", "mlp"), IN_ONE_BRANCH),
    "given array not copied": {"embedding": NOT_GIVEN},
    "given array without its sign": {"embedding": NOT_GIVEN, "split_table": "the array holds bools"},
    "given array scaled": {"embedding": NOT_GIVEN},
    "given array kept as NumPy": {"embedding": NOT_GIVEN},
    "stop_gradient left out": {
        "dropout": "the example holds a Python number there",
        "loop_condition": BOOL,
        "nnx_block": "another stop_gradient on the same way is left",
    },
}


def reason(mistake: str, example: str) -> str | None:
    """Why the mutant cannot be told from the original, or None where it can."""
    rows = EQUIVALENT.get(mistake, {})
    return rows.get(example, rows.get(EVERYWHERE))
