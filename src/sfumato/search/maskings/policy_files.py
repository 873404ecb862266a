"""Files of policies: which there are, and what each is for; told without loading what judges a release."""

import tomllib
from pathlib import Path

FOLDER = Path(__file__).with_name("policies")
SUFFIX = ".toml"


def policy_names() -> tuple[str, ...]:
    """The policies that come with this package.

    >>> policy_names()
    ('none', 'public', 'scientific')
    """
    return tuple(sorted(path.stem for path in FOLDER.glob(f"*{SUFFIX}")))


def policy_file(name: str) -> Path:
    """The file of one of them."""
    return FOLDER / f"{name}{SUFFIX}"


def policy_about(name: str) -> str:
    """What one of them is for."""
    return str(tomllib.loads(policy_file(name).read_text(encoding="utf-8"))["about"])
