"""The portfolio: every method over a grid of its parameters, for each kind of key attribute and together."""

import itertools
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path

from sfumato.core import DataError, registry
from sfumato.data import SCALES, Role, Table
from sfumato.masking import Chain, Masking
from sfumato.measures import Measure
from sfumato.parallel import crew as crew_of
from sfumato.search.grouping.grouping_search import grouped_candidates
from sfumato.search.maskings.candidates import Candidate, Judge, evaluate_candidates
from sfumato.search.maskings.judgements import Judgements, judgements
from sfumato.search.maskings.warm_up import warm_up

KEPT_PER_PART = 8


def part_options(table: Table, names: tuple[str, ...], methods: Sequence[str]) -> list[Masking]:
    """All settings of the methods that can take at least one of these attributes, which are of one kind."""
    options: list[Masking] = []
    for method_name in methods:
        method: type[Masking] = registry.load("masking", method_name)
        takes = tuple(name for name in names if table.schema[name].scale in method.scales)
        if takes:
            numeric = table.schema[takes[0]].is_numeric
            settings = method.settings(numeric=numeric)
            options += [method.from_parameters({**setting, "attributes": takes}) for setting in settings]
    return options


def whole_options(table: Table, names: tuple[str, ...], methods: Sequence[str]) -> list[Masking]:
    """All settings of the methods that take every scale, on numeric and categorical attributes at once."""
    options: list[Masking] = []
    for method_name in methods:
        method: type[Masking] = registry.load("masking", method_name)
        if set(SCALES) <= set(method.scales):
            settings = method.settings(numeric=True)
            options += [method.from_parameters({**setting, "attributes": names}) for setting in settings]
    return options


def portfolio(
    table: Table,
    *,
    methods: Sequence[str] = (),
    seed: int = 0,
    workers: int = 1,
    measures: Sequence[Measure] = (),
    grouped: Sequence[int] = (),
    folder: Path | None = None,
    cluster: str = "",
) -> list[Candidate]:
    """Judge a portfolio of maskings of the key attributes.

    Numeric and categorical keys are first tried apart; where a table has both, the best of each kind are
    then tried together, so that the work grows with the sum of the two lists and not with their product.
    Methods that take every scale are also tried on all keys at once: only they can make a mixed table
    k-anonymous over all of them. For each k of `grouped` the numeric keys are also microaggregated in the
    groups of attributes that a search of its own finds. With a `folder` what was judged is kept there, and a
    portfolio that was cut off goes on. With a `cluster`, "local" or an address, its workers judge.
    """
    methods = tuple(methods) or registry.names("masking")
    keys = table.schema.with_role("key")
    if not keys:
        raise DataError("No attribute has the role key: say in the schema what an intruder may know.")
    numeric = tuple(name for name in keys if table.schema[name].is_numeric)
    parts = {"numeric": numeric, "categorical": tuple(name for name in keys if name not in numeric)}
    options: dict[str, list[Masking]] = {
        part: [*part_options(table, names, methods)] for part, names in parts.items()
    }
    if grouped and len(numeric) > 1:
        options["numeric"] += grouped_candidates(
            table, grouped, names=numeric, seed=seed, workers=workers, folder=folder
        )
    whole = whole_options(table, keys, methods) if all(parts.values()) else []
    judges = {"all": Judge(table, seed=seed, measures=measures)}
    judges |= {part: Judge(only_keys(table, names), seed=seed) for part, names in parts.items()}
    with _memory(folder, judges) as memory, crew_of(judges, workers=workers, cluster=cluster) as crew:
        single = [*options["numeric"], *options["categorical"], *whole]
        warm_up(crew, [masking for masking in single if isinstance(masking, Masking)])
        judge = partial(evaluate_candidates, crew, memory=memory)
        if not all(options.values()):
            return judge("all", options["numeric"] or options["categorical"])
        kept = [
            best_spread(judge(part, options[part], label=f"Trying maskings of the {part} keys"))
            for part in parts
        ]
        together = [Chain((a.masking, b.masking)) for a, b in itertools.product(*kept)]
        return judge("all", [*together, *whole], label="Trying them together")


def _memory(folder: Path | None, judges: dict[str, Judge]) -> AbstractContextManager[Judgements | None]:
    return nullcontext() if folder is None else judgements(folder, judges)


def only_keys(table: Table, names: tuple[str, ...]) -> Table:
    """The table with no other key attributes than these."""
    others: dict[str, Role] = {key: "other" for key in table.schema.with_role("key") if key not in names}
    return table.with_schema(table.schema.with_roles(others))


def best_spread(candidates: list[Candidate], kept: int = KEPT_PER_PART) -> list[Candidate]:
    """The candidates worth combining: first those no other one beats, then the best balanced."""
    ranked = sorted(candidates, key=lambda c: (beaten(c, candidates), c.score("max"), c.score("mean")))
    return ranked[:kept]


def beaten(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether another candidate is at least as good in loss and in risk, and better in one."""
    return any(
        other.loss <= candidate.loss
        and other.risk <= candidate.risk
        and (other.loss < candidate.loss or other.risk < candidate.risk)
        for other in others
    )
