"""New project from the Copier template in `templates/project`. Nothing else imports Copier.

Copier renders in a scratch folder, and the tool generates the first classes there. A plan then moves
everything to its place, so that a fault leaves nothing written.
"""

import os
import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, cast

import copier
import yaml
from jinja2 import Environment
from msgspec.structs import replace

from scaffold.errors import Fault, ScaffoldError, suggestion
from scaffold.files.fileset import Action, Blob, Edit, File, Plan, Request, Step, make_plan
from scaffold.files.places import read_place
from scaffold.generate import SCHEMA_NAME, load_specs, plan_modules
from scaffold.history.copies import KEPT
from scaffold.history.records import FOLDER, record_path
from scaffold.in_project.law_files import WHEEL, wheel_file
from scaffold.in_project.layout import find_layout
from scaffold.law_wheel import is_law_wheel
from scaffold.publish import publish
from scaffold.registration.edits import register
from scaffold.rendering.render import OPTIONS
from scaffold.rendering.template_files import templates_folder
from scaffold.spec import ModuleSpec
from scaffold.spec.files import is_spec_file

Question = Mapping[str, Any]
_WHERE = "--data"
_FILTERS = "jinja2_ansible_filters.AnsibleCoreFiltersExtension"  # those that Copier has
_ANSWERS = PurePosixPath(".copier-answers.yml")
_MOST_BYTES = 2**16
"""Limit of bytes read from a file of answers."""
_BOOLEANS = ["false", "true"]
_COPIED = (_ANSWERS.name, SCHEMA_NAME)
"""Files that users do not edit, besides the wheel of the laws."""
_TO_FORCE = "--diff shows the difference; --force replaces what nobody has edited, and nothing else"
_TO_DELETE = "--diff shows the difference: merge it by hand, or delete the file; --force keeps what someone may have edited"


def plan_project(folder: Path, answers: Mapping[str, str], *, ask: bool = False, force: bool = False) -> Plan:
    """Plan a project in `folder`. Raises `ScaffoldError` with all faults of the answers.

    `answers` are given in advance, as text. The other questions go to the terminal with `ask`, and take their
    defaults without it. The project is named after its folder. With `force`, the plan replaces files that
    still match the answers in the folder. It also replaces the wheel of the laws and the schema, which are
    copies.
    """
    settings = _settings()
    _check_copier(str(settings["_min_copier_version"]))
    name = _name_of(folder)
    unfit = list(_folder_faults(settings, name)) if "name" not in answers else []
    checked_answers = _checked_answers(settings, answers, [] if ask else unfit)
    files = _rendered(checked_answers, {} if unfit else {"name": name}, ask=ask)
    plan = replace(make_plan(folder, files), remedy=_TO_FORCE)
    return _forced(plan, settings) if force else plan


def project_folder(text: str) -> Path:
    """Return the folder that the command line names. Raises `ScaffoldError` if it is empty or no folder."""
    if not text.strip():
        raise ScaffoldError(
            "the name of the folder is empty", where="DIR", fix="write `.` for the folder you are in"
        )
    if os.path.lexists(text) and not os.path.isdir(text):
        raise ScaffoldError(
            f"`{text}` is not a folder", where="DIR", fix="name another folder, or move it away"
        )
    return Path(text)


def next_steps(plan: Plan) -> tuple[str, ...]:
    """Return the commands to run once the project exists."""
    settings = _settings()
    [remembered] = [step.after for step in plan.steps if step.path == _ANSWERS]
    backend = yaml.safe_load(remembered or b"")["backend"]
    set_up = _laid_out(settings["set_up"]["default"], backend=backend, has_accelerator=backend != "cpu")
    steps = [_laid_out(text, set_up=set_up) for text in settings["next_steps"]["default"]]
    done = {"git init"} if (plan.root / ".git").exists() else set[str]()
    is_here = os.path.realpath(plan.root) == os.path.realpath(".")
    enter = [] if is_here else [f"cd {shlex.quote(os.fspath(plan.root))}"]
    return (*enter, *(step for step in steps if step not in done))


def _settings() -> Mapping[str, Question]:
    return yaml.safe_load((templates_folder() / "project/copier.yml").read_text(encoding="utf-8"))


def _laid_out(template: str, **context: object) -> str:
    environment = Environment(autoescape=False, extensions=[_FILTERS], **OPTIONS)
    return environment.from_string(template).render(context)


def _name_of(folder: Path) -> str:
    """Derive a project name from the folder's name, in legal letters."""
    text = unicodedata.normalize("NFKD", Path(os.path.abspath(folder)).name)
    without_accents = "".join(character for character in text if not unicodedata.combining(character))
    return re.sub(r"[^A-Za-z0-9]+", "-", without_accents).strip("-").lower()


def _folder_faults(settings: Mapping[str, Question], name: str) -> Iterator[Fault]:
    """Find the fault of a project name that comes from the folder."""
    if refusal := _refusal(settings, "name", name):
        other = f"my-{name}" if not _refusal(settings, "name", f"my-{name}") else "my-study"
        message = f"the folder gives the project the name {name!r}, which will not do: {refusal}"
        yield Fault("DIR", message, f"give it one with `--data name={other}`, for example")


# -- Copier ------------------------------------------------------------------------------------------------------------


def _check_copier(oldest: str) -> None:
    installed = version("copier")
    if _numbers(installed) < _numbers(oldest):
        message = f"Copier {installed} is installed, and the template needs {oldest} or newer"
        raise ScaffoldError(
            message, where="copier", fix=f"install 'copier>={oldest}' beside scaffold", exit_code=1
        )


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)[:2]]


def _rendered(answers: Mapping[str, Any], suggested: Mapping[str, Any], *, ask: bool) -> list[Request]:
    with TemporaryDirectory(prefix="scaffold-") as scratch:
        root = Path(scratch) / "project"
        _render(templates_folder() / "project", root, answers, {"laws": WHEEL, **suggested}, ask=ask)
        edits = _generate(root)
        kept = {PurePosixPath("CHANGELOG.md"), *(edit.path for edit in edits)}
        kept |= {record_path(path.stem) for path in (root / FOLDER).glob("*.txt")}
        return [*_files(root, kept), *edits]


def _render(
    template: Path, root: Path, answers: Mapping[str, Any], suggested: Mapping[str, Any], *, ask: bool
) -> None:
    try:
        copier.run_copy(
            str(template),
            root,
            data=dict(answers),
            user_defaults=dict(suggested),
            defaults=not ask,
            quiet=True,
            settings=copier.Settings(),  # not those of the user, which are for other templates
        )
    except (KeyboardInterrupt, EOFError, OSError):
        raise  # who was asked has had enough, or the system refuses
    except (
        Exception
    ) as error:  # whatever Copier and what it calls may raise: a traceback of theirs helps nobody
        fix = "report this: the answers passed every check"
        message = f"Copier fails: {type(error).__name__}: {error}"
        raise ScaffoldError(message, where="templates/project", fix=fix, exit_code=1) from error


def _generate(root: Path) -> list[Edit]:
    """Overwrite the template's first classes, which serve plain Copier, with generated classes.

    Return the edits that register them, for an `__init__.py` that exists already.
    """
    layout = find_layout(root)
    specs = load_specs(path for path in sorted((root / "specs").iterdir()) if is_spec_file(path.name))
    publish(plan_modules(specs, layout, force=True))
    init_file = layout.init_file
    assert init_file is not None  # the template has one
    registered = partial(_registered, layout.package, init_file)
    return [Edit(init_file, partial(registered, spec)) for spec in specs]


def _registered(package: str | None, init_file: PurePosixPath, spec: ModuleSpec, source: bytes) -> bytes:
    return register(source, spec.stem, [spec.name], package=package, where=init_file.as_posix())


def _files(root: Path, kept: Iterable[PurePosixPath]) -> Iterator[File | Blob]:
    for path in sorted(root.rglob("*")):
        relative = PurePosixPath(path.relative_to(root).as_posix())
        if is_law_wheel(path.name):
            yield wheel_file(relative.parent)
        elif path.is_file() and KEPT not in relative.parents:
            yield File(relative, path.read_text(encoding="utf-8"), keep=relative in kept)


# -- what is there already ---------------------------------------------------------------------------------------------


def _forced(plan: Plan, settings: Mapping[str, Question]) -> Plan:
    """Turn conflicts over unedited files into updates. Files with possible edits remain conflicts."""
    if not plan.conflicts:
        return plan
    former = _former_texts(plan.root, settings)
    steps = tuple(
        replace(step, action=Action.UPDATE)
        if step.action is Action.CONFLICT and _is_unedited(step, former)
        else step
        for step in plan.steps
    )
    return replace(plan, steps=steps, remedy=_TO_DELETE)


def _is_unedited(step: Step, former: Mapping[PurePosixPath, bytes]) -> bool:
    """Whether the file is a copy, or matches the output of the former answers."""
    is_former = (step.before or b"").replace(b"\r\n", b"\n") == former.get(step.path)
    return step.path.name in _COPIED or is_law_wheel(step.path.name) or is_former


def _former_texts(folder: Path, settings: Mapping[str, Question]) -> Mapping[PurePosixPath, bytes]:
    """Return the files that the answers in the folder give, or nothing where the template rejects them."""
    try:
        answers = _checked_answers(settings, _remembered(read_place(_ANSWERS, folder / _ANSWERS)), [])
    except (ScaffoldError, yaml.YAMLError, ValueError, RecursionError):
        return {}
    files = _rendered(answers, {}, ask=False) if answers else []
    return {file.path: file.content for file in files if isinstance(file, File)}


def _remembered(content: bytes | None) -> dict[str, str]:
    """Read the answers of Copier's file as text, without Copier's own keys, which begin with `_`."""
    answers = yaml.safe_load((content or b"")[:_MOST_BYTES])
    if not isinstance(answers, dict):
        return {}
    stored_answers = cast("dict[object, object]", answers)
    return {
        str(key): _as_text(value) for key, value in stored_answers.items() if not str(key).startswith("_")
    }


def _as_text(value: object) -> str:
    return ",".join(map(str, cast("list[object]", value))) if isinstance(value, list) else str(value)


# -- answers -----------------------------------------------------------------------------------------------------------


def parse_answers(texts: Iterable[str]) -> dict[str, str]:
    """Parse `KEY=VALUE` texts into answers. Raises `ScaffoldError` for malformed and repeated answers."""
    pairs = [(key.strip(), equals, value) for key, equals, value in (text.partition("=") for text in texts)]
    faults = [
        Fault(_WHERE, f"`{key}` has no `=`", "write KEY=VALUE, as in `--data style=kidger`")
        for key, equals, _ in pairs
        if not equals
    ]
    times = Counter(key for key, equals, _ in pairs if equals)
    faults += [
        Fault(f"{_WHERE} {key}", "is answered more than once", "answer it once")
        for key, count in times.items()
        if count > 1
    ]
    if faults:
        raise ScaffoldError.of(faults)
    return {key: value for key, _, value in pairs}


def _checked_answers(
    settings: Mapping[str, Question], answers: Mapping[str, str], further: Sequence[Fault]
) -> dict[str, Any]:
    """Convert the answers to the types of Copier. Raises `ScaffoldError` with their faults and `further`."""
    faults = [fault for key, text in answers.items() for fault in _answer_faults(settings, key, text)]
    if faults or further:
        raise ScaffoldError.of([*faults, *further])
    return {key: _value(settings[key], text) for key, text in answers.items()}


def _value(question: Question, text: str) -> str | list[str]:
    """Split the answer to a multiselect question at commas, in brackets or not."""
    if question["type"] == "bool":
        return text.strip().lower()
    if not question.get("multiselect"):
        return text
    parts = re.sub(r"^\s*\[|\]\s*$", "", text).split(",")
    return list(dict.fromkeys(stripped for part in parts if (stripped := part.strip())))


def _answer_faults(settings: Mapping[str, Question], key: str, text: str) -> Iterator[Fault]:
    questions = [name for name, question in settings.items() if _is_question(name, question)]
    if key not in questions:
        fix = suggestion(key, questions, "leave it out")
        yield Fault(_WHERE, f"there is no question `{key}`", fix, tuple(questions))
        return
    question, where = settings[key], f"{_WHERE} {key}"
    value = _value(question, text)
    legal = _BOOLEANS if question["type"] == "bool" else cast("list[str]", question.get("choices", []))
    wrong = [
        answer for answer in ([value] if isinstance(value, str) else value) if legal and answer not in legal
    ]
    for choice in wrong:
        fix = suggestion(choice, legal, "write one of the legal values")
        yield Fault(where, f"`{choice}` is not legal", fix, tuple(legal))
    if not wrong and (fix := _refusal(settings, key, value)):
        yield Fault(where, f"{text!r} will not do", fix)


def _is_question(name: str, question: Question) -> bool:
    return not name.startswith("_") and question.get("when") is not False


def _refusal(settings: Mapping[str, Question], key: str, value: str | list[str]) -> str:
    """Return the complaint of the question's validator, which is empty for a good value."""
    context = {key: value, "reserved_names": settings["reserved_names"]["default"]}
    return _laid_out(settings[key].get("validator", ""), **context).strip()
