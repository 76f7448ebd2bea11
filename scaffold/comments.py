"""Comments of an author: where they stand, and which of them are not in what was made of a file."""

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scaffold.files.places import read_regular

if TYPE_CHECKING:
    from scaffold.files.fileset import Plan

Comment = tuple[int, str]
"""Line, from 1, and text."""
_DIRECTIVE = r"#\s*(?:noqa|type:|pyright:|mypy:|ruff:|fmt:|pylint:|pragma:)"


def comments(text: str) -> list[Comment]:
    """The comments of Python text."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]


def is_directive(comment: str) -> bool:
    """Whether a comment is for a tool, about the very line in which it stands."""
    return re.match(_DIRECTIVE, comment) is not None


def as_comment(text: str) -> str:
    """The text with `#` before each line that has none; it ends in a newline where an empty line follows."""
    lines = [line.strip() for line in text.strip().split("\n")]
    marked = (line if line.startswith("#") or not line else f"# {line}" for line in lines)
    return "\n".join(marked) + "\n" * text.endswith("\n\n")


def comments_left_out(source_comments: Iterable[Comment], kept: Iterable[str]) -> Iterator[Comment]:
    """Those that are not among the kept, each of which stands for one."""
    there = Counter(map(_bare, kept))
    for line, text in source_comments:
        if there[_bare(text)]:
            there[_bare(text)] -= 1
        else:
            yield line, text


def _bare(comment: str) -> str:
    return comment.lstrip("#").strip()


def _comments_in(content: bytes) -> list[str]:
    """The comments of a planned file, which need not be Python any more where somebody has edited it."""
    try:
        return [comment for _, comment in comments(content.decode("utf-8-sig"))]
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError):
        return re.findall(r"#.*", content.decode("utf-8", "replace"))


def notes_of_skeletons(paths: Iterable[Path], plan: "Plan") -> Iterator[str]:
    """What to tell of the comments in these specs for which the planned files have no place."""
    skeletons = [path for path in paths if path.suffix == ".py"]
    if not skeletons:
        return
    steps = (step for step in plan.steps if step.path.suffix == ".py" and step.folder is None)
    kept = [comment for step in steps for comment in _comments_in(step.after or b"")]
    for path in skeletons:
        text = read_regular(path).decode("utf-8-sig")
        for line, comment in comments_left_out(comments(text), kept):
            if not is_directive(comment):
                yield f"the comment in {path.name}, line {line}, has no place in what is written: {comment}"
