"""Findings of `adopt` beside the tests of a class, in the form of a law's findings."""

from collections.abc import Mapping, Sequence
from typing import Any

from scaffold.adopt.processes.leaf_order import HASH_SEED, SEEDS

Finding = dict[str, str]
_QUIET = {
    "cut_off": (
        "the output depends on it, and `stop_gradient` keeps gradients away: it is taken for a buffer",
        "Take `stop_gradient` away from what is trained; leave a buffer out of what the optimiser is given.",
    ),
    "unread": (
        "the call does not use it, and another method of the class, or a function beside it, does: no test asks whether it matters",
        "Adopt the class with `--call` of the method that uses it.",
    ),
}
"""Problem and fix for leaves without a gradient, by their key in the description."""


def of_order(name: str, first: Sequence[str], second: Sequence[str]) -> Finding:
    """Return a finding for leaves whose order depends on the hash seed, such as leaves kept in a set."""
    problem = f"its leaves come as `{', '.join(first)}` with {HASH_SEED}={SEEDS[0]}, and as `{', '.join(second)}` with {SEEDS[1]}"
    law = {"law": "P4", "name": "key paths", "test": "test_p04_order_is_the_same_in_each_process"}
    hint = "a set of names, which is iterated over"
    fix = "Flatten in a fixed order: a tuple or `sorted(...)` in place of a set."
    return _told({**law, "where": name, "what": problem, "hint": hint, "severity": "fault", "fix": fix})


def of_flattening(name: str, why: str) -> list[Finding]:
    """Return a finding if jax refuses the result of flatten, such as `return None, (self.positions,)`."""
    if "custom PyTree node should return" not in why:
        return []
    law = {
        "law": "P3",
        "name": "round trip",
        "test": "test_p03_round_trip",
        "where": name,
        "severity": "fault",
    }
    hint = "`return (), aux` where there are no children"
    fix = "Give two things: the children, as a tuple in the order of unflatten, and what is static."
    return [_told({**law, "what": f"jax cannot take an instance apart: {why}", "hint": hint, "fix": fix})]


def of_quiet_leaves(description: Mapping[str, Any]) -> list[Finding]:
    """Return advice for each group of leaves that the tests ask no gradient of."""
    return [_of_quiet(kind, description[kind]) for kind in _QUIET if description.get(kind)]


def _of_quiet(kind: str, paths: Sequence[str]) -> Finding:
    problem, fix = _QUIET[kind]
    law = {"law": "P9", "name": "gradient and step", "test": f"test_p09_no_leaf_is_{kind}"}
    where = {"where": ", ".join(paths), "what": problem, "hint": ""}
    return _told({**law, **where, "severity": "advice", "fix": fix})


def _told(finding: Finding) -> Finding:
    text = "{law} {name}, at `{where}`: {what}\n  fix: {fix}".format(**finding)
    return {**finding, "text": text}
