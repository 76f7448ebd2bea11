"""Comments of an author, and those that the generated files lose."""

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
"""A line number, from 1, and the comment there, with its `#`."""
_DIRECTIVE = r"#\s*(?:noqa|type:|pyright:|mypy:|ruff:|fmt:|pylint:|pragma:)"


def comments(text: str) -> list[Comment]:
    """List the comments of Python source."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]


def is_directive(comment: str) -> bool:
    """Whether a comment addresses a tool about its own line, such as `# noqa`."""
    return re.match(_DIRECTIVE, comment) is not None


def as_comment(text: str) -> str:
    """Put `#` before each line that lacks it.

    The result ends in a newline if the text ends in an empty line.
    """
    lines = [line.strip() for line in text.strip().split("\n")]
    marked = (line if line.startswith("#") or not line else f"# {line}" for line in lines)
    return "\n".join(marked) + "\n" * text.endswith("\n\n")


def comments_left_out(source_comments: Iterable[Comment], kept: Iterable[str]) -> Iterator[Comment]:
    """Yield the comments that `kept` lacks. Each kept comment accounts for one equal comment."""
    there = Counter(map(_bare, kept))
    for line, text in source_comments:
        if there[_bare(text)]:
            there[_bare(text)] -= 1
        else:
            yield line, text


def _bare(comment: str) -> str:
    return comment.lstrip("#").strip()


def _comments_in(content: bytes) -> list[str]:
    """List the comments of a planned file, by a regex where an edit has left invalid Python."""
    try:
        return [comment for _, comment in comments(content.decode("utf-8-sig"))]
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError):
        return re.findall(r"#.*", content.decode("utf-8", "replace"))


def notes_of_skeletons(paths: Iterable[Path], plan: "Plan") -> Iterator[str]:
    """Yield a note for each comment of a skeleton that no planned file keeps. Directives get none."""
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
