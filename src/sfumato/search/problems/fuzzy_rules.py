"""Fuzzy rules about a group as a problem: rules that catch the group, and few others, shall be found."""

from dataclasses import asdict
from typing import Any

from sfumato.core import DataError, ParameterError
from sfumato.data import Table
from sfumato.groups.fuzzy_model import ALPHA, Rule
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.groups.rule_quality import MEASURES, Quality, RuleJudge
from sfumato.groups.signals import Group
from sfumato.search.contracts import Outcome, Problem


class FuzzyRules(Problem[Rule, Rule]):
    """Rules over a vocabulary, judged on an auxiliary file that says who belongs to the group.

    The cost of a rule is its fitness with the sign turned round. A rule that was judged before is not judged
    again; `seen` holds all that were, with their quality, since the model of a group is made of all good rules
    that a search has met on its way and not only of those it ends with.
    """

    objectives = ("fitness",)

    def __init__(
        self,
        auxiliary: Table,
        group: Group,
        vocabulary: Vocabulary,
        *,
        fitness: str = "df_rcf",
        alpha: float = ALPHA,
    ) -> None:
        if fitness not in MEASURES:
            raise ParameterError(f"rules: fitness must be one of {', '.join(MEASURES)}. Got {fitness!r}.")
        _check_words(auxiliary, group, vocabulary)
        self.group, self.vocabulary, self.fitness, self.alpha = group, vocabulary, fitness, alpha
        self.judge_of_rules = RuleJudge(auxiliary, group, vocabulary, alpha)
        self.fingerprint = auxiliary.fingerprint
        self.seen: dict[Rule, Quality] = {}

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each place of a rule can have."""
        return self.vocabulary.sizes

    def quality(self, rule: Rule) -> Quality:
        known = self.seen.get(rule)
        if known is None:
            known = self.seen[rule] = self.judge_of_rules.quality(rule)
        return known

    def judge(self, candidate: Rule) -> Outcome:
        return Outcome((-MEASURES[self.fitness](self.quality(candidate)),))

    def identity(self) -> dict[str, Any]:
        return {
            "file": self.fingerprint,
            "group": asdict(self.group),
            "vocabulary": self.vocabulary.to_dict(),
            "fitness": self.fitness,
            "alpha": self.alpha,
        }


def _check_words(auxiliary: Table, group: Group, vocabulary: Vocabulary) -> None:
    for name in vocabulary.names:
        if name in group.vital or name == group.parameter:
            role = "the vital attribute" if name in group.vital else "the parameter attribute"
            raise DataError(f"vocabulary: {name} is {role}; rules must not speak of it.")
    vocabulary.check_fits(auxiliary, "auxiliary file")
    vocabulary.check_known(auxiliary)
