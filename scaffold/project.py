"""A new project from the Copier template in templates/project. Nothing else imports Copier.

Copier renders in a scratch folder, the tool generates the first classes there, and a plan brings all of it to its place:
where anything is wrong, nothing is written.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, cast

import copier
import yaml
from copier.errors import CopierError
from jinja2 import Environment

from scaffold.errors import Fault, ScaffoldError, suggestion
from scaffold.fileset import File, Plan, make_plan
from scaffold.generate import load_spec, plan_modules, with_laws
from scaffold.layout import Layout, find_layout
from scaffold.publish import publish
from scaffold.render import OPTIONS, templates_folder

Question = Mapping[str, Any]
_WHERE = "--data"
_FILTERS = "jinja2_ansible_filters.AnsibleCoreFiltersExtension"  # those that Copier has


def plan_project(folder: Path, answers: Mapping[str, str], *, ask: bool = False, force: bool = False) -> Plan:
    """The plan that makes a project in `folder`.

    `answers` are those that are given already, as text. The other questions are asked on the terminal with `ask`, and have
    their defaults without it; the project is called after its folder where that makes a name. Raises `ScaffoldError` with
    everything that is wrong with the answers.
    """
    template = templates_folder() / "project"
    settings = _settings(template)
    given = _checked(settings, answers)
    name = _name_of(folder)
    suggested = {} if list(_answer_faults(settings, "name", name)) else {"name": name}
    with TemporaryDirectory(prefix="scaffold-") as scratch:
        root = Path(scratch) / "project"
        _render(_without_links(template, Path(scratch)), root, given, suggested, ask=ask)
        layout = _generate(root)
        plan = make_plan(folder, _files(root, layout.laws_folder), force=force)
        return with_laws(plan, layout, force=force)


def _without_links(template: Path, scratch: Path) -> Path:
    """A copy of the template without the link to the laws, which plain Copier follows; the tool copies them itself."""

    def links(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if os.path.islink(os.path.join(folder, name))]

    return Path(shutil.copytree(template, scratch / "template", ignore=links))


def _settings(template: Path) -> Mapping[str, Question]:
    return yaml.safe_load((template / "copier.yml").read_text(encoding="utf-8"))


def _name_of(folder: Path) -> str:
    """A name like the folder's, in the letters that a name has."""
    return re.sub(r"[^A-Za-z0-9]+", "-", Path(os.path.abspath(folder)).name).strip("-").lower()


def _render(
    template: Path, root: Path, given: Mapping[str, Any], suggested: Mapping[str, Any], *, ask: bool
) -> None:
    try:
        copier.run_copy(
            str(template),
            root,
            data=dict(given),
            user_defaults=dict(suggested),
            defaults=not ask,
            quiet=True,
        )
    except CopierError as error:
        if isinstance(error, KeyboardInterrupt):
            raise  # who was asked has had enough
        fix = "report this: the answers passed every check"
        raise ScaffoldError(f"Copier refuses: {error}", where="templates/project", fix=fix) from error


def _generate(root: Path) -> Layout:
    """Let the tool write the first classes over those of the template, which are the same for plain Copier."""
    layout = find_layout(root)
    specs = [load_spec(path) for path in sorted((root / "specs").glob("*.toml"))]
    publish(plan_modules(specs, layout, force=True))
    return layout


def _files(root: Path, copied: PurePosixPath | None) -> Iterator[File]:
    """The files of the new project, but for the folder that is copied as a whole."""
    for path in sorted(root.rglob("*")):
        relative = PurePosixPath(path.relative_to(root).as_posix())
        if path.is_file() and (copied is None or copied not in relative.parents):
            yield File(relative, path.read_text(encoding="utf-8"))


# -- answers -----------------------------------------------------------------------------------------------------------


def parse_answers(texts: Iterable[str]) -> dict[str, str]:
    """`KEY=VALUE` texts as answers by question. Raises `ScaffoldError` for all that have no such form."""
    pairs = [text.partition("=") for text in texts]
    faults = [
        Fault(_WHERE, f"`{key}` has no `=`", "write KEY=VALUE, as in `--data style=kidger`")
        for key, equals, _ in pairs
        if not equals
    ]
    if faults:
        raise ScaffoldError.of(faults)
    return {key.strip(): value for key, _, value in pairs}


def _checked(settings: Mapping[str, Question], answers: Mapping[str, str]) -> dict[str, Any]:
    """The answers in the types that Copier takes, or all that is wrong with them."""
    faults = [fault for key, text in answers.items() for fault in _answer_faults(settings, key, text)]
    if faults:
        raise ScaffoldError.of(faults)
    return {key: _value(settings[key], text) for key, text in answers.items()}


def _value(question: Question, text: str) -> str | list[str]:
    """A list for a question with several answers, written with commas, in brackets or not."""
    if not question.get("multiselect"):
        return text
    parts = re.sub(r"^\s*\[|\]\s*$", "", text).split(",")
    return [stripped for part in parts if (stripped := part.strip())]


def _answer_faults(settings: Mapping[str, Question], key: str, text: str) -> Iterator[Fault]:
    questions = [name for name, question in settings.items() if _is_question(name, question)]
    if key not in questions:
        fix = suggestion(key, questions, "leave it out")
        yield Fault(_WHERE, f"there is no question `{key}`", fix, tuple(questions))
        return
    question, where = settings[key], f"{_WHERE} {key}"
    value = _value(question, text)
    legal = cast("list[str]", question.get("choices", []))
    wrong = [one for one in ([value] if isinstance(value, str) else value) if legal and one not in legal]
    for one in wrong:
        fix = suggestion(one, legal, "write one of the legal values")
        yield Fault(where, f"`{one}` is not legal", fix, tuple(legal))
    if not wrong and (fix := _refusal(settings, key, value)):
        yield Fault(where, f"{text!r} will not do", fix)


def _is_question(name: str, question: Question) -> bool:
    return not name.startswith("_") and question.get("when") is not False


def _refusal(settings: Mapping[str, Question], key: str, value: str | list[str]) -> str:
    """What the question's validator says of the value; empty where it is good."""
    environment = Environment(autoescape=False, extensions=[_FILTERS], **OPTIONS)
    context = {key: value, "reserved_names": settings["reserved_names"]["default"]}
    return environment.from_string(settings[key].get("validator", "")).render(context).strip()
