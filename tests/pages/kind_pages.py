"""One page for each kind of class: what it is, a spec, the class that it gives, its picture, and the laws that bind it."""

import re
from pathlib import Path

from scaffold.generate import shown_files, specs_of
from scaffold.in_project.layout import find_layout
from scaffold.in_project.spec_files import spec_files
from scaffold.kind import NAMES, described, kind_of
from scaffold.laws import further_laws, law_table
from scaffold.show.of_spec import tree_of_spec
from scaffold.show.text import text_of
from tests.support.projects import EXAMPLES, REPOSITORY

FOLDER = REPOSITORY / "docs/kinds"
SHOWN = {
    "module": "affine.toml",
    "pytree": "table_bypass.toml",
    "train-state": "train_state.toml",
    "nnx": "nnx_block.toml",
    "as-written": "so3.py",
}
"""The spec that a page shows, where that is not the only one of its kind."""


def index_page() -> str:
    """The list of all kinds, and the order of their pages."""
    kinds = described()
    rows = [
        f"| [{name}]({name.replace('-', '_')}.md) | {marked(kind['summary'])} |"
        for name, kind in kinds.items()
    ]
    names = [name.replace("-", "_") for name in kinds]
    tree = "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])
    head = "# The kinds of class\n\n`kind` in a spec says which class is written."
    return "\n".join([head, "", "| kind | what it writes |", "|---|---|", *rows, "", tree, ""])


def kind_page(name: str) -> str:
    """The page of one kind."""
    kind = described()[name]
    spec = example_of(name)
    language = "python" if spec.suffix == ".py" else "toml"
    layout = find_layout(EXAMPLES)
    specs, known = specs_of(str(spec), layout)
    module, *_ = shown_files(str(spec), layout)
    options = [f"- `{option}`: {said}" for option, said in kind["options"].items()]
    parts = [
        f"# {name}",
        f"{marked(kind['summary'][:1].upper() + kind['summary'][1:])}.",
        *(
            ["Its options, as `--option NAME=VALUE` or in the table `[options]`:", "\n".join(options)]
            if options
            else []
        ),
        "## A spec",
        f"```{language}\n{spec.read_text(encoding='utf-8')}```",
        "## The class that it gives",
        f"```python\n{module.text}```",
        "## Its picture",
        f"```text\n{text_of([tree_of_spec(one, known, {}) for one in specs])}```",
        "## Its laws",
        _laws(name),
    ]
    return "\n\n".join(parts) + "\n"


def marked(text: str) -> str:
    """The text with its Python as code, since Markdown takes underscores for marks."""
    return re.sub(r"(?<![`\w.])(__\w+__|[a-z]+\.[A-Z]\w+|\w+\(\))", r"`\1`", text)


def example_of(name: str) -> Path:
    """The example that shows a kind: the one that is named, or the first."""
    layout = find_layout(EXAMPLES)
    files = spec_files(EXAMPLES / "specs")
    if name in SHOWN:
        return EXAMPLES / "specs" / SHOWN[name]
    return next(path for path in files if specs_of(str(path), layout)[0][0].kind == name)


def _laws(name: str) -> str:
    """The laws that bind a kind, with the reasons where one does not."""
    if not kind_of(name).has_instances:
        besides = "; ".join(further_laws().get(name, ()))
        return (
            f"They must hold: {besides}."
            if besides
            else 'Those of pytrees, or with `laws = "nnx"` those of NNX.'
        )
    laws = law_table()
    bound = [
        f"[{law.name}](../laws/{law.name.replace(' ', '_')}.md)"
        for law in laws.values()
        if law.binds(name) != "no"
    ]
    reasons = [f"- Not {law.name}: {law.without[name]}" for law in laws.values() if name in law.without]
    besides = [f"Besides: {'; '.join(further_laws()[name])}."] if name in further_laws() else []
    return "\n\n".join([f"{', '.join(bound)}.", *(["\n".join(reasons)] if reasons else []), *besides])


PAGES = tuple(NAMES)
