"""Masking by exchange: records go to where their neighbours are, and come back masked."""

import shutil
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sfumato.core.crew import Crew, outcomes
from sfumato.core.private import private_folder
from sfumato.data import Attribute, Schema
from sfumato.data.blocks import Blocks, BlockWriter
from sfumato.masking.from_disk.domains import Domain, final_attribute, united
from sfumato.masking.from_disk.exchange import Bundle, Exchange, collect, mask_bundle, send
from sfumato.masking.from_disk.file_facts import facts_of, wholes_for
from sfumato.masking.from_disk.masking_task import MaskingTask
from sfumato.masking.from_disk.routing import Households, check_sizes, joined_leaves, neighbours, ranges

EXCHANGE = "exchange"
BUNDLE = 500_000  # records that one job masks
HOUSEHOLDS = BUNDLE // 2  # records of households that are drawn together
SMALL = 4  # partitions of less than a quarter of the wanted size are joined with another

Lookups = Sequence[Mapping[str, np.ndarray]]  # for the codes of each bundle


def masked_by_exchange(work: MaskingTask, crew: Crew, partition: int) -> Blocks:
    """Send, mask and collect; the files on their way are removed at the end."""
    masked: list[tuple[Exchange, Lookups]] = []
    attributes: list[Attribute] = []
    for exchange in _exchanges(work, crew, partition):
        private_folder(exchange.folder)
        domains = _sent_and_masked(exchange, crew, partition)
        changed, lookups = _final(exchange, domains)
        attributes += changed
        masked.append((exchange, lookups))
    schema = work.original.schema.replace(attributes)
    jobs = [(work, masked, schema, block) for block in range(len(work.original))]
    outcomes(crew, _collect, jobs, label="Collecting records")
    blocks = BlockWriter(work.folder, schema).finish(work.original.counts)
    shutil.rmtree(work.folder / EXCHANGE)
    return blocks


def _exchanges(work: MaskingTask, crew: Crew, partition: int) -> Iterator[Exchange]:
    """One exchange of all columns between neighbours, or one for each column between neighbouring ranks."""
    schema, folder = work.original.schema, work.folder / EXCHANGE
    strata = (
        schema.with_role("stratum") if work.masking.divides(schema) or not work.masking.linked(schema) else ()
    )
    facts = facts_of(work.original, work.names, strata, crew)
    wholes = wholes_for(work, facts, crew)
    if linked := work.masking.linked(schema):
        whole_homes = Households(linked, max(round(work.original.n / HOUSEHOLDS), 1))
        yield Exchange(work, work.names, wholes, whole_homes, folder, linked)
        return
    rows, sample = work.sample()
    if work.masking.parted == "ranks":
        for name in work.names:
            by_rank = ranges(work.masking, sample, rows, name, facts=facts, partition=partition)
            yield Exchange(work, (name,), wholes, by_rank, folder / f"{work.names.index(name)}")
        return
    check_sizes(work.masking, schema, facts)
    near = neighbours(work.masking, sample, work.names, facts=facts, wholes=wholes, partition=partition)
    yield Exchange(work, work.names, wholes, near, folder)


def _sent_and_masked(exchange: Exchange, crew: Crew, partition: int) -> list[dict[str, Domain]]:
    """Do the first two lists of jobs; the domains of each bundle."""
    blocks = range(len(exchange.original))
    counts = outcomes(crew, send, [(exchange, block) for block in blocks], label="Sending records")
    total = np.sum(counts, axis=0)
    least = max(int(getattr(exchange.work.masking, "k", 1)), partition // SMALL)
    partitions = joined_leaves(total, exchange.routing.homes, least)
    bundles = _bundles(partitions, total)
    label = f"Masking by {exchange.work.masking.name}"
    return outcomes(crew, mask_bundle, [(exchange, bundle) for bundle in bundles], label=label)


def _bundles(partitions: Sequence[tuple[int, int]], counts: np.ndarray) -> list[Bundle]:
    """Partitions for one job each, so that none has to hold many more records than a block."""
    starts, held = [], BUNDLE
    for number, (first, last) in enumerate(partitions):
        size = int(counts[first:last].sum())
        if held + size > BUNDLE:
            starts.append(number)
            held = 0
        held += size
    ends = [*starts[1:], len(partitions)]
    return [
        Bundle(number, start, tuple(partitions[start:end]))
        for number, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def _final(exchange: Exchange, found: Sequence[dict[str, Domain]]) -> tuple[list[Attribute], Lookups]:
    """The attributes after masking, and how the codes of each bundle are read."""
    attributes: list[Attribute] = []
    lookups: list[dict[str, np.ndarray]] = [{} for _ in found]
    for name in found[0]:
        before = exchange.original.schema[name]
        domain, to_domain = united(before, [domains[name] for domains in found])
        after, to_codes = final_attribute(before, domain)
        attributes.append(after)
        for lookup, codes in zip(lookups, to_domain, strict=True):
            lookup[name] = to_codes[codes]
    return attributes, lookups


def _collect(_: None, job: tuple[MaskingTask, list[tuple[Exchange, Lookups]], Schema, int]) -> None:
    work, masked, schema, block = job
    writer = BlockWriter(work.folder, schema)
    if writer.has(block):
        return
    columns, reasons = {}, {}
    for exchange, lookups in masked:
        values, why = collect(exchange, block, lookups)
        columns.update(values)
        reasons.update(why)
    attributes = [schema[name] for name in columns]
    writer.write(block, work.original.table(block).replace(columns, attributes, reasons=reasons))
