"""A step by hand in the words of a page."""

from collections.abc import Callable
from typing import Any

from sfumato.masking import Masking
from sfumato.search.maskings.short_names import in_short


def step_in_words(step: Masking) -> str:
    """What a step does, as a steward would say it; other methods by their names.

    >>> from sfumato.masking import make_masking
    >>> step_in_words(make_masking("recoding(to={alone = [divorced, widowed]}, attributes=[marital])"))
    'marital: divorced, widowed become alone'
    >>> step_in_words(make_masking("top_bottom_coding(top=100000, attributes=[income])"))
    'income: at most 100,000'
    >>> step_in_words(make_masking("mdav(k=5, attributes=[age, income])"))
    'age, income: mdav k=5'
    """
    what = WORDS.get(step.name, in_short)(step)
    return f"{', '.join(step.named)}: {what}" if step.named else what


def _recoding(step: Any) -> str:
    if step.calendar != "none":
        return _calendar(step)
    entries = step.to.entries if step.to is not None else ()
    parts = [f"{', '.join(old)} {'become' if len(old) > 1 else 'becomes'} {new}" for new, old in entries]
    if step.others:
        parts.append(f"all others become {step.others}")
    return "; ".join(parts)


def _calendar(step: Any) -> str:
    return f"by the age at {step.at}" if step.at else f"by {step.calendar}"


def _intervals(step: Any) -> str:
    if step.calendar != "none":
        return f"{_calendar(step)}, shown by the day in the middle"
    released = "the mean" if step.value == "mean" else "the middle"
    return f"intervals from {_numbers(step.cuts)}, each shown by {released}"


def _ends(step: Any) -> str:
    ends = [("at most", step.top), ("at least", step.bottom)]
    told = [f"{word} {end:,.12g}" for word, end in ends if end is not None]
    return " and ".join(told) or in_short(step)


def _rounding(step: Any) -> str:
    return f"rounded to multiples of {step.base:,.12g}" if step.base else in_short(step)


def _levels(step: Any) -> str:
    level = int(step.level)
    return f"{level} level{'s' if level > 1 else ''} up the hierarchy" if level else in_short(step)


def _numbers(values: Any) -> str:
    return ", ".join(f"{value:,.12g}" for value in values)


WORDS: dict[str, Callable[[Any], str]] = {
    "recoding": _recoding,
    "intervals": _intervals,
    "top_bottom_coding": _ends,
    "rounding": _rounding,
    "global_recoding": _levels,
    "suppression": lambda step: f"empty where {step.where}",
    "removal": lambda step: "left out",
    "local_suppression": lambda step: f"cells emptied until {step.k} records are alike",
}
