"""docs/laws.md and `scaffold laws` say of each law which kinds it binds, and why not where it does not."""

import json
from pathlib import Path

import pytest

from pytree_laws import nnx
from scaffold.kind import kind_of
from scaffold.law_wheel import suite_texts
from scaffold.laws import KINDS, further_laws, law_table
from tests.support.projects import REPOSITORY, scaffold

DOCS = (REPOSITORY / "docs/laws.md").read_text(encoding="utf-8")


def test_the_table_of_laws_is_the_suites_own() -> None:
    for number, law in law_table().items():
        assert f"| {number} | {law.name} | {law.statement} |" in DOCS


def test_each_law_says_in_a_line_what_it_protects_from() -> None:
    for number, law in law_table().items():
        assert len(law.protects) > 40 and law.protects.endswith(".")
        assert f"- **{law.name}** ({number}): {law.protects}" in DOCS
        assert f"  protects from: {law.protects[:30]}" in law.text(number)


def test_the_laws_of_steps_say_so_too() -> None:
    stated = [text for text in suite_texts("step").values() if "LAW = Law(" in text]
    assert len(stated) == 10 and all('protects="' in text or "protects='" in text for text in stated)


def test_the_table_of_kinds_is_what_the_suites_hold() -> None:
    rows = [["law", *KINDS], ["---"] * (len(KINDS) + 1)]
    rows += [[number, *(law.binds(kind) for kind in KINDS)] for number, law in law_table().items()]
    table = (
        "\n".join(f"| {' | '.join(row)} |" for row in rows).replace("| --- ", "|---").replace("--- |", "---|")
    )
    assert table in DOCS, f"docs/laws.md must have\n{table}"


def test_every_reason_and_every_form_is_in_the_docs() -> None:
    for number, law in law_table().items():
        for kind, why in {**law.without, **law.partly}.items():
            assert f"- {number}, `{kind}`: {why}" in DOCS
        for kind, statement in law.forms.items():
            assert f"- {number}, `{kind}`: {statement}" in DOCS


def test_what_a_kind_must_hold_besides_is_in_the_docs() -> None:
    assert set(further_laws()) == {"abstract", "closure", "train-state"}
    for kind, laws in further_laws().items():
        listed = f"`{kind}`: {'; '.join(laws)}."
        assert listed in DOCS, f"docs/laws.md must have\n{listed}"


def test_a_law_that_is_left_out_has_a_reason_and_is_in_no_suite() -> None:
    for kind in KINDS:
        left_out = {number for number, law in law_table().items() if kind in law.without}
        assert left_out == set(kind_of(kind).without), kind
    assert {*law_table()} - {*nnx.LAWS} == set(kind_of("nnx").without)


@pytest.mark.parametrize("number", ["P3", "P15"])
def test_the_command_tells_whom_a_law_binds(number: str, tmp_path: Path) -> None:
    law = law_table(number)[number]
    shown = " ".join(scaffold(tmp_path, "laws", number).stdout.split())
    told = [f"not for {kind}: {why}" for kind, why in law.without.items()]
    told += [f"in part for {kind}: {why}" for kind, why in law.partly.items()]
    told += [f"{kind}: {statement}" for kind, statement in law.forms.items()]
    assert told and all(one in shown for one in told)


@pytest.mark.parametrize("number", ["A1", "C1", "T1", "T2", "T3"])
def test_the_laws_of_bases_closures_and_train_states_are_in_the_docs_and_told_by_the_command(
    number: str, tmp_path: Path
) -> None:
    law = law_table(number)[number]
    assert f"| {number} {law.name} | {law.statement} |" in DOCS
    shown = " ".join(scaffold(tmp_path, "laws", number).stdout.split())
    assert law.statement in shown and law.fix in shown and len(law.protects) > 40
    assert number not in law_table()


def test_the_command_lists_the_suites_of_kinds(tmp_path: Path) -> None:
    told = json.loads(scaffold(tmp_path, "laws", "--json").stdout)
    assert list(told["laws"]) == list(law_table()) and "P3" in told["laws"]
    assert "steps are counted" in told["besides"]["train-state"]
    assert "train-state, besides:\n  donation" in scaffold(tmp_path, "laws").stdout
