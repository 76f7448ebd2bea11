"""Any sequence of new, edit, respec, template change, rename, update and destroy: no line that somebody wrote is ever lost."""

import os
import re
import shutil
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from unittest import mock

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from scaffold import render_class
from scaffold.errors import ScaffoldError
from tests.support.draws import share
from tests.support.library import Library, spec

NAMES = ("Alpha", "Beta", "Gamma")
FIELDS = ("", 'bias = { type = "f[out_size]", init = "zeros" }', 'scale = { type = "f[]", init = "ones" }')
SHORT = settings(max_examples=share(15), stateful_step_count=25, deadline=None, phases=[Phase.generate])
RENDER = render_class.render
INITS = ("zeros", "ones", "lecun_normal")
WAYS = ("insert", "insert", "insert", "append", "import", "reformat")
FILES = st.sampled_from(["module", "test"])


class Life(RuleBasedStateMachine):
    """A library and somebody who edits it; `mine` has every line that was written by hand and not given up since."""

    def __init__(self) -> None:
        super().__init__()
        self.nothing_waits = mock.patch.object(os, "fsync", lambda _: None)
        self.nothing_waits.start()
        self.library = Library.at(Path(mkdtemp(prefix="scaffold-life-")))
        self.specs: dict[str, str] = {}
        self.mine: set[str] = set()
        self.number = count()
        self.version = 0

    def teardown(self) -> None:
        self.nothing_waits.stop()
        shutil.rmtree(self.library.root)

    # -- what is generated ---------------------------------------------------------------------------------------------

    def run(self, action) -> bool:
        """Do something as this version of the templates has it; whether it was done. What is refused changes nothing."""
        before = self.library.tree()
        with mock.patch.object(render_class, "render", self.render):
            try:
                action()
            except ScaffoldError as error:
                assert error.exit_code == 1, error
                assert self.library.tree() == before
                return False
        return True

    def render(self, name, context, *own):
        """The templates of a later version say something else, above and below."""
        for path, text in RENDER(name, context, *own):
            later = f"\n\n# version {self.version}\n" if self.version else ""
            yield path, text.replace("Build an instance", f"Build {self.version} instances") + later

    @initialize()
    def begin(self) -> None:
        for name in NAMES[:2]:
            self.new(name, "")

    @rule(name=st.sampled_from(NAMES), fields=st.sampled_from(FIELDS))
    def new(self, name: str, fields: str) -> None:
        if not self.specs.get(name):
            self.say(f"spec{next(self.number)}", name, fields)
            self.run(lambda: self.library.new(f"specs/{self.specs[name]}.toml"))

    def respec(self, data) -> None:
        name = data.draw(st.sampled_from(sorted(self.specs)))
        fields, init = data.draw(st.sampled_from(FIELDS)), data.draw(st.sampled_from(INITS))
        self.say(self.specs[name], name, fields, init)

    def rename(self, data) -> None:
        name = data.draw(st.sampled_from(sorted(self.specs)))
        free = [one for one in (*NAMES, "Delta") if one not in self.specs and not self.has_record(one)]
        if free and self.has_record(name):
            new, file = data.draw(st.sampled_from(free)), self.specs.pop(name)
            self.specs[new] = file
            self.library.edit(f"specs/{file}.toml", f'"{name}"', f'"{new}"')

    def upgrade(self, _) -> None:
        self.version += 1

    # -- what somebody edits -------------------------------------------------------------------------------------------

    @rule(data=st.data(), times=st.integers(1, 5))
    def edit(self, data, times: int) -> None:
        for _ in range(times):
            path = self.generated(data, data.draw(FILES))
            if path is not None:
                self.edit_once(path, data.draw(st.sampled_from(WAYS)), data.draw(st.floats(0, 1)))

    def edit_once(self, path: str, how: str, at: float) -> None:
        lines = self.library.read(path).split("\n")
        line = f"written_by_hand_{next(self.number)}"
        if how == "reformat":
            self.library.write(path, "\n".join(one.replace("    ", "  ") for one in lines))
            return
        text = f"import {line}" if how == "import" else f"# {line}"
        place = {"insert": int(at * (len(lines) - 1)), "append": len(lines) - 1, "import": 0}[how]
        self.library.write(path, "\n".join([*lines[:place], text, *lines[place:]]))
        self.mine.add(line)

    @rule(data=st.data(), role=FILES)
    def delete(self, data, role: str) -> None:
        path = self.generated(data, role)
        if path is not None and not self.lines_in(path):
            self.library.path(path).unlink()

    @rule(data=st.data(), role=FILES)
    def solve(self, data, role: str) -> None:
        """Both sides are kept, without the markers."""
        path = self.generated(data, role)
        if path is not None:
            text = self.library.read(path)
            self.library.write(path, re.sub(r"^(<{7} .*|={7}|>{7} .*)\n", "", text, flags=re.MULTILINE))

    @rule(data=st.data(), damage=st.sampled_from(["cut", "gone"]))
    def damage(self, data, damage: str) -> None:
        records = sorted(self.library.root.glob(".scaffold/*.txt"))
        if records:
            record = data.draw(st.sampled_from(records))
            text = record.read_text()
            record.unlink() if damage == "gone" else record.write_text(text[: len(text) // 2])

    # -- what the tool does --------------------------------------------------------------------------------------------

    @rule(
        data=st.data(),
        change=st.sampled_from(["respec", "rename", "upgrade", "nothing"]),
        force=st.sampled_from([False, False, False, True]),
    )
    @precondition(lambda self: self.specs)
    def update(self, data, change: str, force: bool) -> None:
        """Something else would be generated now, and it is."""
        if change != "nothing":
            getattr(self, change)(data)
        self.run(lambda: self.library.update(force=force))

    @rule(data=st.data(), force=st.booleans())
    @precondition(lambda self: self.specs)
    def destroy(self, data, force: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.specs)))
        if self.has_record(name) and self.run(lambda: self.library.destroy(name, force=force)):
            self.specs.pop(name)

    @rule()
    def check_changes_nothing(self) -> None:
        before = self.library.tree()
        with mock.patch.object(render_class, "render", self.render):
            self.library.states()
        assert self.library.tree() == before

    # -- what must hold ------------------------------------------------------------------------------------------------

    @invariant()
    def every_line_is_there(self) -> None:
        """In the tree, in a marker, or in a copy."""
        there = b"\n".join(
            data
            for path, data in self.library.tree().items()
            if not path.startswith(".scaffold/") or "/kept/" in path
        ).decode()
        assert {line for line in self.mine if not re.search(rf"\b{line}\b", there)} == set()

    @invariant()
    def nothing_of_a_run_is_left(self) -> None:
        assert not list(self.library.root.rglob(".scaffold-*"))

    # -- what is where -------------------------------------------------------------------------------------------------

    def say(self, file: str, name: str, fields: str, init: str = "lecun_normal") -> None:
        self.specs[name] = file
        self.library.write_specs(**{file: spec(name, fields, init=init)})

    def has_record(self, name: str) -> bool:
        return self.library.path(f".scaffold/{name}.txt").is_file()

    def generated(self, data, role: str) -> str | None:
        pattern = "lib/[a-z]*.py" if role == "module" else "tests/test_*.py"
        found = sorted(
            path.relative_to(self.library.root).as_posix() for path in self.library.root.glob(pattern)
        )
        return data.draw(st.sampled_from(found)) if found else None

    def lines_in(self, path: str) -> list[str]:
        return re.findall(r"written_by_hand_\d+", self.library.read(path))


def test_no_sequence_loses_a_line() -> None:
    run_state_machine_as_test(Life, settings=SHORT)


@pytest.mark.slow
def test_no_sequence_of_many_loses_a_line() -> None:
    """`pytest -m slow tests/lifecycle/test_lifecycle_sequences.py`."""
    run_state_machine_as_test(Life, settings=settings(SHORT, max_examples=2000))


def edited_and_generated_anew() -> None:
    """One sequence: a class is edited by hand, its spec gets a field, and the class is updated."""
    life = Life()
    try:
        life.begin()
        life.edit_once("lib/alpha.py", "append", 1.0)
        life.say(life.specs["Alpha"], "Alpha", FIELDS[1])
        assert life.run(life.library.update)
        life.every_line_is_there()
    finally:
        life.teardown()


def test_a_merge_that_takes_one_side_would_be_seen() -> None:
    """What the sequences are there to find: an update that loses what somebody wrote."""
    from scaffold.history import states

    edited_and_generated_anew()
    taken = mock.patch.object(states, "merge_python", lambda base, mine, new: states.Merged(new, 0))
    with taken, pytest.raises(AssertionError, match="written_by_hand"):
        edited_and_generated_anew()
