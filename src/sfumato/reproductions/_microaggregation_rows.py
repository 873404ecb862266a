"""The rows of the study of microaggregation: what is printed, and the trial that ours comes from."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from sfumato.jobs import Bar, Line
from sfumato.reproductions import _microaggregation_tables as printed
from sfumato.reproductions._marks import mark
from sfumato.reproductions._microaggregation_trials import Found, Trial

TITLES = {"tarragona": "Tarragona", "census": "Census"}
NEAR = 1.0  # percent within which a number counts as the same
PROGRAM = "the source had MDAV from another program"
ONE_START = "one random start, and neither it nor the order of pairs is told"
SAMPLE = "another sample"
LIKE_UNIFORM = "the values printed for normal files are those of uniform ones"


class Row(NamedTuple):
    """A printed number: the trial and the name of what stands beside it. `digits` are those printed.

    A bar that is missed where it is known why is told in words, and no longer asked.
    """

    what: str
    trial: Trial
    published: float | None = None
    value: str = "loss"
    digits: int = 4
    bar: str = ""
    why: str = ""  # it may be worse
    wrong: str = ""  # it cannot be reproduced

    def line(self, found: Found) -> Line:
        ours = found.get(self.value, 0.0)
        marks, bar = [self._mark(ours)], self.bar
        why = self.wrong or self.why
        if bar and why and not Bar.parse(bar).holds(ours, self.published):
            marks += [f"asked was {bar}"] if why in marks[0] else [why, f"asked was {bar}"]
            bar = ""
        told = "; ".join(filter(None, marks))
        return Line.of(
            f"{self.what} [{told}]" if told else self.what, ours=ours, published=self.published, bar=bar
        )

    def _mark(self, ours: float) -> str:
        if self.wrong:
            return f"not reproducible: {self.wrong}"
        if self.published is None:
            return ""
        same = max(NEAR / 100 * abs(self.published), 0.5 * 10.0**-self.digits)
        return mark(ours, self.published, same=same, why=self.why)


def absent(what: str, why: str) -> Line:
    """Something printed that no number of ours can stand beside."""
    return Line.of(f"{what} [not reproducible: {why}]", ours=math.nan)


def kward_rows() -> Iterator[Row]:
    """Chapter 3: one variable at a time, and Tarragona projected."""
    columns = [
        ("3.3", file, method, printed.KWARD[file], 3) for file in printed.FILES for method in ("kward", "kwd")
    ]
    columns += [
        ("3.4", "tarragona", "kwr(threshold=0.8)", printed.KWR_FIXED, 3),
        ("3.6", "tarragona", "kwr", printed.KWR_DYNAMIC["tarragona"], 2),
        ("3.7", "census", "kwr", printed.KWR_DYNAMIC["census"], 3),
        ("3.8", "tarragona", "kwdr(threshold=0.8)", printed.KWDR_FIXED, 3),
        ("3.9", "census", "kwdr", printed.KWDR_DYNAMIC, 3),
    ]
    for table, file, method, losses, digits in columns:
        for number, loss in enumerate(losses, 1):
            what = f"Table {table}, {TITLES[file]}, {method}, Var{number}: IL"
            why = (
                "cuts lose a little"
                if method.startswith(("kwr", "kwdr"))
                else "by less than a unit of the last digit"
            )
            bar = at_most(loss, digits)
            yield Row(what, of_three(file, method, number), loss, digits=digits, bar=bar, why=why)
    for axis, loss in printed.PROJECTED.items():
        for method in ("kward", "kwd", "kwr(threshold=0.8)", "kwr", "kwdr"):
            trial = Trial("tarragona", with_options(method, f"k=3, axis={axis}"))
            what = f"Table 3.10, Tarragona by {axis}, {method}: IL"
            yield Row(what, trial, loss, digits=2, bar=at_most(loss, 2), why="cuts lose a little")


def kward_lines(found: dict[Trial, Found]) -> Iterator[Line]:
    """What is said of whole columns: how near they come, and what is spared."""
    for (file, method), saved in printed.SAVED.items():
        trials = [(of_three(file, "kward", v), of_three(file, method, v)) for v in range(1, 14)]
        if all(one in found for pair in trials for one in pair):
            shares = [1 - found[b]["distances"] / found[a]["distances"] for a, b in trials]
            spared = 100 * sum(shares) / len(shares)
            stands = mark(spared, saved, same=NEAR, higher=True)
            yield Line.of(
                f"Table 3.3, {TITLES[file]}, {method}: mean time saved (%), here distances not taken [{stands}]",
                ours=spared,
                published=saved,
                bar=">= published",
            )
            most = max(abs(found[a]["loss"] - found[b]["loss"]) for a, b in trials)
            yield Line.of(
                f"Theorem 2, {TITLES[file]}: largest difference of IL between kward and {method}",
                ours=most,
                bar="<= 1e-9",
            )
    trials = [(of_three("census", "kwr", v), of_three("census", "kwdr", v)) for v in range(1, 14)]
    if all(one in found for pair in trials for one in pair):
        yield Line.of(
            "Table 3.9, Census: largest difference of IL between kwr and kwdr, printed 0.004 (Var12, Var13) "
            "[an error of the source: Theorem 2 forbids it]",
            ours=max(abs(found[a]["loss"] - found[b]["loss"]) for a, b in trials),
            published=0.004,
            bar="<= 1e-9",
        )
    yield absent("Tables 3.5 and 3.11, Census", "their rows are lost in the copy at hand")
    yield absent("Tables 3.4, 3.7: trees of cuts", "the copy at hand has lost parentheses")


def omma_rows() -> Iterator[Row]:
    """Chapter 4: MDAV, OMMA as printed and as it is here."""
    for file in printed.FILES:
        univariate = (("mdav", printed.UNIVARIATE_MDAV), ("OMMA-printed", printed.UNIVARIATE_OMMA))
        for method, losses in univariate:
            for number, loss in enumerate(losses[file], 1):
                what = f"Table 4.2, {TITLES[file]}, {method}, Var{number}: IL"
                why = ONE_START if "OMMA" in method else PROGRAM
                yield Row(what, of_three(file, method, number), loss, digits=5, bar=within(2), why=why)
        for number, loss in enumerate(printed.UNIVARIATE_OMMA[file], 1):
            what = f"Table 4.2, {TITLES[file]}, omma, Var{number}: IL"
            bar = at_most(loss + 0.5e-5, 5)  # digits are cut: MDAV's 7.15200 is printed as 7.15199 for OMMA
            yield Row(what, of_three(file, "omma", number), loss, digits=5, bar=bar)
        for k, (mdav, omma, cycles) in printed.OMMA[file].items():
            what = f"Table 4.3, {TITLES[file]}, k = {k}"
            yield Row(f"{what}, mdav: IL", Trial(file, f"mdav(k={k})"), mdav, bar=within(2), why=PROGRAM)
            plain = Trial(file, f"OMMA-printed(k={k})")
            yield Row(f"{what}, OMMA-printed: IL", plain, omma, bar=within(2), why=ONE_START)
            yield Row(f"{what}, OMMA-printed: cycles", plain, cycles, "cycles", 0, why=ONE_START)
            near = Trial(file, f"OMMA-printed(k={k}, order=distance)")
            yield Row(
                f"{what}, OMMA-printed, nearest pairs first: IL", near, omma, bar=within(2), why=ONE_START
            )
            yield Row(f"{what}, omma: IL", Trial(file, f"omma(k={k})"), omma, bar="<= published")
        for option in ("depth=1", "depth=2", "depth=10", "theta=0.1", "theta=0.25", "theta=1"):
            what = f"§4.5.2, {TITLES[file]}, k = 3, OMMA-printed, {option}: IL"
            yield Row(what, Trial(file, f"OMMA-printed(k=3, {option})"))


def omma_simulated_rows() -> Iterator[Row]:
    """Tables 4.3 and 4.5–4.7 on simulated files; those printed as normal are also tried on uniform ones."""
    for file, by_k in printed.OMMA.items():
        if file in printed.FILES:
            continue
        for k, (mdav, omma, _) in by_k.items():
            yield from _simulated("4.3", file, k, ("mdav", "OMMA-printed"), (mdav, omma))
    scaled = [("4.5", f"{n} 16", 3, losses) for n, losses in printed.BY_RECORDS.items()]
    scaled += [("4.6", f"3000 {d}", 3, losses) for d, losses in printed.BY_VARIABLES.items()]
    scaled += [("4.7", "2400 16", k, losses) for k, losses in printed.BY_SIZE.items()]
    for table, size, k, losses in scaled:
        for kind, some in (("uniform", losses[:2]), ("normal", losses[2:])):
            yield from _simulated(table, f"{kind} {size}", k, ("mdav", "OMMA-printed"), some)


def iamat_rows() -> Iterator[Row]:
    """Table 5.1 on the classic files."""
    for file in printed.FILES:
        for k, (mdav, iamat) in printed.IAMAT[file].items():
            what = f"Table 5.1, {TITLES[file]}, k = {k}"
            yield Row(f"{what}, mdav: IL", Trial(file, f"mdav(k={k})"), mdav, bar=within(2), why=PROGRAM)
            plain = Trial(file, f"IAMAT-printed(k={k})")
            yield Row(f"{what}, IAMAT-printed: IL", plain, iamat, bar=within(2), why="ties and rounding")
            yield Row(f"{what}, iamat: IL", Trial(file, f"iamat(k={k})"), iamat, bar="<= published")
        for gamma in (0, 0.25, 0.5, 1, 2):
            what = f"§7.4, {TITLES[file]}, k = 3, iamat, gamma={gamma}: IL"
            yield Row(what, Trial(file, f"iamat(k=3, gamma={gamma})"))


def iamat_simulated_rows(most: int) -> Iterator[Row]:
    """Tables 5.1 and 5.3–5.5 on simulated files of at most so many records."""
    for file, by_k in printed.IAMAT.items():
        if file not in printed.FILES:
            for k, pair in by_k.items():
                yield from _simulated("5.1", file, k, ("mdav", "IAMAT-printed"), pair)
    scaled = [("5.3", f"{n}000 10", k, losses) for (n, k), losses in printed.LARGE.items()]
    scaled += [("5.4", f"10000 {d}", 3, losses) for d, losses in printed.WIDE.items()]
    scaled += [("5.5", "10000 10", k, losses) for k, losses in printed.GROUPED.items()]
    for table, size, k, losses in scaled:
        if int(size.split()[0]) <= most:
            for kind, some in (("normal", losses[:2]), ("uniform", losses[2:])):
                yield from _simulated(table, f"{kind} {size}", k, ("mdav", "IAMAT-printed"), some)


def score_rows() -> Iterator[Row]:
    """Tables 4.4 and 5.2, Census."""
    methods = {"MDAV": "mdav", "OMMA": "OMMA-printed", "IAMAT": "IAMAT-printed"}
    why = {"MDAV": PROGRAM, "OMMA": ONE_START, "IAMAT": ""}
    for (table, name), by_k in printed.SCORES.items():
        for k, (loss, _, interval, _, _) in by_k.items():
            trial = Trial("census", f"{methods[name]}(k={k})", kind="scores")
            what = f"Table {table}, Census, k = {k}, {methods[name]}"
            bars = (to_digits(loss, 2), to_digits(interval, 4)) if name == "IAMAT" else ("", "")
            yield Row(f"{what}: G_IL", trial, loss, "G_IL", 2, bars[0], why[name])
            yield Row(f"{what}: ID", trial, interval, "ID", 4, bars[1], why[name])


def score_lines() -> Iterator[Line]:
    """What the printed scores say of themselves."""
    differences = []
    for (table, name), by_k in printed.SCORES.items():
        for k, (loss, linkage, _, _, score) in by_k.items():
            differences.append(abs((loss + 39) / 2 - score))
            if linkage > 200 / k:
                yield Line.of(
                    f"Table {table}, Census, k = {k}, {name}: RLD, most that can link by its definition "
                    "[not reproducible: k equal records share two nearest ones]",
                    ours=200 / k,
                    published=linkage,
                    bar="< published",
                )
    yield Line.of(
        "Tables 4.4 and 5.2, Census: largest difference between SI and (G_IL + 39)/2 "
        "[an error of the source: G_DR does not enter]",
        ours=max(differences),
        bar="<= 0.001",
    )
    yield absent(
        "Tables 4.4 and 5.2, simulated files", "their key variables were chosen by repetitions not told"
    )


def _simulated(
    table: str, file: str, k: int, methods: tuple[str, str], losses: tuple[float, ...]
) -> Iterator[Row]:
    """Both methods on a simulated file; where it is printed as normal, on a uniform one too."""
    for method, loss in zip(methods, losses, strict=True):
        bar, why = within(2), f"{SAMPLE}; {ONE_START}" if "OMMA" in method else SAMPLE
        what = f"Table {table}, {file}, k = {k}, {method}: IL"
        trial = Trial(file, f"{method}(k={k})")
        if loss == printed.TWICE:
            yield Row(what, trial, loss, wrong="the source prints one loss for both distributions")
        elif file.startswith("normal"):
            yield Row(what, trial, loss, wrong=LIKE_UNIFORM)
            as_uniform = Trial(file.replace("normal", "uniform"), trial.masking)
            yield Row(f"{what} of a uniform file", as_uniform, loss, bar=bar, why=why)
        else:
            yield Row(what, trial, loss, bar=bar, why=why)


def of_three(file: str, method: str, variable: int) -> Trial:
    return Trial(file, with_options(method, "k=3"), (variable,), alone=True)


def with_options(method: str, options: str) -> str:
    """A method with more options.

    >>> with_options("kwr(threshold=0.8)", "k=3"), with_options("kwd", "k=3")
    ('kwr(k=3, threshold=0.8)', 'kwd(k=3)')
    """
    name, bracket, rest = method.partition("(")
    return f"{name}({options}, {rest}" if bracket else f"{name}({options})"


def within(percent: float) -> str:
    return str(Bar.parse(f"within {percent:g} % of published"))


def at_most(published: float, digits: int) -> str:
    """The bar of a number that must not be above what is printed, in its last digit.

    >>> at_most(7.176, 3)
    '<= 7.1765'
    """
    return f"<= {published + 0.5 * 10.0**-digits:.8g}"


def to_digits(published: float, digits: int) -> str:
    """The bar of a number that must agree to so many decimals."""
    return within(math.ceil(1e5 * 50 * 10.0**-digits / published) / 1e5)
