"""How the documentation is built: `python -m sphinx -W docs docs/_build/html`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from catalogue import write_catalogue

from sfumato import __version__

project = "sfumato"
author = "The sfumato authors"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"sfumato {__version__}"
html_show_copyright = False
myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3
autodoc_typehints = "description"
autodoc_member_order = "bysource"


def setup(app):
    """Write the catalogue before anything is read."""
    app.connect("builder-inited", lambda app: write_catalogue(Path(app.srcdir) / "methods"))
