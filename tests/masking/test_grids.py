"""The values of parameters that a portfolio tries of each method, as they are recorded beside this.

Where they are changed on purpose: python tests/masking/test_grids.py --write
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

from recorded import check, write
from sfumato.core import registry

FOLDER = Path(__file__).with_name("grids")


def grids() -> str:
    lines = []
    for name in registry.names("masking"):
        grid = registry.load("masking", name).grid
        lines += [
            f"{name}: {parameter} = {', '.join(map(str, values))}" for parameter, values in grid.items()
        ]
    return "\n".join(lines)


def test_a_portfolio_tries_what_it_tried():
    check(FOLDER, "grids", grids())


if __name__ == "__main__":
    write(FOLDER, {"grids": grids})
