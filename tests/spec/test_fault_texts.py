"""How faults read: each kind once with all its places, few legal values with the nearest first, and no names of the tool's own."""

from pathlib import Path

import pytest
from click import unstyle

from scaffold import ScaffoldError
from scaffold.cli.failures import fault_texts
from scaffold.errors import Fault
from scaffold.generate import load_specs
from scaffold.spec.grammar.type_parser import TypeSyntaxError, parse_type

TWICE = """\
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Layer(Module):
    weight: Float[Array, " n"] = param("zeros")

    def first(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.weigth + x

    def second(self, x):
        return self.weigth
"""


def test_a_kind_of_fault_is_told_once_with_all_its_places(tmp_path: Path) -> None:
    (tmp_path / "layer.py").write_text(TWICE)
    with pytest.raises(ScaffoldError) as caught:
        load_specs([tmp_path / "layer.py"])
    (text,) = map(unstyle, fault_texts(caught.value.faults))
    assert text.split("\n")[0].endswith("layer.py:9:16: methods.first.body: `self.weigth` is no field")
    assert text.split("\n")[1].endswith("layer.py:12:16: methods.second.body")
    assert text.split("\n")[1].startswith("  also: ") and text.count("did you mean `weight`?") == 1


def test_at_most_eight_legal_values_are_shown_the_nearest_first() -> None:
    legal = tuple(f"value{index}" for index in range(20))
    (_, line, _) = str(Fault("place", "`value19x` is not legal", "write another", legal)).split("\n")
    assert line.startswith("  legal: value19, ") and line.endswith(", and 12 more, which `--json` lists")
    assert line.count("value") == 8
    assert len(Fault("place", "x", "y", legal).to_json()["legal"]) == 20  # type: ignore[arg-type]


def test_one_more_is_shown_and_not_counted() -> None:
    legal = tuple(f"value{index}" for index in range(9))
    (_, line, _) = str(Fault("place", "`x` is not legal", "write another", legal)).split("\n")
    assert line.count("value") == 9 and "more" not in line


@pytest.mark.parametrize("text", ["np:ndarray[int]", "list[pkg.mod:Box[int]]", "Union[pkg.mod:Box, 3]"])
def test_no_message_has_a_name_of_the_tool_s_own(text: str) -> None:
    with pytest.raises(TypeSyntaxError) as caught:
        parse_type(text)
    assert "__foreign" not in f"{caught.value} {caught.value.fix}"
