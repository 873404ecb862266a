"""Scores are kept in the work folder, so that work which is taken up again does not judge anew.

A file of scores is named after all that they depend on: both tables, the measures, the seed, the sample, and the
version of this package. It holds scores and names of columns, and nothing of a record.
"""

import json
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec

from sfumato.core import Seed, marked
from sfumato.core.crew import Crew
from sfumato.core.private import private_folder
from sfumato.data import writing
from sfumato.data.blocks import INDEX, SCHEMA, Blocks
from sfumato.measures._contract import Measure
from sfumato.measures._scores import Estimate, Score
from sfumato.measures.from_disk.block_scores import MEMORY, SAMPLE, default_measures, score_blocks
from sfumato.version import __version__


def cached_scores(
    original: Blocks,
    masked: Blocks,
    *,
    folder: Path,
    crew: Crew,
    measures: Sequence[Measure] = (),
    seed: Seed = 0,
    sample: int = SAMPLE,
    memory: int = MEMORY,
) -> dict[str, Score]:
    """Score a masked file as `score_blocks` does, and keep the scores in the folder; if it has them, read them.

    Tables are taken for the same while their files keep their sizes and times of modification.
    """
    chosen = list(measures) or default_measures(original.schema)
    question = [
        _stamp(original),
        _stamp(masked),
        [one.spec() for one in chosen],
        marked(seed),
        sample,
        __version__,
    ]
    name = blake2b(json.dumps(question, sort_keys=True).encode(), digest_size=8).hexdigest()
    path = folder / f"scores-{name}.json"
    kept = _read(path)
    if [score.measure for score in kept] == [one.name for one in chosen]:
        return {one.plain(): score for one, score in zip(chosen, kept, strict=True)}
    scores = score_blocks(
        original, masked, folder=folder, crew=crew, measures=chosen, seed=seed, sample=sample, memory=memory
    )
    _write(path, scores)
    return scores


def _stamp(blocks: Blocks) -> list[tuple[str, int, int]]:
    """What tells one table from another without reading it: names, sizes and times of its files."""
    paths = [blocks.folder / SCHEMA, blocks.folder / INDEX, *blocks.paths]
    facts = [(path.name, path.stat()) for path in paths]
    return [(name, fact.st_size, fact.st_mtime_ns) for name, fact in facts]


def _write(path: Path, scores: dict[str, Score]) -> None:
    private_folder(path.parent)
    with writing(path, private=True) as temporary:
        text = json.dumps([score.to_dict() for score in scores.values()])
        temporary.write_text(text, encoding="utf-8")


def _read(path: Path) -> list[Score]:
    """The scores in a file; none where it is not there, or not whole."""
    try:
        return [_score(fields) for fields in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError, msgspec.ValidationError):
        return []


def _score(fields: dict[str, object]) -> Score:
    return msgspec.convert(fields, Estimate if "sample" in fields else Score)
