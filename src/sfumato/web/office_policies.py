"""The policies that may be chosen on pages: those of this package, and those that an office brought along."""

import hashlib
import re
from pathlib import Path

from sfumato.core.private import private_folder
from sfumato.data import writing
from sfumato.search.maskings.policy_files import SUFFIX, policy_names
from sfumato.web.workspace import Workspace

FOLDER = "policies"


def policy_paths(workspace: Workspace) -> dict[str, Path]:
    """The files of the office's own policies, by what they are called."""
    folder = workspace.home / FOLDER
    return {path.stem: path for path in sorted(folder.glob(f"*{SUFFIX}"))} if folder.is_dir() else {}


def keep_policy(workspace: Workspace, title: str, text: str) -> str:
    """Keep the text of a policy that was checked, under a name made of its title; the name."""
    known = policy_names()
    name = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")[:40]
    if not name or name in known:
        name = f"policy-{hashlib.blake2b(text.encode(), digest_size=3).hexdigest()}"
    with writing(private_folder(workspace.home / FOLDER) / f"{name}{SUFFIX}") as temporary:
        temporary.write_text(text, encoding="utf-8")
    return name


def policy_setting(workspace: Workspace, name: str) -> str:
    """What a job is told: the name of a policy of this package, or the file of another one."""
    own = policy_paths(workspace)
    return str(own[name]) if name in own else name
