"""argv to the API: the only module that prints or sets an exit code."""

import atexit
import gc
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec

import click

from scaffold.errors import Fault, ScaffoldError

if TYPE_CHECKING:
    from scaffold.fileset import Plan

P = ParamSpec("P")
atexit.register(gc.freeze)  # or Python searches everything for garbage once more, when it is about to end
EXAMPLE = """
Example:

\b
  scaffold new-module Affine \\
    'weight:f[out_size,in_size]=lecun_normal' 'bias:f[out_size]=zeros' \\
    --call 'x:f[in_size] -> f[out_size]' \\
    --body 'return self.weight @ x + self.bias'
"""


def reports_faults(command: Callable[P, None]) -> Callable[P, None]:
    """Prints the faults of a `ScaffoldError` and exits with its code; with `--json` as JSON on stdout."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except ScaffoldError as error:
            _refuse(error, as_json=bool(kwargs.get("as_json")))
        except BrokenPipeError:
            raise  # click ends quietly: who reads has had enough
        except OSError as error:
            what = f"the system refuses: {error.strerror or error}"
            place = str(error.filename or "output")
            _refuse(
                ScaffoldError(what, where=place, fix="mend that, and run the command again"), as_json=False
            )

    return run


def _refuse(error: ScaffoldError, *, as_json: bool) -> NoReturn:
    if as_json:
        _print_json({"ok": False, "faults": [fault.to_json() for fault in error.faults]})
    else:
        click.echo("\n".join(_fault_text(fault) for fault in error.faults), err=True)
    sys.exit(error.exit_code)


def _fault_text(fault: Fault) -> str:
    first, *rest = str(fault).split("\n")
    return "\n".join([click.style("error: ", fg="red") + first, *rest])


def _print_json(value: Any) -> None:
    import json

    click.echo(json.dumps(value, indent=2))


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="jax-scaffold", prog_name="scaffold")
def main() -> None:
    """Write JAX modules from a short spec, with the tests that prove them."""
    gc.disable()  # a run this short makes more objects than garbage
    click.get_current_context().call_on_close(gc.enable)


@main.command("new-module", epilog=EXAMPLE)
@click.argument("name", required=False)
@click.argument("fields", nargs=-1, metavar="[NAME:TYPE[?FLAG][@ROLE][=INIT]]...")
@click.option(
    "--spec",
    "specs",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Generate from this spec; repeat for several.",
)
@click.option("--kind", help="One of `scaffold kinds` (default: module).")
@click.option("--doc", help="Docstring of the class.")
@click.option("--call", help="Arguments and result of __call__: 'x:f[in_size] -> f[out_size]'.")
@click.option("--body", help="Body of __call__.")
@click.option("--carry", help="The argument of the call that lax.scan carries.")
@click.option(
    "--constructor", help="factory (a `create` beside plain fields) or init (`__init__`, as equinox.nn)."
)
@click.option("--rebuild", help="Kind pytree: bypass, flag, factory or static.")
@click.option("--layout", help="flat, or nested: each group is a class of its own.")
@click.option(
    "--save",
    is_flag=False,
    flag_value="leaves",
    metavar="[=FORMAT]",
    help="Give the class `save` and `load`; `--save=safetensors` for that format (default: leaves).",
)
@click.option(
    "--option", multiple=True, metavar="NAME=VALUE", help="Option of the kind; see `scaffold kinds`."
)
@click.option("--group", multiple=True, metavar="NAME=FIELD,...", help="Fields with a filter spec.")
@click.option(
    "--preset", multiple=True, metavar="FIELD.ENTRY=VALUE", help="Entry of a dict that creation fixes."
)
@click.option("--size", multiple=True, metavar="DIM=INT", help="Size of a dim in the tests.")
@click.option("--backend", help="The platform on which the tests must run: cpu, cuda, rocm or tpu.")
@click.option(
    "--lower-for",
    "lower_for",
    multiple=True,
    metavar="PLATFORM",
    help="A platform for which the tests lower the call; repeat for several.",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where to begin to look for the project (default: here).",
)
@click.option("--dry-run", is_flag=True, help="Print the plan and write nothing.")
@click.option("--diff", is_flag=True, help="Print the plan as a diff and write nothing.")
@click.option("--force", is_flag=True, help="Overwrite files that differ.")
@click.option("--no-register", is_flag=True, help="Leave the package's `__init__.py` as it is.")
@click.option(
    "--add-dependencies",
    is_flag=True,
    help="Declare what the class needs: by `uv add`, or in pyproject.toml.",
)
@json_option
@reports_faults
def new_module(
    name: str | None,
    fields: tuple[str, ...],
    specs: tuple[Path, ...],
    option: tuple[str, ...],
    group: tuple[str, ...],
    preset: tuple[str, ...],
    size: tuple[str, ...],
    lower_for: tuple[str, ...],
    folder: Path,
    dry_run: bool,
    diff: bool,
    force: bool,
    no_register: bool,
    add_dependencies: bool,
    as_json: bool,
    **options: str | None,
) -> None:
    """Write a class and the tests that prove it.

    From NAME and fields, from specs (`--spec`), or, on a terminal, from what you answer. `--option`, `--group`,
    `--preset` and `--size` may be repeated.
    """
    from scaffold.generate import load_specs, plan_modules, plan_new
    from scaffold.layout import find_layout

    layout = find_layout(folder)
    pairs = {"option": option, "group": group, "preset": preset, "size": size}
    if specs:
        _refuse_mixture(name, {**options, **pairs, "lower-for": lower_for})
        found = load_specs(_distinct(specs, name, fields))
        plan = plan_modules(
            found, layout, force=force, register=not no_register, add_dependencies=add_dependencies
        )
    else:
        raw = _raw_spec(name, fields, options, pairs, lower_for)
        plan = plan_new(raw, layout, force=force, register=not no_register, add_dependencies=add_dependencies)
    _carry_out(plan, dry_run=dry_run, diff=diff, as_json=as_json)


def _distinct(specs: Iterable[Path], name: str | None, fields: Iterable[str]) -> list[Path]:
    """The spec files; what the shell expanded after `--spec` stands among the arguments."""
    more = [Path(text) for text in (name, *fields) if text is not None]
    return list(dict.fromkeys([*specs, *more]))


def _refuse_mixture(name: str | None, options: Mapping[str, str | tuple[str, ...] | None]) -> None:
    given = [f"--{option}" for option, value in options.items() if value not in (None, ())]
    if given or (name is not None and not name.endswith(".toml")):
        what = f"`--spec` says it all, and {', '.join(given) or f'`{name}`'} says it again"
        raise ScaffoldError(what, where="command line", fix="edit the spec, or leave `--spec` out")


def _raw_spec(
    name: str | None,
    fields: tuple[str, ...],
    options: Mapping[str, str | None],
    pairs: Mapping[str, tuple[str, ...]],
    lower_for: tuple[str, ...],
) -> dict[str, Any]:
    from scaffold.spec.tokens import raw_spec

    if name is None:
        if not sys.stdin.isatty():
            raise ScaffoldError(
                "there is no NAME and no terminal to ask on",
                where="command line",
                fix="write `scaffold new-module NAME FIELDS...` or `--spec FILE`",
            )
        from scaffold.prompts import ask

        return ask()
    return raw_spec(name, fields, options, pairs, lower_for)


def _carry_out(plan: "Plan", *, dry_run: bool, diff: bool, as_json: bool) -> None:
    """Publish the plan, or show it."""
    from scaffold.publish import publish

    if not (dry_run or diff):
        if plan.commands:
            from scaffold.add_dependencies import run_commands

            run_commands(plan)
        publish(plan)
    if as_json:
        _print_json({"ok": not plan.conflicts, "written": not (dry_run or diff), **plan.to_json()})
    else:
        click.echo(plan.diff() if diff else plan.summary(), nl=not diff)
    if plan.conflicts:
        sys.exit(1)


@main.command("new-project")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--data", multiple=True, metavar="KEY=VALUE", help="Answer a question; repeat for several.")
@click.option("--defaults", is_flag=True, help="Ask nothing: what is not answered has its default.")
@click.option("--dry-run", is_flag=True, help="Print the plan and write nothing.")
@click.option("--diff", is_flag=True, help="Print the plan as a diff and write nothing.")
@click.option("--force", is_flag=True, help="Overwrite files that differ.")
@json_option
@reports_faults
def new_project(
    folder: Path,
    data: tuple[str, ...],
    defaults: bool,
    dry_run: bool,
    diff: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Make a project in DIR: a package with its first classes, tests, checks, documentation and workflows.

    On a terminal it asks what `--data` does not answer.
    """
    from scaffold.project import parse_answers, plan_project

    ask = sys.stdin.isatty() and not (defaults or as_json)
    plan = plan_project(folder, parse_answers(data), ask=ask, force=force)
    _carry_out(plan, dry_run=dry_run, diff=diff, as_json=as_json)


@main.command("kinds")
@json_option
def kinds(as_json: bool) -> None:
    """List the kinds of class, and the options of each."""
    from scaffold.kinds import described

    found = described()
    if as_json:
        _print_json(found)
        return
    width = max(map(len, found))
    for name, kind in found.items():
        click.echo(f"{name:{width}}  {kind['summary']}")
        for option, told in kind["options"].items():
            click.echo(f"{'':{width}}  --option {option}=...  {told}")


@main.command("schema")
@click.option("--json", "as_json", is_flag=True, help="The schema is JSON in any case.")
def schema(as_json: bool) -> None:
    """Print the JSON Schema of a spec, for editors."""
    from scaffold.spec.schema import json_schema

    _print_json(json_schema())


@main.command("show")
@click.argument("target", metavar="NAME|SPEC")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where to begin to look for the project (default: here).",
)
@json_option
@reports_faults
def show(target: str, folder: Path, as_json: bool) -> None:
    """Print what would be generated, and write nothing."""
    from scaffold.generate import shown_files
    from scaffold.layout import find_layout

    files = shown_files(target, find_layout(folder))
    if as_json:
        _print_json({"files": [{"path": str(file.path), "text": file.text} for file in files]})
    else:
        click.echo("\n".join(f"# --- {file.path}\n{file.text}" for file in files), nl=False)


@main.command("laws")
@click.argument("name", required=False)
@json_option
@reports_faults
def laws(name: str | None, as_json: bool) -> None:
    """Explain the laws that the tests hold a class to, or the one called NAME (such as P3)."""
    from scaffold.laws import further_laws, law_table

    table, further = law_table(name), further_laws() if name is None else {}
    if as_json:
        found = {number: law.to_json() for number, law in table.items()}
        _print_json({"laws": found, "besides": further})
        return
    parts = [law.text(number) for number, law in table.items()]
    parts += ["\n  ".join([f"{kind}, besides:", *laws]) for kind, laws in further.items()]
    click.echo("\n\n".join(parts))
