"""Draws the pictures of the README with the program itself: `python docs/make_pictures.py`.

The picture of the report needs a Chromium on the path.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

from sfumato import datasets, describe, protect, write_release

PICTURES = Path(__file__).parent / "pictures"
CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--window-size=1180,1500",
]


def main() -> None:
    """Draw all of them anew."""
    PICTURES.mkdir(exist_ok=True)
    survey = datasets.household_survey(3000, seed=1)
    describe(survey).plot().savefig(PICTURES / "key-risks.svg", metadata={"Date": None})
    result = protect(survey, seed=1)
    result.plot().savefig(PICTURES / "risk-utility.svg", metadata={"Date": None})
    with tempfile.TemporaryDirectory() as folder:
        write_release(result, Path(folder) / "protected.csv", source="survey.csv")
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        if chromium is None:
            raise SystemExit("No Chromium on the path: the picture of the report was not made.")
        page = (Path(folder) / "protected.report.html").as_uri()
        picture = PICTURES / "report.png"
        profile = f"--user-data-dir={folder}/profile"
        subprocess.run(
            [chromium, *CHROMIUM_FLAGS, profile, f"--screenshot={picture}", page],
            check=True,
            capture_output=True,
        )


if __name__ == "__main__":
    main()
