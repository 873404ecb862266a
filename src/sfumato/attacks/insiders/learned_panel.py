"""What is learned about people inside a file and people outside it, beside what chance makes of the two."""

from typing import NamedTuple

import numpy as np

from sfumato.attacks.insiders.inference import by_model, by_nearest
from sfumato.attacks.insiders.nearness import NearnessSpace
from sfumato.attacks.insiders.people import MOST_PEOPLE, in_order, some_rows, sorting, together
from sfumato.attacks.insiders.targets import Target
from sfumato.core import stream
from sfumato.data import Table
from sfumato.data.shared_terms import in_terms_of

ATTACKERS = ("nearest", "model")
MOST_CONTROLS = 100_000  # originals that people are inferred from
MOST_COMPARED = (
    5_000_000_000  # pairs of people and released records, over all questions; beyond, fewer are asked
)
FEWEST_PEOPLE = 200


class Sides(NamedTuple):
    """A number for each person asked about, inside and outside."""

    inside: np.ndarray
    outside: np.ndarray


class Learned(NamedTuple):
    """How an attacker did with a target: what was right by the release, and by originals without themselves."""

    release: Sides
    control: Sides
    weights: Sides

    def of(self, half: int) -> "Learned":
        """The same for every second person."""
        return Learned(*(Sides(*(numbers[half::2] for numbers in sides)) for sides in self))

    @property
    def gains(self) -> Sides:
        """What each person adds to the difference between her side and its control."""
        triples = zip(self.release, self.control, self.weights, strict=True)
        return Sides(*(_gain(release, control, weights) for release, control, weights in triples))

    @property
    def above(self) -> float:
        """How much better people inside are inferred than people outside, above the same of the control."""
        gains = self.gains
        return float(_mean(gains.inside) - _mean(gains.outside))


class LearnedPanel:
    """Knows the original and people outside; infers targets from releases.

    The control infers people inside from that half of the original which does not hold them, and people outside from
    both halves. `inside_rows` are the records of the original that are asked about.
    """

    def __init__(
        self, original: Table, outside: Table, known: tuple[str, ...], targets: tuple[str, ...]
    ) -> None:
        rng = stream(0, "learned")
        self.schema, self.known = original.schema, known
        self.names = tuple(dict.fromkeys((*known, *targets)))
        order = sorting(original, self.names)
        original, outside = original.select(self.names).take(order), in_order(outside, self.names)
        everybody = together(original, outside)
        self.targets = [Target(everybody, name) for name in targets]
        self.space = NearnessSpace(everybody, known)
        most = _most_people(original.n, len({name if name in known else "" for name in targets}))
        asked = some_rows(original.n, most, rng)
        self.inside_rows, self.inside = order[asked], len(asked)
        self.people = together(original.take(asked), outside.take(some_rows(outside.n, most, rng)))
        self.truths = [target.standings(self.people) for target in self.targets]
        self.weights = [
            self._sides(target.weights(truths))
            for target, truths in zip(self.targets, self.truths, strict=True)
        ]
        rows = np.union1d(asked, some_rows(original.n, MOST_CONTROLS, rng))
        half = rng.permutation(len(rows)) % 2
        self.control = self._control(original.take(rows), half, half[np.searchsorted(rows, asked)])

    def learned(self, released: Table) -> dict[str, dict[str, Learned]]:
        """How each attacker did with each target, by the names of both, the target's first."""
        rng = stream(0, "learned", "terms")
        released = in_terms_of(self.schema, in_order(released, self.names), self.names, rng)
        found = self._right(released)
        return {
            target.name: {
                attacker: Learned(found[attacker][j], self.control[attacker][j], self.weights[j])
                for attacker in ATTACKERS
            }
            for j, target in enumerate(self.targets)
        }

    def _control(self, records: Table, half: np.ndarray, own: np.ndarray) -> dict[str, list[Sides]]:
        """By originals of which each is in one half; `own` is that of the people asked about."""
        first, second = (self._right(records.take(np.flatnonzero(half == h))) for h in (0, 1))
        return {
            attacker: [
                Sides(np.where(own == 0, b.inside, a.inside), (a.outside + b.outside) / 2)
                for a, b in zip(first[attacker], second[attacker], strict=True)
            ]
            for attacker in ATTACKERS
        }

    def _right(self, file: Table) -> dict[str, list[Sides]]:
        """What each attacker infers rightly from a file, by target."""
        guesses = {
            "nearest": by_nearest(self.space, file, self.targets, self.people),
            "model": by_model(self.known, file, self.targets, self.people),
        }
        return {
            attacker: [
                self._sides(target.right(guess, truths))
                for target, guess, truths in zip(self.targets, found, self.truths, strict=True)
            ]
            for attacker, found in guesses.items()
        }

    def _sides(self, numbers: np.ndarray) -> Sides:
        return Sides(numbers[: self.inside], numbers[self.inside :])


def _most_people(n: int, questions: int) -> int:
    """How many people on either side may be compared with n released records so many times."""
    return int(np.clip(MOST_COMPARED // max(2 * n * questions, 1), FEWEST_PEOPLE, MOST_PEOPLE))


def better_attacker(learned: dict[str, Learned]) -> Learned:
    """For one half of the people the attacker who did better with the other half, and the other way round.

    So nobody is judged by an attacker whom luck with her has chosen, and where nothing leaks, chance adds nothing.
    """
    attackers = list(learned.values())
    chosen = [max(attackers, key=lambda one: one.of(1 - half).above) for half in (0, 1)]
    return Learned(*(_alternating(*sides) for sides in zip(*chosen, strict=True)))


def _gain(release: np.ndarray, control: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(release − control) by weights of mean 1; NaN where there was nothing to infer."""
    counted = weights > 0
    gains = np.full(len(weights), np.nan)
    if counted.any():
        gains[counted] = ((release - control) * weights)[counted] / weights[counted].mean()
    return gains


def _mean(gains: np.ndarray) -> float:
    counted = gains[~np.isnan(gains)]
    return float(counted.mean()) if len(counted) else 0.0


def _alternating(even: Sides, odd: Sides) -> Sides:
    """Every second person from either."""
    return Sides(*(np.where(np.arange(len(a)) % 2 == 0, a, b) for a, b in zip(even, odd, strict=True)))
