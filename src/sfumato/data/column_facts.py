"""Facts about a column: what its values say, in so few words that a proposal can be made from them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.arrow_columns import as_text, is_text, plain

MOST_NINES = 8  # digits
ONE_APART, SOME_APART = 0.7, 0.87  # how far below one code, or several, the largest number may lie
FEWEST = 20  # records below which a number says nothing by standing apart
NEGATIVE = frozenset(
    [
        "-1",
        "-2",
        "-3",
        "-7",
        "-8",
        "-9",
        "-96",
        "-97",
        "-98",
        "-99",
        "-996",
        "-997",
        "-998",
        "-999",
        "-9996",
        "-9997",
        "-9998",
        "-9999",
        "-99999",
    ]
)
MOST_CODES = 4
FAR = 2.0  # times as far from zero as any other number
NO_ANSWER = ("DK", "RF", "*")
MISSING_WORDS = (
    *("NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?", "."),
    *("n.a.", "N.A.", "k.A.", "k. A.", "n.d.", "s/d", "ns/nc", "NS/NC", "#N/A", "#NV", "#NULL!", "#VALUE!"),
)
NOT_ASKED = (
    "N",
    "n",
    "NIU",
    "niu",
    "DK",
    "RF",
    "-",
    "--",
    "*",
)  # which are so beside numbers, and else may be words
NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """What the values of a column say about it.

    `values` are the different texts that name them, for a categorical column in its order; `absent` counts
    the records without a value, `nulls` those of them that are null, and `missing` lists the codes in use, of which the
    `structural` ones say that nothing was asked.
    `counted` is how many different values there are where not all of them are listed.

    >>> facts_of(pa.array(["31", "NA", None, "31"])).values
    ('31',)
    """

    kind: pa.DataType
    records: int
    nulls: int
    absent: int
    values: tuple[str, ...]
    missing: tuple[str, ...] = ()
    structural: tuple[str, ...] = ()
    counted: int = 0

    @property
    def distinct(self) -> int:
        return max(self.counted, len(self.values))

    @property
    def present(self) -> int:
        return self.records - self.absent


def facts_of(column: pa.Array, missing: tuple[str, ...] = (), *, labelled: bool = False) -> ColumnFacts:
    """The facts about a column; where no missing codes are declared, the usual words and codes are looked for.

    Numbers that are `labelled` are taken for what their labels say.
    """
    if pa.types.is_dictionary(column.type):
        return ColumnFacts(
            kind=column.type,
            records=len(column),
            nulls=column.null_count,
            absent=column.null_count,
            values=tuple(dict.fromkeys(text for text in as_text(column.dictionary).to_pylist() if text)),
        )
    column = plain(column)
    texts = as_text(column)
    distinct = [text for text in pc.unique(texts).to_pylist() if text]
    told = bool(missing)
    missing = missing or missing_words(column.type, distinct)
    if not told and not labelled:
        missing += numeric_codes(len(column), [text for text in distinct if text not in missing])
    absent = pc.is_in(texts, value_set=pa.array(["", *missing, None], pa.string()))
    codes = {*missing}
    return ColumnFacts(
        kind=column.type,
        records=len(column),
        nulls=column.null_count,
        absent=pc.sum(absent).as_py() or 0,
        values=tuple(text for text in distinct if text not in codes),
        missing=missing,
        structural=() if told else not_asked(missing),
    )


def not_asked(missing: Sequence[str]) -> tuple[str, ...]:
    """The codes among those that mean missing by which a questionnaire says that it did not ask."""
    return tuple(code for code in missing if code not in (*MISSING_WORDS, *NO_ANSWER))


def numeric_codes(records: int, texts: Sequence[str]) -> tuple[str, ...]:
    """Numbers that stand for no number, by standing apart from the others: below zero, or nines above them.

    >>> numeric_codes(50, ["0", "12.5", "70", "-1", "-9"]), numeric_codes(50, ["1", "2", "3", "9"])
    (('-1', '-9'), ('9',))
    >>> numeric_codes(50, ["1", "44", "97", "99"]), numeric_codes(50, ["85", "89", "97", "99"])
    (('97', '99'), ())
    """
    below = [text for text in texts if text.strip()[:1] == "-"]
    if (far := _far_below(texts, below)) and records >= FEWEST:
        return far
    may_be = {text.strip() for text in below} <= NEGATIVE if below else any(map(_is_nines, texts))
    if records < FEWEST or len(below) > MOST_CODES or not may_be or not are_all(texts, NUMBER):
        return ()
    others = [float(text) for text in texts if text not in below]
    if len(others) < 2:
        return ()
    return tuple(sorted(below, key=float, reverse=True)) if below else _nines(texts, others)


def _far_below(texts: Sequence[str], below: Sequence[str]) -> tuple[str, ...]:
    """Negative nines of three digits or more, among other negative numbers, far below all of them.

    >>> _far_below(["120", "-35.5", "-9999999.0"], ["-35.5", "-9999999.0"]), _far_below(["120", "-999"], ["-999"])
    (('-9999999.0',), ())
    """
    codes = [text for text in below if re.fullmatch(r"\s*-9{2,}[6-9](\.0*)?\s*", text)]
    others = [text for text in texts if text not in codes]
    if not 0 < len(codes) <= MOST_CODES or len(codes) == len(below) or not are_all(others, NUMBER):
        return ()
    apart = FAR * max(abs(float(text)) for text in others)
    return (
        tuple(sorted(codes, key=float, reverse=True)) if all(-float(text) >= apart for text in codes) else ()
    )


def are_all(texts: Sequence[str], pattern: str) -> bool:
    """Whether a pattern holds of all texts, blanks around them aside; quicker than one by one."""
    cells = pa.array(list(texts), pa.string())
    return bool(pc.all(pc.match_substring_regex(cells, rf"^\s*(?:{pattern})\s*$"), min_count=0).as_py())


def _is_nines(text: str) -> bool:
    return text.strip().lstrip("9") in ("", "6", "7", "8")


def _nines(texts: Sequence[str], numbers: Sequence[float]) -> tuple[str, ...]:
    """The largest numbers where they are nines, or end a row of numbers up to nines, far above all others."""
    top = max(texts, key=float).strip()
    if not re.fullmatch("9*[6-9]", top) or top in ("6", "7", "8") or len(top) > MOST_NINES:
        return ()
    nines = 10 ** len(top) - 1
    family = [number for number in numbers if nines - 3 <= number <= nines and number == int(number)]
    others = [number for number in numbers if number < nines - 3]
    if len(top) == 1:  # of codes from 1 to 9, only a few at the end of a short list stand apart
        family = [number for number in numbers if number > 6]
        others = [number for number in numbers if number <= 6]
        apart = max(others, default=9) <= min(family) - 3
    else:
        narrow = (ONE_APART if len(family) == 1 else SOME_APART) * nines
        apart = max(others, default=nines) < narrow
    if len(others) < 2 or not apart:
        return ()
    return tuple(text for text in sorted(texts, key=float) if float(text) in family)


def missing_words(kind: pa.DataType, texts: list[str]) -> tuple[str, ...]:
    """The usual words for a missing value that are among these texts; only texts can be such words.

    A letter for what was not asked, or not answered, is one only if all else is numbers, two of them at the least.

    >>> missing_words(pa.string(), ["1", "N", "2"]), missing_words(pa.string(), ["Y", "N"])
    (('N',), ())
    """
    if not is_text(kind):
        return ()
    there = {*texts}
    found = tuple(word for word in MISSING_WORDS if word in there)
    letters = tuple(word for word in NOT_ASKED if word in there)
    others = there - {*found, *letters}
    beside = letters and len(others) > 1 and are_all([*others], NUMBER)
    return (*found, *letters) if beside else found
