"""Advice that users seldom want, reduced to a line for each kind after all other findings."""

from collections.abc import Iterator, Sequence

from scaffold.adopt.report.causes import ADVICE, Cause

KINDS = {
    "test_p07_bfloat16_in_bfloat16_out": "wider floats than bfloat16, of which nobody may have thought",
    "test_p07_methods_in_bfloat16": "wider floats than bfloat16, of which nobody may have thought",
    "test_p07_large_arguments": "numbers that nobody may be going to give overflow on the way",
    "test_p07_equal_arguments": "NaN of zeros, of ones or of the example, at a pole or where nothing is defined",
    "test_p07_can_be_called_in_each_configuration": "an option, or a part that may be None, with which the call raises",
    "test_p07_keeps_its_axes_where_a_size_is_one": "a size of one is refused",
    "test_p04_the_class_is_registered_with_keys": "registered without keys, so that paths of leaves are numbers",
    "test_p17_the_treedef_names_the_class": "a class with the same fields has an equal treedef",
    "test_p13_equality_has_a_truth_value": "`==` compares arrays",
    "test_p05_aux_is_hashable": "static values that could change, and that no code changes",
    "test_p05_attributes_are_immutable": "static values that could change, and that no code changes",
    "test_p01_shares_no_buffer_with_its_inputs": "what it is given is stored as it is: donation takes both",
    "test_p03_a_trivial_subclass": "a subclass is no pytree until it is registered as well",
    "test_p03_round_trip_keeps_what_lies_beside_its_fields": "a round trip changes what lies beside the fields",
    "test_p14_": "a copy of what went through a round trip is traced anew",
    "test_p08_every_argument": "arguments that nothing depends on, as an interface may ask for them",
    "test_p08_every_setting": "settings that nothing depends on",
    "test_p09_no_leaf_is_": "leaves that the call does not train, so that no test asks whether they matter",
}
"""Summary of the advice, by prefix of the test's name."""


def kind_of(cause: Cause) -> str:
    """Return the summary of a cause that is seldom wanted, or an empty text for any other cause."""
    if cause.first["severity"] != ADVICE:
        return ""
    test = str(cause.first.get("test", ""))
    return next((text for begin, text in KINDS.items() if test.startswith(begin)), "")


def apart(causes: Sequence[Cause]) -> tuple[list[Cause], list[Cause]]:
    """Split the causes into causes to show in full and causes to summarise."""
    return [cause for cause in causes if not kind_of(cause)], [cause for cause in causes if kind_of(cause)]


def in_passing(causes: Sequence[Cause]) -> Iterator[tuple[str, list[str]]]:
    """Yield each law and summary once, with all its places."""
    places: dict[str, dict[str, None]] = {}
    for cause in causes:
        text = f"{cause.first['law']} {kind_of(cause)}"
        places.setdefault(text, {}).update(dict.fromkeys(cause.places))
    yield from ((text, [*found]) for text, found in places.items())


def in_a_line(causes: Sequence[Cause], whole: str) -> list[str]:
    """Return a line that counts the places by law, or no line if there are no causes."""
    counts: dict[str, int] = {}
    for text, places in in_passing(causes):
        law = text.partition(" ")[0]
        counts[law] = counts.get(law, 0) + len(places)
    laws = ", ".join(f"{law} ({count})" for law, count in counts.items())
    return [f"  in passing, of what is seldom wanted: {laws}: `{whole}` has it"] if laws else []
