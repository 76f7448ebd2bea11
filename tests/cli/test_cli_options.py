"""Pairs on the command line: `--option`, `--group`, `--preset`, and `scaffold kinds`, which lists the options."""

import json
import tomllib
from pathlib import Path

import pytest

from scaffold.errors import ScaffoldError
from scaffold.spec.command_line import raw_spec
from scaffold.spec.reading.read import read_spec
from tests.support.projects import scaffold

FIELDS = ("table:dict[str,f[]]", "rate:f[]")


def test_pairs_are_tables_of_the_spec() -> None:
    pairs = {"group": ["first=table, rate"], "preset": ["table.a=42", "table.b = 1.5"], "size": ["n=3"]}
    raw = raw_spec("Table", FIELDS, {"kind": "pytree", "layout": "nested"}, pairs)
    assert raw["groups"] == {"first": ["table", "rate"]}
    assert raw["fields"]["table"] == {"type": "dict[str,f[]]", "preset": {"a": 42, "b": 1.5}}
    assert (raw["layout"], raw["test"]) == ("nested", {"sizes": {"n": 3}})
    state = raw_spec("State", ("model:Net",), {"kind": "train-state"}, {"option": ["ema=0.9", "key=true"]})
    assert state["options"] == {"ema": 0.9, "key": True}
    assert [one.name for one in read_spec(state, "s").fields] == [
        *("model", "opt_state", "step", "key", "ema", "ema_decay")
    ]


OPTION = "write `--option NAME=VALUE`, with a value as in TOML: `ema=0.99`, `key=true`"
# fmt: off
ROWS = [
    ("train-state", "option", ["ema=often"], [f"--option | `ema=often` is not an option | {OPTION}"]),
    ("train-state", "option", ["=1"], [f"--option | `=1` is not an option | {OPTION}"]),
    ("train-state", "option", ["ema=1\nkey=2"], [f"--option | `ema=1\nkey=2` is not an option | {OPTION}"]),
    ("train-state", "option", ["key=true", "key=false"], ["--option | `key` is there twice | remove one"]),
    ("train-state", "option", ["keys=true"], ["s: options | unknown key `keys` | did you mean `key`?"]),
    ("train-state", "option", ["key=1"], ["s: options.key | 1 is not a boolean | write `key = true`: Whether it holds a PRNG key, of which each step has its own."]),
    ("module", "option", ["key=true"], ["s: options | kind `module` has no options | remove them, or choose a kind that has them"]),
    ("module", "group", ["small"], ["--group | `small` is not a group | write `--group small=element1,element2`"]),
    ("module", "group", ["small=model,"], ["--group | `small=model,` is not a group | write `--group small=element1,element2`"]),
    ("module", "group", ["small=modle"], ["s: groups.small | `modle` is no field with leaves | did you mean `model`?"]),
    ("module", "preset", ["model=1"], ["--preset | `model=1` is not a preset | write `--preset FIELD.ENTRY=VALUE`, with a value as in TOML: `table.a=42.0`"]),
    ("module", "preset", ["tabel.a=1"], ["--preset | there is no field `tabel` | name a field of type `dict`"]),
    ("module", "preset", ["model.a=1"], ["s: fields.model.preset | only a dict has entries to preset | write `preprocess` for another field"]),
]
# fmt: on


@pytest.mark.parametrize(
    ("kind", "what", "texts", "told"), ROWS, ids=[row[3][0].split("|")[1] for row in ROWS]
)
def test_a_wrong_pair_is_told_with_its_fix(kind: str, what: str, texts: list[str], told: list[str]) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec(raw_spec("Whole", ("model:Net",), {"kind": kind}, {what: texts}), "s")
    assert [f"{fault.where} | {fault.what} | {fault.fix}" for fault in caught.value.faults] == told


def test_the_legal_options_are_listed() -> None:
    for kind, legal in {
        "module": ("as-written: laws", "train-state: ema, key, state"),
        "train-state": ("ema", "key", "state"),
    }.items():
        with pytest.raises(ScaffoldError) as caught:
            read_spec(raw_spec("Whole", ("model:Net",), {"kind": kind}, {"option": ["keys=true"]}), "s")
        assert caught.value.faults[0].legal == legal


def test_the_command_line_writes_them_into_the_spec(tmp_path: Path) -> None:
    arguments = (
        "--kind",
        "pytree",
        "--preset",
        "table.a=42.0",
        "--group",
        "first=rate",
        "--layout",
        "nested",
    )
    result = scaffold(tmp_path, "new-module", "Table", *FIELDS, *arguments)
    assert result.returncode == 0, result.stderr
    raw = tomllib.loads((tmp_path / "specs/table.toml").read_text())
    assert (raw["layout"], raw["groups"]) == ("nested", {"first": ["rate"]})
    assert raw["fields"]["table"]["preset"] == {"a": 42.0}
    again = scaffold(tmp_path, "new-module", "--spec", "specs/table.toml", "--option", "key=true")
    assert "`--spec` says it all, and --option says it again" in again.stderr


def test_kinds_lists_the_options_of_each(tmp_path: Path) -> None:
    told = json.loads(scaffold(tmp_path, "kinds", "--json").stdout)
    assert list(told["train-state"]["options"]) == ["ema", "key", "state"]
    assert told["module"]["options"] == {} and "filter spec" in told["module"]["summary"]
    assert "--option ema=...  (number) Decay of an average" in scaffold(tmp_path, "kinds").stdout
