"""Parameter types with known words, for help and for shell completion.

They accept any text, because the reader of the input reports all faults at once. Imports wait until a user
asks for help or completion.
"""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.types import StringParamType

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Words = Callable[[click.Context], Iterable[str]]


class Word(StringParamType):
    """Text parameter with a list of likely words."""

    name = "text"

    def __init__(self, words: Words, *, listed: bool = True):
        self.words = words
        self.listed = listed

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        return f"[{'|'.join(self.words(ctx or click.get_current_context()))}]" if self.listed else None

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        return _items(word for word in self.words(ctx) if word.startswith(incomplete))


def _items(words: Iterable[str]) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    return [CompletionItem(word) for word in words]


def constant(module: str, name: str) -> Words:
    """Return a function that imports `module` and reads the words under `name`."""
    return lambda _: getattr(import_module(module), name)


BACKENDS = Word(constant("scaffold.choices", "BACKENDS"))
KINDS = Word(constant("scaffold.kind", "NAMES"))
CONSTRUCTORS = Word(constant("scaffold.spec.tables.keys", "CONSTRUCTORS"))
REBUILDS = Word(constant("scaffold.spec.tables.keys", "REBUILDS"))
LAYOUTS = Word(constant("scaffold.spec.tables.keys", "LAYOUTS"))


# -- words that have to be looked for ----------------------------------------------------------------------------------


def _options_of_kind(ctx: click.Context) -> Iterator[str]:
    from scaffold.kind import kind_of

    yield from (f"{name}=" for name in kind_of(ctx.params.get("kind") or "module").options)


def _laws(_: click.Context) -> Iterable[str]:
    from scaffold.laws import law_table

    return law_table()


def _classes(ctx: click.Context) -> Iterator[str]:
    """Yield the classes of the project's specs, and the stems of specs with several classes."""
    from scaffold.errors import ScaffoldError
    from scaffold.in_project.layout import find_layout
    from scaffold.in_project.spec_files import described_by, spec_files

    try:
        layout = find_layout(ctx.params.get("folder") or Path())
    except ScaffoldError:
        return
    for path in spec_files(layout.root / layout.specs):
        names = described_by(path)
        yield from (*names, *([path.stem] if len(names) > 1 else []))


def _answers(_: click.Context) -> Iterator[str]:
    for name, question in project_questions().items():
        yield from (f"{name}={choice}" for choice in question.get("choices", [""]))


def project_questions() -> dict[str, dict[str, Any]]:
    """Return the questions of the project template by the keys of `--data`."""
    import yaml

    from scaffold.rendering.template_files import templates_folder

    text = (templates_folder() / "project" / "copier.yml").read_text(encoding="utf-8")
    entries: dict[str, Any] = yaml.safe_load(text)
    return {
        name: entry for name, entry in entries.items() if name[0] != "_" and entry.get("when") is not False
    }


OPTIONS_OF_KIND = Word(_options_of_kind, listed=False)
LAWS = Word(_laws, listed=False)
CLASSES = Word(_classes, listed=False)
ANSWERS = Word(_answers, listed=False)


# -- fields ------------------------------------------------------------------------------------------------------------


class FieldToken(StringParamType):
    """Field as `NAME:TYPE[?FLAG][@ROLE][=INIT]`, with completion of roles and initialisers.

    Bash ends a word at `@` and at `=`, so the text before may be an argument of its own.
    """

    name = "field"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        before = (ctx.params.get(param.name or "") or ("",))[-1]
        mark = max("@=", key=incomplete.rfind)
        head, separator, tail = incomplete.rpartition(mark)
        if not separator and before[-1:] not in ("@", "="):
            return []
        words = _roles() if (separator or before[-1:]) == "@" else _initialisers()
        return _items(f"{head}{separator}{word}" for word in words if word.startswith(tail))


def _roles() -> Iterable[str]:
    from scaffold.spec.tables.key import ROLES

    return ROLES


def _initialisers() -> Iterable[str]:
    from scaffold.spec.grammar.initialisers import INITIALISERS

    return INITIALISERS


FIELD = FieldToken()


class WithQuestions(click.Command):
    """Command whose help lists the questions of the project template, which are read only then."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section("Keys of --data"):
            formatter.write_dl(
                [(name, _question_text(question)) for name, question in project_questions().items()]
            )


def _question_text(question: dict[str, Any]) -> str:
    choices = question.get("choices")
    several = ", several with commas" if question.get("multiselect") else ""
    return f"{question['help']}{several}" + (f" [{'|'.join(choices)}]" if choices else "")
