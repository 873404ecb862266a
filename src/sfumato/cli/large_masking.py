"""Masking a file from disk, for the command `mask`."""

from collections.abc import Sequence
from pathlib import Path

from sfumato.cli.large import Means, check_large_output, described, spooled
from sfumato.cli.preparing import prepared
from sfumato.cli.reading import Described
from sfumato.cli.stopping import stop_if_asked
from sfumato.cli.writing import schema_beside
from sfumato.core.errors import DataError
from sfumato.data import writing_all
from sfumato.data.blocks import Blocks
from sfumato.data.parquet_source import ParquetSource
from sfumato.data.parquet_stream import stream_parquet
from sfumato.masking import Masking
from sfumato.masking.from_disk.mask_blocks import steps_of
from sfumato.studies import Evaluation
from sfumato.studies.large_evaluate import evaluate_from_disk
from sfumato.studies.large_mask import mask_from_disk
from sfumato.studies.released import released_names


def mask_large(
    made: Masking,
    source: ParquetSource,
    output: Path,
    schema_path: Path | None,
    keep: Sequence[str],
    seed: int,
    means: Means,
) -> tuple[Masking, int, Evaluation | None, tuple[Path, ...]]:
    """Mask and write a file block by block: the method, the number of records, the scores, what was written."""
    means.say(source)
    check_large_output(output)
    list(steps_of(made))  # refuses a method that needs all records at once, before anything is read
    if source.n == 0:
        raise DataError(f"{source.path} holds no record.")
    with means.place(output) as place:
        read_as, _ = described(source, schema_path, place)
        made, schema = prepared(made, read_as)
        original = spooled(source, Described(schema, read_as.proposed), place)
        names = released_names(original, keep)
        masked = mask_from_disk(original, made, place=place, seed=seed)
        evaluation = None
        if schema.with_role("key"):
            evaluation = evaluate_from_disk(original, masked, place=place, seed=seed)
        written = _write(masked, output, names)
    return made, original.n, evaluation, written


def _write(masked: Blocks, output: Path, names: Sequence[str]) -> tuple[Path, ...]:
    stop_if_asked()
    paths = (output, schema_beside(output))
    with writing_all(paths) as (table_path, schema_path):
        stream_parquet(masked, table_path, names)
        schema_path.write_text(masked.schema.select(names).to_toml(), encoding="utf-8")
    return paths
