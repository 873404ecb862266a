"""Whoever attacks before and after a protection: somebody with a third-party file, or whoever can count."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.core import param, progress
from sfumato.data import Source, Table
from sfumato.groups.fuzzy_model import FuzzyModel
from sfumato.jobs._reading import Working
from sfumato.jobs._searching import StopRules
from sfumato.jobs._work import Work
from sfumato.jobs.groups._group import GroupJob, Knowledge, Learning
from sfumato.jobs.groups.attack import GroupsAttack


@dataclass(frozen=True)
class Attacker:
    """What the attacker has: a file to learn from, words for it, or the model itself."""

    auxiliary: Source | None
    known: Knowledge


class AttackedJob(GroupJob, Learning, Working):
    """A job that attacks a file as `groups attack` does, or by counting the group where there is no third party."""

    auxiliary: Path | None = param(
        default=None, help="a third-party file to learn the group from", usual="count the group itself"
    )
    attack_generations: int = param(
        default=200, low=1, word="N", help="generations of each of ten runs that learn the rules"
    )
    hide: tuple[str, ...] = param(
        default=(), word="NAME", help="the places to hide", usual="those the attack sees"
    )
    seed: int = param(default=0, help="fixes every random choice")

    def read(self, work: Work, **given: Any) -> tuple[Any, ...]:
        files = super().read(work, **given)
        attacker = Attacker(self.read_auxiliary(work, given), self.known_before(given))
        return (*files, attacker)

    def learnt(self, microfile: Table, attacker: Attacker, work: Work) -> FuzzyModel | None:
        """The model of the attack; none where the group is counted.

        An attack that is stopped teaches nothing: what follows would not fit the one that is learnt to the end.
        """
        if isinstance(attacker.known, FuzzyModel):
            return attacker.known
        if attacker.auxiliary is None:
            return None
        attack = GroupsAttack(
            vital=self.vital,
            parameter=self.parameter,
            weight=self.weight,
            stop=StopRules({"generations": self.attack_generations}),
            seed=self.seed,
        )
        auxiliary = attacker.auxiliary.in_memory("a group attack")
        found = attack.attacked((microfile, auxiliary), attacker.known, work, whole=True)
        progress.note(found.verdict)
        return found.model
