"""What a release must meet: what was required, what a policy adds, and what each declared intruder must not reach."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sfumato.core import progress
from sfumato.data import Role, Schema
from sfumato.jobs._rehearsal import FOLDS
from sfumato.measures import Measure
from sfumato.measures.people_found import PeopleFound
from sfumato.search.maskings.gates import Gate
from sfumato.search.maskings.policy import Policy
from sfumato.search.maskings.scenario_gates import gates_of_scenarios

if TYPE_CHECKING:
    from sfumato.jobs.protect import Protect  # which asks for them

USUAL = "scientific"
NONE = "none"
ENOUGH = 100  # people outside; with fewer chance decides what is learned of those inside


@dataclass(frozen=True)
class Terms:
    """The policy that holds, and all requirements with who asks for each: the user, the policy or a scenario."""

    policy: Policy
    origins: dict[Gate, str]
    by_default: bool = False

    @property
    def gates(self) -> tuple[Gate, ...]:
        return tuple(self.origins)

    @cached_property
    def quick(self) -> tuple[Gate, ...]:
        """What is read of every candidate."""
        return tuple(gate for gate in self.gates if not gate.is_dear)

    @cached_property
    def dear(self) -> tuple[Gate, ...]:
        """What takes long, and is asked of those that lose least: the quicker of them first."""
        return tuple(sorted((gate for gate in self.gates if gate.is_dear), key=_is_panel))

    @property
    def measures(self) -> list[Measure]:
        """What every candidate is judged by."""
        return [gate.measure for gate in self.quick] + [one for one in map(stand_in, self.dear) if one]

    @property
    def leads(self) -> bool:
        """Whether requirements decide first, and then the least loss; else loss and risk are balanced."""
        return bool(self.origins) and not self.policy.rules.balance

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.policy.to_dict(),
            "requirements": [
                {"gate": str(gate), "from": origin, "words": gate.in_words}
                for gate, origin in self.origins.items()
            ],
        }

    def possible(self, records: int, rehearsals: int) -> "Terms":
        """Without what cannot be judged here, if nobody asked for it by name."""
        unasked = f"policy {self.policy.name}"
        outside = [g for g, origin in self.origins.items() if g.with_people_outside and origin == unasked]
        others = records // FOLDS if rehearsals else 0
        if not self.by_default or not outside or others >= ENOUGH:
            return self
        named = ", ".join(map(str, outside))
        few = f"{others} people outside are too few" if others else "nobody is outside"
        progress.note(f"not required, since {few} to judge it by: {named}.")
        kept = {gate: origin for gate, origin in self.origins.items() if gate not in outside}
        return replace(self, origins=kept)


def terms_of(job: "Protect", schema: Schema) -> Terms:
    """What the release of a job must meet.

    A policy that is named adds to what is required. Where none is named, requirements stand in its place; the usual
    policy holds where nothing is required, the verdict decides, and there is a choice to make.
    """
    scenarios = gates_of_scenarios(schema)
    asked = dict.fromkeys(job.require, "required")
    asked |= {gate: f"scenario {label}" for label, gates in scenarios.items() for gate in gates}
    policy = Policy.named(job.policy or (NONE if asked else job.usual_policy))
    origins = dict.fromkeys(policy.gates, f"policy {policy.name}") | asked
    if not job.policy and asked:  # nothing but what was asked for
        policy = policy.without_balance()
    return Terms(policy=policy, origins=origins, by_default=not job.policy)


def with_intruders(job: "Protect", schema: Schema) -> Schema:
    """The schema with the intruders of the policy; what an intruder knows of whom something is required is a key."""
    found = Policy.named(job.policy).declared_in(schema) if job.policy else schema
    known = [name for one in found.scenarios.values() if one.require for name in one.columns]
    others = [name for name in dict.fromkeys(known) if found[name].role == "other"]
    if others:
        progress.note(f"taken for keys, since an intruder knows them: {', '.join(others)}.")
    roles: dict[str, Role] = dict.fromkeys(others, "key")
    return found.with_roles(roles)


def stand_in(gate: Gate) -> Measure | None:
    """A quick measure by which a candidate can be seen to fail: what the nearest record finds, an intruder does."""
    measure = gate.measure
    if isinstance(measure, PeopleFound) and not gate.part and not gate.wants_more:
        return replace(measure, panel="nearest")
    return None


def _is_panel(gate: Gate) -> bool:
    return isinstance(gate.measure, PeopleFound)
