"""docs/laws/: a page for each law, of its own texts and a class that breaks it; docs/kinds/: one for each kind."""

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scaffold.laws import law_table
from tests.law_classes import CLASSES
from tests.pages import kind_pages, law_pages

LAWS = law_table()


def hold(path: Path, text: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--refresh-examples"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"{path.name}: pytest --refresh-examples writes it"


@pytest.mark.spread(6)
@pytest.mark.parametrize("number", LAWS)
def test_each_law_has_a_page_with_a_class_that_breaks_it(number: str, request: pytest.FixtureRequest) -> None:
    name = law_pages.page_name(number, LAWS[number])
    hold(law_pages.FOLDER / name, law_pages.law_page(number), request)


@pytest.mark.parametrize("number", LAWS)
def test_the_page_of_each_law_has_its_texts(number: str) -> None:
    law = LAWS[number]
    text = (law_pages.FOLDER / law_pages.page_name(number, law)).read_text(encoding="utf-8")
    assert all(
        one in text for one in (law.statement, law.mistake, law.fix, law.protects, *law.forms.values())
    )


def test_every_law_but_those_of_sharding_has_a_class() -> None:
    keys = {law_pages.key_of(number, law) for number, law in LAWS.items()}
    assert keys - {*CLASSES} == {"p20_sharding", "p21_sharded_equals_single"} and {*CLASSES} < keys


@pytest.mark.parametrize("name", kind_pages.PAGES)
def test_each_kind_has_a_page(name: str, request: pytest.FixtureRequest) -> None:
    hold(kind_pages.FOLDER / f"{name.replace('-', '_')}.md", kind_pages.kind_page(name), request)


def test_both_are_listed(request: pytest.FixtureRequest) -> None:
    hold(law_pages.FOLDER / "index.md", law_pages.index_page(), request)
    hold(kind_pages.FOLDER / "index.md", kind_pages.index_page(), request)
    pages = {path.name for folder in (law_pages.FOLDER, kind_pages.FOLDER) for path in folder.glob("*.md")}
    named = {law_pages.page_name(*pair) for pair in LAWS.items()} | {
        f"{name.replace('-', '_')}.md" for name in kind_pages.PAGES
    }
    assert pages == {*named, "index.md"}


def raised_by_jax() -> str:
    """What jax and Equinox really say where the laws quote them."""
    import equinox as eqx
    import jax
    import jax.numpy as jnp

    class Hidden(eqx.Module):
        offset: Any = eqx.field(static=True)

    zeros = jnp.zeros(2)
    attempts: list[Callable[[], Any]] = [
        lambda: jax.lax.scan(lambda carry, x: (carry.astype(jnp.float16), x), zeros, zeros),
        lambda: Hidden(zeros),
    ]
    said: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for attempt in attempts:
            with pytest.raises((TypeError, ValueError, RuntimeError, UserWarning)) as caught:
                attempt()
            said.append(str(caught.value))
    return "\n".join(said)


def test_the_words_that_are_quoted_are_those_of_jax_and_equinox() -> None:
    quoted = [one for law in LAWS.values() for one in re.findall(r'"([^"]+)"', law.protects)]
    said = raised_by_jax().lower()
    assert len(quoted) == 2 and all(one.lower() in said for one in quoted)
