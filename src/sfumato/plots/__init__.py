"""Drawings of results: one file, one function of the same name, `name(result, ax=None) -> Figure`."""

from sfumato.plots._before_after import BeforeAfter, bins, category_rows, changed_share, drawn_names
from sfumato.plots._style import svg_text

__all__ = ["BeforeAfter", "bins", "category_rows", "changed_share", "drawn_names", "svg_text"]
