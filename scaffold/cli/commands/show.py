"""Command `show`, which draws classes and prints the code of a spec."""

import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from scaffold.cli import options
from scaffold.cli.common_options import folder_option, imports_option, json_option
from scaffold.cli.failures import fault_texts
from scaffold.cli.terminal import complain, hint, say, say_json, wants_colour
from scaffold.errors import Fault, ScaffoldError

if TYPE_CHECKING:
    from scaffold.adopt import Wanted
    from scaffold.in_project.layout import Layout
    from scaffold.show.tree import Tree

FORMATS = ("text", "svg", "html", "mermaid", "json")
WIDEST = 120


@click.command("show", short_help="Draw a class: its parts, and what jax does with each.")
@click.argument("targets", nargs=-1, required=True, metavar="NAME|SPEC|CLASS...", type=options.CLASSES)
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", help="How it is drawn (default: text)."
)
@click.option("--compare", "compares", is_flag=True, help="Two classes side by side.")
@click.option(
    "--set",
    "sets",
    multiple=True,
    metavar="NAME=VALUE",
    help="A size; of a CLASS, an argument of its constructor.",
)
@click.option(
    "--build",
    default="",
    metavar="EXPR",
    help="How a CLASS is built, over `seed`: 'Net(3, key=jax.random.key(seed))'.",
)
@imports_option
@click.option("--python", metavar="PATH", help="The interpreter that has the CLASS.")
@click.option("--code", is_flag=True, help="Print the files that a spec gives, in the place of a picture.")
@click.option("--context", is_flag=True, help="Print, as JSON, what the templates are given.")
@folder_option
@json_option
def show(
    targets: tuple[str, ...],
    form: str,
    compares: bool,
    sets: tuple[str, ...],
    build: str,
    imports: tuple[str, ...],
    python: str | None,
    code: bool,
    context: bool,
    folder: Path,
    as_json: bool,
) -> None:
    """Draw classes: each part with its shape and role, what jax does with it, and what compiles anew. Nothing
    is written.

    A CLASS that exists is `pkg.mod:Class` or `path.py:Class`, and `path.py` is all that a file has. Each is
    built in the interpreter of your project, as `adopt` does. Anything else is the NAME of a class with a
    spec, or the file of one.
    """
    from scaffold.adopt import Wanted
    from scaffold.adopt.targets.imports_said import checked_imports
    from scaffold.cli.commands.adopt import pairs
    from scaffold.in_project.layout import find_layout

    layout = find_layout(folder)
    if code or context:
        _print_code(targets, layout, context=context, as_json=as_json)
        return
    if compares and len(targets) != 2:
        raise ScaffoldError(
            f"compares two classes, and there are {len(targets)}", where="--compare", fix="name two of them"
        )
    wanted = Wanted((), python, build, said=pairs(sets), imports=checked_imports(imports))
    if not any(existing(target, folder) for target in targets):
        _check_of_specs(wanted)
    drawn = [_trees(target, layout, wanted, folder) for target in targets]
    _print([tree for trees, _ in drawn for tree in trees], "json" if as_json else form, compares=compares)
    if faults := [fault for _, faults in drawn for fault in faults]:
        complain("\n".join(fault_texts(faults)))
        sys.exit(3)


def _trees(target: str, layout: "Layout", wanted: "Wanted", folder: Path) -> "tuple[list[Tree], list[Fault]]":
    """Return the trees of a target, either a class or a spec, and faults of classes without a drawing."""
    if exists := existing(target, folder):
        from scaffold.show.of_class import trees_of_class

        return trees_of_class(replace(wanted, targets=(exists,)), layout, folder)
    from scaffold.generate import specs_of
    from scaffold.show.of_spec import trees_of_specs

    specs, known = specs_of(target, layout)
    chosen = _sizes(wanted.said)
    return trees_of_specs(specs, known, chosen), []


def existing(target: str, folder: Path) -> str:
    """Return the target as `adopt` takes it if it names existing classes, or an empty text for a spec."""
    from scaffold.in_project.spec_files import is_skeleton

    if ":" in target:
        return target
    path = folder / target
    if path.suffix == ".py" and path.is_file():
        return "" if is_skeleton(path) else target
    module, _, name = target.rpartition(".")
    if not module or name in ("py", "toml") or not all(part.isidentifier() for part in target.split(".")):
        return ""
    return f"{module}:{name}" if name[:1].isupper() else target


def _check_of_specs(wanted: "Wanted") -> None:
    """Raise `ScaffoldError` for options that only existing classes take."""
    given = {"--build": wanted.build, "--with": wanted.imports, "--python": wanted.python}
    fix = "leave it out, or name a class as `pkg.mod:Class` or `path.py:Class`"
    faults = [
        Fault(option, "what has a spec is drawn from it, and nothing is built", fix)
        for option, value in given.items()
        if value
    ]
    if faults:
        raise ScaffoldError.of(faults)


def _sizes(said: Mapping[str, str]) -> dict[str, int]:
    wrong = [name for name, text in said.items() if not (text.isdecimal() and int(text))]
    if wrong:
        message = f"`{said[wrong[0]]}` is no size of a dim"
        raise ScaffoldError(
            message, where=f"--set {wrong[0]}", fix=f"write a positive integer: {wrong[0]}=64"
        )
    return {name: int(text) for name, text in said.items()}


def _print(trees: "Sequence[Tree]", form: str, *, compares: bool) -> None:
    if compares:
        _print_difference(trees, form)
        return
    match form:
        case "json":
            say_json({"ok": True, "classes": [tree.to_json() for tree in trees]})
        case "svg":
            from scaffold.show.svg import svg_of

            say(svg_of(trees), nl=False)
        case "html":
            from scaffold.show.html import html_of

            say(html_of(trees), nl=False)
        case "mermaid":
            from scaffold.show.mermaid import mermaid_of

            say(mermaid_of(trees), nl=False)
        case _:
            from scaffold.show.text import text_of

            _echo(text_of(trees, width=_width(), colour=_colours(), plain=_is_plain()))


def _print_difference(trees: "Sequence[Tree]", form: str) -> None:
    from scaffold.show.compare import compare

    if len(trees) != 2 or form not in ("text", "json"):
        fix = "name one class on each side, and draw it as `text` or `json`"
        raise ScaffoldError(f"{len(trees)} classes as {form} are no comparison", where="--compare", fix=fix)
    difference = compare(*trees)
    if form == "json":
        say_json({"ok": True, **difference.to_json()})
        return
    from scaffold.show.text import text_of_difference

    _echo(text_of_difference(difference, width=_width(), colour=_colours()))


def _echo(text: str) -> None:
    """Print rich's output, whose escapes set the colours."""
    click.echo(text, nl=False, color=_colours() or None)


def _colours() -> bool:
    wanted = wants_colour()
    return sys.stdout.isatty() if wanted is None else wanted


def _width() -> int:
    """Return the terminal's width between 40 and `WIDEST`, or 80 elsewhere."""
    columns = shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 80
    return min(max(columns, 40), WIDEST)


def _is_plain() -> bool:
    """Whether the encoding of stdout lacks the characters that draw lines."""
    try:
        "├─└│".encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def _print_code(targets: Sequence[str], layout: "Layout", *, context: bool, as_json: bool) -> None:
    """Print the files that the specs give, or the contexts of their templates."""
    from scaffold.generate import shown_contexts, shown_files

    if context:
        from scaffold.rendering.own_templates import described

        say_json(
            described(
                {
                    name: class_context
                    for target in targets
                    for name, class_context in shown_contexts(target, layout).items()
                }
            )
        )
        return
    files = [file for target in targets for file in shown_files(target, layout)]
    if as_json:
        say_json({"files": [{"path": str(file.path), "text": file.text} for file in files]})
    else:
        say("\n".join(f"# --- {file.path}\n{file.text}" for file in files), nl=False)
        hint("next: `scaffold new-module --spec` with its spec writes it")
