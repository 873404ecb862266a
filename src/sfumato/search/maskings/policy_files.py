"""Files of policies: which there are, and what each holds; read without what judges a release."""

from pathlib import Path
from typing import Any, Literal

import msgspec

from sfumato.core import DataError
from sfumato.core.regular_files import small_text
from sfumato.core.toml_text import parsed_toml

FOLDER = Path(__file__).with_name("policies")
SUFFIX = ".toml"


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file of a policy holds."""

    title: str = ""
    about: str = ""
    require: tuple[str, ...] = ()
    changed_values: bool = True
    coincidences: bool = True
    codes: Literal["any", "original"] = "any"
    balance: bool = False
    scenarios: dict[str, Any] = {}


def policy_names() -> tuple[str, ...]:
    """The policies that come with this package.

    >>> policy_names()
    ('none', 'public', 'scientific')
    """
    return tuple(sorted(path.stem for path in FOLDER.glob(f"*{SUFFIX}")))


def policy_file(name: str) -> Path:
    """The file of one of them."""
    return FOLDER / f"{name}{SUFFIX}"


def policy_rules(path: Path) -> Rules:
    """What a file holds."""
    tables = parsed_toml(small_text(path, "Policy file"), str(path))
    try:
        return msgspec.convert(tables, Rules)
    except msgspec.ValidationError as error:
        raise DataError(f"{path}: {error}.") from None
