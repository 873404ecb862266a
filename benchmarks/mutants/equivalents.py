"""Changes that nobody could see a difference of, named one by one with the reason."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutants.trials import Mutant

FILE = Path("benchmarks/mutants/equivalents.toml")

Named = tuple[str, str, str, str]
"""The module, the line of its text on which the change begins, and what is replaced by what."""


@dataclass(frozen=True)
class Equivalents:
    """Those named in the file of a tree; a line that was written anew is tried again."""

    root: Path
    named: frozenset[Named]

    @classmethod
    def of(cls, root: Path) -> "Equivalents":
        path = root / FILE
        found = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        named = (
            (module, one["line"], one["old"], one["new"])
            for module, ones in found.items()
            for one in ones
            if one["why"]
        )
        return cls(root, frozenset(named))

    def __contains__(self, mutant: Mutant) -> bool:
        change = mutant.change
        lines = (self.root / mutant.module).read_text(encoding="utf-8").splitlines()
        line = lines[change.line - 1].strip()
        return (mutant.module.as_posix(), line, change.old, change.new) in self.named
