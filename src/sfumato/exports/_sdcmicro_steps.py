"""Each masking in the words of sdcMicro, by whose documentation the names of functions and arguments are."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from sfumato.data import Attribute, Schema
from sfumato.exports._r_words import condition_text, r_breaks, r_column, r_symbol, r_text, r_vector
from sfumato.exports._script import Step, coded_ends, new_categories, number
from sfumato.masking import (
    Intervals,
    LocalSuppression,
    Noise,
    Pram,
    RankSwapping,
    RecordSwapping,
    Rounding,
    Shuffling,
    Suppression,
)

NONE = "sdcMicro has no counterpart of {}: do this step with sfumato"
MICROAGGREGATION = {"mdav": "mdav", "individual_ranking": "onedims", "single_axis": "pca"}
SUPPRESSION_OF_OURS = ("never", "sets", "risk", "l", "t")
NOISE = {"uncorrelated": "additive", "correlated": "correlated2", "correlated_transformed": "correlated"}


def step_lines(step: Step) -> Iterable[str]:
    """The lines that do a step, or say that there are none."""
    writer = _microaggregated if step.masking.name in MICROAGGREGATION else STEPS.get(step.masking.name)
    return [f"# {NONE.format(step.masking.name)}"] if writer is None else writer(step)


def _grouped(recoded: dict[str, dict[str, list[str]]]) -> Iterator[str]:
    for name, categories in recoded.items():
        for new, old in categories.items():
            yield f"d <- groupAndRename(d, var = {r_text(name)}, before = {r_vector(old)}, after = {r_text(new)})"


def _recoded(step: Step) -> Iterator[str]:
    return _grouped({name: new_categories(step, name) for name in step.names})


def _cut(step: Step) -> Iterator[str]:
    """Intervals of R are closed on the right: those of ours that are not are moved by one unit, or cut by base R."""
    masking = step.masking
    assert isinstance(masking, Intervals)
    if masking.calendar != "none":
        yield f"# {NONE.format('intervals by the calendar')}"
        return
    for name in step.names:
        attribute, column = step.before.schema[name], r_column(name)
        labels = f"labels = {r_vector(map(number, masking.released(step.before, name).tolist()))}"
        unit = 0.0 if attribute.decimals is None else 10.0**-attribute.decimals
        if masking.closed == "left" and not unit:
            yield f"{column} <- cut({column}, breaks = {r_breaks(masking.cuts)}, {labels}, right = FALSE)"
        else:
            cuts = (
                [round(cut - unit, 12) for cut in masking.cuts] if masking.closed == "left" else masking.cuts
            )
            yield f"d <- globalRecode(d, column = {r_text(name)}, breaks = {r_breaks(cuts)}, {labels})"
        yield f"{column} <- as.numeric(as.character({column}))  # the number that stands for each interval"


def _top_bottom(step: Step) -> Iterator[str]:
    for name in step.names:
        if not step.before.schema[name].is_numeric:
            yield from _grouped({name: new_categories(step, name)})
        else:
            for end in coded_ends(step, name):
                column, limit, value = r_column(name), number(end.limit), number(end.value)
                yield (
                    f"{column} <- topBotCoding({column}, value = {limit}, replacement = {value}, "
                    f"kind = {r_text(end.kind)})"
                )


def _rounded(step: Step) -> Iterator[str]:
    masking = step.masking
    assert isinstance(masking, Rounding)
    yield "# base R: sdcMicro does not round"
    for name, base in masking.bases(step.before).items():
        column, unit = r_column(name), number(base)
        if base and masking.kind == "random":
            share = f"{column} / {unit}"
            yield f"{column} <- {unit} * (floor({share}) + (runif(nrow(d)) < {share} - floor({share})))"
        elif base:
            yield f"{column} <- {unit} * round({column} / {unit})"
        yield from _kept_within(step.before.schema[name])


def _kept_within(attribute: Attribute) -> Iterator[str]:
    column = r_column(attribute.name)
    for function, bound in (("pmax", attribute.low), ("pmin", attribute.high)):
        if bound is not None:
            yield f"{column} <- {function}({column}, {number(bound)})"


def _suppressed(step: Step) -> Iterator[str]:
    masking = step.masking
    assert isinstance(masking, Suppression)
    tests = " & ".join(condition_text(one, step.before.schema) for one in masking.rule.conditions)
    yield "# base R: sdcMicro suppresses by risk, not by a condition"
    yield f"d[which({tests}), {r_vector(step.names)}] <- NA"


def _removed(step: Step) -> Iterator[str]:
    return (f"{r_column(name)} <- NULL" for name in step.names)


def _locally_suppressed(step: Step) -> Iterator[str]:
    masking = step.masking
    assert isinstance(masking, LocalSuppression)
    yield "# sdcMicro lets an empty cell match any value; sfumato does so with missing=any"
    untold = [name for name in SUPPRESSION_OF_OURS if name in masking.non_defaults()]
    if untold:
        yield f"# sdcMicro has no counterpart of {', '.join(untold)}: compare the outcome with sfumato's"
    ghosts = [tuple(pair.split("=", 1)) for pair in masking.ghosts]
    keys = [name for name in step.names if name not in {ghost for _, ghost in ghosts}]
    told = ", ".join(f"list({r_text(key)}, {r_vector([ghost])})" for key, ghost in ghosts)
    along = f", ghostVars = list({told})" if ghosts else ""
    yield f"sdc <- createSdcObj(dat = d, keyVars = {r_vector(keys)}{along}{_strata(step.before.schema)})"
    yield f"sdc <- localSuppression(sdc, k = {masking.k}{_importance(masking)})"
    yield "d <- extractManipData(sdc)"


def _importance(masking: LocalSuppression) -> str:
    """Ranks, of which 1 is the last to be suppressed; and the sets of keys that count together."""
    ranks = np.argsort(np.argsort(-np.array(masking.importance), kind="stable")) + 1
    listed = f", importance = c({', '.join(map(str, ranks.tolist()))})" if masking.importance else ""
    return listed + (f", combs = c({masking.combinations})" if masking.combinations else "")


def _postrandomised(step: Step) -> Iterator[str]:
    masking = step.masking
    assert isinstance(masking, Pram)
    yield "# sdcMicro draws an invariant matrix of its own: values differ, and so do their chances"
    chances = f"pd = {number(masking.p)}, alpha = 0.5"
    yield from _onobject_of(
        step, f"pram(sdc, variables = {r_vector(step.names)}, {chances})", categorical=True
    )


def _microaggregated(step: Step) -> Iterator[str]:
    masking: Any = step.masking
    method = MICROAGGREGATION[masking.name]
    call = f"microaggregation(sdc, variables = {r_vector(step.names)}, aggr = {masking.k}, method = {r_text(method)})"
    yield from _onobject_of(step, call)


def _noised(step: Step) -> Iterator[str]:
    masking = step.masking
    assert isinstance(masking, Noise)
    if masking.kind not in NOISE:
        yield f"# sdcMicro has no counterpart of {masking.kind} noise: do this step with sfumato"
        return
    share = number(round(100 * masking.alpha**0.5, 6))
    yield f"# {share} is the standard deviation in percent of the column's; sdcMicro counts noise in a way of its own"
    variables = r_vector(step.names)
    call = f"addNoise(sdc, variables = {variables}, noise = {share}, method = {r_text(NOISE[masking.kind])})"
    yield from _onobject_of(step, call)


def _rank_swapped(step: Step) -> Iterator[str]:
    masking = step.masking
    assert isinstance(masking, RankSwapping)
    call = f"rankSwap(sdc, variables = {r_vector(step.names)}, TopPercent = 0, BottomPercent = 0, P = {number(masking.p)})"
    yield from _onobject_of(step, call)


def _shuffled(step: Step) -> Iterator[str]:
    masking = step.masking
    assert isinstance(masking, Shuffling)
    keys = step.before.schema.with_role("key")
    given = masking.given or tuple(name for name in keys if name not in step.names)
    if len(step.names) < 2 or not given:
        yield "# sdcMicro shuffles two columns or more, given others: do this step with sfumato"
        return
    form = f"{' + '.join(map(r_symbol, step.names))} ~ {' + '.join(map(r_symbol, given))}"
    yield from _onobject_of(step, f'shuffle(sdc, form = {form}, method = "ds")')


def _records_swapped(step: Step) -> Iterator[str]:
    masking = step.masking
    assert isinstance(masking, RecordSwapping)
    households = step.before.schema.with_role("household")
    if not households or not masking.similar:
        yield "# sdcMicro swaps households that are similar in given columns: do this step with sfumato"
        return
    yield (
        f"d <- recordSwap(d, hid = {r_text(households[0])}, hierarchy = {r_vector(step.names)}, "
        f"similar = {r_vector(masking.similar)}, swaprate = {number(masking.p / 100)})"
    )


def _onobject_of(step: Step, call: str, *, categorical: bool = False) -> Iterator[str]:
    """A call that needs an object of sdcMicro, which is made for it; what it cannot take is said."""
    wrong = [name for name in step.names if step.before.schema[name].is_numeric == categorical]
    if wrong:
        kind = "categories" if categorical else "numbers"
        yield f"# sdcMicro does this to {kind} only: do this step with sfumato"
        return
    yield object_of(_left(step), step.names)
    yield f"sdc <- {call}"
    yield "d <- extractManipData(sdc)"


def _left(step: Step) -> Schema:
    """The columns that there are before a step: those that nobody took out."""
    gone = {name for name in step.before.names if step.before.missing(name).all() and name not in step.names}
    return step.before.schema.select(name for name in step.before.names if name not in gone)


def object_of(schema: Schema, further: Iterable[str] = ()) -> str:
    """The line that makes an object of the keys, and of further columns that a step changes."""
    names = dict.fromkeys([*schema.with_role("key"), *further])
    numeric = [name for name in names if schema[name].is_numeric]
    categorical = [name for name in names if name not in numeric]
    if not categorical:  # the object needs one at least
        categorical, numeric = numeric[:1], numeric[1:]
    numbers = f", numVars = {r_vector(numeric)}" if numeric else ""
    weight = schema.with_role("weight")
    weights = f", weightVar = {r_text(weight[0])}" if weight else ""
    return (
        f"sdc <- createSdcObj(dat = d, keyVars = {r_vector(categorical)}{numbers}{weights}{_strata(schema)})"
    )


def _strata(schema: Schema) -> str:
    strata = schema.with_role("stratum")
    return f", strataVar = {r_vector(strata)}" if strata else ""


STEPS: dict[str, Callable[[Step], Iterable[str]]] = {
    "recoding": _recoded,
    "global_recoding": _recoded,
    "intervals": _cut,
    "top_bottom_coding": _top_bottom,
    "rounding": _rounded,
    "suppression": _suppressed,
    "removal": _removed,
    "local_suppression": _locally_suppressed,
    "pram": _postrandomised,
    "noise": _noised,
    "rank_swapping": _rank_swapped,
    "shuffling": _shuffled,
    "record_swapping": _records_swapped,
}
