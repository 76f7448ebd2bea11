"""The page of findings is made of the verdicts, and the figures add up."""

import json
import sys
from importlib import metadata
from pathlib import Path

import pytest

from benchmarks.corpus import PAGE, calls_drawn, drawn, faults_of, line, page, read
from benchmarks.corpus.runs import measured, run_library, write_whole


def test_the_page_is_made_of_the_verdicts() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.spread(3)
@pytest.mark.parametrize("batch", read("figures", "batch"), ids=lambda one: f"batch {one['number']}")
def test_each_judged_fault_of_a_batch_has_a_verdict(batch: dict[str, int]) -> None:
    assert batch["true"] + batch["by_design"] + batch["false"] == batch["sample"]
    assert batch.get("meaningful", 0) <= batch.get("calls", 0)
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


def test_a_library_whose_record_is_there_is_not_run_again(tmp_path: Path) -> None:
    fault = {"law": "P3", "where": "x", "what": "lost", "severity": "fault"}
    findings = [fault, fault, {**fault, "severity": "advice"}]
    error = {"test": "test_p03", "what": "KeyError", "where": "p03.py:3"}
    classes = [
        {"class": "m:A", "state": "adopted", "findings": findings, "errors": [error, "it ended"], "call": ""},
        {"class": "m:B", "state": "not built", "findings": [], "errors": []},
    ]
    record = {"report": {"classes": classes}, "seconds": 12, "peak_bytes": 3 * 2**29}
    (tmp_path / "m.json").write_text(json.dumps(record))
    found = run_library({"module": "m", "packages": []}, tmp_path)
    assert line("m", found) == "| `m` | 2 | 1 | 1 | 1 | 1 | 12 | 1.5 |"
    assert drawn([found["report"]], 5) == [*faults_of(found["report"])] == [("m:A", fault)]
    assert [one["class"] for one in calls_drawn([found["report"]], 5)] == ["m:A"]


def test_a_run_is_recorded_whole(tmp_path: Path) -> None:
    source = "import sys; held = bytearray(2**27); print('{}'); print('said', file=sys.stderr); sys.exit(3)"
    code, out, errors, peak = measured([sys.executable, "-c", source], tmp_path)
    assert (code, out, errors) == (3, "{}\n", "said\n") and peak > 2**27
    write_whole(tmp_path / "m.json", {"exit": code})
    assert [one.name for one in tmp_path.iterdir()] == ["m.json"]
