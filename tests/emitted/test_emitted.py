"""What the tool emits is sound for every spec, not only for the examples: formatted, linted, typed, and its tests pass.

The specs are drawn with a fixed seed. All are looked at by ruff, pyright and mypy; those that use the most options are executed.
"""

import ast
import json
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from scaffold import find_layout, publish
from scaffold.files.fileset import File
from scaffold.generate import SCHEMA_NAME, plan_modules
from scaffold.render_class import module_files
from scaffold.spec import ModuleSpec, read_spec
from scaffold.spec.construction.constructor import variadic_dims
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.initialisers import INITIALISERS
from scaffold.spec.grammar.types import ArrayType, arrays, walk
from scaffold.spec.names import stem
from scaffold.spec.tables.key import ROLES
from scaffold.spec.tables.keys import CALL_KEYS, CONSTRUCTORS, FIELD_KEYS, LAYOUTS, REBUILDS, SPEC_KEYS
from scaffold.spec.tables.toml import write_toml
from scaffold.tidy import tidy
from tests.drawn.drafts import HELPERS, WIDE, shape_of_dim
from tests.drawn.strategies import specs
from tests.drawn.written_specs import NESTED, SPREAD
from tests.support.projects import EXAMPLES, checker, run

PER_PLAN = 25
SETTINGS = settings(
    database=None,
    deadline=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
NOT_OURS = "tests/pytree_laws"  # the laws have their own tests


# --- Specs and what they use -------------------------------------------------------------------------------------------


def options(spec: ModuleSpec) -> Iterator[str]:
    """Names for everything that a spec makes use of."""
    yield f"save {spec.save}"
    yield f"kind {spec.kind}"
    yield f"constructor {spec.constructor} of {spec.kind}"
    if spec.kind == "pytree":
        yield f"rebuild {spec.rebuild}"
    if spec.groups:
        yield f"layout {spec.layout} with {spec.rebuild if spec.kind == 'pytree' else spec.constructor}"
    if any(one.readable for one in spec.groups):
        yield "readable group"
    for name in ("arguments", "setup", "imports", "call", "doc"):
        if getattr(spec, name):
            yield f"key {name}"
    yield from (
        f"argument {'*' if one.is_marker else 'declared'}"
        for one in spec.arguments
        if one.is_marker or one.type
    )
    for one in spec.fields:
        yield from options_of_field(spec, one)
    if spec.call is not None:
        yield from options_of_call(spec)


def options_of_field(spec: ModuleSpec, one: Any) -> Iterator[str]:
    yield f"role {one.role}"
    yield f"initialiser {one.initialiser}" if one.initialiser else f"init {'=' if one.init else 'given'}"
    yield from (f"type {type(part).__name__} {one.role}" for part in walk(one.type))
    if spec.kind == "nnx":
        yield from (f"type {type(part).__name__} {one.role} of nnx" for part in walk(one.type))
    for array in arrays(one.type):
        yield f"dtype {array.dtype}"
        yield from (f"dims {shape_of_dim(dim)}" for dim in array.dims or ("",))
    changes = ("preprocess", "optional", "converter", "check", "preset", "nullable")
    for key in (*changes, "comment", "doc", "of", "variable", "frozen", "std", "stacked", "remat", "compute"):
        if getattr(one, key):
            yield f"field {key}"
            yield f"{key} with {spec.rebuild if spec.kind == 'pytree' else spec.constructor}"
    said = {"field default": one.default not in (None, "None"), "field decay": not one.decays}
    yield from (option for option, is_said in said.items() if is_said)
    if one.optional:
        yield f"flag {'stored' if spec.field(one.optional) else 'argument'}"


def options_of_call(spec: ModuleSpec) -> Iterator[str]:
    call = spec.call
    assert call is not None
    yield f"call of {min(len(call.args), 2)}"
    yield f"call returns {len(call.returns)}"
    yield from (f"call {key}" for key in ("doc", "carry") if getattr(call, key))
    for one in call.args:
        yield "call *" if one.is_marker else f"call {type(one.type).__name__}"
        if isinstance(one.type, ArrayType):
            yield f"call dtype {one.type.dtype}"
    if variadic_dims(spec):
        yield "many dims"


DRAWN = ("module", "nnx", "pytree")
"""The kinds that the strategies draw."""
OF_SKELETONS = ("example", "in_class")  # keys that their reader writes, and no author
BOTH_WAYS = ("module", "pytree")  # built by a factory, or by `__init__`
EXPECTED = {
    *("save True", "save False"),
    *(f"kind {name}" for name in DRAWN),
    *(f"constructor {constructor} of {kind}" for constructor in CONSTRUCTORS for kind in BOTH_WAYS),
    *(f"type {name} param of nnx" for name in ("ArrayType", "DictType", "ListType")),
    *(f"type {name} module of nnx" for name in ("ClassType", "DictType", "ListType")),
    *("type ArrayType buffer of nnx", "type ArrayType data of nnx", "type CallableType callable of nnx"),
    *(f"rebuild {name}" for name in REBUILDS),
    *(f"layout {name} with {form}" for name in LAYOUTS for form in (*CONSTRUCTORS, "bypass", "static")),
    "readable group",
    *(f"role {name}" for name in ROLES),
    *(f"initialiser {name}" for name in INITIALISERS),
    *(f"dtype {name}" for name in DTYPES),
    *(f"dims {name}" for name in ("scalar", "int", "many", "name", "sum")),
    *(f"field {name}" for name in set(FIELD_KEYS) - {"type", "role", "init", *OF_SKELETONS}),
    *(f"key {name}" for name in set(SPEC_KEYS) & {"arguments", "setup", "imports", "call", "doc"}),
    *(f"call {name}" for name in set(CALL_KEYS) & {"doc", "carry"}),
    *("field nullable", "flag stored", "flag argument", "argument *", "argument declared", "call *"),
    *("call of 0", "call of 1", "call of 2", "call returns 0", "call returns 1", "call returns 2"),
    *(f"type {name}" for name in ("ListType param", "DictType param", "TreeType param", "TreeType buffer")),
    *(
        f"type {name}"
        for name in ("ScalarType static", "ScalarType buffer", "TupleType static", "LiteralType static")
    ),
    *(
        f"type {name}"
        for name in ("DictType static", "ListType static", "UnionType static", "CallableType callable")
    ),
    *(
        f"type {name}"
        for name in ("CallableType module", "ClassType module", "ListType module", "DictType module")
    ),
}
"""What the drawn specs must use, all together: a new option of the tool belongs here and into `specs()`."""


CLASSES = 14  # that are drawn; `pytest -m slow` has a thousand


def drawn(count: int, number: int, draws: int) -> list[dict[str, Any]]:
    """That many specs of all that are drawn, with class names of their own, no two of them alike in their fields."""
    found: list[dict[str, Any]] = []

    @seed(number)
    @settings(SETTINGS, max_examples=draws)
    @given(specs())
    def collect(raw: dict[str, Any]) -> None:
        found.append(deepcopy(raw))

    collect()
    alike = {
        repr([(table["type"], *sorted(table)) for table in raw["fields"].values()]): raw for raw in found
    }
    assert len(alike) >= count, f"only {len(alike)} of the drawn specs differ"
    by_spec = {read_spec(raw, f"drawn {number}"): raw for number, raw in enumerate(alike.values())}
    return list(named_apart(by_spec[spec] for spec in covering(list(by_spec), count)))


def named_apart(raws: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    taken = {*sys.stdlib_module_names, *(stem(raw["name"]) for raw in HELPERS)}
    for raw in raws:
        candidates = [raw["name"], *(f"{raw['name']}{number}" for number in range(2, 2000))]
        name = next(name for name in candidates if stem(name) not in taken)
        taken.add(stem(name))
        yield {**raw, "name": name}


def covering(found: Sequence[ModuleSpec], count: int) -> list[ModuleSpec]:
    """Specs that together use everything that all of them use: greedily, the most useful first."""
    rest = {number: {*options(spec)} for number, spec in enumerate(found)}
    wanted = {option for used in rest.values() for option in used}
    chosen: list[int] = []
    while wanted or len(chosen) < count:
        chosen.append(max(rest, key=lambda number: len(wanted & rest[number])))
        wanted -= rest.pop(chosen[-1])
    return [found[number] for number in chosen]


def is_wide(spec: ModuleSpec) -> bool:
    args = spec.call.args if spec.call else ()
    kinds = (one.type for one in (*spec.fields, *args) if one.type is not None)
    return any(array.dtype in WIDE for kind in kinds for array in arrays(kind))


@dataclass(frozen=True)
class Project:
    """A folder of generated code, with the specs that it was generated from."""

    root: Path
    specs: tuple[ModuleSpec, ...]

    def python(self) -> list[Path]:
        """What was generated; not the specs, which may be skeletons."""
        every = (path.relative_to(self.root) for path in self.root.rglob("*.py"))
        return sorted(
            self.root / path for path in every if path.parts[0] != "specs" and NOT_OURS not in path.as_posix()
        )


def generated(root: Path, raws: Sequence[Mapping[str, Any]]) -> Project:
    """All specs generated into one folder, in plans of a few, with their spec files beside them."""
    layout = find_layout(root)
    found: list[ModuleSpec] = []
    for begin in range(0, len(raws), PER_PLAN):
        part = [*(HELPERS if begin == 0 else ()), *raws[begin : begin + PER_PLAN]]
        files = {raw["name"]: layout.spec_file(stem(raw["name"])) for raw in part}
        read = [read_spec(raw, files[raw["name"]].as_posix()) for raw in part]
        texts = [File(files[raw["name"]], write_toml(raw, f"./{SCHEMA_NAME}")) for raw in part]
        publish(plan_modules(read, layout, extra=texts))
        found += read
    return Project(root, tuple(found))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return generated(tmp_path_factory.mktemp("drawn"), [*drawn(CLASSES, 1, draws=300), NESTED, SPREAD])


@pytest.fixture(scope="module")
def big_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return generated(tmp_path_factory.mktemp("many"), drawn(1000, 4, draws=4000))


def tool(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def check_format_and_lint(root: Path) -> None:
    """The files are a fixed point of the formatter and clean under ruff's own rules, and under the classical ones."""
    shapes = "F722,UP037"  # jaxtyping shapes are no forward references
    own_names = "E741,E743"  # the author chose `l`
    for arguments in (
        ("format", "--isolated", "--diff"),
        ("check", "--isolated", "--ignore", shapes),
        ("check", "--isolated", "--select", "E4,E7,E9,F,I001,UP", "--ignore", f"{shapes},{own_names}"),
    ):
        # A constructor of a skeleton binds names that fields read.
        only = ("--per-file-ignores", "**/specs/*.py:F841") if arguments[0] == "check" else ()
        result = run(
            [tool("ruff"), *arguments, *only, "--no-cache", "--exclude", f"{NOT_OURS},project", "."], root
        )
        assert result.returncode == 0, result.stdout + result.stderr


def check_with_pyright(root: Path) -> None:
    """It has nothing to say, as it comes."""
    found = run([tool("pyright"), "--pythonpath", sys.executable, "--outputjson", "."], root)
    report = json.loads(found.stdout)["generalDiagnostics"]
    shown = [f"{one['file']}:{one['range']['start']['line'] + 1}: {one['message']}" for one in report]
    assert [line for line in shown if NOT_OURS not in line] == []


def check_with_mypy(root: Path) -> None:
    """It has nothing to say, as it comes."""
    checked = run(checker("mypy", "."), root)
    errors = [line for line in checked.stdout.splitlines() if ": error:" in line and NOT_OURS not in line]
    assert errors == [] and checked.stdout, checked.stdout + checked.stderr


def check_sources(paths: Iterable[Path]) -> None:
    """The code parses, and neither imports the tool nor mentions it."""
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert "scaffold" not in text.lower(), path
        imports = [
            node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        assert not any("__future__" in ast.unparse(node) for node in imports), path


def check_execution(project: Project, count: int) -> None:
    """The generated tests of some specs pass, warnings being errors: with 64-bit types where the spec has them."""
    chosen = covering(project.specs, count)[:count]
    wide, narrow = [one for one in chosen if is_wide(one)], [one for one in chosen if not is_wide(one)]
    for part, x64 in ((narrow, "0"), (wide, "1")):
        files = [f"tests/test_{stem(one.name)}.py" for one in part]
        result = run(
            [tool("pytest"), "-q", "-p", "no:cacheprovider", "-W", "error", "--tb=short", *files],
            project.root,
            env={"JAX_ENABLE_X64": x64},
        )
        assert result.returncode == 0, result.stdout[-20000:] + result.stderr


@pytest.mark.slow
def test_the_drawn_specs_use_every_option(big_project: Project) -> None:
    assert sorted(EXPECTED - {option for spec in big_project.specs for option in options(spec)}) == []


def test_drawn_code_is_formatted_and_linted(project: Project) -> None:
    check_format_and_lint(project.root)


def test_drawn_code_stands_alone(project: Project) -> None:
    assert len(project.python()) >= 2 * len(project.specs)
    check_sources(project.python())


@pytest.mark.slow  # its neighbours are tried in every run
def test_drawn_code_is_typed(project: Project) -> None:
    check_with_pyright(project.root)  # and mypy reads the thousand


def test_drawn_code_passes_its_tests(project: Project) -> None:
    check_execution(project, 2)  # more of the thousand are run


def test_the_examples_are_formatted_and_linted() -> None:
    check_format_and_lint(EXAMPLES)


def test_the_examples_stand_alone() -> None:
    check_sources(Project(EXAMPLES, ()).python())


@seed(1)
@settings(SETTINGS, max_examples=15)
@given(raw=specs())
def test_the_same_spec_gives_the_same_bytes(
    raw: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    layout = find_layout(tmp_path_factory.getbasetemp())
    known = {one["name"]: read_spec(one, "helper") for one in HELPERS}
    first = tidy(module_files(read_spec(raw, "spec"), layout, known))
    assert tidy(module_files(read_spec(deepcopy(raw), "spec"), layout, known)) == first
    text = write_toml(raw, "./schema.json")
    assert tomllib.loads(text) == raw
    assert tidy(module_files(read_spec(tomllib.loads(text), "spec"), layout, known)) == first


@pytest.mark.slow
def test_a_thousand_specs(big_project: Project) -> None:
    check_sources(big_project.python())
    check_format_and_lint(big_project.root)
    check_with_pyright(big_project.root)
    check_with_mypy(big_project.root)
    check_execution(big_project, 100)
