"""The rows of chapter 6 (EMAD), and of methods in the survey of chapter 2."""

from collections.abc import Iterator

from sfumato.jobs import Line
from sfumato.reproductions import _microaggregation_tables as printed
from sfumato.reproductions._microaggregation_rows import (
    NEAR,
    PROGRAM,
    TITLES,
    Row,
    absent,
    with_options,
    within,
)
from sfumato.reproductions._microaggregation_trials import Trial

REPEATED = "the source repeats a loss of three variables"
GROUPINGS = (
    *("oma", "acnn", "cluster_width", "cluster_width(cuts=recursive)"),
    *("hanani", "fuzzy", "fuzzy(memberships=entropy)", "mdav"),
)
OTHERS = (
    "moving_average",
    "weighted moving average",
    "fuzzy_centres",
    "fuzzy_centres(draw=uniform)",
    "fuzzy_centres(each=attribute)",
    "fuzzy_centres(draw=uniform, each=attribute)",
    "noise_swapping",
    "kept_moments(masking=mdav(k=3))",
)


def emad_rows(most: int) -> Iterator[Row]:
    """Chapter 6: all choices of up to so many variables, and those that EMAD makes."""
    for file, by_count in printed.EXHAUSTIVE.items():
        for count, values in by_count.items():
            if count > most:
                continue
            trial = Trial(file, "mdav(k=3)", tuple(range(1, count + 1)), kind="exhaustive")
            for name, loss in zip(("least", "largest", "mean"), values, strict=True):
                what = f"Table 6.4, {TITLES[file]}, {count} of 13 variables: {name} IL"
                wrong = REPEATED if count > 3 else ""
                bar = "< published" if count > 3 else "<= published"
                yield Row(what, trial, loss, name, bar=bar, why=PROGRAM, wrong=wrong)
    tables = {"emim": "6.5", "chi_square": "6.7", "normal": "6.8"}
    for (file, dependence, width), losses in printed.CHOSEN.items():
        cut = f", width={width}" if width else ""
        listed = Trial(file, f"emad(k=3, dependence={dependence}{cut})", kind="choices")
        what = f"Table {tables[dependence]}, {TITLES[file]}, {dependence}{cut.replace(',', '')}"
        yield Row(f"{what}: choices", listed, len(losses), "choices", 0, within(0))
        for choice, loss in losses.items():
            yield Row(f"{what}, {_set(choice)}: listed", listed, 1, str(choice), 0, within(0))
            trial = Trial(file, "mdav(k=3)", choice)
            yield Row(f"{what}, {_set(choice)}: IL", trial, loss, bar=within(NEAR), why=PROGRAM)
    for file, losses in printed.CHOSEN_FOUR.items():
        for choice, loss in losses.items():
            what = f"Table 6.6, {TITLES[file]}, {_set(choice)}: IL"
            yield Row(what, Trial(file, "mdav(k=3)", choice), loss, wrong=REPEATED)

    for name, attributes, records, widths in printed.SIMULATED:
        for width in widths:
            trial = Trial(f"tree {records} {attributes}", f"emad(width={width})", kind="tree")
            what = f"§6.3.2, a file like {name}, emim, width={width}: edges of the true tree that are missed"
            yield Row(what, trial, 0, "missed", 0, "<= published")


def emad_lines() -> Iterator[Line]:
    yield absent("Tables 6.4–6.8, Sim_1 to Sim_3", "their trees are pictures, their probabilities were drawn")
    yield absent("Tables 6.2 and 6.3", "files of six columns that are 0 or 1, whose draws are not told")


def survey_rows() -> Iterator[Row]:
    """Methods that the source tells of without printing losses of theirs."""
    for file in printed.FILES:
        for method in GROUPINGS:
            what = f"§2.6.3, §4.2.3, §5.2, {TITLES[file]}, k = 3, {method}: IL"
            yield Row(what, Trial(file, with_options(method, "k=3")))
        for method in OTHERS:
            trial = Trial(file, method, kind="released")
            yield Row(f"§2.4.3, §2.6.3, {TITLES[file]}, {method}: IL", trial)
            yield Row(f"§2.4.3, §2.6.3, {TITLES[file]}, {method}: G_IL", trial, value="G_IL")
    for method in ("2-approximation", "mdav(k=2)"):
        yield Row(f"§2.6.3.2, Census, k = 2, {method}: IL", Trial("census", method))


def survey_lines() -> Iterator[Line]:
    yield absent("§2.6.3.1, Secure-kWard", "the text names its aims and no steps")
    yield absent("§7.3, hierarchy of OMMA", "the text names it only, as future work")


def _set(choice: tuple[int, ...]) -> str:
    return "{" + ", ".join(map(str, choice)) + "}"
