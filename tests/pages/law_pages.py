"""One page for each law: its texts, a class that breaks it, the picture of that class, and what the tests say."""

import importlib
import re
import warnings
from pathlib import Path
from typing import Any

from scaffold.laws import Law, law_table
from scaffold.show.of_class import tree_of
from scaffold.show.text import text_of
from tests.law_classes import CLASSES, Broken
from tests.support.projects import REPOSITORY

FOLDER = REPOSITORY / "docs/laws"
SOURCES = Path(__file__).parents[1] / "law_classes"
WITHOUT = (
    "It needs several devices, so that no class of a few lines shows it: [sharding.md](../sharding.md) does."
)


def page_name(number: str, law: Law) -> str:
    """The file of a law's page, by its name."""
    return f"{law.name.replace(' ', '_')}.md"


def key_of(number: str, law: Law) -> str:
    """The name under which its class is kept."""
    return f"p{int(number[1:]):02}_{law.name.replace(' ', '_')}"


def index_page() -> str:
    """The list of all laws, and the order of their pages."""
    laws = law_table()
    rows = [
        f"| [{law.name}]({page_name(number, law)}) | {number} | {law.protects} |"
        for number, law in laws.items()
    ]
    names = [page_name(number, law).removesuffix(".md") for number, law in laws.items()]
    head = "# The laws, one by one\n\nEach law is a property that jax relies on and does not check. [The reference](../laws.md) has all that suites can declare."
    tree = "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])
    return "\n".join([head, "", "| law | number | protects from |", "|---|---|---|", *rows, "", tree, ""])


def law_page(number: str) -> str:
    """The page of one law; its class is built, drawn and tested."""
    law = law_table()[number]
    key = key_of(number, law)
    shown = _broken(number, key, CLASSES[key]) if key in CLASSES else ["## A class that breaks it", WITHOUT]
    return "\n\n".join([*_texts(number, law), *shown]) + "\n"


def _texts(number: str, law: Law) -> list[str]:
    title = f"# {law.name[:1].upper()}{law.name[1:]} ({number})"
    forms = [f"- `{kind}`: {statement}" for kind, statement in law.forms.items()]
    left_out = [f"- Not for `{kind}`: {why}" for kind, why in law.without.items()]
    left_out += [f"- In part for `{kind}`: {why}" for kind, why in law.partly.items()]
    rules = ["\n".join([*forms, *left_out])] if forms or left_out else []
    return [
        title,
        f"**Protects from:** {law.protects}",
        f"**The law:** {law.statement}",
        *rules,
        f"**The usual mistake:** {law.mistake}",
        f"**The fix:** {law.fix}",
        f"`pytest -k p{int(number[1:]):02}` runs its tests.",
    ]


def _broken(number: str, key: str, broken: Broken) -> list[str]:
    source = (SOURCES / f"{key}.py").read_text(encoding="utf-8")
    return [
        "## A class that breaks it",
        f"```python\n{source}```",
        "`scaffold show` draws it:",
        f"```text\n{picture(key, broken)}```",
        "The tests say:",
        f"```text\n{message(number, key, broken)}\n```",
    ]


def picture(key: str, broken: Broken) -> str:
    """What `scaffold show` draws of the class, built in this process."""
    from scaffold.adopt.child.protocol.show import show

    name = broken.build.partition("(")[0]
    request = {"folders": [], "module": f"tests.law_classes.{key}", "name": name, "seconds": 60, "said": {}}
    call = f"({broken.arguments})" if broken.arguments else ""
    answer = show({**request, "build": broken.build, "call": call})
    assert not answer["why"], answer
    return text_of([tree_of(name, answer)])


def message(number: str, key: str, broken: Broken) -> str:
    """The first finding of the law on the class, without what differs from run to run."""
    import jax

    from pytree_laws import check_pytree, sample

    names = {**vars(importlib.import_module(f"tests.law_classes.{key}")), "sample": sample, "jax": jax}
    build: Any = eval(f"lambda seed: {broken.build}", names)
    arguments: Any = eval(f"lambda seed: ({broken.arguments})", names) if broken.arguments else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = check_pytree(build, arguments, **broken.declared)
    found = [one for one in report.findings if one.law.number == number and broken.where in one.where]
    assert found, f"{number} finds nothing in {key}: {report}"
    first = found[0]
    what = first.what.partition("\n")[0]
    lines = [f"{number} {first.law.name}, at `{first.where}`: {what}"]
    lines += [f"  look for: {first.hint}"] if first.hint else [f"  usual fix: {first.law.fix}"]
    text = "\n".join(lines).replace(f"tests.law_classes.{key}.", "")
    return re.sub(r"0x[0-9a-f]+", "0x...", text)
