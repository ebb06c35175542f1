"""Sphinx configuration: `python -m sphinx -W -b html docs build/docs`, with pycoro installed."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "pycoro"
copyright = "pycoro's authors"
author = "pycoro's authors"
version = release = re.search(r'CORO_VERSION "([^"]+)"', (HERE / "../csrc/include/pycoro.h").read_text())[1]

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "builtin_types",
    "from_sources",
    "navigation",
    "pictures",
]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb", ".rst": "restructuredtext"}
exclude_patterns = ["_ext", "_generated", "pictures"]
nitpicky = False
intersphinx_mapping = {}  # the documentation build downloads nothing

myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # the notebooks are saved with their outputs

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_default_options = {"members": True, "show-inheritance": True}

html_theme = "furo"
html_title = f"pycoro {release}"
html_copy_source = False
html_show_copyright = False
html_static_path = []
