"""Jobs people ask for: describe, mask, evaluate, attack, protect; and the report and record they leave behind."""

from sfumato.studies.attack import Attacks, attack
from sfumato.studies.describe import Profile, describe
from sfumato.studies.evaluate import Evaluation, evaluate
from sfumato.studies.mask import mask
from sfumato.studies.protect import Protection, protect
from sfumato.studies.release import write_release

__all__ = [
    "Attacks",
    "Evaluation",
    "Profile",
    "Protection",
    "attack",
    "describe",
    "evaluate",
    "mask",
    "protect",
    "write_release",
]
