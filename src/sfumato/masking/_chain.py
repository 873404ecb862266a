"""Chains: several maskings, one after the other, as one."""

import json
from collections.abc import Iterable
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, ParameterError, UnknownNameError, notation, registry
from sfumato.data import SCALES, Scale, Table
from sfumato.masking._contract import Masking, Parts


class Chain(Masking):
    """Maskings applied in order, each to what the one before made.

    Every step has a generator of its own, so that what a step draws does not depend on how many numbers the
    steps before it drew. `attributes` are the columns that its steps name.

    >>> from sfumato.masking import Pram, RankSwapping
    >>> chain = Chain([RankSwapping(p=5), Pram()])
    >>> str(chain)
    'rank_swapping (p = 5.0) then pram'
    >>> chain.spec()
    {'steps': [{'method': 'rank_swapping', 'p': 5.0}, {'method': 'pram'}]}
    >>> make_masking(chain.spec()) == chain
    True
    """

    name: ClassVar[str] = "chain"

    steps: tuple[Masking, ...] = field(init=False)

    def __init__(self, steps: Iterable[Masking]) -> None:
        steps = tuple(steps)
        for step in steps:
            if not isinstance(step, Masking):
                raise ParameterError(f"chain: each step must be a masking. Got {type(step).__name__}.")
        if not steps:
            raise ParameterError("chain: steps must hold at least one masking. Got none.")
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "attributes", _distinct(step.named for step in steps))

    def __repr__(self) -> str:
        return f"Chain(steps={self.steps!r})"

    def __str__(self) -> str:
        return " then ".join(map(str, self.steps))

    @property
    def keeps_records(self) -> bool:  # type: ignore[override]  # each class knows, but for a chain
        return all(step.keeps_records for step in self.steps)

    @property
    def of_people(self) -> bool:  # type: ignore[override]
        return all(step.of_people for step in self.steps)

    @property
    def only_coarsens(self) -> bool:  # type: ignore[override]
        return all(step.only_coarsens for step in self.steps)

    @property
    def taken(self) -> tuple[Scale, ...]:
        return tuple(scale for scale in SCALES if any(scale in step.taken for step in self.steps))

    @property
    def parted(self) -> Parts:
        """How a file can be parted for all steps: step by step where they differ, "none" where one cannot."""
        ways = {step.parted for step in self.steps}
        return "none" if "none" in ways else max(ways, key=("records", "ranks", "neighbours").index)

    @property
    def sequence(self) -> tuple[Masking, ...]:
        return tuple(single for step in self.steps for single in step.sequence)

    def targets(self, table: Table) -> tuple[str, ...]:
        return _distinct(step.targets(table) for step in self.steps)

    def leaves_out(self, table: Table) -> tuple[str, ...]:
        return _distinct(step.leaves_out(table) for step in self.steps)

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        return self.traced(table, rng)[0]

    def applied(self, table: Table, rng: np.random.Generator) -> Table:
        return self.traced(table, rng)[0]

    def traced(self, table: Table, rng: np.random.Generator) -> tuple[Table, np.ndarray]:
        rows = np.arange(table.n)
        generators = rng.spawn(len(self.steps))
        for number, (step, generator) in enumerate(zip(self.steps, generators, strict=True), start=1):
            try:
                table, stayed = step.traced(table, generator)
            except DataError as error:
                raise DataError(f"Step {number}: {error}") from None
            rows = rows[stayed]
        return table, rows

    def plain(self) -> str:
        return " + ".join(step.plain() for step in self.steps)

    def spec(self) -> dict[str, Any]:
        return {"steps": [step.spec() for step in self.steps]}

    def keyed_by(self) -> dict[str, Any]:
        return {"steps": [step.keyed_by() for step in self.steps]}


def make_masking(spec: Any) -> Masking:
    """The masking that a spec describes: a text, a table with the key 'method' or 'steps', or a list of those.

    A text is a name with or without parameters, several of these with + between them, or JSON.

    >>> make_masking("mdav")
    Mdav()
    >>> make_masking([{"method": "mdav", "k": 3}, "pram"])
    Chain(steps=(Mdav(k=3), Pram()))
    >>> make_masking("mdav(k=3) + pram")
    Chain(steps=(Mdav(k=3), Pram()))
    """
    if isinstance(spec, str):
        spec = _read(spec)
    if isinstance(spec, dict) and "steps" in spec:
        for key in spec:
            if key != "steps":
                raise UnknownNameError("key beside steps", str(key), ["steps"])
        spec = spec["steps"]
        if not isinstance(spec, list | tuple):
            raise DataError(f"The steps of a chain must be a list of maskings. Got {type(spec).__name__}.")
    if isinstance(spec, list | tuple):
        return Chain(make_masking(step) for step in spec)
    made = registry.make("masking", spec)
    if not isinstance(made, Masking):
        raise DataError(f"A masking must be given. Got the method {made.name}.")
    return made


def _distinct(names: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for some in names for name in some))


def _read(text: str) -> Any:
    """The spec that a text stands for: JSON, one method, or several with + between them."""
    if text.lstrip().startswith(("{", "[")):
        try:
            return json.loads(text)
        except ValueError as error:
            raise ParameterError(f"A masking is given as JSON, which this is not ({error}).") from None
    steps = notation.pieces(text, "+")
    return registry.make("masking", text) if len(steps) == 1 else steps
