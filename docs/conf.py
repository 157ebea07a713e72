"""Sphinx: `make docs` builds with warnings as errors."""

from gambol import __version__

project = "gambol"
author = "the gambol authors"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinxcontrib.bibtex"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib"]
html_theme = "furo"
html_title = "gambol"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
exclude_patterns = ["_build"]
