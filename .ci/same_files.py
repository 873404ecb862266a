"""Whether several installations make the same files of one file and one key: python .ci/same_files.py PYTHON PYTHON [...]"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

MAKE = "from sfumato import datasets, write_table; write_table(datasets.household_survey(200, seed=1), 'people.csv')"
FAST = "--preset fast --methods mdav,pram --generations 3 --no-verdict"
JOBS = {  # no synthesis: its trees are those of scikit-learn, of which each version grows others
    "masked.csv": "mask people.csv --method mdav(k=4)",
    "protected.csv": "protect people.csv --methods mdav,rank_swapping,pram --policy none",
    "evolved.csv": f"evolve people.csv {FAST}",
}


def made(python: str, people: bytes | None) -> dict[str, bytes]:
    """What an installation makes, each time in a folder of its own, of people that the first one draws."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if people is None:
            run(folder, python, "-c", MAKE)
        else:
            (folder / "people.csv").write_bytes(people)
        (folder / "key").write_text("5f" * 32)
        for output, words in JOBS.items():
            run(folder, python, "-m", "sfumato", *words.split(), "--secret", "key", "-o", output, "-q")
        return {one: (folder / one).read_bytes() for one in ("people.csv", *JOBS)}


def run(folder: Path, *words: str) -> None:
    found = subprocess.run(words, cwd=folder, env=os.environ, capture_output=True, text=True)
    if found.returncode:
        sys.exit(f"{' '.join(words)}: {found.stdout}{found.stderr}")


def main(pythons: list[str]) -> None:
    first = made(pythons[0], None)
    for python in pythons[1:]:
        other = made(python, first["people.csv"])
        if differing := [one for one in JOBS if first[one] != other[one]]:
            sys.exit(f"{python} makes other files than {pythons[0]}: {', '.join(differing)}")
    print(f"{len(pythons)} installations make the same {', '.join(JOBS)}")


if __name__ == "__main__":
    # absolute, but links are not followed: that of a virtual environment is what tells it apart
    main([str(Path(python).absolute()) for python in sys.argv[1:]])
