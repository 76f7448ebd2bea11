"""What is to be done with one generated file: it stays in its place, or is carried to another, with what was edited in it."""

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
    """A generated file as the plan has it now, and as it was: what was generated, where it lies, and what is to be done.

    `mine` is what lies there, read once: what is replaced is what was merged, or else a save in between would be lost.
    """

    role: str
    step: Step
    before: Generated | None
    lies: PurePosixPath
    mine: bytes | None
    found: Outcome


class FileSteps(Struct, frozen=True):
    """The steps of the files of a plan, which are to be at the paths in `taken`."""

    places: Places
    taken: frozenset[PurePosixPath]
    force: bool = False

    def read(self, path: PurePosixPath) -> bytes | None:
        """What lies there; None where nothing does."""
        return self.places.read(path)

    def place(self, step: Step, before: Generated | None) -> PurePosixPath:
        """Where the file lies: where it was generated before, as long as it has not come to where it is to be."""
        if before is None or before.path == step.path or step.before is not None or before.path in self.taken:
            return step.path
        return before.path if self.read(before.path) is not None else step.path

    def of(self, file: Wanted) -> Iterator[Step]:
        """What is done where the file is to be, and where it was before."""
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
        """A file that stays where it is; one that names what has another name now is written for that."""
        says_the_same = outcome.after == there
        if outcome.action is Action.CREATE or step.forced:
            return replace(step, action=outcome.action, before=there, after=outcome.after)
        if outcome.action is Action.KEEP and says_the_same:
            return Step(step.path, Action.KEEP, None, None)
        renamed = {Action.IDENTICAL: Action.UPDATE, Action.KEEP: Action.MERGE}
        action = outcome.action if says_the_same else renamed.get(outcome.action, outcome.action)
        return Step(step.path, action, there, outcome.after, why=outcome.why)

    def _carried(self, step: Step, file: Wanted, outcome: Outcome) -> Iterator[Step]:
        """A file that goes from one place to another, with what was edited in it."""
        action = outcome.action if outcome.action in (Action.COLLIDE, Action.CONFLICT) else Action.CREATE
        yield Step(step.path, action, None, outcome.after, why=outcome.why, like=file.lies)
        if action is not Action.CONFLICT:
            yield Step(file.lies, Action.REMOVE, file.mine, None, forced=step.forced)

    def _left_behind(self, file: Wanted) -> Iterator[Step]:
        """What lies where the file was generated before, although it is where it is to be as well."""
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
