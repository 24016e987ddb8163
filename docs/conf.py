"""The site's settings, all of them; `make docs` builds it. Why Sphinx: pyproject.toml."""

import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

import whyword

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "whyword"
version = release = whyword.__version__
project_copyright = "the authors of whyword"

extensions = [
    "myst_parser",  # pages are Markdown
    "sphinx.ext.autodoc",  # the reference is made of docstrings
    "numpydoc",  # which are numpydoc's
    "mathml",  # ours: LaTeX to MathML when the site is built, no script when it is read
    "commands",  # ours: the reference of the command line, from the program itself
    "public_names",  # ours: what docstrings name is linked to where it is documented
]
exclude_patterns = ["_extensions", "_static"]
nitpicky = True  # what a docstring names has to be there

# Markdown: formulas between dollars, directives between colons, anchors as GitHub makes them
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 4
myst_dmath_allow_digits = False
myst_dmath_double_inline = False
highlight_language = "none"  # blocks without a name are commands and outputs

# docstrings: types stand in their own words beside the parameters, not in the signature
numpydoc_show_class_members = False  # autodoc lists them
numpydoc_xref_param_type = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
add_module_names = False
python_maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"

html_theme = "furo"  # light and dark, and fit for phones; fonts are the reader's own
html_title = "whyword"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/icon.svg"
html_copy_source = False
html_show_sourcelink = False
html_permalinks_icon = "#"
pygments_style = "friendly"
pygments_dark_style = "github-dark"
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {
        "color-brand-primary": "#a3262f",
        "color-brand-content": "#a3262f",
        "color-brand-visited": "#7a3b58",
    },
    "dark_css_variables": {
        "color-brand-primary": "#ff8d85",
        "color-brand-content": "#ff8d85",
        "color-brand-visited": "#d79bc0",
    },
}


def trim_examples(_: Sphinx, document: nodes.document) -> None:
    """Leave out the empty line that ends an example in Markdown, where doctest wants one."""
    for block in document.findall(nodes.literal_block):
        text = block.astext().rstrip()
        block.rawsource, block.children = text, []
        block += nodes.Text(text)


def setup(app: Sphinx) -> None:
    """Register it."""
    app.connect("doctree-read", trim_examples)
