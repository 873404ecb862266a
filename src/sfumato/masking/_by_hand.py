"""Steps by hand: maskings that were chosen one by one, which can be taken back, and columns that nothing may touch."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from sfumato.core import DataError, Parameter, ParameterError
from sfumato.data import Table
from sfumato.masking._chain import Chain, make_masking
from sfumato.masking._contract import Masking

HELP = {
    "first": "steps to do before anything is searched for, such as 'recoding(…) + top_bottom_coding(…)'; may be repeated",
    "fixed": "columns that nothing may change",
    "undone": "steps that were taken back and may be done again; they change nothing",
}


@dataclass(frozen=True)
class ByHand:
    """What a steward does to a file before a search does the rest.

    `first` are the steps in their order, `undone` those that were taken back, the last one first, and `fixed` the
    columns that neither a step nor a search may change. In a job each is an option of its own, and so in study files.

    >>> hand = ByHand().added("rounding(base=5, attributes=[age])").added("removal(attributes=[town])")
    >>> str(hand.undo().masking), str(hand.undo().redo() == hand)
    ('rounding (base = 5.0, attributes = age)', 'True')
    """

    first: tuple[Masking, ...] = ()
    fixed: tuple[str, ...] = ()
    undone: tuple[Masking, ...] = ()

    noun: ClassVar[str] = "steps such as first = ['rounding(base=5)'] and columns that stay fixed"

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", _singles(self.first))
        object.__setattr__(self, "undone", _singles(self.undone))
        object.__setattr__(self, "fixed", tuple(dict.fromkeys(self.fixed)))
        for number, step in enumerate(self.first, start=1):
            self._check_fixed(number, step, step.named)

    def __bool__(self) -> bool:
        """Whether it changes anything."""
        return bool(self.first or self.fixed)

    @property
    def masking(self) -> Masking | None:
        """All steps as one masking; none where there is no step."""
        return None if not self.first else self.first[0] if len(self.first) == 1 else Chain(self.first)

    def then(self, masking: Masking) -> Masking:
        """The steps, and after them a masking."""
        return masking if not self.first else Chain((*self.first, *masking.sequence))

    def on(self, table: Table) -> Self:
        """The same steps, each with the columns that it takes of a table, whatever keys are looked at after that."""
        return replace(self, first=tuple(replace(one, attributes=one.targets(table)) for one in self.first))

    def added(self, step: Any) -> Self:
        """With one more step, or several; what was undone before cannot be done again then."""
        return replace(self, first=(*self.first, *make_masking(step).sequence), undone=())

    def undo(self) -> Self:
        """Without the last step, which is kept to be done again."""
        if not self.first:
            raise ParameterError("There is no step to undo.")
        return replace(self, first=self.first[:-1], undone=(self.first[-1], *self.undone))

    def redo(self) -> Self:
        """With the step that was undone last."""
        if not self.undone:
            raise ParameterError("There is no step to do again.")
        return replace(self, first=(*self.first, self.undone[0]), undone=self.undone[1:])

    def fixing(self, names: Iterable[str]) -> Self:
        """With further columns that nothing may change."""
        return replace(self, fixed=(*self.fixed, *names))

    def freeing(self, names: Iterable[str]) -> Self:
        """With columns that may be changed again."""
        free = tuple(names)
        for name in free:
            if name not in self.fixed:
                raise ParameterError(f"Column {name} is not fixed.")
        return replace(self, fixed=tuple(name for name in self.fixed if name not in free))

    def within(self, names: Collection[str]) -> Self:
        """Without the fixed columns that a table does not have: what is not released is not changed either."""
        return replace(self, fixed=tuple(name for name in self.fixed if name in names))

    def check(self, table: Table) -> None:
        """Refuse fixed columns that there are not, and steps that take a fixed one, also where they do not name it."""
        for name in self.fixed:
            table.schema[name]
        for number, step in enumerate(self.first if self.fixed else (), start=1):
            self._check_fixed(number, step, step.targets(table))

    def check_untouched(self, masking: Masking, table: Table) -> None:
        """Refuse a masking that was given and takes a column that is fixed."""
        for name in masking.targets(table) if self.fixed else ():
            if name in self.fixed:
                raise DataError(
                    f"Column {name} is fixed, and {masking.name} takes it; name the columns to mask."
                )

    def _check_fixed(self, number: int, step: Masking, names: Iterable[str]) -> None:
        for name in names:
            if name in self.fixed:
                raise ParameterError(
                    f"Step {number} ({step.name}) changes column {name}, which is fixed; take back one or the other."
                )

    @classmethod
    def convert(cls, value: Any) -> Self:
        """Steps by hand from a mapping, from one masking or a list of them, or as they are."""
        if isinstance(value, cls):
            return value
        return cls(**value) if isinstance(value, Mapping) else cls(first=tuple(_listed(value)))

    @classmethod
    def further(cls, owner: Any, parameter: Parameter, settings: Mapping[str, Any]) -> dict[str, Parameter]:
        """The options that it is spread over."""
        return {option.key: option for option in OPTIONS}

    @classmethod
    def folded(cls, owner: Any, parameter: Parameter, settings: Mapping[str, Any]) -> Self | None:
        """Steps from their options, each a text, a method or a list of those."""
        given = {option.name: settings[option.key] for option in OPTIONS if option.key in settings}
        known = {option.name: option for option in OPTIONS}
        read = {name: known[name].checked(owner.name, _listed(value)) for name, value in given.items()}
        return cls(**read) if read else None

    @classmethod
    def unfolded(cls, parameter: Parameter, value: Self) -> dict[str, Any]:
        found = {option.key: option.plain(getattr(value, option.name)) for option in OPTIONS}
        return {key: listed for key, listed in found.items() if listed}

    @staticmethod
    def option_keys() -> tuple[str, ...]:
        """The names of its options."""
        return tuple(option.key for option in OPTIONS)

    def settings(self) -> dict[str, list[str]]:
        """The options that make it again."""
        return self.unfolded(OPTIONS[0], self)


def _option(name: str, kind: Any, word: str) -> Parameter:
    return Parameter(
        name=name, type=kind, repeated=True, optional=False, default=(), help=HELP[name], word=word
    )


OPTIONS = (
    _option("first", Masking, "STEP"),
    _option("fixed", str, "COLUMN"),
    _option("undone", Masking, "STEP"),
)


def _singles(steps: Iterable[Any]) -> tuple[Masking, ...]:
    return tuple(single for step in steps for single in make_masking(step).sequence)


def _listed(value: Any) -> list[Any]:
    """One of something as a list of it."""
    return list(value) if isinstance(value, list | tuple) else [value]


NOTHING = ByHand()
"""No step, and no column that is fixed."""
