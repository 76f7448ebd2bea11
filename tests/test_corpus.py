"""The page of findings is made of the verdicts, and the figures add up."""

import json
from importlib import metadata
from pathlib import Path

import pytest

from benchmarks.corpus import PAGE, drawn, examined, faults_of, line, page, read


def test_the_page_is_made_of_the_verdicts() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("batch", read("figures", "batch"), ids=lambda one: f"batch {one['number']}")
def test_each_judged_fault_of_a_batch_has_a_verdict(batch: dict[str, int]) -> None:
    assert batch["true"] + batch["by_design"] + batch["false"] == batch["sample"]
    libraries = {
        one["packages"][0] for one in read("libraries", "library") if one["batch"] == batch["number"]
    }
    for verdict in ("true", "by design", "false"):
        rows = [one for one in read("verdicts", "verdict") if one["verdict"] == verdict]
        judged = sum(one.get("faults", 0) for one in rows if one["library"] in libraries)
        assert judged == batch[verdict.replace(" ", "_")], verdict


def test_what_is_true_is_shown_and_what_is_false_is_mended() -> None:
    for one in read("verdicts", "verdict"):
        assert ("shows" in one) is (one["verdict"] == "true")
        assert ("mended" in one) is (one["verdict"] == "false")
        compile(one.get("shows", ""), one["class"], "exec")


@pytest.mark.slow
@pytest.mark.parametrize(
    "one", [one for one in read("verdicts", "verdict") if "shows" in one], ids=lambda one: one["library"]
)
def test_what_is_shown_is_seen_where_the_library_is_at_hand(one: dict[str, str]) -> None:
    name, _, wanted = one["library"].partition("==")
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        version = ""
    if version != wanted:
        pytest.skip(f"{one['library']} is not installed")
    raised = ""
    try:
        exec(one["shows"], {})
    except Exception as error:
        raised = type(error).__name__
    assert raised == one.get("raises", "")


def test_a_library_whose_report_is_there_is_not_run_again(tmp_path: Path) -> None:
    fault = {"law": "P3", "where": "x", "what": "lost", "severity": "fault"}
    findings = [fault, fault, {**fault, "severity": "advice"}]
    classes = [
        {"class": "m:A", "state": "adopted", "findings": findings, "seconds": 1.2},
        {"class": "m:B", "state": "not built", "findings": []},
    ]
    (tmp_path / "m.json").write_text(json.dumps({"classes": classes}))
    report = examined({"module": "m", "packages": []}, tmp_path)
    assert line("m", report) == "| `m` | 2 | 1 | 1 | 1 | 1 |"
    assert drawn([report], 5) == [*faults_of(report)] == [("m:A", fault)]
