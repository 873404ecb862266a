"""The oldest versions that pyproject.toml promises to work with, one exact requirement a line.

    python .ci/floors.py [EXTRA ...]

Those of the dependencies, and of the extras that are named; packages of `dev` in `WITH_TESTS` are always among them.
"""

import re
import sys
import tomllib
from pathlib import Path

WITH_TESTS = ("hypothesis", "polars", "pytest", "pytest-timeout", "pytest-xdist")
FLOOR = re.compile(r"^([\w.-]+)>=([\w.]+)$")


def floors(extras: list[str]) -> list[str]:
    """Each requirement at its floor; one without a plain floor is refused, since nobody could say what it promises."""
    project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    asked, optional = list(project["dependencies"]), project["optional-dependencies"]
    asked += [one for extra in extras for one in optional[extra]]
    asked += [one for one in optional["dev"] if one.startswith(tuple(f"{name}>" for name in WITH_TESTS))]
    found = [FLOOR.match(one) or sys.exit(f"{one} has no plain floor") for one in asked]
    return [f"{one[1]}=={one[2]}" for one in found]


if __name__ == "__main__":
    print("\n".join(floors(sys.argv[1:])))
