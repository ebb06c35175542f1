"""Shortens the tables of contents from which the theme makes each page's navigation to their titles.

The theme asks for titles only. Sphinx first copies all tables with all sections and documented objects, for each of a hundred
pages, which takes half of the build.
"""

from __future__ import annotations

from collections.abc import Callable

from docutils import nodes
from sphinx.addnodes import toctree as toctree_node
from sphinx.application import Sphinx

_BEFORE_THEME = 400  # the default priority is 500


def _keep_titles(toc: nodes.bullet_list) -> nodes.bullet_list:
    """Return a copy with the titles of the page and its toctrees, as `_toctree_standard_entry` of Sphinx does."""
    toc = toc.deepcopy()
    for title in toc:
        if len(title) > 1:
            if toctrees := list(title.findall(toctree_node)):
                title[1][:] = toctrees
            else:
                title.pop(1)
    return toc


def _titles_of_pages(app: Sphinx) -> dict[str, nodes.bullet_list]:
    if not hasattr(app, "titles_of_pages"):
        app.titles_of_pages = {page: _keep_titles(toc) for page, toc in app.env.tocs.items()}
    return app.titles_of_pages


def _shorten_navigation(app: Sphinx, page: str, template: str, context: dict[str, object], doctree: object) -> None:
    whole: Callable[..., str] = context["toctree"]

    def titles(**options: object) -> str:
        if not options.get("titles_only"):
            return whole(**options)
        tocs, app.env.tocs = app.env.tocs, _titles_of_pages(app)
        try:
            return whole(**options)
        finally:
            app.env.tocs = tocs

    context["toctree"] = titles


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", _shorten_navigation, priority=_BEFORE_THEME)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
