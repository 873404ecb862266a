"""Copies: what only one person has is looked for in the release."""

from sfumato.attacks._outside_attack import Comparison, OutsideAttack
from sfumato.attacks.insiders.unique_people import UniquePeople
from sfumato.data import Table


class Copies(OutsideAttack):
    """The intruder looks for a person's whole record, or for a number that only she has, in the release.

    Whoever finds it takes it as proof that the person was in the file. The attack is tried on people whose record,
    or one of whose numbers, nobody else in the file has, and succeeds where one of them stands in the release. The
    control is the same for people outside, among those who have a record or a number that nobody in the file has:
    coincidences are no proof. The guess without the release proves nothing.

    All columns count but identifiers and numbers of households, unless others are named. Records are equal where
    all values are, a missing value being equal to another; a missing number is nobody's own. A recoded category
    counts as a draw from those it covers.

    Source: after the replicated uniques of Raab, Nowok & Dibben (2024), *Practical privacy metrics for synthetic
    data*, with people outside as control.

    >>> import numpy as np
    >>> from sfumato.data import Attribute, Schema
    >>> x = Attribute(name="x", scale="numeric", role="key")
    >>> known = Table(Schema([x]), {"x": [1.0, 2.0, 3.0, 3.0]})
    >>> outside = known.replace({"x": [4.0, 5.0, 6.0, 6.0]})
    >>> result = Copies().run(known, known, np.random.default_rng(0), outside=outside)
    >>> result.attack.value, result.control.value, result.outcomes.tolist()
    (100.0, 0.0, [1.0, 1.0, nan, nan])
    """

    def compared(self, released: Table, known: Table, outside: Table, names: tuple[str, ...]) -> Comparison:
        inside, others = UniquePeople(known.select(names), outside, names).standing(released)
        return Comparison(inside.anything, others.anything, 0.0)
