"""What a spec costs grows with what it has, and not with its square."""

import gc
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest

from scaffold.generate import load_specs, plan_modules
from scaffold.in_project.layout import find_layout
from tests.support.trees import write_tree

HEAD = (
    "from jaxtyping import Array, Float\nfrom scaffold.skeleton import Module, param\n\n\n"
    'class Many(Module):\n    weight: Float[Array, " n"] = param("ones")\n'
)
FLOATS = 'Float[Array, " n"]'
CALL = '[call]\nargs = "{args}"\nreturns = "f[n]"\nbody = "return self.weight * x0"\n'
TOML = 'name = "Many"\n[fields]\nweight = "f[n]"\n'
SCALE = 'scale = { type = "float", role = "static", default = 1.0 }\n'


def repeated(text: str, number: int) -> str:
    return "".join(text.replace("NUMBER", str(index)) for index in range(number))


def methods(number: int) -> str:
    method = (
        '[methods.mNUMBER]\nargs = "x: f[n]"\nreturns = "f[n]"\nbody = "return self.weight * x + NUMBER"\n'
    )
    return TOML + repeated(method, number)


def fields(number: int) -> str:
    return TOML + repeated('wNUMBER = "f[n]"\n', number) + CALL.format(args="x0: f[n]")


def arguments(number: int) -> str:
    return TOML + CALL.format(args=repeated("xNUMBER: f[n], ", number).rstrip(", "))


def cases(number: int) -> str:
    case = '[[test.cases]]\nname = "cNUMBER"\nvalues = { scale = NUMBER.5 }\n'
    return TOML + SCALE + CALL.format(args="x0: f[n]") + repeated(case, number)


def methods_of_skeleton(number: int) -> str:
    method = f"\n    def mNUMBER(self, x: {FLOATS}) -> {FLOATS}:\n        return self.weight * x + NUMBER\n"
    return HEAD + repeated(method, number)


def fields_of_skeleton(number: int) -> str:
    call = f"\n    def __call__(self, x: {FLOATS}) -> {FLOATS}:\n        return self.weight * x\n"
    return HEAD + repeated(f'    wNUMBER: {FLOATS} = param("ones")\n', number) + call


def arguments_of_skeleton(number: int) -> str:
    given = repeated(f"xNUMBER: {FLOATS}, ", number).rstrip(", ")
    return f"{HEAD}\n    def __call__(self, {given}) -> {FLOATS}:\n        return self.weight * x0\n"


SPECS: dict[Callable[[int], str], str] = {
    methods: "toml",
    fields: "toml",
    arguments: "toml",
    cases: "toml",
    methods_of_skeleton: "py",
    fields_of_skeleton: "py",
    arguments_of_skeleton: "py",
}


def seconds(root: Path, spec: Callable[[int], str], number: int) -> float:
    """The time of this process that a class with so many takes, from the text of its spec to the plan."""
    path = f"{spec.__name__}_{number}.{SPECS[spec]}"
    write_tree(root, {path: spec(number)})
    gc.disable()  # which looks at all that earlier tests have left
    begin = process_time()
    plan = plan_modules(load_specs([root / path]), find_layout(root))
    ended = process_time()
    gc.enable()
    assert "many.py" in {str(step.path) for step in plan.steps}
    return ended - begin


@pytest.mark.slow  # a ratio of times, which neighbours disturb
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.__name__)
def test_four_times_as_many_take_less_than_seven_times_as_long(
    tmp_path: Path, spec: Callable[[int], str]
) -> None:
    seconds(tmp_path, spec, 2)  # the imports
    few, many = (min(seconds(tmp_path, spec, number) for _ in range(3)) for number in (100, 400))
    assert many < 7 * few, (few, many)
