"""What a generated file has become since, and what is to be done about it: one rule for every command."""

from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from scaffold.files.fileset import SOLVE, Action
from scaffold.files.texts import Merged, Text, has_markers


class State(StrEnum):
    """A generated file, as `scaffold check` says it."""

    CLEAN = "clean"
    """It is what would be generated."""
    EDITED = "edited"
    """It was edited, and nothing else would be generated now than then."""
    STALE = "stale"
    """Something else would be generated now; `update` brings it in."""
    MISSING = "missing"
    CONFLICTING = "conflicting"
    """`update` cannot bring in what would be generated now, or could not the last time."""


class Outcome(Struct, frozen=True):
    """The state of a file, what is to be done with it, what it holds then, and what is to be said of a conflict."""

    state: State
    action: Action
    after: bytes | None
    why: str = ""
    collisions: int = 0
    fix: str = ""


def outcome(base: str | None, mine: bytes | None, new: str, place: Path, *, lost: str = "") -> Outcome:
    """What becomes of the file at `place`, of which `base` was generated last, `mine` is there, and `new` would be generated now.

    `lost` says why there is no base.
    """
    if mine is None:
        return Outcome(State.MISSING, Action.CREATE, new.encode())
    text = Text.of(mine)
    if text is not None and text.text == new:
        return Outcome(State.CLEAN, Action.IDENTICAL, mine)
    if text is None:
        why = "is no text in UTF-8 whose lines all end alike, so that nothing can be merged into it"
        return Outcome(State.CONFLICTING, Action.CONFLICT, new.encode(), why)
    if base is None:
        return Outcome(State.CONFLICTING, Action.CONFLICT, text.with_text(new), lost)
    if has_markers(text.text) and not has_markers(base):
        why = "still has the markers of an update (`<<<<<<<`)"
        return Outcome(State.CONFLICTING, Action.CONFLICT, mine, why, fix=SOLVE)
    if text.text == base:
        return Outcome(State.STALE, Action.UPDATE, text.with_text(new))
    if base == new:
        return Outcome(State.EDITED, Action.KEEP, mine)
    merged = merge_python(base, text.text, new)
    if merged.collisions:
        merged = _restyled(base, text, new, place, merged)
    return _outcome(merged, text)


def _restyled(base: str, mine: Text, new: str, place: Path, merged: Merged) -> Merged:
    """The merge of the texts in the style of the project, where fewer places collide in that; what `mine` had of it stays."""
    from scaffold.as_clean import as_clean, formatted  # here, because few files collide

    was, is_now = formatted(base, place), formatted(mine.text, place)
    if was is None or is_now is None or (was, is_now) == (base, mine.text):
        return merged
    restyled = merge_python(was, is_now, new)
    if restyled.collisions >= merged.collisions:
        return merged
    if restyled.collisions:
        return restyled
    return Merged(as_clean(mine.text.encode(), restyled.text.encode(), place).decode(), 0)


def _outcome(merged: Merged, mine: Text) -> Outcome:
    after = mine.with_text(merged.text)
    if merged.collisions:
        places = f"{merged.collisions} place{'s' * (merged.collisions > 1)}"
        why = f"was edited where something else is generated now: {places} between `<<<<<<<` and `>>>>>>>`"
        return Outcome(State.CONFLICTING, Action.COLLIDE, after, why, merged.collisions)
    return Outcome(State.STALE, Action.MERGE, after)


def merge_python(base: str, mine: str, new: str) -> Merged:
    """The merge of three texts of Python, whose imports are merged as a set; of other texts, by lines alone."""
    from scaffold.history.imports import (  # here, because most runs merge nothing
        PLACE,
        block_of,
        merged_block,
    )
    from scaffold.history.merge import merge

    blocks = block_of(base), block_of(mine), block_of(new)
    base_block, mine_block, new_block = blocks
    if base_block is None or mine_block is None or new_block is None:
        return merge(base, mine, new)
    merged = merge(base_block.without, mine_block.without, new_block.without)
    block = merged_block(base_block, mine_block, new_block, merged.text)
    return Merged(merged.text.replace(PLACE, block, 1), merged.collisions)
