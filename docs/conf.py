"""How the site is built (`make docs`): code cells are run, and nothing comes from outside."""

from __future__ import annotations

import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tools"))
sys.path.insert(0, str(DOCS.parent / "src"))

from riverboat import __version__  # noqa: E402
from site_pages import lesson_table, write_pages  # noqa: E402

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

NAMED_ELSEWHERE = ("index", "start", "tour", "python", "algorithms", "commands", "changelog")
NAMED_ELSEWHERE += ("performance", "contributing", "design", "files", "holdem_rules", "abstraction")


def fill_in_pages(app: Any, docname: str, source: list[str]) -> None:
    """Put names of pages where an index says "PAGES pattern", so that a new page has its place.

    PAGES rest stands for all pages of docs/ that no index names, LESSONS for the lessons' table.
    """
    source[0] = source[0].replace("\nLESSONS\n", f"\n{lesson_table()}\n")
    if "\nPAGES " not in source[0]:
        return
    known = sorted(app.env.found_docs)
    lines = []
    for line in source[0].split("\n"):
        word, _, pattern = line.partition(" ")
        if word != "PAGES":
            lines.append(line)
        elif pattern == "rest":
            named = {*NAMED_ELSEWHERE, *(part.lstrip("/") for part in source[0].split())}
            rest = [name for name in known if "/" not in name and name not in named]
            lines += [f"/{name}" for name in rest if not name.endswith("_measurements")]
        else:
            lines += [f"/{name}" for name in known if fnmatch(name, pattern) and name != docname]
    source[0] = "\n".join(lines)


def plain_docstrings(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """The docstrings' backticks and tables as reStructuredText reads them."""
    table = False
    for i, line in enumerate(lines):
        if line.lstrip().startswith("|") != table:
            table = not table
        lines[i] = ("    " if table else "") + line.replace("`", "``").replace("````", "``")
        lines[i] = lines[i].replace("*", "\\*")


def setup(app: Any) -> None:
    app.connect("source-read", fill_in_pages)
    app.connect("autodoc-process-docstring", plain_docstrings)
