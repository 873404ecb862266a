"""The steps as a do-file of Stata: commands where there are such, and notes of all that was done."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import inf

from sfumato.data import Attribute, Schema
from sfumato.data.edit_rules import Condition
from sfumato.exports._script import (
    Script,
    Step,
    categories_that_hold,
    coded_ends,
    is_comparison,
    limits_of,
    new_categories,
    number,
    runs,
)
from sfumato.masking import Intervals, Rounding, Suppression, TopBottomCoding

LONGEST_NAME = 32
MOST_TEXTS = 9  # that inlist takes beside the variable, if they are texts
SIGNS = {"=": "==", "!=": "!="}
NUMERIC = ("integer", "real")
NOT_READ = (
    "Stata reads neither SPSS nor Parquet by a command of all versions: save the file as .dta or .csv first"
)


def stata_script(script: Script) -> str:
    """A do-file that reads the file, does the steps that Stata has commands for, and notes every step."""
    lines = [*(f"* {line}" for line in script.heading()), "", "version 14", "clear all", *_reading(script)]
    lines += [
        f"* column {_one_line(name)} is called {_name(name)} here"
        for name in script.original.names
        if _name(name) != name
    ]
    for place, step in enumerate(script.steps, start=1):
        told = _one_line(f"step {place}: {step.masking.plain()}")
        lines += ["", f"* {told}", *_step(step, script), f"notes _dta: {_noted(told)}"]
    for name in script.by_hand.fixed:
        lines += ["", f"notes {_name(name)}: nothing may change this column"]
    lines += ["", "notes list", f"export delimited using {_text(script.output)}, replace"]
    return "\n".join([*lines, ""])


def _reading(script: Script) -> Iterator[str]:
    if script.suffix == ".dta":
        yield f"use {_text(script.file)}"
        return
    if script.suffix not in (".csv", ".txt", ".tsv"):
        yield f"* {NOT_READ}"
    delimiter = script.text.delimiter or ("\t" if script.suffix == ".tsv" else ",")
    shown = "tab" if delimiter == "\t" else delimiter
    names = "varnames(1) case(preserve)" if script.text.header is not False else "varnames(nonames)"
    yield (
        f"import delimited using {_text(script.file)}, delimiters({_text(shown)}) {names} "
        f"encoding({_text(script.text.encoding or 'utf-8')}) stringcols(_all)"
    )
    for attribute in script.original.schema:
        yield from _typed(attribute)


def _typed(attribute: Attribute) -> Iterator[str]:
    """All columns are read as texts, so that codes keep their zeros; numbers are made numbers again."""
    name = _name(attribute.name)
    for code in attribute.missing:
        yield f'replace {name} = "" if {name} == {_text(code)}'
    if attribute.is_numeric:
        yield f"destring {name}, replace"


def _step(step: Step, script: Script) -> Iterable[str]:
    masking = step.masking
    if isinstance(masking, Intervals) and masking.calendar == "none":
        return _cut(masking, step)
    if isinstance(masking, TopBottomCoding) and all(step.before.schema[n].is_numeric for n in step.names):
        return _top_bottom(step)
    if isinstance(masking, Rounding) and masking.kind == "deterministic":
        return _rounded(masking, step)
    if isinstance(masking, Suppression):
        return _suppressed(masking, step, script)
    if masking.name == "removal":
        return [f"drop {' '.join(map(_name, step.names))}"]
    if masking.name in ("recoding", "global_recoding", "top_bottom_coding"):
        return _recoded(step, script)
    return [f"* Stata has no command for {masking.name}: do this step with sfumato"]


def _recoded(step: Step, script: Script) -> Iterator[str]:
    for column in step.names:
        name, categories = _name(column), new_categories(step, column)
        if not _is_coded(step.before.schema[column], script):
            for new, old in categories.items():
                yield f"replace {name} = {_text(new)} if {_among(name, old)}"
        elif categories:
            yield from _recoded_numbers(name, step, column)


def _recoded_numbers(name: str, step: Step, column: str) -> Iterator[str]:
    """Numbers that stand for categories: a new category gets the next number that is free, and a label."""
    before = step.before.schema[column]
    free = max((int(float(c)) for c in before.categories if _is_number(c)), default=0) + 1
    rules, labels = [], []
    for place, (new, old) in enumerate(new_categories(step, column).items()):
        rules.append(f"({' '.join(old)} = {free + place})")
        labels.append(f"{free + place} {_text(new)}")
    if all(_is_number(category) for category in before.categories):
        yield f"recode {name} {' '.join(rules)}"
        yield f"label define {name}_by_hand {' '.join(labels)}, modify"
        yield f"label values {name} {name}_by_hand"
    else:
        yield f"* categories of {name} got their numbers in an earlier step: recode them with sfumato"


def _cut(masking: Intervals, step: Step) -> Iterator[str]:
    below, above = (">=", "<") if masking.closed == "left" else (">", "<=")
    for column in step.names:
        name, released = _name(column), masking.released(step.before, column).tolist()
        yield "tempvar cut"
        yield "generate double `cut' = ."
        for (low, high), value in zip(pairwise((-inf, *masking.cuts, inf)), released, strict=True):
            tests = [f"{name} {below} {number(low)}"] * (low > -inf)
            tests += [f"{name} {above} {number(high)}"] * (high < inf)
            yield f"replace `cut' = {number(value)} if {' & '.join(tests)} & !missing({name})"
        yield f"replace {name} = `cut'"
        yield "drop `cut'"


def _top_bottom(step: Step) -> Iterator[str]:
    for column in step.names:
        name = _name(column)
        for end in coded_ends(step, column):
            sign = ">" if end.kind == "top" else "<"
            yield f"replace {name} = {number(end.value)} if {name} {sign} {number(end.limit)} & !missing({name})"


def _rounded(masking: Rounding, step: Step) -> Iterator[str]:
    yield "* halves are rounded up by Stata, and to the even multiple by sfumato"
    for column, base in masking.bases(step.before).items():
        if base:
            yield f"replace {_name(column)} = round({_name(column)}, {number(base)})"


def _suppressed(masking: Suppression, step: Step, script: Script) -> Iterator[str]:
    schema = step.before.schema
    tests = " & ".join(_condition(one, schema, script) for one in masking.rule.conditions)
    yield "tempvar chosen"
    yield f"generate byte `chosen' = {tests}"
    for column in step.names:
        empty = "." if schema[column].is_numeric or _is_coded(schema[column], script) else '""'
        yield f"replace {_name(column)} = {empty} if `chosen'"
    yield "drop `chosen'"


def _condition(condition: Condition, schema: Schema, script: Script) -> str:
    attribute, name = schema[condition.column], _name(condition.column)
    if condition.sign.endswith("missing"):
        return f"missing({name})" if condition.sign == "is missing" else f"!missing({name})"
    if not attribute.is_numeric:
        found = categories_that_hold(condition, attribute)
        coded = _is_coded(attribute, script) and all(map(_is_number, found))
        return f"({' | '.join(f'{name} == {one}' for one in found) or '0'})" if coded else _among(name, found)
    sign, limits = limits_of(condition)
    if is_comparison(sign):
        return f"({name} {SIGNS.get(sign, sign)} {number(limits[0])} & !missing({name}))"
    tests = " | ".join(f"{name} == {number(limit)}" for limit in limits)
    return f"({tests})" if sign == "in" else f"(!({tests}) & !missing({name}))"


def _among(name: str, categories: Iterable[str]) -> str:
    """Whether a text is one of some; a list is cut where it is too long for the command."""
    lists = (", ".join(one) for one in runs([_text(category) for category in categories], MOST_TEXTS))
    return f"({' | '.join(f'inlist({name}, {one})' for one in lists) or '0'})"


def _is_coded(attribute: Attribute, script: Script) -> bool:
    """Whether numbers stand for the categories of a column where Stata has it."""
    return script.suffix == ".dta" and attribute.storage in NUMERIC


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", text) is not None


def _name(column: str) -> str:
    """What a column can be called in Stata.

    >>> _name("age"), _name("net income (2020)"), _name("2nd")
    ('age', 'net_income__2020_', '_2nd')
    """
    name = re.sub(r"[^A-Za-z0-9_]", "_", column)[:LONGEST_NAME]
    return name if re.match(r"[A-Za-z_]", name) else f"_{name}"[:LONGEST_NAME]


def _text(value: str) -> str:
    """A text of Stata, in which nothing stands for a macro."""
    shown = _one_line(value).replace("$", "\\$").replace("`", "\\`")
    return f'`"{shown}"\'' if '"' in shown else f'"{shown}"'


def _noted(text: str) -> str:
    """The text of a note."""
    return text.replace("$", "\\$").replace("`", "\\`")


def _one_line(text: str) -> str:
    return " ".join(text.split())
