"""How many examples Hypothesis draws: a part of them in each run, all where the long proofs are asked for."""

from hypothesis import settings

ALL = 100
"""The number that Hypothesis draws where a test names none."""


def load_profile(*, is_long: bool) -> None:
    """Draw the same examples in each run."""
    # Hypothesis has such a profile of its own where a variable says `CI`; here no variable decides what is tried.
    count = ALL if is_long else ALL // 4
    settings.register_profile(
        "repeatable", derandomize=True, deadline=None, database=None, max_examples=count
    )
    settings.load_profile("repeatable")


def share(count: int) -> int:
    """The part of `count` examples that this run draws."""
    return max(count * settings().max_examples // ALL, 1)
