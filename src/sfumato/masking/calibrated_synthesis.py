"""Calibrated synthesis: records of nobody, brought to the original's tables and products wherever many people stand behind them."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, DataError, Promise, param
from sfumato.data import Table
from sfumato.masking._contract import Parts
from sfumato.masking._parts import Whole
from sfumato.masking._synthesis import Synthesis
from sfumato.masking.synthesis.calibrated_deal import CalibratedDeal
from sfumato.masking.synthesis.calibration import Calibration
from sfumato.masking.synthesis.columns import columns_of
from sfumato.masking.synthesis.deck import Deck
from sfumato.masking.synthesis.formal_questions import FormalQuestions
from sfumato.masking.synthesis.formal_records import formal_table
from sfumato.masking.synthesis.privacy_budget import total_rho
from sfumato.masking.synthesis.public_cells import PublicCells
from sfumato.masking.synthesis.rule_bans import banned_by_rules
from sfumato.masking.synthesis.targets import Targets
from sfumato.masking.synthesis.trees import drawn_by_trees
from sfumato.masking.tree_synthesis import FOR_USERS

WITH_NOISE = Advice(
    done="No record of the file is that of a person: records were made from tables of the original to which noise was added.",
    effect="Distributions of single variables, and relations of two or three, are about those collected where the tables "
    "were measured; other relations are missing, and small groups are mostly noise.",
    remedy="Take it for a first look and to write analyses with; confirm what matters with the producer of the file.",
)

PRICE_OF_NO_COINCIDENCES = (
    "No released record equals that of a person who is unique in the original. The price: whoever knows such a person "
    "learns that her record is not in the file as it stands, which tells that she took part. With coincidences, records "
    "equal those of unique people as often as those of people outside, and nothing is told of either."
)


class CalibratedSynthesis(Synthesis):
    """New records are drawn as `tree_synthesis` does, and then swap values until they show what the original shows.

    The cost that falls is the sum of squared gaps, each over its variance by chance, of

    * tables of all pairs of columns: numbers in 16 quantile groups, categories in an order in which neighbours are
      alike, and the grid cut like a k-d tree while both sides hold at least `least` people: (count − t)² / (t(1 − t/n) + ½).
      Where one of the two is a category, a region that is nearly empty is cut off too, if `least` people would be there were
      the columns unrelated: of it is only told, to the nearest half of `least`, how many people the rest of its cell lacks;
    * of files with 4,000 records and more, tables of those three columns whose relation their pairs explain least, at most
      `triples` for each column, with cells of at least `least_of_three`;
    * pairs within each area, with cells of at least `least_within`, if the file has a column of areas: 20 people for
      each column that a cell is about, so 40 for two of them and 60 for two within an area;
    * products of columns: standardised values, ranks and squares of ranks (how far from the middle) of numbers with each
      other, weight 30, and with indicators of categories that ten people have, weight 3: (Σ fg − Σ f'g')² / (n · var(fg)). Of
      values, the nine largest and the nine smallest count as the tenth, so that no product is about the one largest firm.

    A swap exchanges the values of two records in one column, and is kept if the cost falls; so distributions of single
    columns stay exact. Three swaps of numbers in four are tried with a number that is some ranks away, few or many; of
    the others, and of categories, every other one with a value that a table wants where the record is one too many. It
    may not make a pair of values that never occurs in the original where three people would have it if the columns were
    unrelated. It ends when the mean squared gap is `near` times that of another sample: beyond, one would copy the noise
    of this one. Of 100,000 values and more, products go on only while five proposals a value bring them nearer by a tenth.
    No cell of a table is about fewer than `least` people (`least_within` within an area); products look at categories that
    ten people have, and the guard at pairs that nobody has.

    With `coincidences` off, no released record equals that of a person who is unique in the original, whatever rules and
    households ask for; it costs little in detail, but tells whoever knows such a person that her record is *not* there as
    it stands. By default records coincide as often as with people who are not in the file.

    All scales and roles are taken, identifiers excepted. Columns that others determine are made again from these. A
    number that only one person has is drawn anew between its neighbours, and products are brought right with the values
    that are released. Missing values, and each code for them, are values like others. A stratum is the area that tables
    are kept within.

    Households are drawn whole, and rules of the schema hold, as in `tree_synthesis`; each step is calibrated by itself,
    and what members have is also brought to what their reference persons have in the same column. Pairs of values that a
    rule forbids are not made by a swap.

    With an `epsilon` above 0 the file is made in another way, which has a formal promise: (ε, δ)-differential privacy
    for files that differ in one record, replaced by another. The number of records is public, and so is what the schema
    declares: categories, missing codes, bounds and decimals. Declare them from what is known of the survey and not from
    the records; a number without bounds is refused, and so is a column that would stay as it is. The original then
    answers questions with noise, and nothing else is read of it: tables of single columns for 0.12 of the budget, then
    in each of 16 rounds (or one for each column) which table of two or three columns the new records are furthest from,
    by the exponential mechanism, and its counts with noise of the discrete Gaussian. Records begin with unrelated columns
    and take values from each other until their tables are near the answers, each counted by its noise. The accounting is
    zCDP and OpenDP's. The noise is drawn by our own exact sampler, in whole numbers, since OpenDP's cannot be repeated
    from a key. The promise needs the secret key: under a seed that somebody may know there is none; and each further key
    for the same file spends the budget once more. It is about the file, and not about reports that compare it with the
    original. None of the other parameters matters then.

    Source: ours; trees after Reiter (2005), swaps that keep tables after Dalenius & Reiss (1982); the formal path after
    McKenna et al. (2022), "AIM: an adaptive and iterative mechanism for differentially private synthetic data", with
    noise after Canonne, Kamath & Steinke (2020).

    >>> from sfumato.datasets import household_survey
    >>> people = household_survey(300, seed=1)
    >>> new = CalibratedSynthesis().apply(people, np.random.default_rng(0))
    >>> sorted(new["sex"]) == sorted(people["sex"]), float((new["age"] == people["age"]).mean()) < 0.2
    (True, True)
    """

    for_users: ClassVar[Advice] = FOR_USERS
    grid: ClassVar = {"least": (40,)}

    least: int = param(default=40, low=2, help="people in a cell of a table at the least")
    least_within: int = param(default=60, low=2, help="people in a cell within an area at the least")
    least_of_three: int = param(
        default=60, low=2, help="people in a cell of a table of three columns at the least"
    )
    triples: int = param(
        default=3,
        low=0,
        help="tables of three columns for each column at the most, where there are 4,000 records and more",
    )
    leaf: int = param(default=160, low=1, help="records in a leaf of a tree at the least")
    near: float = param(
        default=0.1, low=0.0, high=10.0, help="mean squared gap to end at, in that of another sample"
    )
    proposals: int = param(default=80, low=0, help="swaps that are tried for each value at the most")
    coincidences: bool = param(
        default=True,
        help="let records coincide with those of unique people as often as with people outside; without, whoever knows such "
        "a person learns that her record is not there as it stands",
    )

    epsilon: float = param(
        default=0.0,
        low=0.0,
        high=100.0,
        help="promise of differential privacy, the smaller the stronger; 0 is none",
    )
    delta: float = param(
        default=1e-6, low=1e-15, high=0.1, help="how likely the promise of epsilon may fail, about"
    )

    @property
    def avoids_people(self) -> bool:
        return not self.coincidences

    @property
    def price(self) -> str:
        return PRICE_OF_NO_COINCIDENCES if self.avoids_people and not self.epsilon else ""

    @property
    def advice(self) -> Advice:
        return WITH_NOISE if self.epsilon else self.for_users

    @property
    def parted(self) -> Parts:
        return "none" if self.epsilon else self.parted_by

    @property
    def promise(self) -> Promise | None:
        """What is formally promised of the file; nothing without an epsilon.

        >>> print(CalibratedSynthesis(epsilon=1.0).promise)
        (ε, δ)-differential privacy with ε = 1, δ = 1e-06, for files of as many records that differ in one; composed by
        zCDP with ρ = 0.02436; domains as declared.
        """
        if not self.epsilon:
            return None
        return Promise(self.epsilon, self.delta, total_rho(self.epsilon, self.delta))

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        if not self.epsilon:
            return super().mask_part(part, names, rng, whole)
        left = [name for name in part.names if name not in names]
        if left:
            raise DataError(
                f"{self.name}: a formal promise is about whole records, and column {left[0]} would stay as it is; "
                "drop it, or mask it too."
            )
        cells = [PublicCells.of(attribute) for attribute in part.schema]
        questions = FormalQuestions(part, cells, rho=total_rho(self.epsilon, self.delta), rng=rng)
        return formal_table(part.schema, part.n, cells, questions, rng)

    def donors(self, deck: Deck, rng: np.random.Generator) -> np.ndarray:
        deal = self.begun(deck, rng)
        deal.advance(self.proposals, self.near)
        return self.ended(deal)

    def begun(self, deck: Deck, rng: np.random.Generator) -> CalibratedDeal:
        """A deal by trees, which can be brought nearer to its targets step by step."""
        area = self.area(deck)
        fixed = deck.given if area is None or area in deck.given else (area, *deck.given)
        placed = deck.placed(rng)
        start = drawn_by_trees(
            deck.table, deck.names, fixed, self.leaf, rng, placed=placed, blocks=deck.blocks
        )
        work = Calibration.begun(self._targets(deck, area), start, deck.numbers)
        movable = np.array([j for j in deck.movable if deck.names[j] != area], np.int64)
        return CalibratedDeal(deck, work, movable, rng)

    def ended(self, deal: CalibratedDeal) -> np.ndarray:
        """The donors of a deal, which stays as it is; records part from those of unique people if they have to."""
        if deal.deck.people is None or not deal.can_move:
            return deal.donors
        return deal.parted()[1]

    def _targets(self, deck: Deck, area: str | None) -> Targets:
        columns, bans = banned_by_rules(deck, columns_of(deck.table, deck.names))
        context, new_context = (None, None) if area is None else _contexts(deck, area)
        return Targets(
            columns,
            self.least,
            context,
            self.least_within,
            deck.related(),
            bans,
            new_context,
            self.triples * len(columns),
            self.least_of_three,
        )


def _contexts(deck: Deck, area: str) -> tuple[np.ndarray, np.ndarray]:
    """The area of each record of the original, and of each new one."""
    both = np.concatenate([deck.table[area], deck.standing(area)])
    codes = np.unique(both, return_inverse=True)[1].ravel()
    return codes[: deck.table.n], codes[deck.table.n :]
