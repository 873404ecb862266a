"""Bring a file and a third-party file to the same attributes and values."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

from sfumato.core import FileError, param, progress
from sfumato.data import WRITABLE, Source, Table, schema_beside
from sfumato.groups.harmonised_files import SIDES, Harmonisation, Harmonised, harmonise
from sfumato.jobs._contents import Content
from sfumato.jobs._job import Listing, Outcome
from sfumato.jobs._paths import output_file, same_file
from sfumato.jobs._reading import Reading
from sfumato.jobs._work import Work
from sfumato.jobs.groups._group import ThirdParty

HEADINGS = ("Attribute", ">Microfile", ">Auxiliary file")


class GroupsHarmonise(ThirdParty, Reading):
    """Merge columns and values of FILE and of a third-party file, and drop records outside given ranges.

    The spec is a TOML file with a table [attributes.NAME] for each attribute of the outcome: from (columns),
    values (new = [old, …]), otherwise, range = [low, high], scale, optional.

    >>> GroupsHarmonise(file="survey.csv", auxiliary="census.csv", rules="rules.toml").spec()
    {'job': 'groups harmonise', 'spec': 'rules.toml', 'auxiliary': 'census.csv', 'file': 'survey.csv'}

    >>> import pandas as pd
    >>> import sfumato
    >>> from sfumato.groups.harmonisation import Harmonisation
    >>> rules = Harmonisation.from_toml("[attributes.age]\\nrange = [18, 45]")
    >>> people = pd.DataFrame({"age": [17, 30, 44, 80], "sex": ["f", "m", "f", "m"]})
    >>> survey, census = sfumato.group_harmonise(people, people[:2], rules=rules).tables
    >>> survey.n, census.n
    (2, 1)
    """

    data: ClassVar[tuple[str, ...]] = ("file", "auxiliary")

    rules: Path | None = param(
        default=None, option="spec", word="FILE.toml", help="how each attribute is made", needed=True
    )
    output: Path | None = output_file(
        "where to write the harmonised file; its suffix says the format", WRITABLE
    )
    auxiliary_output: Path | None = param(
        default=None,
        word="OUT",
        help="where to write the harmonised auxiliary file",
        needed=True,
        writes=True,
        suffixes=WRITABLE,
    )

    def targets(self) -> dict[str, Path]:
        if self.output is None or self.auxiliary_output is None:
            return {}
        return {
            "output": self.output,
            "schema": schema_beside(self.output),
            "auxiliary_output": self.auxiliary_output,
            "auxiliary_schema": schema_beside(self.auxiliary_output),
        }

    def check_files(self) -> None:
        super().check_files()
        targets = list(self.targets().values())
        for one, other in zip(targets[:2], targets[2:], strict=True):
            if same_file(one, other):
                raise FileError(f"Output {one}: the two files need names of their own.")

    def read(self, work: Work, **given: Any) -> tuple[Any, ...]:
        (microfile,) = super().read(work, **given)
        return microfile, self.read_auxiliary(work, given), given.get("rules", self.rules)

    def run(
        self, microfile: Source, auxiliary: Source, rules: Path | Harmonisation, *, work: Work
    ) -> "HarmonisedPair":
        tables = microfile.in_memory("harmonising"), auxiliary.in_memory("harmonising")
        first, second = harmonised(*tables, rules)
        return HarmonisedPair(job=self, microfile=first, auxiliary=second)


class HarmonisedPair(Outcome):
    """A file and a third-party file with the same attributes, and how many records each lost."""

    microfile: Harmonised = field(repr=False)
    auxiliary: Harmonised = field(repr=False)

    @property
    def tables(self) -> tuple[Table, Table]:
        return self.microfile.table, self.auxiliary.table

    def contents(self) -> Mapping[str, Content]:
        first, second = self.tables
        return {
            "output": first,
            "schema": first.schema.to_toml(),
            "auxiliary_output": second,
            "auxiliary_schema": second.schema.to_toml(),
        }

    def told(self) -> Iterator[Listing]:
        both = self.microfile, self.auxiliary
        names = dict.fromkeys([*both[0].dropped, *both[1].dropped])
        rows = [(name, *(str(found.dropped.get(name, "")) for found in both)) for name in names]
        rows.append(("records kept", *(str(found.table.n) for found in both)))
        yield Listing("Records left out, by the first attribute that was not acceptable", HEADINGS, rows)

    def to_dict(self) -> dict[str, Any]:
        """How many records are gone, by the first attribute that was not acceptable."""
        return {
            **self.heading(),
            "microfile": self.microfile.dropped,
            "auxiliary": self.auxiliary.dropped,
        }


def harmonised(
    microfile: Table, auxiliary: Table, rules: Path | Harmonisation
) -> tuple[Harmonised, Harmonised]:
    """Both files by the rules of a harmonisation; says how many records were left out."""
    spec = rules if isinstance(rules, Harmonisation) else Harmonisation.read(rules)
    both = harmonise(microfile, auxiliary, spec)
    for side, found in zip(SIDES, both, strict=True):
        gone = sum(found.dropped.values())
        if gone:
            progress.note(
                f"{side}: {gone:,} of {found.records:,} records lie outside what the harmonisation accepts."
            )
    return both
