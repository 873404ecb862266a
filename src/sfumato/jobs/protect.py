"""Find the protection of a file that meets what is required and loses least, and write it."""

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from sfumato.core import DataError, GateError, ParameterError, param, progress
from sfumato.data import Proposal, Source, Table
from sfumato.data.blocks import Blocks, without_records
from sfumato.data.routing import with_routing
from sfumato.jobs._balanced_choice import balanced
from sfumato.jobs._bench import Bench
from sfumato.jobs._by_hand import check_by_hand, steps_by_hand, taken_by_hand, then_given
from sfumato.jobs._choice import Choice, Contest
from sfumato.jobs._evolution import Search, evolved_from
from sfumato.jobs._evolved import Evolved
from sfumato.jobs._exceeded import exceeded
from sfumato.jobs._finalists import loss_of
from sfumato.jobs._formal_promise import (
    check_alone,
    check_declared,
    formal_masking,
    promised_delta,
    promised_epsilon,
)
from sfumato.jobs._judging import Judging
from sfumato.jobs._order import Order
from sfumato.jobs._policy import NONE, USUAL, Terms, terms_of, with_intruders
from sfumato.jobs._protect_from_disk import FromDiskProtection
from sfumato.jobs._protection import Protection
from sfumato.jobs._reading import FromDisk, KeyedReading
from sfumato.jobs._releasing import Releasing
from sfumato.jobs._searching import Budget, Searching
from sfumato.jobs._shortfall import shortfall
from sfumato.jobs._treatment import REMOVED, Treatments, makes_households
from sfumato.jobs._work import Work
from sfumato.jobs.evaluate import scored
from sfumato.masking import ByHand, Masking, masked_with
from sfumato.search.file_evolution.presets import preset
from sfumato.search.fitness import Fitness
from sfumato.search.maskings.candidates import Candidate, best_spread, judged
from sfumato.search.maskings.demands import check_reachable
from sfumato.search.maskings.gates import Gate, check_gates, check_rehearsed
from sfumato.search.maskings.portfolio_search import search_portfolio
from sfumato.search.stop import Stop

MOST_EVOLVED = 30  # candidates that an evolution starts from
FEWER, MORE = 5, 8  # maskings of each kind of keys that are tried together: by the least loss, or balanced
EVOLUTION = "evolution"  # its folder in that of the run


class Protect(KeyedReading, Releasing, Judging, Searching, FromDisk):
    """Try many maskings of FILE, and write to OUT the one by which analysts lose least among those that meet what is
    required, with a report beside it.

    What is required is said by --require, by the intruders of the schema and by --policy. Where nothing is, the policy
    scientific holds: at most 5 people in 100 are found, and nothing confidential is inferred more than 10 points
    better for people in the file than for others. Loss and risks are those of the verdict, by people and models that
    no search ever used: a masking is applied once more to four fifths of the records, and attacked with the others as
    people outside. With --score max or mean the balance of information loss and disclosure risk of the literature
    decides instead, which look at the keys alone.

    If no candidate meets what is required, nothing is written, the status is 3, and it is said what would help. With
    --evolve the best candidates are evolved after that, and the outcome is written if it is better; Ctrl-C ends the
    evolution and keeps what it found, a second one stops at once.

    With --epsilon nothing is tried: the file is made by calibrated_synthesis under a formal promise, of every column but
    identifiers and household numbers, and what goes out beside it hangs on nothing else. A --schema must declare all columns.

    FILE may be a folder of Parquet files. Parquet that is too large for memory is protected from disk: the candidates
    are tried on a random sample, and the best of them are applied to the whole file until one meets every --require
    there. OUT must then be Parquet too.

    >>> Protect(file="survey.csv", require=["k >= 5"]).spec()
    {'job': 'protect', 'require': ['k_anonymity.smallest >= 5'], 'file': 'survey.csv'}

    >>> import sfumato
    >>> people = sfumato.datasets.household_survey(60, seed=1).to_arrow(text=True).to_pandas()  # any frame
    >>> result = sfumato.protect(people, masking="mdav(k=5, attributes=[age])", with_verdict=False, seed=1)
    >>> bool(result.frame["age"].value_counts().min() >= 5)
    True
    """

    usual: ClassVar[dict[str, Any]] = {}

    methods: tuple[str, ...] = param(default=(), word="NAME", help="methods to try", usual="all")
    require: tuple[Gate, ...] = param(
        default=(),
        help="what a release must meet, such as 'k >= 5' or 'people_found <= 2'; may be repeated",
    )
    policy: str = param(
        default="",
        word="NAME|FILE.toml",
        file=True,
        usual="scientific, where nothing is required",
        help="what every release must meet: public, scientific, none, or a file of your own; --require adds to it",
    )
    score: str = param(
        default="verdict",
        choices=("verdict", "max", "mean"),
        help="choose by the verdict (least analyst loss among what meets the requirements), or balance by the "
        "larger of information loss and disclosure risk, or by their mean, as the literature does",
    )
    grouped: tuple[int, ...] = param(
        default=(),
        low=2,
        option="group-attributes",
        word="K",
        help="also search which numeric keys to microaggregate together, for each K",
    )
    evolve: Budget | None = param(
        default=None, help="then evolve the best candidates for 60s, 5m, 1h, or 300g (generations)"
    )
    masking: Masking | None = param(
        default=None,
        help="protect with this masking in place of a search, such as 'mdav(k=5) + pram', or "
        "'calibrated_synthesis(coincidences=false)' to show no unique person, which tells that she was there",
        word="MASKING",
    )
    by_hand: ByHand = steps_by_hand()
    epsilon: float = promised_epsilon()
    delta: float = promised_delta()
    sample: int = param(
        default=50_000, low=100, help="records to try candidates on where a file is worked on from disk"
    )

    def check(self) -> None:
        super().check()
        check_by_hand(self)
        if self.is_formal:
            check_alone(self, *(["masking"] if self.epsilon else []))
        if self.masking is not None and (self.methods or self.grouped or self.evolve):
            raise ParameterError(
                "A masking was given: leave out methods, grouping and evolving, which search for one."
            )
        if "delta" in self.non_defaults() and not self.epsilon:
            raise ParameterError(f"{self.name}: delta is a part of a formal promise: give epsilon too.")

    @property
    def asked_masking(self) -> Masking | None:
        """The masking that takes the place of a search, if there is one."""
        return formal_masking(self.epsilon, self.delta) if self.epsilon else self.masking

    @property
    def is_formal(self) -> bool:
        """Whether the file is made under a formal promise."""
        return self.asked_masking is not None and self.asked_masking.promise is not None

    @property
    def usual_policy(self) -> str:
        """The policy that holds where nothing is required and none is named: there must be a choice that it can lead."""
        is_open = self.score == "verdict" and self.with_verdict and self.asked_masking is None
        return USUAL if is_open else NONE

    @property
    def stop_rule(self) -> Stop:
        """When the candidates are done with: where they are evolved after that, rules end the evolution and not them."""
        return Stop.when_done() if self.evolve is not None else super().stop_rule

    def work(self) -> Work:
        """Files on disk are kept in the run folder where no other is named."""
        work = super().work()
        work.folder = work.folder or self.run_folder
        return work

    def run(self, source: Source, *, work: Work) -> Protection:
        start = time.perf_counter()
        source = source.with_schema(with_intruders(self, source.schema))
        self.check_disk(source)
        self._refuse_searches(source)
        for name in self.by_hand.fixed:
            source.schema[name]  # one that there is not is refused; one that is left out stays as it is
        table = source.table
        if table.n == 0:
            raise DataError("The table holds no record: there is nothing to protect.")
        if self.is_formal:
            check_declared(source, table)
        elif isinstance(table, Table):
            table = with_routing(table)
            source = source.with_schema(table.schema)
        treated = self._treated_at_first(source)
        if isinstance(table, Blocks):
            found = FromDiskProtection(self, work, source, table, treated).protected()
        else:
            found = self._in_memory(table, source, treated.released, work)
        found = dataclasses.replace(found, seconds=time.perf_counter() - start)
        return found if self.evolve is None else self._evolved(found, work)

    def _masked(self, table: Table | Blocks) -> tuple[str, ...]:
        """The columns that are masked: the keys, unless a masking that was given takes others; and those of steps."""
        records = table if isinstance(table, Table) else without_records(table.schema)
        keys = table.schema.with_role("key")
        taken = keys if self.asked_masking is None else self.asked_masking.targets(records)
        return taken_by_hand(self.by_hand, taken, records)

    def _treated_at_first(self, source: Source) -> Treatments:
        """What becomes of each column if keys are masked; what is left out is said before anything is tried."""
        table = source.table
        treated = self.treatments(table, self._masked(table), source, linked=not self.is_formal)
        for sentence in treated.sentences_of_left_out():
            progress.note(sentence)
        return treated

    def offered(self, table: Table, source: Source | Proposal) -> tuple[str, ...]:
        """The columns that methods are given: those that are not left out."""
        return self.treatments(table, self._masked(table), source, linked=not self.is_formal).released

    def treated_by(self, masking: Masking, table: Table | Blocks, source: Source) -> Treatments:
        """What becomes of each column with the masking that was chosen, and what is said of those that go out."""
        records = table if isinstance(table, Table) else without_records(table.schema)
        treated = self.treatments(
            table, masking.targets(records), source, linked=makes_households(masking, table)
        ).without(masking.leaves_out(records), REMOVED)
        for sentence in (*treated.sentences_of_released(), treated.sentence_of_bare_keys(masking)):
            if sentence:
                progress.note(sentence)
        return treated

    def candidates(
        self, table: Table, work: Work, folder: Path | None, methods: Sequence[str], terms: Terms
    ) -> tuple[list[Candidate], int | None]:
        """What was tried; and after how many generations, where a rule or the user ended the search before its end."""
        if table.schema.with_role("key"):  # a table without is refused below
            check_gates(terms.gates, table)
            check_rehearsed(terms.gates, self.rehearsals)
            check_reachable(terms.gates, table.n)
        by_hand = self.by_hand.within(table.names)
        if self.asked_masking is not None:
            terms.policy.check(self.asked_masking)
            asked = then_given(by_hand, self.asked_masking, table)
            return [
                judged(table, asked, seed=self.randomness, measures=terms.measures, gates=terms.gates)
            ], None
        cluster = work.cluster if folder is None or folder == work.run_folder else work.beyond_memory
        effort = dataclasses.replace(work.effort(self.stop_rule, self.randomness, folder), cluster=cluster)
        found = search_portfolio(
            table,
            effort,
            methods=methods,
            measures=terms.measures,
            grouped=self.grouped,
            whole=not self.stop_rule.rules,
            by_hand=by_hand,
            **self._portfolio(terms),
        )
        return list(found.candidates), None if found.is_whole else found.run.history[-1].generation

    def _portfolio(self, terms: Terms) -> dict[str, Any]:
        """What the portfolio is told of the requirements and the policy; methods that were named may leave keys out."""
        rules = terms.policy.rules
        return {
            "require": terms.gates,
            "partly": bool(self.methods),
            "only_coarsen": not rules.changed_values,
            "coincidences": rules.coincidences,
            "kept": FEWER if self.by_loss(terms) else MORE,
        }

    def _in_memory(self, table: Table, source: Source, released: Sequence[str], work: Work) -> Protection:
        offered = table.select(released)  # what is left out plays no part, nor does a method see it
        terms = terms_of(self, offered.schema).possible(offered.n, self.rehearsals)
        progress.found("requirements", {"gates": terms.to_dict()["requirements"]})
        candidates, cut_after = self.candidates(offered, work, work.run_folder, self.methods, terms)
        choice, made = self.chosen(candidates, offered, terms)
        chosen = choice.candidate
        treated = self.treated_by(chosen.masking, table, source)
        masked = made.select(treated.released)
        return Protection(
            job=self,
            original=table,
            aligned=masked,
            treated=treated,
            order=Order.drawn(masked.n, self.randomness, masked.fingerprint),
            candidates=tuple(candidates),
            chosen=chosen,
            evaluation=scored(offered.select(treated.released), masked, work),
            verdict=choice.verdict,
            gates=choice.gates,
            terms=terms,
            choice=choice,
            score=self.score,
            searched=self.asked_masking is None,
            seconds=0.0,
            cut_after=cut_after,
        )

    def by_loss(self, terms: Terms) -> bool:
        """Whether requirements decide, and then the least loss; else loss and risk are balanced."""
        return self.score == "verdict" and terms.leads

    def contest(self, candidates: Sequence[Candidate], table: Table, terms: Terms) -> Contest:
        """The candidates, and what they are judged on; people are held out where something asks for them."""
        asks_outside = self.with_verdict or any(gate.with_people_outside for gate in terms.gates)
        bench = Bench(table, seed=self.randomness, rehearsals=self.rehearsals if asks_outside else 0)
        return Contest(candidates, terms, bench)

    def chosen(self, candidates: Sequence[Candidate], table: Table, terms: Terms) -> tuple[Choice, Table]:
        """The candidate to be released, with the verdict on it if one is asked for, and its file."""
        contest = self.contest(candidates, table, terms)
        if self.by_loss(terms):
            found = contest.choice()
        else:
            found = balanced(contest, self.score, with_verdict=self.with_verdict)
        if isinstance(found, list):
            raise GateError(shortfall(contest, found))
        masking = found.candidate.masking
        if self.with_verdict and found.verdict is None:
            found = dataclasses.replace(found, verdict=contest.bench.verdict(masking))
        return found, contest.bench.release(masking)[1]

    def _evolved(self, found: Protection, work: Work) -> Protection:
        """The protection with its evolution, whose file is released if its score is better."""
        search = Search(
            fitness=Fitness(how="mean" if self.score == "mean" else "max"),
            optimizer=preset("fast").optimizer,
            stop=Stop(**{**self.stop.given, **(self.evolve.rule if self.evolve is not None else {})}),
            preset="fast",
            seed=self.randomness,
            require=found.terms.gates,
            treated=found.treated,
            rehearsals=self.rehearsals,
            with_verdict=self.with_verdict,
        )
        folder = None if work.run_folder is None else work.run_folder / EVOLUTION
        evolution = evolved_from(found.original, self._start(found), search, work, folder=folder)
        changed: dict[str, Any] = {"evolution": evolution, "seconds": found.seconds + evolution.seconds}
        if self._is_better(evolution, found):
            changed |= {
                name: getattr(evolution, name)
                for name in ("aligned", "order", "evaluation", "gates", "verdict")
            }
        else:
            progress.note("evolving found nothing better than the best candidate, which is released.")
        return dataclasses.replace(found, **changed)

    def _is_better(self, evolution: Evolved, found: Protection) -> bool:
        """Whether an evolved file is released: by the verdict, if that decides and there is one of both."""
        if self.score == "verdict" and evolution.verdict is not None and found.verdict is not None:
            new, old = evolution.verdict, found.verdict
            return (len(exceeded(new)), loss_of(new)) < (len(exceeded(old)), loss_of(old))
        return evolution.score < found.chosen.score(found.balance)

    def _start(self, found: Protection) -> list[tuple[Masking, Table]]:
        """The masked files of the chosen candidate and of the best others."""
        others = [c for c in best_spread(list(found.candidates), MOST_EVOLVED) if c is not found.chosen]
        masked = [
            (c.masking, masked_with(c.masking, found.original, seed=self.randomness))
            for c in [found.chosen, *others]
        ]
        return [(origin, table) for origin, table in masked if table.n == found.original.n]

    def _refuse_searches(self, source: Source) -> None:
        for asked, option in (
            (self.evolve, "--evolve"),
            (self.grouped, "--group-attributes"),
            (self.epsilon, "--epsilon"),
        ):
            if source.on_disk and asked:
                raise ParameterError(
                    f"{option} works in memory, which {source.path} is too large for: leave it out, use it on a "
                    "random sample of the records, or give more --memory."
                )
