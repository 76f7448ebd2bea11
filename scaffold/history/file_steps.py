"""Steps for a generated file, which stays or moves, and keeps its edits."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from scaffold.files.fileset import Action, Step
from scaffold.files.places import Places
from scaffold.files.texts import Text
from scaffold.history.records import SPEC, Generated
from scaffold.history.states import Outcome

_BOTH_THERE = "move what is yours from here to there, then delete this file"


class Wanted(Struct, frozen=True):
    """Generated file of a plan: what was generated before, where the file lies, and its outcome.

    `mine` is read only once, so that the bytes to be replaced are the bytes that were merged. Otherwise a
    save in between would be lost.
    """

    role: str
    step: Step
    before: Generated | None
    lies: PurePosixPath
    mine: bytes | None
    found: Outcome


class FileSteps(Struct, frozen=True):
    """Steps for the files of a plan, which go to the paths in `taken`."""

    places: Places
    taken: frozenset[PurePosixPath]
    force: bool = False

    def read(self, path: PurePosixPath) -> bytes | None:
        """Return the bytes at `path`, or None if nothing exists there."""
        return self.places.read(path)

    def place(self, step: Step, before: Generated | None) -> PurePosixPath:
        """Return the path of the file: its former path until the file exists at the new path."""
        if before is None or before.path == step.path or step.before is not None or before.path in self.taken:
            return step.path
        return before.path if self.read(before.path) is not None else step.path

    def of(self, file: Wanted) -> Iterator[Step]:
        """Yield the steps at the new and at the former path of the file."""
        outcome, step = file.found, file.step
        if file.role == SPEC and outcome.action in (Action.MERGE, Action.COLLIDE, Action.KEEP):
            why = "was edited since the command line wrote it, and would now say something else"
            outcome = replace(outcome, action=Action.CONFLICT, why=why)
        if self.force and outcome.action in (Action.CONFLICT, Action.MERGE, Action.COLLIDE, Action.KEEP):
            outcome = Outcome(outcome.state, Action.UPDATE, step.asked.encode())
            step = replace(step, forced=True)
        if file.lies != step.path:
            yield from self._carried(step, file, outcome)
        else:
            yield self._in_place(step, file.mine, outcome)
        yield from self._left_behind(file)

    def _in_place(self, step: Step, there: bytes | None, outcome: Outcome) -> Step:
        """Return the step for a file that stays. A renamed class in its text counts as a change."""
        says_the_same = outcome.after == there
        if outcome.action is Action.CREATE or step.forced:
            return replace(step, action=outcome.action, before=there, after=outcome.after)
        if outcome.action is Action.KEEP and says_the_same:
            return Step(step.path, Action.KEEP, None, None)
        renamed = {Action.IDENTICAL: Action.UPDATE, Action.KEEP: Action.MERGE}
        action = outcome.action if says_the_same else renamed.get(outcome.action, outcome.action)
        return Step(step.path, action, there, outcome.after, why=outcome.why)

    def _carried(self, step: Step, file: Wanted, outcome: Outcome) -> Iterator[Step]:
        """Yield the steps that move a file with its edits."""
        action = outcome.action if outcome.action in (Action.COLLIDE, Action.CONFLICT) else Action.CREATE
        yield Step(step.path, action, None, outcome.after, why=outcome.why, like=file.lies)
        if action is not Action.CONFLICT:
            yield Step(file.lies, Action.REMOVE, file.mine, None, forced=step.forced)

    def _left_behind(self, file: Wanted) -> Iterator[Step]:
        """Yield the step for a file at its former path that exists at the new path too."""
        before = file.before
        if before is None or before.path in (file.step.path, file.lies) or before.path in self.taken:
            return
        content = self.read(before.path)
        text = Text.of(content) if content is not None else None
        if text is not None and text.text == before.text:
            yield Step(before.path, Action.REMOVE, content, None)
        elif content is not None:
            why = f"is where `{file.step.path}` was generated before, and both are there"
            yield Step(before.path, Action.CONFLICT, content, content, why=why, fix=_BOTH_THERE)
