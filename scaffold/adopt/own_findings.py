"""What `adopt` finds beside the tests of a class, as a law tells it."""

from collections.abc import Sequence

from scaffold.adopt.leaf_order import HASH_SEED, SEEDS

Finding = dict[str, str]


def of_order(name: str, first: Sequence[str], second: Sequence[str]) -> Finding:
    """What is wrong where leaves come in two orders."""
    what = f"its leaves come as {', '.join(first)} with {HASH_SEED}={SEEDS[0]}, and as {', '.join(second)} with {SEEDS[1]}"
    law = {"law": "P4", "name": "key paths", "test": "test_p04_order_is_the_same_in_each_process"}
    hint = "a set of names, which is iterated over"
    fix = "Flatten in a fixed order: a tuple or `sorted(...)` in place of a set."
    return _told({**law, "where": name, "what": what, "hint": hint, "severity": "fault", "fix": fix})


def of_cut_off(paths: Sequence[str]) -> Finding:
    """What is to be known of leaves that no test asks a gradient of."""
    law = {"law": "P9", "name": "gradient and step", "test": "test_p09_no_leaf_is_cut_off"}
    what = "the output depends on it, and `stop_gradient` keeps gradients away: it is taken for a buffer"
    fix = "Take `stop_gradient` away from what is trained; leave a buffer out of what the optimiser is given."
    where = {"where": ", ".join(paths), "what": what, "hint": ""}
    return _told({**law, **where, "severity": "advice", "fix": fix})


def _told(finding: Finding) -> Finding:
    text = "{law} {name}, at `{where}`: {what}\n  fix: {fix}".format(**finding)
    return {**finding, "text": text}
