"""The site: no link leads nowhere, the build has no warning, and each page reads well in a browser, in light and in dark."""

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest
from markdown_it import MarkdownIt

from tests.support.projects import REPOSITORY, run

DOCS = REPOSITORY / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), REPOSITORY / "README.md"])
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WIDTHS = (400, 1400)


def links_of(text: str) -> Iterator[str]:
    """The targets of links and images, in Markdown and in the HTML within it."""
    for token in MarkdownIt().enable("table").parse(text):
        for child in token.children or ():
            yield from (str(child.attrs[key]) for key in ("href", "src") if key in child.attrs)
        for part in (token, *(token.children or ())):
            if part.type.startswith("html"):
                yield from re.findall(r"""(?:src|href)=["']([^"']+)""", part.content)


def anchors_of(text: str) -> set[str]:
    """The anchors of headings, as GitHub and MyST make them."""
    titles = re.findall(
        r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def dead_links(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    found: list[str] = []
    for link in links_of(page.read_text(encoding="utf-8")):
        target, anchor = urldefrag(link)
        if "://" in target:
            continue
        file = (page.parent / unquote(target)).resolve() if target else page
        is_dead = not file.exists()
        if not is_dead and anchor and file.suffix == ".md":
            is_dead = anchor not in anchors_of(file.read_text(encoding="utf-8"))
        found += [link] if is_dead else []
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(REPOSITORY).as_posix())
def test_no_link_leads_nowhere(page: Path) -> None:
    assert dead_links(page) == []


def test_a_dead_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        '# A title\n\n[a](#a-title) [b](#none) [c](none.md) ![d](d.svg)\n\n<img src=\'e\' alt=""><img src="f.svg">\n'
    )
    assert dead_links(page) == ["#none", "none.md", "d.svg", "e", "f.svg"]


def test_every_page_is_in_the_navigation() -> None:
    text = "\n".join(
        (DOCS / name).read_text(encoding="utf-8") for name in ("index.md", "laws/index.md", "kinds/index.md")
    )
    named = {
        line
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        for line in block.split()
    }
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in DOCS.rglob("*.md")}
    assert {page.removeprefix("laws/").removeprefix("kinds/") for page in pages} <= {*named, "index"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built with every warning an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    result = run([*command, "-d", str(folder / "doctrees"), str(DOCS), str(folder / "html")], REPOSITORY)
    assert result.returncode == 0, result.stderr
    return folder / "html"


@pytest.mark.slow  # a build takes several seconds; the links above are tried in each run
def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loaded = r'(?:<(?:script|img|iframe|source)[^>]*\bsrc|<link(?![^>]*rel="(?:canonical|index|next|prev|search)")[^>]*\bhref)="((?:https?:)?//[^"]+)'
    for page in site.rglob("*.html"):
        assert re.findall(loaded, page.read_text(encoding="utf-8")) == [], page.name
    for style in site.rglob("*.css"):
        assert "://" not in "".join(
            re.findall(r"(?:url\(|@import)[^;)]*", style.read_text(encoding="utf-8"))
        ), style.name


@pytest.fixture
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: `apt-get install chromium`")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


OVERFLOWS = """() => {
    const wide = document.documentElement.scrollWidth > window.innerWidth + 1;
    const held = element => { for (let e = element; e; e = e.parentElement) { if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowX)) return true } return false };
    const out = [...document.querySelectorAll('article table, article pre, article img')].filter(e => e.getBoundingClientRect().right > window.innerWidth + 1 && !held(e));
    return [wide ? 'the page' : '', ...out.map(e => e.tagName)].filter(Boolean);
}"""
CONTRAST = """() => {
    const rgb = text => text.match(/[\\d.]+/g).map(Number);
    const light = c => { const [r, g, b] = c.slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b };
    const text = light(rgb(getComputedStyle(document.querySelector('article p')).color)), paper = light(rgb(getComputedStyle(document.body).backgroundColor));
    return (Math.max(text, paper) + 0.05) / (Math.min(text, paper) + 0.05);
}"""


@pytest.mark.slow  # it opens each page four times
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_each_page_reads_well(site: Path, browser: Any, scheme: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, problems = context.new_page(), list[str]()
    page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("requestfailed", lambda request: problems.append(f"failed: {request.url}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith("file:") or request.url.startswith("data:")
            else problems.append(f"outside: {request.url}")
        ),
    )
    for file in sorted(site.rglob("*.html")):
        page.goto(file.as_uri())
        if file.name not in ("genindex.html", "search.html"):
            problems += [f"{file.name}: {one} is wider than {width}" for one in page.evaluate(OVERFLOWS)]
            assert page.evaluate(CONTRAST) >= 7, (file.name, scheme)
    assert problems == []


@pytest.mark.slow  # as above
def test_a_reader_clicks_through_and_finds_donation(site: Path, browser: Any) -> None:
    page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
    page.goto((site / "index.html").as_uri())
    page.click("article >> text=Ten minutes")
    assert page.url.endswith("tutorial.html") and page.inner_text("h1").startswith("Ten minutes")
    page.click(".sidebar-tree >> text=The laws, one by one")
    page.click("article table >> text=manifest")
    assert page.url.endswith("laws/manifest.html")
    page.fill("input[name=q]", "donation")
    page.press("input[name=q]", "Enter")
    page.wait_for_selector("ul.search li a")
    assert any(
        "laws" in link.lower()
        for link in page.eval_on_selector_all("ul.search li a", "all => all.map(a => a.href)")
    )


@pytest.mark.slow  # as above
def test_what_is_too_wide_would_be_seen(browser: Any) -> None:
    page = browser.new_page(viewport={"width": 400, "height": 900})
    table = "<table style='width: 2000px'><tr><td>a</td></tr></table>"
    page.set_content(f"<article>{table}</article>")
    assert page.evaluate(OVERFLOWS) == ["the page", "TABLE"]
    page.set_content(f"<article><div style='overflow-x: auto'>{table}</div></article>")
    assert page.evaluate(OVERFLOWS) == []
