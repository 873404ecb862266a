"""Protecting a file from disk, for the command `protect`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.cli.large import Means, check_large_output, described, spooled
from sfumato.cli.reading import Described
from sfumato.cli.stopping import stop_if_asked
from sfumato.core.errors import ParameterError
from sfumato.data.parquet_source import ParquetSource
from sfumato.parallel import available_cores
from sfumato.parallel.dask_client import LOCAL
from sfumato.studies import write_release
from sfumato.studies.large_protect import protect_from_disk
from sfumato.studies.large_protection import LargeProtection


@dataclass(frozen=True)
class Asked:
    """What the user asked of a release."""

    methods: tuple[str, ...]
    require: tuple[str, ...]
    score: str
    keep: tuple[str, ...]
    seed: int
    sample: int
    masking: Any = None


def refuse_searches(file: Path, *, evolve: bool, grouped: bool) -> None:
    """Refuse what only a file in memory can have, and say what to do."""
    for asked, option in ((evolve, "--evolve"), (grouped, "--group-attributes")):
        if asked:
            raise ParameterError(
                f"{option} works in memory, which {file} is too large for: leave it out, use it on a random sample "
                "of the records, or give more --memory."
            )


def protect_large(
    source: ParquetSource,
    output: Path,
    schema_path: Path | None,
    keys: Sequence[str],
    asked: Asked,
    means: Means,
) -> tuple[LargeProtection, list[Path]]:
    """Protect and write a file that stays on disk; what it came to, and the files."""
    means.say(source)
    check_large_output(output)
    with means.place(output) as place:
        read_as, _ = described(source, schema_path, place)
        read_as = Described(read_as.keyed_by(keys), read_as.proposed)
        read_as.say_keys()
        read_as.say_dropped(asked.keep)
        protection = protect_from_disk(
            spooled(source, read_as, place),
            place=place,
            seed=asked.seed,
            methods=asked.methods,
            require=asked.require,
            score=asked.score,
            keep=asked.keep,
            workers=means.workers or available_cores(),
            cluster="" if means.cluster == LOCAL else means.cluster,  # as many processes do the same
            sample=asked.sample,
            masking=asked.masking,
        )
        stop_if_asked()
        return protection, write_release(protection, output, source=source.path)
