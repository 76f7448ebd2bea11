"""Each example of docs/by_hand.md is run, and finds what the page says."""

import importlib.util
import pathlib
import re
import sys

import pytest
from harness.runner import run

DOCUMENT = pathlib.Path(__file__).parents[3] / "docs" / "by_hand.md"
HEAD, *SECTIONS = re.split(r"^## ", DOCUMENT.read_text(), flags=re.M)
EXAMPLES = {section.partition("\n")[0].replace("`", ""): section for section in SECTIONS}
CODE = re.compile(r"^```python\n(.*?)^```", re.M | re.S)


@pytest.fixture(scope="module", name="examples")
def _examples(tmp_path_factory):
    """A module with all examples: the laws run a module of a class again, and pickle what is at the top of one."""
    path = tmp_path_factory.mktemp("by_hand") / "examples_by_hand.py"
    path.write_text("\n\n".join(CODE.findall(DOCUMENT.read_text())))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[path.stem]


@pytest.mark.spread(6)
@pytest.mark.parametrize("title", EXAMPLES)
def test_an_example_finds_what_the_page_says(title, examples):
    text = EXAMPLES[title]
    [suite] = re.findall(r"^class (Test\w+)", text, re.M)
    outcome = run(getattr(examples, suite), on_warning="ignore")
    told = re.findall(r"Finds (P\d+|nothing)", text)
    assert sorted(outcome) == sorted(one for one in told if one != "nothing"), "\n".join(
        message for found in outcome.values() for message in found
    )
    assert told and outcome.ran


def test_the_page_has_each_style():
    assert len(EXAMPLES) == 13 and "import equinox" in HEAD
