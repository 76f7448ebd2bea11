"""Questions that `scaffold new-module` asks on a terminal."""

import re
import shlex
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial

import click

from scaffold.cli.commands.answers import Answers
from scaffold.cli.terminal import hint
from scaffold.errors import Fault, ScaffoldError, shown
from scaffold.files.fileset import Plan
from scaffold.in_project.layout import Layout
from scaffold.kind import NAMES, kind_of
from scaffold.source.expressions import syntax_fault
from scaffold.spec.command_line import call_from_text, option_value, parse_field_token
from scaffold.spec.names import argument_name_faults, class_name_faults, stem
from scaffold.spec.reading.read_fields import read_fields
from scaffold.spec.reading.read_functions import read_call
from scaffold.spec.reading.reader import Reader
from scaffold.spec.reading.roles import OF_GIVEN
from scaffold.spec.rules.fields import initialiser_faults
from scaffold.spec.tables.check_keys import sound_options
from scaffold.spec.tables.key import Key
from scaffold.spec.tables.keys import CONSTRUCTORS, LAYOUTS, REBUILDS

_FIELD = r"field `([^`:]*)[^`]*`"
_LEGAL = {"kind": NAMES, "constructor": CONSTRUCTORS, "rebuild": REBUILDS, "layout": LAYOUTS}


def plan_from_answers(answers: Answers, plan: Callable[[Answers], Plan]) -> Plan:
    """Ask for whatever `answers` lacks, and plan the class.

    A bad answer is explained and asked again, at once or after `plan` refuses it. Good answers stay. If
    asking cannot mend the fault, the equivalent command is shown before the error, to spare the user typing.
    """
    _ask_missing(answers)
    while True:
        try:
            class_plan = plan(answers)
        except ScaffoldError as error:
            questions = _questions(answers, error.faults)
            if not questions:
                _show_command(answers)
                raise
            _explain(error.faults, placed=True)
            for question in questions:
                question()
        else:
            if class_plan.conflicts:
                _show_command(answers)
            return class_plan


def plan_begun(answers: Answers, layout: Layout, plan: Callable[[Answers], Plan], *, force: bool) -> Plan:
    """Offer a skeleton to fill in for a class that only has a name, and ask for fields otherwise."""
    from scaffold.cli.commands.begin import can_begin, plan_skeleton

    name, kind = answers.name or "", answers.options.get("kind") or "module"
    if not can_begin(name, kind, layout):
        return plan(answers)
    place = layout.specs / f"{stem(name)}.py"
    question = f"No fields are given. Write {place}, a class in Python to fill in? No asks for fields"
    if click.confirm(question, default=True):
        return plan_skeleton(name, kind, layout, force=force)
    return plan_from_answers(answers, plan)


def plan_with_roles(answers: Answers, plan: Callable[[Answers], Plan]) -> Plan:
    """Plan a class from arguments, and ask only for roles that the tool cannot infer."""
    while True:
        try:
            return plan(answers)
        except ScaffoldError as error:
            numbers = [_without_role(answers, fault.where) for fault in error.faults]
            untold = [number for number in numbers if number is not None]
            if len(untold) < len(numbers):
                raise
            for number in untold:
                _ask_role(answers, number)


def _without_role(answers: Answers, place: str) -> int | None:
    """Return the index of the field whose role a fault at `place` lacks, or None for another fault."""
    field = re.match(_FIELD, place)
    names = _names(answers.fields)
    if field is None or place[field.end() :] != ": role" or field[1] not in names:
        return None
    number = names.index(field[1])
    table = parse_field_token(answers.fields[number])[1]
    return None if {"role", "init"} & table.keys() else number


def _show_command(answers: Answers) -> None:
    hint(f"your answers, as a command: {shown(answers.command(), 100_000)}")


def _ask_missing(answers: Answers) -> None:
    """Ask for each missing answer.

    Defaults are left out, so that the spec equals the one that the command line would write.
    """
    answers.name = answers.name or click.prompt("Name of the class", value_proc=_class_name)
    _ask_kind(answers)
    if answers.options.get("doc") is None:
        answers.options["doc"] = (
            click.prompt("Docstring (empty for none)", default="", show_default=False) or None
        )
    _ask_choice(
        answers, "rebuild" if kind_of(answers.options["kind"] or "module").takes("rebuild") else "constructor"
    )
    if not answers.pairs.get("option"):
        _ask_options(answers)
    _ask_fields(answers)
    if answers.options.get("call") is None:
        _ask_call(answers)
    elif answers.options.get("body") is None:
        _ask_body(answers)


def _questions(answers: Answers, faults: Iterable[Fault]) -> list[Callable[[], None]]:
    """List the questions to repeat, or nothing if any fault is not about an answer."""
    places = dict.fromkeys(fault.where for fault in faults)
    questions = [_question(answers, place) for place in places]
    return [question for question in questions if question is not None] if None not in questions else []


def _question(answers: Answers, place: str) -> Callable[[], None] | None:
    """Return the question to repeat for a fault at `place`, or None if no question concerns it."""
    if field := re.match(_FIELD, place):
        return _question_of_field(answers, field[1], place[field.end() :])
    argument = place.partition(" ")[0]
    name = argument.removeprefix("--")
    if name in _LEGAL:
        return partial(_ask_choice, answers, name, again=True)
    if name in answers.pairs:
        return partial(_ask_pairs, answers, name)
    asked: dict[str, Callable[[Answers], None]] = {
        "NAME": _ask_name,
        "FIELDS": _ask_fields,
        "--call": _ask_call,
        "--body": _ask_body,
    }
    if argument in asked:
        return partial(asked[argument], answers)
    return partial(_ask_text, answers, name) if place.startswith("--") and name in answers.options else None


def _question_of_field(answers: Answers, name: str, key: str) -> Callable[[], None] | None:
    if key.startswith(": preset"):
        return partial(_ask_pairs, answers, "preset")
    names = _names(answers.fields)
    untold = _without_role(answers, f"field `{name}`{key}")
    if untold is not None:
        return partial(_ask_role, answers, untold)
    return partial(_ask_field_again, answers, names.index(name)) if name in names else None


# -- one question each -------------------------------------------------------------------------------------------------


def _ask_name(answers: Answers) -> None:
    answers.name = click.prompt("Name of the class", value_proc=_class_name)


def _class_name(text: str) -> str:
    for fault in class_name_faults(text.strip(), "name"):
        raise click.UsageError(f"{shown(fault.what)}; {shown(fault.fix)}")
    return text.strip()


def _ask_kind(answers: Answers) -> None:
    """Ask for the kind first, because it decides the further questions."""
    kind = answers.options.get("kind")
    if kind is not None and kind not in NAMES:
        _explain([Fault("--kind", f"`{kind}` is not legal", "write one of the legal values", NAMES)])
    if kind not in NAMES:
        _ask_choice(answers, "kind", again=True)


def _ask_choice(answers: Answers, key: str, *, again: bool = False) -> None:
    if again or answers.options.get(key) is None:
        legal = _LEGAL[key]
        default = "module" if key == "kind" else legal[0]
        chosen = click.prompt(key.capitalize(), default=default, type=click.Choice(legal))
        answers.options[key] = None if chosen == default else chosen


def _ask_text(answers: Answers, key: str) -> None:
    default = answers.options[key] or ""
    answers.options[key] = click.prompt(f"--{key}", default=default, show_default=bool(default)) or None


def _ask_pairs(answers: Answers, key: str) -> None:
    text = click.prompt(f"--{key}, with spaces between", default=shlex.join(answers.pairs[key]))
    try:
        answers.pairs[key] = tuple(shlex.split(text))
    except ValueError:
        answers.pairs[key] = tuple(text.split())


def _ask_options(answers: Answers) -> None:
    """Ask for the options of the kind, and leave empty answers out."""
    kind = answers.options["kind"] or "module"
    keys = kind_of(kind).options
    texts = {name: _ask_option(kind, name, key) for name, key in keys.items()}
    answers.pairs["option"] = tuple(f"{name}={text}" for name, text in texts.items() if text)


def _ask_option(kind: str, name: str, key: Key) -> str:
    question = f"Option {name}, a {key.form} (empty for none)"
    click.echo(key.doc)
    while text := click.prompt(question, default="", show_default=False).strip():
        try:
            faults: Sequence[Fault] = sound_options({name: option_value(text)}, kind)[1]
        except ScaffoldError as error:
            faults = error.faults
        if not faults:
            return text
        _explain(faults)
    return ""


def _ask_fields(answers: Answers) -> None:
    click.echo(
        "Fields, as NAME:TYPE[?FLAG][@ROLE][=INIT]; for example weight:f[out_size,in_size]=lecun_normal"
    )
    while token := _ask_field(first=not answers.fields):
        faults = _field_faults(token, answers.name or "", _names(answers.fields))
        if faults:
            _explain(faults)
        else:
            answers.fields.append(token)


def _ask_field_again(answers: Answers, number: int) -> None:
    others = [token for place, token in enumerate(answers.fields) if place != number]
    while True:
        token = click.prompt("Field", default=answers.fields[number]).strip()
        faults = _field_faults(token, answers.name or "", _names(others))
        if not faults:
            answers.fields[number] = token
            return
        _explain(faults)


def _ask_role(answers: Answers, number: int) -> None:
    """Ask whether an array that the class is given is trained, because its other arrays are."""
    name = _names(answers.fields)[number]
    click.echo(
        f"`{name}` is given. As `param` it is trained; as `data` it is not, and gradients flow through it;"
        " as `buffer` it has no gradient"
    )
    role = click.prompt(f"Role of {name}", type=click.Choice(OF_GIVEN))
    answers.fields[number] = f"{answers.fields[number].strip()}@{role}"


def _names(tokens: Iterable[str]) -> list[str]:
    return [token.partition(":")[0].strip() for token in tokens]


def _ask_field(*, first: bool) -> str:
    if first:
        return click.prompt("Field").strip()
    return click.prompt("Field (empty to finish)", default="", show_default=False).strip()


def _field_faults(token: str, class_name: str, names: Container[str]) -> list[Fault]:
    """Return the faults of a field by itself. Faults beside other fields appear once all are known."""
    try:
        name, table = parse_field_token(token)
    except ScaffoldError as error:
        return list(error.faults)
    reader = Reader("answer", "module")
    fields = read_fields(reader, {name: table})
    faults = [*reader.faults, *argument_name_faults(name, f"fields.{name}", class_name)]
    faults += [fault for field in fields for fault in initialiser_faults(field, f"fields.{name}")]
    if name in names:
        faults.append(Fault(f"fields.{name}", f"`{name}` is there already", "give each field its own name"))
    return faults


def _explain(faults: Iterable[Fault], *, placed: bool = False) -> None:
    """Print the faults, with their places only if `placed`."""
    for fault in faults:
        texts = fault.to_json()
        legal = f" (legal: {', '.join(fault.legal)})" if fault.legal else ""
        place = f"{texts['where']}: " if placed else ""
        click.echo(f"Error: {place}{texts['what']}; {texts['fix']}{shown(legal)}")


def _ask_call(answers: Answers) -> None:
    question = "Call, as 'x:f[in_size] -> f[out_size]' (empty for none)"
    default = answers.options.get("call") or ""
    while call := click.prompt(question, default=default, show_default=bool(default)).strip():
        faults = _call_faults(call)
        if not faults:
            answers.options["call"] = call
            if answers.options.get("body") is None:
                _ask_body(answers)
            return
        _explain(faults)


def _ask_body(answers: Answers) -> None:
    while True:
        body: str = click.prompt("Body of the call", default=answers.options.get("body"))
        message = syntax_fault(body, expression=False)
        if message is None:
            answers.options["body"] = body
            return
        click.echo(
            f"Error: not Python: {shown(message)}; write statements in one line, such as `return self.weight @ x`"
        )


def _call_faults(call: str) -> list[Fault]:
    reader = Reader("answer", "module")
    read_call(reader, {"call": call_from_text(call, "return None")})
    return reader.faults
