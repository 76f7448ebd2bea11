"""The first run records what classes compute, and P19 holds them to it."""

import re
from pathlib import Path
from unittest.mock import ANY

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytree_laws import PytreeLaws, sample
from pytree_laws.snapshot.configurations import of_configurations
from pytree_laws.snapshot.format import (
    WHOLE,
    NoRecord,
    differences,
    entries,
    kept_where_close,
    parse_record,
    render_record,
    settings_of,
)
from pytree_laws.snapshot.numbers import ELSEWHERE, section_numbers
from pytree_laws.values.edge_values import FAR
from tests.support.draws import share
from tests.support.forking import forked_pytest
from tests.support.projects import EXAMPLES, copy_example, pytest_command, run
from tests.support.trees import read_tree, replace_in

ONE = ("-k", "numbers_are_those_of_the_record", "--numbers=record")


def changed(was: np.ndarray, now: np.ndarray) -> list[str]:
    """What a comparison of two arrays says, after the first went through a file."""
    record = parse_record(render_record({"Test: here": entries({"call": was})}, "test_here.py"))
    return [told for _, told in differences(record["Test: here"], entries({"call": now}), None)]


NUMBERS = st.floats(width=32) | st.sampled_from([np.inf, -np.inf, np.nan])
SHAPES = st.lists(st.integers(0, 5), max_size=3).map(tuple)
DTYPES = st.sampled_from(["float32", "float64", "float16", "bfloat16", "complex64", "int32", "bool"])


def test_what_is_sensitive_to_rounding_may_differ_by_more() -> None:
    was, near, moved, far = (entries({"call": np.float32([v])}) for v in (1, 1.00001, 1.000008, 1.001))
    assert list(differences(was, near, None)) and not list(differences(was, near, None, [near, moved]))
    assert list(differences(was, far, None, [entries({"call": np.float32([1.001002])})]))


@given(SHAPES, DTYPES, st.data())
@settings(max_examples=share(40))
def test_a_record_reads_as_what_was_written(shape: tuple[int, ...], dtype: str, data: st.DataObject) -> None:
    size = int(np.prod(shape))
    is_exact = dtype in ("int32", "bool")
    one = st.integers(-100, 100) if is_exact else NUMBERS
    values = data.draw(st.lists(one, min_size=size, max_size=size))
    with np.errstate(all="ignore"):
        array = np.array(values, np.int64 if is_exact else np.float64).astype(jnp.dtype(dtype)).reshape(shape)
    record = {"TestA: as it is built": entries({"call.0": array, "gain": array})}
    assert parse_record(render_record(record, "test_a.py")) == record
    with np.errstate(all="ignore"):
        assert not array.size or array.size > WHOLE or changed(array, array) == []


def test_a_record_reads_well() -> None:
    weight = np.array([[0.5, -2], [1 / 3, np.nan]], np.float32)
    record = {"TestA: as it is built": entries({"weight": weight, "calls": np.int32(3)})}
    assert render_record(record, "test_a.py").partition("\n\n")[2] == (
        "[TestA: as it is built]\ncalls: int32[]\n    3\nweight: float32[2,2]\n    0.5 -2\n    0.3333333 nan\n"
    )
    assert settings_of(render_record(record, "test_a.py")) == "float32 as the default dtype"


def test_a_large_array_is_its_first_elements_and_a_few_sums() -> None:
    array = np.linspace(-1, 2, 500, dtype=np.float32).reshape(20, 25)
    text = render_record({"TestA: here": entries({"call": array})}, "test_a.py")
    labels = [line.strip().rpartition(":")[0] for line in text.splitlines() if line.startswith("   ")]
    assert labels == ["first", "mean", "mean square", "mean by place"]
    assert changed(array, array) == []
    told = changed(array, array[::-1])  # the same numbers in another order
    assert told[0].startswith("at (0, 0) it is 1.8557")
    other = array.copy()
    other[7, 3] += 1
    assert [one.partition(" it is ")[0] for one in changed(array, other)] == ["its mean:"]


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        (
            [1.0, 2.0],
            [1.0, -2.0],
            "at 1 it is -2, recorded is 2, 4 off where 1.5e-05 is allowed; 1 of 2 differ",
        ),
        ([1.0], [np.nan], "at 0 it is nan, recorded is 1, nan off where 7.6e-06 is allowed"),
        ([1.0], [1.0, 2.0], "it is float32[2], recorded is float32[1]"),
        ([1, 2], [1, 3], "at 1 it is 3, recorded is 2; 1 of 2 differ"),
        ([1, 2], [1.0, 2.0], "it is float32[2], recorded is int64[2]"),
    ],
)
def test_a_number_that_changed_is_told_with_its_place(was: list[float], now: list[float], told: str) -> None:
    arrays = [np.array(one) for one in (was, now)]
    narrow = [one.astype(np.float32) if one.dtype.kind == "f" else one for one in arrays]
    assert changed(narrow[0], narrow[1]) == [told]


def test_what_is_close_keeps_its_text() -> None:
    was = entries({"call": np.array([1.0, 2.0], np.float32), "gain": np.float32(1)})
    now = entries({"call": np.array([1.000001, 2.0], np.float32), "gain": np.float32(2)})
    assert now["call"] != was["call"]
    kept = kept_where_close(was, now, None)
    assert kept["call"] == was["call"]
    assert kept["gain"] == now["gain"]


@pytest.mark.parametrize("line", ["<<<<<<< HEAD", "call float32[2]", "    1 two"])
def test_a_line_that_is_none_of_a_record_is_named(line: str) -> None:
    text = f"# head\n[TestA: here]\ncall: float32[2]\n{line}\n"
    with pytest.raises(NoRecord, match="line 4 "):
        parse_record(text)


@pytest.mark.slow
def test_numbers_are_recorded_held_and_approved(tmp_path: Path) -> None:
    folder = copy_example("affine", tmp_path / "project")
    before = forked_pytest(folder, *ONE[:2], "-rs", "-v")
    assert "more laws with: reference, --numbers=record, " in before.stdout
    recorded = forked_pytest(folder, *ONE).stdout
    assert "1 passed" in recorded
    assert re.search(
        r"\nrecorded \d\d+ numbers of Affine in tests/numbers/affine.txt; commit this file\n", recorded
    )
    record = folder / "tests/numbers/affine.txt"
    first = record.read_text()
    assert first == (EXAMPLES / "tests/numbers/affine.txt").read_text()

    module = folder / "affine.py"
    replace_in(module, "y + self.bias", "y - self.bias")
    result = forked_pytest(folder, *ONE[:2])
    assert result.returncode == 1
    told = " ".join(result.stdout.split())
    assert re.search(r"gradient of bias: at 0 it is -[\d.]+, recorded is [\d.]+, [\d.]+ off where", told)
    assert "(with other numbers)" in told
    assert "approve it with `pytest --numbers=update tests/test_affine.py`" in told

    asked = run(pytest_command(*ONE[:2]), folder, env={"PYTREE_LAWS_RECORD": "1"})
    assert asked.returncode == 0
    after = record.read_text()
    lines = set(after.splitlines()) ^ set(first.splitlines())
    assert lines and len(lines) < len(first.splitlines())
    assert not any(line.startswith(("call", "gradient", "[", "#")) for line in lines)  # numbers alone


class Chain(eqx.Module):
    """Applies its layers one after the other, the last without an activation."""

    scales: list[jax.Array]

    def __init__(self, depth: int = 2) -> None:
        self.scales = [jnp.full((3,), 1.0 + layer) for layer in range(depth)]

    def order(self) -> list[jax.Array]:
        return self.scales[:-1]

    def __call__(self, x: jax.Array) -> jax.Array:
        for scale in self.order():
            x = jnp.tanh(scale * x)
        return self.scales[-1] * x


class ReversedChain(Chain):
    def order(self) -> list[jax.Array]:
        return self.scales[-2::-1]


@pytest.mark.parametrize("cls", [Chain, ReversedChain])
def test_what_three_layers_give_is_recorded_where_the_example_has_two(cls: type[Chain]) -> None:
    suite = type(f"Test{cls.__name__}", (PytreeLaws,), {"build": lambda self, seed: cls()})
    suite.arguments = lambda self, seed: (sample(seed, (3,)),)
    usual = type("TestUsual", (suite,), {"build": lambda self, seed: Chain()})
    found, wanted = (of_configurations(one()) for one in (suite, usual))
    changed = [name for name, _ in differences(wanted, found, None)]
    assert "call() with depth=3" in wanted
    turned = [f"call() with depth=3{moved}" for moved in ("", *FAR)]
    assert changed == (turned if cls is ReversedChain else [])
    assert not list(
        differences(*(entries(section_numbers(one(), ELSEWHERE)) for one in (suite, usual)), None)
    )


def numbers_of(folder: Path, *arguments: str, **variables: str) -> tuple[int, str]:
    """The exit code and the output of a run of P19 as a user has it, with no mode but by these variables."""
    usual = {"PYTREE_LAWS_NUMBERS": "", "CI": ""}
    ran = run(pytest_command(*ONE[:2], *arguments), folder, env={**usual, **variables})
    return ran.returncode, ran.stdout


@pytest.mark.slow
def test_the_first_run_records_and_the_next_one_sees_a_sign(tmp_path: Path) -> None:
    folder = copy_example("affine", tmp_path / "project")
    code, told = numbers_of(folder)
    assert code == 0 and "recorded" in told and "commit this file" in told
    code, told = numbers_of(folder)
    assert code == 0 and "recorded" not in told
    module = folder / "affine.py"
    replace_in(module, "+ self.bias", "- self.bias")
    code, told = numbers_of(folder, PYTREE_LAWS_COMMAND="make try")
    assert code == 1 and "1 failed" in told and "approve it with `make try --numbers=update`" in told
    assert re.search(r"call: at \(?0.* it is [-\d.]+, recorded is [-\d.]+", told)


@pytest.mark.slow
def test_nothing_is_recorded_while_a_law_finds_a_fault(tmp_path: Path) -> None:
    folder = copy_example("affine", tmp_path / "project")
    replace_in(folder / "affine.py", "self.weight @ x", "float(x[0]) * self.weight @ x")
    ran = run(pytest_command("tests/test_affine.py"), folder, env={"PYTREE_LAWS_NUMBERS": "", "CI": ""})
    assert "TracerConversionError" in ran.stdout or "ConcretizationTypeError" in ran.stdout
    assert not (folder / "tests/numbers").exists()


@pytest.mark.slow  # its neighbours are tried in every run
def test_what_is_not_recorded_fails_where_ci_runs_and_says_what_to_do(tmp_path: Path) -> None:
    folder = copy_example("affine", tmp_path / "project")
    code, told = numbers_of(folder, CI="true")
    assert code == 1 and "no numbers of the suite are recorded" in told
    fix = (
        "run `pytest --numbers=record tests/test_affine.py`, look at tests/numbers/affine.txt, and commit it"
    )
    assert fix in " ".join(told.split())
    assert numbers_of(folder, "--numbers=check")[0] == 1
    assert not (folder / "tests/numbers").exists()


@pytest.mark.slow
@pytest.mark.parametrize("where", ["option", "variable", "project"])
def test_records_can_be_switched_off(where: str, tmp_path: Path) -> None:
    folder = copy_example("affine", tmp_path / "project")
    option = ["--numbers=off"] if where == "option" else []
    variables = {"PYTREE_LAWS_NUMBERS": "off"} if where == "variable" else {}
    if where == "project":
        (folder / "pyproject.toml").write_text('[tool.scaffold]\nnumbers = "off"\n')
    code, told = numbers_of(folder, *option, **variables)
    assert code == 5 and "deselected" in told  # no test is left
    assert not (folder / "tests/numbers").exists()


@pytest.mark.slow
def test_a_mode_that_there_is_not_names_the_legal_ones(tmp_path: Path) -> None:
    folder = copy_example("affine", tmp_path / "project")
    (folder / "pyproject.toml").write_text('[tool.scaffold]\nnumbers = "of"\n')
    code, told = numbers_of(folder)
    assert code == 1
    assert "'of' is no mode; legal values: record, check, compare, update, off" in told


@pytest.mark.slow
def test_several_processes_record_one_file_whole(tmp_path: Path) -> None:
    folder = copy_example("coupling", tmp_path / "project")
    code, told = numbers_of(folder, "-n", "2", "-p", "pytree_laws.summary")
    assert code == 0, told
    record = folder / "tests/numbers/coupling.txt"
    assert (
        parse_record(record.read_text()).keys()
        == parse_record((EXAMPLES / "tests/numbers/coupling.txt").read_text()).keys()
    )
    assert [path.name for path in record.parent.iterdir()] == ["coupling.txt"]


@pytest.mark.slow
def test_numbers_of_another_generator_of_keys_are_not_compared(tmp_path: Path) -> None:
    folder = copy_example("affine", tmp_path / "project")
    assert numbers_of(folder)[0] == 0
    code, told = numbers_of(folder, "-rs", JAX_DEFAULT_PRNG_IMPL="rbg")
    assert code == 0 and "the numbers are recorded with float32 as the default dtype" in told


def test_each_example_has_a_record_of_each_of_its_suites() -> None:
    files = read_tree(EXAMPLES / "tests")
    tests = {path: text.decode() for path, text in files.items() if path.startswith("test_")}
    for path, text in tests.items():
        suites = set(re.findall(r"^class (Test\w+)", text, re.MULTILINE))
        name = f"numbers/{path.removeprefix('test_').removesuffix('.py')}.txt"
        if "AbstractLaws" in text:
            assert name not in files
            continue
        recorded = {section.partition(":")[0] for section in parse_record(files[name].decode())}
        assert recorded == suites, f"{name}: pytest generated_examples/tests --numbers=update"
    assert sum(path.startswith("numbers/") for path in files) > 30


@pytest.mark.slow  # tests/laws/values rounds in every run
def test_another_formula_for_the_same_passes_where_large_numbers_round_otherwise(tmp_path: Path) -> None:
    folder = copy_example("random_features", tmp_path / "project")
    assert numbers_of(folder)[0] == 0
    replace_in(
        folder / "random_features.py", "frequencies @ (x / self.width)", "(frequencies / self.width) @ x"
    )
    assert numbers_of(folder) == (0, ANY)
    replace_in(folder / "random_features.py", "frequencies / self", "1.0001 * frequencies / self")
    assert numbers_of(folder)[0] == 1
