"""When a search ends: after so many generations or seconds, at a target, or when nothing moves any more."""

from dataclasses import dataclass

from sfumato.core import ParameterError


@dataclass(frozen=True)
class Progress:
    """How far a search is."""

    generation: int
    seconds: float
    best: float
    unchanged: int


@dataclass(frozen=True)
class Stop:
    """Rules of which the first that holds ends a search; one that is None never does.

    `stagnation` counts generations in which the best score did not fall.

    >>> stop = Stop(generations=1000, target=5.0)
    >>> stop.reason(Progress(generation=40, seconds=1.0, best=4.9, unchanged=0))
    'the target was reached'
    >>> stop.share(Progress(generation=40, seconds=1.0, best=6.0, unchanged=0))
    0.04
    """

    generations: int | None = None
    seconds: float | None = None
    target: float | None = None
    stagnation: int | None = None

    def __post_init__(self) -> None:
        for name in ("generations", "seconds", "stagnation"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ParameterError(f"stop: {name} must be greater than 0. Got {value}.")
        if self.generations is None and self.seconds is None and self.stagnation is None:
            raise ParameterError("stop: give generations, seconds or stagnation; a target may never be met.")

    def reason(self, now: Progress) -> str:
        """Why the search ends now; empty if it goes on."""
        if self.target is not None and now.best <= self.target:
            return "the target was reached"
        if self.generations is not None and now.generation >= self.generations:
            return f"{self.generations} generations were made"
        if self.seconds is not None and now.seconds >= self.seconds:
            return f"{self.seconds:g} seconds were over"
        if self.stagnation is not None and now.unchanged >= self.stagnation:
            return f"the best score did not fall for {self.stagnation} generations"
        return ""

    def share(self, now: Progress) -> float:
        """How much of the way is done, from 0 to 1."""
        ways = [
            (now.generation, self.generations),
            (now.seconds, self.seconds),
            (now.unchanged, self.stagnation),
        ]
        return min(1.0, max(done / whole for done, whole in ways if whole is not None))
