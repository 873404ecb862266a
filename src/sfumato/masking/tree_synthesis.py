"""Tree synthesis: each column is drawn from records that a tree finds alike in the columns before it."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, param
from sfumato.masking._synthesis import Synthesis
from sfumato.masking.synthesis.deck import Deck
from sfumato.masking.synthesis.trees import drawn_by_trees

FOR_USERS = Advice(
    done="No record of the file is that of a person: records were drawn anew so that they show the same relations.",
    effect="Distributions of single variables are nearly exact, and relations about as close as in another sample of the "
    "population; a single record means nothing.",
    remedy="Analyse it as any survey of this size, confirm what rests on few records with the producer of the file, and "
    "read nothing from a record.",
)


class TreeSynthesis(Synthesis):
    """New records are made column by column; the first column is dealt out at random.

    For each next one a regression or classification tree is grown that tells it by the columns before, in an order that
    is drawn; a new record falls into a leaf by what it has so far, and gets the value of one of the original records
    there. Each record gives its value once, so that the distribution of each column is exact; where more new records
    come to a leaf than records are in it, values of other leaves go round by their order.

    The fewer records a leaf may hold, the closer relations are kept, and the more a released record tells of those it was
    drawn from: with the usual 5, intruders tell who was in the file; with 160 they hardly do.

    All scales and roles are taken, identifiers excepted. Columns that others determine (a density by its
    area, a total by its parts) are made again from these. A number that only one person has is drawn anew between
    its neighbours. Missing values, and each code for them, are values like others. Strata are columns like others.

    Where a column has the role household, households are drawn whole, in as many of each size, and their numbers are dealt
    out anew. What all members share (in every household, or as a rule declares) is dealt out to households, among those of the
    same size, so that as many people have each value; sizes of fewer than ten households are taken together. All else is dealt
    out to reference persons (the first by number, else the eldest, else the first in the file), given what their household
    shares and its size, and then to second and to other members, given also what the reference person got. Somebody whose
    household is missing lives alone.

    No new record breaks a rule of the schema: a total is made from its parts, and records swap values until all rules hold; where
    no swap helps, one record gives all that the rule is about, or a value is missing.

    Source: Reiter (2005) and Nowok, Raab & Dibben (2016) for sequential trees; drawing without replacement is ours.

    >>> from sfumato.datasets import household_survey
    >>> people = household_survey(200, seed=1)
    >>> new = TreeSynthesis().apply(people, np.random.default_rng(0))
    >>> sorted(new["sex"]) == sorted(people["sex"])
    True
    """

    for_users: ClassVar[Advice] = FOR_USERS
    grid: ClassVar = {"leaf": (160,)}

    leaf: int = param(default=160, low=1, help="records in a leaf of a tree at the least")

    def donors(self, deck: Deck, rng: np.random.Generator) -> np.ndarray:
        placed = deck.placed(rng)
        donors = drawn_by_trees(
            deck.table, deck.names, deck.given, self.leaf, rng, placed=placed, blocks=deck.blocks
        )
        return donors[:, : len(deck.free)]
