"""Judging a masked file against its original where both stay on disk."""

from collections.abc import Sequence

from sfumato.core import DataError
from sfumato.data.blocks import Blocks
from sfumato.data.workplace import Workplace
from sfumato.large.judging.judge_blocks import default_measures
from sfumato.large.judging.keeping import judge_once
from sfumato.measures import Measure
from sfumato.studies.evaluate import Evaluation


def evaluate_from_disk(
    original: Blocks, masked: Blocks, *, place: Workplace, measures: Sequence[Measure] = (), seed: int = 0
) -> Evaluation:
    """Score a masked table in blocks; without a list, by every measure that fits and works block by block.

    Linkage is estimated from a random sample of the records, which the seed fixes. Scores are kept in the work
    folder: the same question about the same tables is answered from there.
    """
    if masked.n != original.n:
        raise DataError(
            "The masked file must hold the records of the original in the same order. "
            f"Got {masked.n} records where the original has {original.n}."
        )
    chosen = list(measures) or able_measures(original)
    scores = judge_once(
        original,
        masked,
        folder=place.folder,
        crew=place.crew,
        measures=chosen,
        seed=seed,
        memory=place.for_database,
    )
    return Evaluation(scores=scores, senses={measure.name: measure.sense for measure in chosen})


def able_measures(original: Blocks) -> list[Measure]:
    """The fitting measures that work block by block; a note names the others."""
    return default_measures(original.schema)
