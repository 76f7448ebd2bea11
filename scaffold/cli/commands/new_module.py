"""Command `new-module`."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from scaffold.choices import LAWS
from scaffold.cli import options
from scaffold.cli.commands.answers import Answers
from scaffold.cli.common_options import diff_option, dry_run_option, folder_option, json_option
from scaffold.cli.examples import FIRST_CLASS
from scaffold.cli.outcome import carry_out, recovered_layout
from scaffold.cli.progress import progress
from scaffold.cli.terminal import can_ask, hint
from scaffold.errors import ScaffoldError

if TYPE_CHECKING:
    from scaffold.cli.run_tests import Tests
    from scaffold.files.fileset import Plan
    from scaffold.in_project.layout import Layout


@click.command(
    "new-module",
    epilog=FIRST_CLASS.format(title="Example:"),
    short_help="Write a class and the tests that prove it.",
)
@click.argument("name", required=False)
@click.argument("fields", nargs=-1, type=options.FIELD, metavar="[NAME:TYPE[?FLAG][@ROLE][=INIT]]...")
@click.option(
    "--spec",
    "specs",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Generate from this spec; repeat for several.",
)
@click.option("--kind", type=options.KINDS, help="See `scaffold kinds` (default: module).")
@click.option(
    "--template", metavar="NAME", help="A template of `[tool.scaffold.templates]` that lays it out."
)
@click.option("--doc", help="Docstring of the class.")
@click.option("--call", help="Arguments and result of __call__: 'x:f[in_size] -> f[out_size]'.")
@click.option("--body", help="Body of __call__.")
@click.option("--carry", help="The argument of the call that lax.scan carries.")
@click.option(
    "--constructor",
    type=options.CONSTRUCTORS,
    help="factory (a `create` beside plain fields) or init (`__init__`, as equinox.nn).",
)
@click.option("--rebuild", type=options.REBUILDS, help="Kind pytree: how unflatten makes an instance.")
@click.option("--layout", type=options.LAYOUTS, help="nested: each group is a class of its own.")
@click.option(
    "--save",
    is_flag=True,
    flag_value="true",
    default=None,
    help="Give the class `save` and `load`, whose files are safetensors.",
)
@click.option(
    "--option",
    multiple=True,
    type=options.OPTIONS_OF_KIND,
    metavar="NAME=VALUE",
    help="Option of the kind; see `scaffold kinds`.",
)
@click.option("--group", multiple=True, metavar="NAME=FIELD,...", help="Fields with a filter spec.")
@click.option("--preset", multiple=True, metavar="FIELD.ENTRY=VALUE", help="Dict entry that creation fixes.")
@click.option("--size", multiple=True, metavar="DIM=INT", help="Size of a dim in the tests.")
@click.option("--unused", metavar="NAME,...", help="Keys and fields on which the call need not depend.")
@click.option("--backend", type=options.BACKENDS, help="The platform on which the tests must run.")
@click.option(
    "--lower-for",
    "lower_for",
    multiple=True,
    type=options.BACKENDS,
    help="A platform for which the tests lower the call; repeat for several.",
)
@click.option(
    "--laws",
    type=click.Choice(LAWS),
    help="Import the laws that are installed, or copy them beside the tests (default: as the project depends).",
)
@folder_option
@dry_run_option
@diff_option
@click.option("--force", is_flag=True, help="Overwrite files that differ.")
@click.option("--no-register", is_flag=True, help="Leave the package's `__init__.py` as it is.")
@click.option(
    "--add-dependencies",
    is_flag=True,
    help="Declare what the class needs: by `uv add`, or in pyproject.toml.",
)
@click.option(
    "--test",
    "runs_tests",
    is_flag=True,
    help="Run the tests of what is written; exit code 1 where one fails.",
)
@json_option
def new_module(
    name: str | None,
    fields: tuple[str, ...],
    specs: tuple[Path, ...],
    option: tuple[str, ...],
    group: tuple[str, ...],
    preset: tuple[str, ...],
    size: tuple[str, ...],
    lower_for: tuple[str, ...],
    laws: str | None,
    folder: Path,
    dry_run: bool,
    diff: bool,
    force: bool,
    no_register: bool,
    add_dependencies: bool,
    runs_tests: bool,
    as_json: bool,
    **texts: str | None,
) -> None:
    """Write a class and the tests that prove it.

    From NAME and fields, from specs (`--spec`), or, on a terminal, from what you answer. `--option`,
    `--group`, `--preset` and `--size` may be repeated.
    """

    _refuse_tests(runs_tests, {"--dry-run": dry_run, "--diff": diff})
    layout = recovered_layout(folder, writes=not (dry_run or diff))
    layout = replace(layout, laws=laws or layout.laws)
    pairs = {"option": option, "group": group, "preset": preset, "size": size}
    wishes = {"force": force, "register": not no_register, "add_dependencies": add_dependencies}
    if specs:
        from scaffold.comments import notes_of_skeletons
        from scaffold.generate import load_specs, plan_modules

        _refuse_mixture(name, {**texts, **pairs, "lower-for": lower_for})
        paths = _distinct(specs, name, fields)
        with progress(as_json=as_json):
            plan = plan_modules(load_specs(paths), layout, extra=(), **wishes)
        plan = replace(plan, notes=(*plan.notes, *notes_of_skeletons(paths, plan)))
    else:
        answers = Answers(name, list(fields), dict(texts), pairs, lower_for)
        plan = _plan_answers(answers, layout, wishes, ask=can_ask() and not as_json)
    tests = _tests_of(plan, layout) if runs_tests else None
    written = carry_out(plan, dry_run=dry_run, diff=diff, as_json=as_json, tests=tests)
    if written and not (as_json or tests):
        from scaffold.cli.next_steps import after_module

        if following := after_module(written, layout):
            hint(following)


def _refuse_tests(runs_tests: bool, shows: Mapping[str, bool]) -> None:
    """Raise `ScaffoldError` if `--test` stands beside an option that writes nothing."""
    for option in (option for option, is_set in shows.items() if is_set and runs_tests):
        message = f"there is nothing to test, since `{option}` writes nothing"
        raise ScaffoldError(message, where="--test", fix=f"leave `{option}` or `--test` out")


def _tests_of(plan: "Plan", layout: "Layout") -> "Tests | None":
    """Return the tests of a plan. Raises `ScaffoldError` for a plan with conflicts."""
    from scaffold.cli.run_tests import tests_of

    plan.refuse_conflicts()
    return tests_of(plan, layout)


def _plan_answers(answers: Answers, layout: "Layout", wishes: Mapping[str, bool], *, ask: bool) -> "Plan":
    """Plan a class from the arguments. On a terminal, ask for missing parts."""
    from scaffold.generate import plan_new

    def plan(said: Answers) -> "Plan":
        return plan_new(said.raw_spec(), layout, **wishes)

    if answers.name is not None and not ask:
        return plan(answers)
    if not ask:
        raise ScaffoldError(
            "there is no NAME and no terminal to ask on",
            where="NAME",
            fix="write `scaffold new-module NAME FIELDS...` or `--spec FILE`",
        )
    from scaffold.cli.commands.prompts import plan_begun, plan_from_answers, plan_with_roles

    if answers.is_name_alone:
        return plan_begun(answers, layout, plan, force=wishes["force"])
    return (plan_from_answers if answers.name is None else plan_with_roles)(answers, plan)


def _distinct(specs: Iterable[Path], name: str | None, fields: Iterable[str]) -> list[Path]:
    """List the spec files, including those that the shell expanded after `--spec` into arguments."""
    more = [Path(text) for text in (name, *fields) if text is not None]
    return list(dict.fromkeys([*specs, *more]))


def _refuse_mixture(name: str | None, options: Mapping[str, str | tuple[str, ...] | None]) -> None:
    flags = [f"--{option}" for option, value in options.items() if value not in (None, ())]
    if flags or (name is not None and not name.endswith((".toml", ".py"))):
        message = f"`--spec` says it all, and {', '.join(flags) or f'`{name}`'} says it again"
        raise ScaffoldError(message, where="--spec", fix="edit the spec, or leave `--spec` out")
