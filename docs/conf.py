"""How the site is built (`make docs`): code cells are run, and nothing comes from outside."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tools"))
sys.path.insert(0, str(DOCS.parent / "src"))

from sphinx.ext.napoleon import NumpyDocstring  # noqa: E402

from riverboat import __version__  # noqa: E402
from site_pages import site_links, write_pages  # noqa: E402

write_pages(DOCS)

project = "Riverboat"
author = "The Riverboat authors"
project_copyright = "The Riverboat authors, MIT licence"
version = release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_design"]
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
myst_fence_as_directive: list[str] = []
suppress_warnings = ["misc.highlighting_failure", "myst-nb.lexer"]

highlight_language = "none"  # a block without a language is no Python

nb_execution_mode = "cache"
nb_execution_cache_path = str(DOCS.parent / "build" / "notebooks")
nb_execution_in_temp = True
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_ipywidgets_js: dict[str, Any] = {}
nb_mime_priority_overrides = [("html", "image/svg+xml", 1)]

add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "undoc-members": False}

html_theme = "furo"
html_title = "Riverboat"
html_favicon = "_static/wheel.svg"
html_logo = "_static/wheel.svg"
html_static_path = ["_static"]
html_css_files = ["riverboat.css"]
html_search_scorer = str(DOCS / "_static" / "scorer.js")
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {
        "color-brand-primary": "#0b5f66",
        "color-brand-content": "#0b5f66",
        "color-brand-visited": "#5b4a86",
    },
    "dark_css_variables": {
        "color-brand-primary": "#6fc7cf",
        "color-brand-content": "#6fc7cf",
        "color-brand-visited": "#b9a7e6",
    },
}


def lead_to_pages(app: Any, docname: str, source: list[str]) -> None:
    """Links to the sources of lessons, games and commands lead to their pages on the site."""
    source[0] = site_links(source[0], docname)


def plain_docstrings(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """The docstrings' backticks and tables as reStructuredText reads them."""
    table = False
    for i, line in enumerate(lines):
        if line.lstrip().startswith("|") != table:
            table = not table
        if line.lstrip().startswith((">>> ", "... ")):
            continue
        lines[i] = ("    " if table else "") + line.replace("`", "``").replace("````", "``")
        lines[i] = lines[i].replace("*", "\\*")
    if what == "function":  # napoleon as an extension would take "The suit: c or d" for a type
        lines[:] = NumpyDocstring(lines, obj=thing, what=what, name=name).lines()


def setup(app: Any) -> None:
    app.connect("source-read", lead_to_pages)
    app.connect("autodoc-process-docstring", plain_docstrings)
