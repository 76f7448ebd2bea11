"""The site: `sphinx-build -W docs OUT`. Every page is Markdown that reads well in the repository, too."""

import re

from sphinx.application import Sphinx

project = "scaffold"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "scaffold"
html_show_sphinx = False
html_copy_source = False
html_show_copyright = False
html_permalinks_icon = "#"
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# No page loads a font, a style or a script from elsewhere: Furo brings its own.
html_theme_options = {"top_of_page_buttons": []}
suppress_warnings = ["misc.highlighting_failure"]  # excerpts of code and of terminals need not parse


def without_outside_links(app: Sphinx, name: str, source: list[str]) -> None:
    """Leave the text of links to files that are no pages."""
    above = r"\.\./\.\./" if "/" in name else r"\.\./"
    source[0] = re.sub(rf"\[([^\]]+)\]\({above}[^)]*\)", r"\1", source[0])


def setup(app: Sphinx) -> None:
    app.connect("source-read", without_outside_links)
