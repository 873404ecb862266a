"""Accessibility as axe-core sees it: a package of npm, which is looked for beside these tests, or where AXE_CORE says."""

import os
from pathlib import Path
from typing import Any

from benches import check_nothing_is_wider

WIDTHS = (1366, 820)
SERIOUS = ("serious", "critical")


def axe_script() -> str | None:
    """The script of axe-core, if it is installed: `npm install axe-core`, or AXE_CORE=/path/to/axe.min.js."""
    places = [os.environ.get("AXE_CORE", ""), "node_modules/axe-core/axe.min.js"]
    found = next((Path(place) for place in places if place and Path(place).is_file()), None)
    return None if found is None else found.read_text(encoding="utf-8")


def check_with_axe(page: Any) -> None:
    """No serious finding at either width, light and dark, and nothing wider than the page; without axe-core the last alone."""
    script = axe_script()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        check_nothing_is_wider(page, width)
        for scheme in ("dark", "light") if script else ():
            page.emulate_media(color_scheme=scheme)
            page.wait_for_timeout(300)  # until colours have changed
            page.evaluate(script)
            found = page.evaluate("async () => (await axe.run(document)).violations")
            worst = [
                f"{one['id']}: {node['html'][:160]}"
                for one in found
                if one["impact"] in SERIOUS
                for node in one["nodes"]
            ]
            assert not worst, (page.url, width, scheme, worst)
    page.set_viewport_size({"width": 1366, "height": 850})
