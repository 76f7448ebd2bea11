"""State of a generated file and the action that follows from it, by a single rule for all commands."""

from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from scaffold.files.fileset import SOLVE, Action
from scaffold.files.texts import Merged, Text, has_markers


class State(StrEnum):
    """State of a generated file, as `scaffold check` reports it."""

    CLEAN = "clean"
    """Equal to the text that would be generated now."""
    EDITED = "edited"
    """Edited, and the text to generate has not changed."""
    STALE = "stale"
    """Behind the text to generate, which `update` can bring in."""
    MISSING = "missing"
    CONFLICTING = "conflicting"
    """In conflict with the text to generate, or still with the markers of an update."""


class Outcome(Struct, frozen=True):
    """State of a file, the action, the bytes after it, and the message and fix of a conflict."""

    state: State
    action: Action
    after: bytes | None
    why: str = ""
    collisions: int = 0
    fix: str = ""


def outcome(base: str | None, mine: bytes | None, new: str, place: Path, *, lost: str = "") -> Outcome:
    """Compare the file at `place`, which holds `mine`, with the former text `base` and the wanted text `new`.

    `lost` explains a missing base.
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
    """Merge the texts again in the project's style, and prefer that merge if fewer places collide."""
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
    """Merge three texts by lines, but the imports of Python as sets."""
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
