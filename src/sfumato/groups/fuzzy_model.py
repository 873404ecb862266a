"""The fuzzy model of a group: rules that say, for each record, how much it belongs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.core import DataError, FileError, ParameterError, Result
from sfumato.core.json_text import parsed_json
from sfumato.core.regular_files import small_text
from sfumato.data import Table
from sfumato.groups.linguistic_variables import ANY, Vocabulary
from sfumato.groups.signals import Group, Signal
from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.fuzzy_rules import general_rules, record_grades
from sfumato.parallel.threads import in_blocks

ALPHA = 0.5  # a grade that is just as high counts, in sums of grades as in numbers of records
BLOCK = 1 << 15  # records

Rule = tuple[int, ...]


@dataclass(frozen=True)
class Encoded:
    """The memberships of all records, by pattern: records of a pattern belong to the words of a variable alike.

    `codes[i, j]` is the pattern of record i in variable j; `tables[j]` has a row for each pattern and a column
    for each value of the variable, "any" first.
    """

    codes: np.ndarray
    tables: tuple[np.ndarray, ...]

    @property
    def flat(self) -> np.ndarray:
        """All tables in a row."""
        return np.concatenate([table.ravel() for table in self.tables])

    @property
    def starts(self) -> np.ndarray:
        """Where each table begins."""
        return np.cumsum([0, *(table.size for table in self.tables)])[:-1]

    @property
    def sizes(self) -> np.ndarray:
        """How many values each variable has."""
        return np.array([table.shape[1] for table in self.tables])


class FuzzyModel(Result):
    """Fuzzy rules about a group, over a vocabulary.

    A rule is a vector with one value per variable, 0 for "any". A record is compatible with it to the product
    of its memberships in these values, and not at all where that is below `alpha`; its grade in the group is
    the largest compatibility with any rule.

    Source: Tavrov & Chertov, *SpringerPlus* 5 (2016), eqs. 9-13 and 17.
    """

    vocabulary: Vocabulary
    rules: tuple[Rule, ...]
    alpha: float = ALPHA

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ParameterError(f"fuzzy model: alpha must lie between 0 and 1. Got {self.alpha!r}.")
        for rule in self.rules:
            check_rule(rule, self.vocabulary)

    @classmethod
    def read(cls, path: str | Path) -> "FuzzyModel":
        """The model in the record of an attack, or of a protection against one."""
        text = small_text(Path(path), "Model file")
        try:
            record = parsed_json(text)
            told = record.get("model") or record
            rules = [tuple(row["rule"] if isinstance(row, dict) else row) for row in told["rules"]]
            tables, alpha = dict(told["vocabulary"]), float(told["alpha"])
        except (ValueError, TypeError, KeyError, AttributeError):
            raise FileError(f"Model file {path} is not the record of an attack on a group.") from None
        return cls(vocabulary=Vocabulary.from_dict(tables, str(path)), rules=tuple(rules), alpha=alpha)

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(self.vocabulary.sentence(rule) for rule in self.rules)

    def grades(self, table: Table) -> np.ndarray:
        """How much each record belongs to the group, from 0 to 1."""
        return self.grades_of(encoded(table, self.vocabulary))

    def belongs(self, grades: np.ndarray) -> np.ndarray:
        """Who looks like one of the group: every record with a grade, since lower ones than alpha are none."""
        flags: np.ndarray = grades >= self.alpha
        return flags

    def grades_of(self, records: Encoded) -> np.ndarray:
        """The grades of records whose memberships are known."""
        if not self.rules:
            return np.zeros(len(records.codes))
        rules = np.array(self.rules, np.int64)
        flat, starts, sizes = records.flat, records.starts, records.sizes

        def block(start: int, end: int) -> np.ndarray:
            return record_grades(rules, records.codes[start:end], flat, starts, sizes, self.alpha)

        return in_blocks(block, len(records.codes), BLOCK)

    def signal(self, table: Table, group: Group, *, kind: str = "quantity", crisp: bool = False) -> Signal:
        """The auxiliary signal: the grades of each place added up, or its records with a grade of at least alpha."""
        grades = self.grades(table)
        weights = group.weights(table)
        amounts = (self.belongs(grades) if crisp else grades) * weights
        label = f"{'crisp ' if crisp else ''}auxiliary {kind}"
        return group.places(table).signal(amounts, kind=kind, label=label, weights=weights)

    def to_dict(self) -> dict[str, Any]:
        return {
            "alpha": self.alpha,
            "vocabulary": self.vocabulary.to_dict(),
            "rules": [list(rule) for rule in self.rules],
            "sentences": list(self.sentences),
        }

    def _rows(self) -> list[dict[str, Any]]:
        names = self.vocabulary.names
        return [
            {"sentence": sentence, **dict(zip(names, rule, strict=True))}
            for sentence, rule in zip(self.sentences, self.rules, strict=True)
        ]


def encoded(table: Table, vocabulary: Vocabulary, what: str = "table") -> Encoded:
    """The memberships of all records of a table in the words of a vocabulary."""
    vocabulary.check_fits(table, what)
    codes = np.empty((table.n, len(vocabulary.variables)), np.int32)
    tables = []
    for j, variable in enumerate(vocabulary):
        found = distinct([table[variable.attribute]])
        values = table[variable.attribute][found.first]
        memberships = variable.memberships(table.schema[variable.attribute], values)
        patterns, pattern_of = np.unique(memberships, axis=0, return_inverse=True)
        codes[:, j] = pattern_of.ravel()[found.labels]
        tables.append(np.ascontiguousarray(patterns))
    return Encoded(codes, tuple(tables))


def without_special_cases(rules: Sequence[Rule]) -> list[Rule]:
    """Rules that are no special case of another one, the most general first.

    >>> without_special_cases([(1, 2, 0), (1, 0, 0), (0, 2, 1)])
    [(1, 0, 0), (0, 2, 1)]
    """
    if not rules:
        return []
    ordered = sorted(set(rules), key=lambda rule: (len(rule) - rule.count(ANY), rule))
    kept = general_rules(np.array(ordered, np.int64))
    return [rule for rule, general in zip(ordered, kept.tolist(), strict=True) if general]


def check_rule(rule: Sequence[int], vocabulary: Vocabulary) -> None:
    """Refuse a rule that does not speak of the variables, or has a value that one of them has not."""
    if len(rule) != len(vocabulary.variables):
        raise DataError(
            f"A rule must have one value for each of the {len(vocabulary.variables)} variables. Got {len(rule)}."
        )
    for value, variable in zip(rule, vocabulary, strict=True):
        if not 0 <= value <= len(variable.words):
            raise DataError(
                f"A rule must have a value from 0 to {len(variable.words)} for {variable.attribute}. Got {value}."
            )
