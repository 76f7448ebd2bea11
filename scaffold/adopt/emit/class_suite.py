"""Test file of a class. Its docstring names what was guessed, such as shapes without an annotation."""

import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.child.classes.call_text import call_text
from scaffold.adopt.emit.texts import plain_text
from scaffold.adopt.emit.transformation import transformation_context
from scaffold.emit.members.sharding import rules_source
from scaffold.files.fileset import File
from scaffold.import_lines import import_lines
from scaffold.in_project.layout import Layout
from scaffold.rendering.render import render
from scaffold.source.text import listed
from scaffold.spec.names import IMPORTS, TEST_IMPORTS, stem

Found = Mapping[str, Any]
Skip = tuple[str, str]
"""Part of a test's name, and the reason to skip the test."""
_SUITES = {"nnx": "NnxLaws"}
_TAKEN = ("self", "instance", "arguments", "seed")


class Adopted(Struct, frozen=True):
    """A class, its description by the child process, and the name of its test file."""

    module: str
    name: str
    stem: str
    found: Found
    skips: Sequence[Skip] = field(default=())
    accepted: Sequence[str] = ()
    """Parts of test names that were skipped before, and are skipped again if they fail."""

    @property
    def label(self) -> str:
        """Label in messages, `pkg.mod:Class`."""
        return f"{self.module}:{self.name}"


def stems_of(classes: Iterable[tuple[str, str]], taken: Iterable[str] = ()) -> dict[tuple[str, str], str]:
    """Name the test file of each class, with parent modules if two names or a `taken` name clash."""
    classes, taken = list(classes), list(taken)
    wanted = {cls: stem(cls[1].rpartition(".")[2]) for cls in classes}
    for depth in range(1, 6):
        names = [*wanted.values(), *taken, *taken]
        clashes = [cls for cls in classes if names.count(wanted[cls]) > 1]
        for clash in clashes:
            above = clash[0].replace("_", ".").strip(".").split(".")[-depth:]
            wanted[clash] = "_".join([*filter(None, above), stem(clash[1].rpartition(".")[2])])
    return wanted


def test_file(adopted: Adopted, layout: Layout) -> File:
    """Return the test file, not yet formatted."""
    [(path, text)] = render(template_of(adopted), context_of(adopted, layout))
    return File(path, text)


def template_of(adopted: Adopted) -> str:
    """Return the name of the template for the tests."""
    return "adopt-transformation" if adopted.found["kind"] == "transformation" else "adopt"


def context_of(adopted: Adopted, layout: Layout) -> dict[str, Any]:
    """Return the context of the template as plain JSON."""
    skips = [(repr(part).replace("'", '"'), why) for part, why in adopted.skips]
    shared = {
        "tests_folder": layout.tests.as_posix(),
        "stem": adopted.stem,
        "test_helpers": list(dict.fromkeys(told_of(adopted.found, "helpers"))),
        "skips": skips,
        "severity": layout.settings.severity,
        "test_imports": [],
        "guessed": tuple(adopted.found.get("extra_unknown", ())),
    }
    is_class = adopted.found["kind"] != "transformation"
    kind_context = class_context(adopted) if is_class else transformation_context(adopted.found, adopted.name)
    context = {**shared, **kind_context, "sharding": rules_text(adopted.found, layout) if is_class else ""}
    [(_, text)] = render(template_of(adopted), context)
    return {**context, "test_imports": imports_of(text, adopted, layout)}


def class_context(adopted: Adopted) -> dict[str, Any]:
    """Return the part of the context that only a class needs, as opposed to a transformation."""
    description = adopted.found
    name = adopted.name.rpartition(".")[2]
    return {
        "name": name,
        "module_doc": module_doc(adopted),
        "suite": "StateLaws" if is_stateful(description) else _SUITES.get(description["kind"], "PytreeLaws"),
        "manifest": "variables" if description["kind"] == "nnx" else "leaves",
        "leaves": description["leaves"],
        "static": [[quoted(path), value] for path, value in description["static"]],
        "returns": description["outputs"],
        "methods": [
            method_row(method, arguments, f"Test{name}") for method, arguments in description["extra"]
        ],
        "updates": [quoted(path) for path in description["updates"]],
        "inputs": description["inputs"] or ([["seed", "seed"]] if description["build"] else []),
        "needs_seed": bool(description["build"]),
        "built": "Any",
        "construct": built_text(description),
        "state": state_text(description),
        **call_context(description),
    }


def rules_text(description: Found, layout: Layout) -> str:
    """Return the project's sharding rules for the dims in annotations of the class, or an empty text."""
    factors = {name for dim in description["dims"] for name in (dim, *dim.split("*"))}
    rules = tuple(rule for rule in layout.settings.sharding if rule[0] in factors)
    return rules_source(rules) if rules else ""


def built_text(description: Found) -> str:
    if description["build"]:
        return str(description["build"])
    return f"{description['maker']}(**inputs)" + ("[0]" if description["has_state"] else "")


def state_text(description: Found) -> str:
    return f"{description['maker']}(**self.inputs(seed))[1]" if is_stateful(description) else ""


def is_stateful(description: Found) -> bool:
    """Whether the call takes a state that the constructor returns."""
    return bool(description["has_state"] and description["called"])


def call_context(description: Found) -> dict[str, Any]:
    """Return the example arguments, and the call with their names."""
    if not description["called"]:
        return {"is_called": False, "arguments": [], "targets": "", "call": "", "ignores_key": False}
    static = description["static_arguments"]
    taken = [(name, text) for name, text, _ in description["arguments"] if name not in static]
    names = [safe(name) for name, _ in taken]
    arguments = given_to(description["arguments"], static)
    targets = f"({names[0]},)" if len(names) == 1 else ", ".join(names)
    return {
        "is_called": True,
        "arguments": [text for _, text in taken],
        "targets": targets,
        "call": written_call(description, arguments),
        "ignores_key": description["ignores_key"],
    }


def written_call(description: Found, arguments: Sequence[str]) -> str:
    """Return the call as source. A method that reads an axis name is called under `jax.vmap`."""
    axis = description["axis"]
    if not axis:
        return call_text("instance", description["method"], arguments)
    method = f"instance.{description['method']}" if description["method"] else "instance"
    by_position = [name for name, _, by_name in description["arguments"] if not by_name]
    by_name = arguments[len(by_position) :]
    parameters = ", ".join(map(safe, by_position))
    mapped = f"lambda {parameters}: {method}({', '.join([parameters, *by_name])})" if by_name else method
    places = ", ".join("0" if name in axis["mapped"] else "None" for name in by_position)
    in_axes = f"({places},)" if len(by_position) == 1 else f"({places})"
    out_axes = "(0, None)" if axis["has_state"] else "0"
    axes = f'{in_axes}, {out_axes}, axis_name="{axis["name"]}"'
    return f"jax.vmap({mapped}, {axes})({', '.join(arguments[: len(by_position)])})"


def method_row(method: str, arguments: Sequence[tuple[str, str, bool]], suite: str) -> str:
    """Return the declaration of a method: its example arguments, and a `call` if some are passed by name.

    The declaration stands in the class body, without a `self`. So `self.make(` becomes `TestName().make(`.
    """
    values = ", ".join(text.replace("self.make(", f"{suite}().make(") for _, text, _ in arguments)
    row = f'"{method}", lambda seed: ({values}{"," if len(arguments) == 1 else ""})'
    if any(by_name for _, _, by_name in arguments):
        names = [safe(name) for name, _, _ in arguments]
        texts = given_to(arguments)
        row += f", call=lambda instance, {', '.join(names)}: {call_text('instance', method, texts)}"
    return f"Method({row})"


def given_to(arguments: Iterable[tuple[str, str, bool]], static: Sequence[str] = ()) -> list[str]:
    """Return the arguments of a call: names, or the expressions themselves for `static` arguments."""
    texts = [(name, text if name in static else safe(name), by_name) for name, text, by_name in arguments]
    return [f"{name}={text}" if by_name else text for name, text, by_name in texts]


def told_of(description: Found, key: str) -> list[Any]:
    """Collect a key of the description for the constructor, the call, the methods and the leaves."""
    return [
        element
        for part in ("", "call_", "extra_", "leaf_")
        for element in description.get(f"{part}{key}", ())
    ]


def quoted(path: str) -> str:
    """Quote a path, which may have quotes around the keys of a dict."""
    return f'"{path}"' if repr(path)[1:-1] == path and '"' not in path else repr(path)


def safe(name: str) -> str:
    """Rename an argument that means something else in a test, such as `self`."""
    return f"{name}_" if name in _TAKEN or keyword.iskeyword(name) else name


def module_doc(adopted: Adopted) -> str:
    """Return the docstring of the file, which names what was guessed."""
    lines = [f'"""Tests of `{adopted.name}`.']
    if guessed := list(dict.fromkeys(told_of(adopted.found, "guessed"))):
        also = f"; {adopted.found['also']}" if adopted.found.get("also") else ""
        plural = "s" * (len(guessed) > 1)
        lines += [
            "",
            f"Guessed, since no annotation says it: the shape{plural} of {listed(f'`{name}`' for name in guessed)}{also}.",
        ]
    if steps := adopted.found.get("steps", ()):
        lines += [
            "",
            f"Guessed, since the call follows it in steps alone: {listed(f'`{name}`' for name in steps)} may have no gradient.",
        ]
    return "\n".join([*lines, '"""']) if len(lines) > 1 else f'{lines[0]}"""'


def imports_of(text: str, adopted: Adopted, layout: Layout) -> list[str]:
    """Return the import lines for the names that the file reads."""
    description = adopted.found
    outer = adopted.name.partition(".")[0]
    pairs = told_of(description, "imports")
    lines = {**TEST_IMPORTS, "optax": "import optax", **{name: line for name, line in pairs}}
    if outer not in IMPORTS:
        lines.setdefault(outer, f"from {adopted.module} import {outer}")
    top = (layout.package or "").partition(".")[0]
    packages = {top, *(adopted.module.partition(".")[0],)} if _is_own(adopted.module, layout) else {top}
    return import_lines(text, lines, sorted(packages - {""}))


def _is_own(module: str, layout: Layout) -> bool:
    above, top = layout.root / layout.import_root, module.partition(".")[0]
    return (above / f"{top}.py").is_file() or (above / top).is_dir()


def skip_of(finding: Mapping[str, Any]) -> Skip:
    """Return the skip of a test that failed, with the text of the finding as the reason."""
    part = re.sub(r"\[.*", "", str(finding["test"])).removeprefix("test_")
    text = plain_text(str(finding["what"]))
    return part, f"{finding['law']} {finding['name']}, at `{finding['where']}`: {text}"[:300]


def skips_of(description: Found) -> list[Skip]:
    """Return skips for tests that would judge something that was only guessed."""
    unsure = [unusable_skip(*pair) for pair in description.get("unusable", ())[:1]]
    unsure = unsure or [unsure_skip(member) for member in description.get("unsure", ())[:1]]
    return [*unsure, *(skip for name in description.get("presumed", ())[:1] for skip in presumed_skips(name))]


def presumed_skips(argument: str) -> list[Skip]:
    """Return skips for a derivative rule whose function argument was guessed."""
    why = f"nobody has said what `{argument}` is, and a derivative rule says what it does: where it is said, the rule is held to P9"
    return [("p09_methods_have", why), ("p09_derivative_rules", why)]


def unsure_skip(member: str) -> Skip:
    """Return a skip for methods for which no sizes were found."""
    why = f"no sizes of the arrays were found with which `{member}` works: where they are said, it is held to P7"
    return "p07_methods_give", why


def unusable_skip(member: str, error: str) -> Skip:
    """Return a skip for methods that raised, if nothing shows how the class is called."""
    why = f"it is not known how `{member}` is used, which raised {plain_text(error)}: where a call is said, it is held to P7"
    return "p07_methods_give", why


def file_path(adopted: Adopted, layout: Layout) -> PurePosixPath:
    """Return the path of the test file."""
    return layout.test_file(adopted.stem)
