"""Policies: what an office requires of every file that it releases, as a small TOML file."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from sfumato.core import DataError, GateError, SfumatoError, UnknownNameError
from sfumato.core.regular_files import small_text
from sfumato.core.toml_text import parsed_toml
from sfumato.data import Schema
from sfumato.data.declarations import Scenario, declared_scenarios
from sfumato.masking import Masking
from sfumato.search.maskings.gates import Gate
from sfumato.search.maskings.policy_files import SUFFIX, policy_file, policy_names
from sfumato.search.maskings.scenario_gates import scenario_gates


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


class Policy:
    """Requirements, intruders, and which methods an office accepts. Immutable.

    `changed_values` says whether values may be changed, or only be made coarser or empty; `coincidences` whether a
    synthetic record may by chance be that of a person who is unique; `codes` whether released categories must be those
    of the original. Under `balance` nothing is required, and loss is weighed against risk.

    >>> Policy.named("public")
    Policy('public')
    >>> Policy.named("public").gates[0].in_words
    'an intruder finds at most 1 person in 100'
    """

    def __init__(self, name: str, rules: Rules, scenarios: dict[str, Scenario]) -> None:
        self.name, self.rules, self.scenarios = name, rules, scenarios

    def __repr__(self) -> str:
        return f"Policy({self.name!r})"

    @property
    def title(self) -> str:
        return self.rules.title or self.name

    @property
    def about(self) -> str:
        return self.rules.about

    @cached_property
    def gates(self) -> tuple[Gate, ...]:
        """What it requires of every file; what its intruders must not reach is said by `scenario_gates`."""
        return tuple(map(Gate.parse, self.rules.require))

    def sentences(self) -> Iterator[str]:
        """What it asks, in words, one sentence each."""
        for gate in self.gates:
            yield f"{gate.in_words[0].upper()}{gate.in_words[1:]}."
        for label, scenario in self.scenarios.items():
            for gate in scenario_gates(label, scenario):
                yield f"{gate.in_words[0].upper()}{gate.in_words[1:]}."
        yield from self._method_sentences()
        if self.rules.codes == "original":
            yield "Released categories are those of the original."
        if self.rules.balance:
            yield "Loss and risk are balanced."

    def accepts(self, masking: Masking) -> bool:
        """Whether its methods are among those that the office accepts."""
        if not self.rules.changed_values and not masking.only_coarsens:
            return False
        return self.rules.coincidences or not any(map(_coincides, masking.sequence))

    def check(self, masking: Masking) -> None:
        """Refuse a masking that is not accepted."""
        if not self.accepts(masking):
            broken = next(self._method_sentences())
            raise GateError(f"Policy {self.name}: {broken} {masking} is not accepted; nothing was written.")

    def _method_sentences(self) -> Iterator[str]:
        if not self.rules.changed_values:
            yield "No value is changed: values are made coarser or empty."
        if not self.rules.coincidences:
            yield "No released record is, even by chance, that of a person who is unique."

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "title": self.title, "words": list(self.sentences())}

    def without_balance(self) -> "Policy":
        """The same, where other requirements decide."""
        return Policy(self.name, msgspec.structs.replace(self.rules, balance=False), self.scenarios)

    def declared_in(self, schema: Schema) -> Schema:
        """The schema with the intruders of the policy beside its own."""
        for label, scenario in self.scenarios.items():
            if label in schema.scenarios:
                raise DataError(f"Policy {self.name}: the schema has a scenario {label} too; rename one.")
            for column in scenario.columns:
                if column not in schema:
                    raise DataError(
                        f"Policy {self.name}, [scenarios.{label}]: {UnknownNameError('column', column, schema.names)}"
                    )
        return schema.with_scenarios({**schema.scenarios, **self.scenarios}) if self.scenarios else schema

    @classmethod
    def named(cls, name: str) -> "Policy":
        """A policy of this package by its name, or one from a file that ends in .toml."""
        if name.endswith(SUFFIX):
            return cls.read(Path(name))
        if name not in policy_names():
            raise UnknownNameError("policy", name, [*policy_names(), f"FILE{SUFFIX}"], listed=True)
        return cls.read(policy_file(name), name=name)

    @classmethod
    def read(cls, path: Path, name: str = "") -> "Policy":
        """A policy from its file; what is wrong in it is said before anything is tried."""
        source = str(path)
        tables = parsed_toml(small_text(path, "Policy file"), source)
        try:
            rules = msgspec.convert(tables, Rules)
        except msgspec.ValidationError as error:
            raise DataError(f"{source}: {error}.") from None
        found = cls(name or path.stem, rules, declared_scenarios(rules.scenarios, source))
        try:
            list(found.sentences())
        except SfumatoError as error:
            raise DataError(f"{source}: {error}") from None
        return found


def _coincides(step: Masking) -> bool:
    """Whether records that are nobody's may be those of a person by chance."""
    return not step.of_people and bool(getattr(step, "coincidences", True))
